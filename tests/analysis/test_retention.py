"""Facts kept, lost and introduced by a compression."""

from __future__ import annotations

import pytest

from convviewer.analysis.facts import find_facts
from convviewer.analysis.retention import Retention, retention
from convviewer.core.thread import Marker, Media, Message, ToolResult, ViewingContext
from tests.analysis.build import assistant, result, tier, use, user


def found(text: str) -> list[tuple[str, str]]:
    return [(name.kind, spelling) for name, spelling in find_facts(text, prose=True)]


def compare(left: list[Message], right: list[Message]) -> Retention:
    return retention(tier(*left), tier(*right, name="compressed"))


def values(facts: Retention, what: str) -> list[tuple[str, str]]:
    return [(fact.kind, fact.value) for fact in getattr(facts, what)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Order ORD-0001 and file fl_7h2k9w4q.", [("id", "ORD-0001"), ("id", "fl_7h2k9w4q")]),
        ("Code 4711-ZEBRA, ticket #1234", [("id", "4711-ZEBRA"), ("id", "#1234")]),
        (
            "run 47a3bb26-0aef-4771-94ef-5c25cd801eac",
            [("id", "47a3bb26-0aef-4771-94ef-5c25cd801eac")],
        ),
        ("took 2712 ms, cost 42.10 EUR", [("number", "2712 ms"), ("number", "42.10 EUR")]),
        ("3 pumps, 4 bar, 17,904 rows", [("number", "4 bar"), ("number", "17,904 rows")]),
        ("on 2026-11-30 at 14:07:09", [("date", "2026-11-30"), ("time", "14:07:09")]),
        ("2026-11-30T20:19:21Z", [("date", "2026-11-30"), ("time", "20:19:21Z")]),
        ("due 30 Nov 2026", [("date", "30 Nov 2026")]),
        ("see /var/log/w8.log and notes.md.", [("path", "/var/log/w8.log"), ("path", "notes.md")]),
        ("at https://example.com/a?b=1.", [("url", "https://example.com/a?b=1")]),
        ("mail someone@example.com", [("email", "someone@example.com")]),
        ("It was an UpstreamTimeout.", [("error", "UpstreamTimeout")]),
        ("LOG_STORE_TIMEOUT, HTTP 503", [("code", "HTTP 503"), ("code", "LOG_STORE_TIMEOUT")]),
        ('It said "timed out after all".', [("quoted", "timed out after all")]),
        ("1. First thing\n2. Second thing", []),
        ("Nothing to see here.", []),
    ],
)
def test_each_kind_of_fact_is_found(text: str, facts: list[tuple[str, str]]) -> None:
    assert found(text) == facts


def test_colours_of_a_terminal_are_no_part_of_a_fact() -> None:
    text = "\x1b[2m04:12:07.208\x1b[0m \x1b[36;1mpump_7\x1b[0m"

    found = [(name.kind, name.value) for name, _ in find_facts(text, prose=False)]

    assert found == [("time", "04:12:07.208"), ("id", "pump_7")]


def test_numbers_are_equal_by_value() -> None:
    facts = compare(
        [user("It read 1,000 rows and 42.10 EUR and 0412.")],
        [user("1000 rows, 42.1 EUR, 412", is_summary=True)],
    )

    assert (facts.kept, facts.lost, facts.introduced) == (3, (), ())


def test_what_no_entry_states_any_more_is_lost_with_the_messages_that_said_it() -> None:
    facts = compare(
        [
            user("Refund ORD-0001 please.", key="0"),
            assistant("KeyError in w4.log for ORD-0001 after 250 ms.", key="1"),
            user("And ORD-0002?", key="2"),
        ],
        [
            user("The customer asked for a refund.", is_summary=True, key="s"),
            user("And ORD-0002?", key="2"),
        ],
    )

    assert [(f.kind, f.value, f.keys) for f in facts.lost] == [
        ("id", "ORD-0001", ("0", "1")),
        ("error", "KeyError", ("1",)),
        ("path", "w4.log", ("1",)),
        ("number", "250 ms", ("1",)),
    ]
    assert (facts.kept, facts.lost_count, facts.introduced) == (0, 4, ())


def test_a_fact_counts_as_kept_wherever_it_stands() -> None:
    facts = compare(
        [user("Refund ORD-0001."), assistant("Done."), user("Was ORD-0001 refunded?")],
        [user("Was ORD-0001 refunded?")],
    )

    assert (facts.kept, facts.lost) == (1, ())


def test_facts_in_tool_input_and_output_count() -> None:
    facts = compare(
        [
            assistant(use("a", value={"order": "ORD-7", "n": 41}), key="0"),
            user(
                ToolResult(tool_use_id="a", payload={"rows": [{"id": "fl_9x"}]}),
                result("b", "took 88 ms"),
                key="1",
            ),
        ],
        [user("fl_9x was read.", is_summary=True)],
    )

    assert sorted(values(facts, "lost")) == [
        ("id", "ORD-7"),
        ("number", "41"),
        ("number", "88 ms"),
    ]
    assert facts.kept == 1


def test_what_a_summary_makes_up_is_introduced() -> None:
    facts = compare(
        [user("Refund ORD-0001 for 30 EUR, twelve times.", key="0")],
        [user("Refunded ORD-0001 as RF-881 for 42.10 EUR, 12 times.", is_summary=True, key="s")],
    )

    assert [(f.kind, f.value, f.keys) for f in facts.introduced] == [
        ("id", "RF-881", ("s",)),
        ("number", "42.10 EUR", ("s",)),
    ]


def test_a_code_is_not_made_up_where_its_number_was_recorded() -> None:
    facts = compare(
        [user(ToolResult(tool_use_id="a", payload={"status": 503})), user("exit code 37")],
        [user("It failed with HTTP 503 and error code 37.", is_summary=True)],
    )

    assert facts.introduced == ()
    assert values(facts, "lost") == [("number", "503")]


def test_a_summary_inside_a_note_can_make_things_up_but_its_header_cannot() -> None:
    note = Marker(
        reduction="summarized", text="[Summarized: 12 messages, ~2,741 tokens]\n\nSaw RF-881."
    )

    facts = compare([user("Hello.")], [user("Hello."), assistant("Yes.", note)])

    assert values(facts, "introduced") == [("id", "RF-881")]


def test_cuts_and_references_introduce_nothing() -> None:
    text = " ".join(f"value {n}" for n in range(1000, 1400))
    cut = Marker(
        reduction="truncated",
        text=f"[Truncated: 1 block, ~957 tokens]\n\n{text[:105]}\n\n[... 3,586 chars elided ...]"
        f"\n\n{text[-101:]}\n\n[Stashed] [ref: tooluse_tbl1_0]",
        refs=("tooluse_tbl1_0",),
    )

    facts = compare([assistant(text)], [assistant(cut)])

    assert facts.introduced == ()
    assert "1000" not in {fact.value for fact in facts.lost}
    assert "1200" in {fact.value for fact in facts.lost}


def test_a_fact_far_inside_a_large_output_is_not_called_introduced() -> None:
    large = "x y " * 30_000 + "found fl_7h2k9w4q"

    facts = compare([user(result("a", large))], [user("Found fl_7h2k9w4q.", is_summary=True)])

    assert facts.introduced == ()
    assert facts.clipped


def test_equal_tiers_lose_and_introduce_nothing() -> None:
    messages = [user("ORD-0001"), assistant("42 ms", Media(kind="image", data=b"x"))]

    assert compare(messages, messages) == Retention()


def test_viewing_context_is_no_fact_of_the_conversation() -> None:
    left = [user(ViewingContext(context={"file_ids": ["fl_7h2k9w4q"]}), "Hi")]

    assert compare(left, [user("Hi")]) == Retention()


def test_errors_and_ids_that_were_used_again_come_first() -> None:
    facts = compare(
        [
            user("At 14:07 ValueError, 99 ms", key="0"),
            user("again 99 ms, see ORD-1", key="1"),
            user("ORD-1 and 5.5 km", key="2"),
        ],
        [user("All fine.", is_summary=True)],
    )

    assert [(f.value, f.mentions) for f in facts.lost] == [
        ("ORD-1", 2),
        ("ValueError", 1),
        ("14:07", 1),
        ("99 ms", 2),
        ("5.5 km", 1),
    ]
