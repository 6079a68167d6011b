"""Two tiers side by side through the API and the command: the recorded cases, and every sample."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from convviewer.importing.importer import import_paths

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "data" / "cases"
SAMPLES = ROOT / "convviewer" / "samples"
REFUNDS = [
    *(SAMPLES / "snapshots" / "session").glob("refund-*"),
    *(SAMPLES / "strands").glob("session_refund-*"),
]


def import_case(number: str) -> str:
    """Import the case's input and return the id of its one thread."""
    (folder,) = CASES.glob(f"{number}-*")
    (thread,) = import_paths([folder / "input"]).threads[-1:]
    return thread.id


def get(client: Client, path: str, status: int = 200) -> Any:
    response = client.get(f"/api/threads/{path}")
    assert response.status_code == status, response.content[:500]
    return json.loads(response.content)


def rows_of(client: Client, thread: str, left: str, right: str) -> list[Any]:
    """All rows, three to a page, so that pages are tried too."""
    address = f"{thread}/compare/{quote(left)}/{quote(right)}?limit=3"
    page = get(client, address)
    items = list(page["items"])
    while page["next"]:
        page = get(client, f"{address}&after={page['next']}")
        items += page["items"]
    return items


def shape(items: list[Any]) -> list[tuple[list[int], list[int], str, str]]:
    return [(row["left"], row["right"], row["outcome"], row["basis"]) for row in items]


def kept(left: int, right: int) -> tuple[list[int], list[int], str, str]:
    return ([left], [right], "kept", "identity")


def test_01_the_range_a_stored_count_gives_is_labelled_as_inferred(client: Client) -> None:
    thread = import_case("01")

    items = rows_of(client, thread, "verbatim", "compressed")

    assert shape(items) == [
        ([0, 1], [0], "summarized", "inferred_offset"),
        *(kept(n, n - 1) for n in range(2, 12)),
    ]
    first = items[0]
    assert first["basis_label"] == "range inferred from the stored count"
    assert (first["left_keys"], first["right_keys"]) == (["0", "1"], ["summary"])
    assert first["into"] == {"key": "summary", "block": None}
    assert first["url"] == f"/threads/{thread}/compare/?row=0"
    assert {row["basis_label"] for row in items[1:]} == {""}


def test_03_a_count_that_cannot_be_right_leaves_every_message_in_a_row(client: Client) -> None:
    thread = import_case("03")

    page = get(client, f"{thread}/compare/verbatim/compressed")

    assert shape(page["items"]) == [([n], [], "dropped", "none") for n in range(16)]
    summary = page["summary"]
    assert summary["messages"] == {"before": 16, "after": 0}
    assert summary["outcomes"] == {"dropped": 16}
    assert (summary["tokens"]["after"], summary["tokens"]["saved_ratio"]) == (0, 1.0)
    assert summary["matched"] is False


def test_05_checkpoints_can_be_compared_with_each_other(client: Client) -> None:
    thread = import_case("05")
    tiers = [tier["name"] for tier in get(client, thread)["tiers"]]
    first, second = [name for name in tiers if name.startswith("checkpoint:")]

    assert shape(rows_of(client, thread, "verbatim", "compressed")) == [
        ([0, 1, 2, 3], [0], "summarized", "identity"),
        *(kept(n, n - 3) for n in range(4, 10)),
    ]
    assert shape(rows_of(client, thread, first, second)) == [
        *(kept(n, n) for n in range(4)),
        *(([], [n], "added", "none") for n in range(4, 8)),
    ]
    assert shape(rows_of(client, thread, second, first)) == [
        *(kept(n, n) for n in range(4)),
        *(([n], [], "dropped", "none") for n in range(4, 8)),
    ]


@pytest.mark.parametrize(("number", "messages"), [("07", 4), ("09", 2), ("11", 6)])
def test_what_both_tiers_hold_alike_is_kept(client: Client, number: str, messages: int) -> None:
    thread = import_case(number)

    items = rows_of(client, thread, "verbatim", "compressed")

    assert shape(items) == [kept(n, n) for n in range(messages)]
    assert {block["outcome"] for row in items for block in row["blocks"]} == {"kept"}


def test_09_redacted_text_is_in_no_answer(client: Client) -> None:
    thread = import_case("09")
    pair = f"/api/threads/{thread}/compare/verbatim/compressed"

    for address in (pair, f"{pair}/retention", f"/api/threads/{thread}/integrity"):
        assert b"4711-ZEBRA" not in client.get(address).content


def test_29_equal_texts_are_told_apart_by_identity(client: Client) -> None:
    thread = import_case("29")

    assert shape(rows_of(client, thread, "verbatim", "compressed")) == [
        ([0, 1, 2, 3, 4, 5], [0], "summarized", "inferred_offset"),
        *(kept(n, n - 5) for n in range(6, 12)),
    ]


def test_35_a_variant_answers_to_its_name_and_to_compressed(client: Client) -> None:
    thread = import_case("35")
    by_alias = get(client, f"{thread}/compare/verbatim/compressed")
    by_name = get(client, f"{thread}/compare/verbatim/deleted")

    assert by_alias == by_name
    assert shape(by_alias["items"]) == [
        kept(0, 0),
        ([1], [1], "tombstone", "identity"),
        ([2], [2], "filler", "identity"),
        ([3], [3], "rewritten", "identity"),
        kept(4, 4),
        kept(5, 5),
    ]
    assert by_alias["summary"]["right"] == "deleted"
    assert by_alias["summary"]["outcomes"] == {
        "kept": 3,
        "tombstone": 1,
        "filler": 1,
        "rewritten": 1,
    }


def test_35_as_sent_the_tombstones_are_gone(client: Client) -> None:
    thread = import_case("35")
    address = f"{thread}/compare/verbatim/compressed?outcome=tombstone"

    (stored,) = get(client, address)["items"]
    (sent,) = get(client, f"{address}&as=sent")["items"]

    assert [block["right"] for block in stored["blocks"]] == [
        {"key": "1", "block": 0},
        {"key": "1", "block": 1},
    ]
    assert [block["right"] for block in sent["blocks"]] == [None, None]
    assert sent["right"] == stored["right"] == [1]


def test_rows_of_one_outcome_can_be_asked_for(client: Client) -> None:
    thread = import_case("35")

    page = get(client, f"{thread}/compare/verbatim/compressed?outcome=filler&outcome=rewritten")

    assert [row["row"] for row in page["items"]] == [2, 3]


def test_lost_facts_name_their_messages_and_lead_to_their_rows(client: Client) -> None:
    thread = import_case("01")

    found = get(client, f"{thread}/compare/verbatim/compressed/retention")

    assert [(fact["kind"], fact["value"], fact["keys"]) for fact in found["lost"]] == [
        ("number", "4 bar", ["1"])
    ]
    assert found["introduced"] == []
    assert found["lost"][0]["url"] == f"/threads/{thread}/compare/?row=0"
    summary = get(client, f"{thread}/compare/verbatim/compressed")["summary"]
    assert (summary["lost_identifiers"], summary["introduced_identifiers"]) == (1, 0)


def test_findings_name_their_message_and_lead_to_it(client: Client) -> None:
    thread = import_case("01")

    items = get(client, f"{thread}/integrity")["items"]

    assert [(item["code"], item["key"]) for item in items] == [("same_role_twice", "2")]
    assert items[0]["url"] == f"/threads/{thread}/messages/2/?tier=compressed"


def test_a_thread_without_compression_equals_its_compressed_tier(client: Client) -> None:
    (thread,) = import_paths([SAMPLES / "messages"]).threads

    page = get(client, f"{thread.id}/compare/verbatim/compressed")

    assert set(page["summary"]["outcomes"]) == {"kept"}
    assert page["summary"]["tokens"]["saved_ratio"] == 0


@pytest.mark.parametrize("pair", ["verbatim/checkpoint:9", "nothing/compressed"])
def test_a_missing_tier_is_answered_with_the_tiers_there_are(client: Client, pair: str) -> None:
    thread = import_case("01")

    detail = get(client, f"{thread}/compare/{pair}", status=404)["detail"]

    assert "its tiers: verbatim, compressed" in detail


def test_a_cursor_of_another_list_is_refused(client: Client) -> None:
    thread = import_case("01")
    cursor = get(client, f"{thread}/tiers/verbatim/messages?limit=2")["next"]

    get(client, f"{thread}/compare/verbatim/compressed?after={cursor}", status=400)


def test_every_pair_of_tiers_of_one_conversation_under_every_strategy_is_tiled(
    client: Client,
) -> None:
    report = import_paths(REFUNDS)
    assert len(report.threads) == len(REFUNDS) >= 7

    for line in report.threads:
        tiers = {tier["name"]: tier["messages"] for tier in get(client, line.id)["tiers"]}
        for left, before in tiers.items():
            for right, after in tiers.items():
                address = f"{line.id}/compare/{quote(left)}/{quote(right)}?limit=200"
                page = get(client, address)
                assert [at for row in page["items"] for at in row["left"]] == list(range(before))
                assert [at for row in page["items"] for at in row["right"]] == list(range(after))
                counted = sum(page["summary"]["outcomes"].values())
                added = page["summary"]["outcomes"].get("added", 0)
                assert counted - added == before


# -- the command -----------------------------------------------------------------------------------


def compare(*arguments: str) -> str:
    output = io.StringIO()
    call_command("compare", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_says_what_was_lost() -> None:
    thread = import_case("01")

    text = compare(thread, "verbatim", "compressed")

    assert "messages    12 to 11" in text
    assert "4 bar  in 1" in text


def test_the_command_finds_a_thread_by_its_own_id_and_prints_json() -> None:
    thread = import_case("01")

    found = json.loads(compare("pin-sum", "verbatim", "compressed", "--json"))

    assert found["thread"] == thread
    assert found["summary"]["outcomes"] == {"summarized": 2, "kept": 10}
    assert [fact["value"] for fact in found["lost"]] == ["4 bar"]


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("lost>0", 3),
        ("lost>1", 0),
        ("introduced>0", 0),
        ("saved<0.3", 3),
        ("saved < 1%", 0),
        ("summarized>=2", 3),
        ("dropped!=0", 0),
    ],
)
def test_a_condition_that_holds_ends_the_command_with_code_3(condition: str, code: int) -> None:
    thread = import_case("01")
    arguments = (thread, "verbatim", "compressed", "--json", "--fail-if", condition)

    if not code:
        (checked,) = json.loads(compare(*arguments))["conditions"]
        assert checked["holds"] is False
        return
    with pytest.raises(SystemExit) as ended:
        compare(*arguments)
    assert ended.value.code == code


@pytest.mark.parametrize(
    "arguments",
    [
        ("{}", "verbatim", "nothing"),
        ("no-such-thread", "verbatim", "compressed"),
        ("{}", "verbatim", "compressed", "--fail-if", "lots>0"),
        ("{}", "verbatim", "compressed", "--fail-if", "lost"),
    ],
)
def test_what_the_command_cannot_read_ends_it_with_code_2(arguments: tuple[str, ...]) -> None:
    thread = import_case("01")

    with pytest.raises(CommandError) as refused:
        compare(*(argument.format(thread) for argument in arguments))

    assert refused.value.returncode == 2


# -- context over time -----------------------------------------------------------------------------


def test_05_each_call_has_its_context_and_the_checkpoint_it_rests_on(client: Client) -> None:
    thread = import_case("05")

    page = get(client, f"{thread}/context?limit=3")
    rest = get(client, f"{thread}/context?after={page['next']}")
    calls = [*page["items"], *rest["items"]]

    assert [call["position"] for call in calls] == [1, 3, 5, 7, 9]
    assert [call["size"] for call in calls] == [100] * 5
    assert all(call["reported"] for call in calls)
    assert sum(calls[0]["composition"].values()) == calls[0]["estimated"]
    assert [(call["tier"] or "").partition(":")[0] for call in calls] == [
        *("", "", "checkpoint", "checkpoint", "checkpoint"),
    ]
    assert rest["next"] is None


def test_contexts_follow_the_thread_when_it_grows(client: Client, tmp_path: Path) -> None:
    talk = [
        {"role": "user", "content": [{"text": "Hello there"}]},
        {"role": "assistant", "content": [{"text": "Hello to you"}]},
    ]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(talk))
    (line,) = import_paths([file]).threads
    assert len(get(client, f"{line.id}/context")["items"]) == 1

    file.write_text(json.dumps(talk * 2))
    (again,) = import_paths([file]).threads

    assert again.id == line.id
    assert [c["estimated"] for c in get(client, f"{line.id}/context")["items"]] == [3, 9]
