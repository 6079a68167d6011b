"""Alignment of two tiers: hand-checked rows, and what always holds."""

from __future__ import annotations

import pytest

from convviewer.analysis.align import Alignment, align
from convviewer.analysis.markers import Cut
from convviewer.core.thread import (
    Block,
    Deleted,
    Filler,
    Link,
    Marker,
    Message,
    Text,
    Tier,
    ViewingContext,
)
from tests.analysis.build import assistant, result, summarized, tier, use, user

Shape = tuple[list[int], list[int], str, str]


def shape(alignment: Alignment) -> list[Shape]:
    """Left, right, outcome and basis of each row."""
    return [(list(r.left), list(r.right), r.outcome, r.basis) for r in alignment.rows]


def said(*texts: str) -> list[Message]:
    """Messages of two speakers in turn, each with an id of its own."""
    return [
        (assistant if number % 2 else user)(
            text, key=str(number), number=number, tracking_id=f"t{number}"
        )
        for number, text in enumerate(texts)
    ]


def kept(left: int, right: int, basis: str = "identity") -> Shape:
    return ([left], [right], "kept", basis)


def dropped(left: int) -> Shape:
    return ([left], [], "dropped", "none")


def added(right: int) -> Shape:
    return ([], [right], "added", "none")


SUMMARY = user("Reports 1 to 3 were filed.", is_summary=True, tracking_id="s", key="s")


# -- one summary for many messages -----------------------------------------------------------------


def test_a_summary_stands_for_the_range_its_stored_count_implies() -> None:
    texts = ["Continue." if n % 2 == 0 else f"Report {n} filed." for n in range(12)]
    messages = said(*texts)

    alignment = align(
        tier(*messages), tier(SUMMARY, *messages[6:], name="compressed", removed_count=6)
    )

    assert shape(alignment) == [
        (list(range(6)), [0], "summarized", "inferred_offset"),
        *(kept(n, n - 5) for n in range(6, 12)),
    ]
    assert alignment.summary.outcomes == {"summarized": 6, "kept": 6}
    assert (alignment.summary.messages.before, alignment.summary.messages.after) == (12, 7)


def test_repeated_texts_without_any_id_still_find_their_places() -> None:
    texts = ["Continue." if n % 2 == 0 else f"Report {n} filed." for n in range(12)]
    left = [user(text) if n % 2 == 0 else assistant(text) for n, text in enumerate(texts)]
    right = [user(text) if n % 2 == 0 else assistant(text) for n, text in enumerate(texts)][6:]

    alignment = align(tier(*left), tier(user("Filed.", is_summary=True), *right, name="compressed"))

    assert shape(alignment) == [
        (list(range(6)), [0], "summarized", "equal"),
        *(kept(n, n - 5, "equal") for n in range(6, 12)),
    ]


def test_the_last_of_twelve_equal_texts_stay() -> None:
    left = tier(*(user("Continue.") for _ in range(12)))
    right = tier(*(user("Continue.") for _ in range(4)), name="compressed")

    assert shape(align(left, right)) == [
        *(dropped(n) for n in range(8)),
        *(kept(n, n - 8, "equal") for n in range(8, 12)),
    ]


def test_an_unusable_count_leaves_every_message_dropped() -> None:
    messages = said(*(f"Message {n}" for n in range(16)))

    alignment = align(tier(*messages), tier(name="compressed", removed_count=28))

    assert shape(alignment) == [dropped(n) for n in range(16)]
    assert alignment.summary.saved_ratio == 1.0
    assert not alignment.summary.matched


def test_checkpoint_messages_are_found_by_tracking_id_in_other_copies() -> None:
    left = said(*(f"Turn {n}" for n in range(10)))
    right = said(*(f"Turn {n}" for n in range(10)))[4:]

    alignment = align(tier(*left), tier(SUMMARY, *right, name="compressed"))

    assert shape(alignment) == [
        ([0, 1, 2, 3], [0], "summarized", "identity"),
        *(kept(n, n - 3) for n in range(4, 10)),
    ]


def test_a_summary_also_stands_for_what_is_missing_before_a_pinned_message() -> None:
    messages = said(*(f"Turn {n}" for n in range(8)))
    pinned = user("Turn 2", tracking_id="t2", custom={"pinned": True})

    alignment = align(tier(*messages), tier(pinned, SUMMARY, *messages[6:], name="compressed"))

    assert shape(alignment) == [
        ([0, 1], [], "summarized", "identity"),
        kept(2, 0),
        ([3, 4, 5], [1], "summarized", "identity"),
        kept(6, 2),
        kept(7, 3),
    ]
    assert [row.into and row.into.position for row in alignment.rows] == [1, None, 1, None, None]


def test_pinned_heads_stay_before_the_summary() -> None:
    messages = said(*(f"Turn {n}" for n in range(8)))
    right = [*messages[:2], SUMMARY, *messages[5:]]

    assert shape(align(tier(*messages), tier(*right, name="compressed", removed_count=3))) == [
        kept(0, 0),
        kept(1, 1),
        ([2, 3, 4], [2], "summarized", "identity"),
        *(kept(n, n - 2) for n in range(5, 8)),
    ]


def test_a_later_summary_takes_in_the_earlier_one() -> None:
    messages = said(*(f"Turn {n}" for n in range(6)))
    earlier = user("First summary.", is_summary=True, tracking_id="s1")

    alignment = align(
        tier(earlier, *messages[2:], name="checkpoint:1", kind="checkpoint"),
        tier(SUMMARY, *messages[4:], name="compressed"),
    )

    assert shape(alignment) == [
        ([0, 1, 2], [0], "summarized", "identity"),
        kept(3, 1),
        kept(4, 2),
    ]


# -- notes inside neighbouring answers -------------------------------------------------------------


def test_a_note_inside_an_answer_belongs_to_the_removed_messages() -> None:
    messages = said("Question 1", "Answer 1", "Question 2", "Answer 2", "Question 3", "Answer 3")
    carrier = assistant("Answer 2", summarized(2, "All fine."), tracking_id="t3")

    alignment = align(tier(*messages), tier(messages[0], carrier, *messages[4:], name="compressed"))

    assert shape(alignment) == [
        kept(0, 0),
        ([1, 2], [], "summarized", "identity"),
        kept(3, 1),
        kept(4, 2),
        kept(5, 3),
    ]
    removed, answer = alignment.rows[1], alignment.rows[2]
    assert removed.into
    assert (removed.into.position, removed.into.block) == (1, 1)
    assert [pair.right and pair.right.block for pair in removed.blocks] == [1]
    assert [pair.right and pair.right.block for pair in answer.blocks] == [0]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("[Dropped: 2 messages]", "dropped"),
        ("[... 2 messages elided ...]", "dropped"),
        ("[Summarized: 2 messages, ~3 tokens]\n\nFine.", "summarized"),
    ],
)
def test_a_note_at_the_end_of_the_message_before_closes_the_gap_after_it(
    text: str, outcome: str
) -> None:
    messages = said("Q1", "A1", "Q2", "A2", "Q3", "A3")
    carrier = assistant("A1", Marker(reduction="elided", text=text), tracking_id="t1")
    if outcome == "summarized":
        carrier = assistant("A1", Marker(reduction="summarized", text=text), tracking_id="t1")

    alignment = align(tier(*messages), tier(messages[0], carrier, *messages[4:], name="compressed"))

    assert shape(alignment) == [
        kept(0, 0),
        kept(1, 1),
        ([2, 3], [], outcome, "identity"),
        kept(4, 2),
        kept(5, 3),
    ]


def test_a_note_that_stood_there_before_is_kept() -> None:
    messages = [
        *said("Question 1"),
        assistant("Answer 4", summarized(2, "Pumps 1 to 3 were fine."), tracking_id="t9"),
    ]
    copies = [
        *said("Question 1"),
        assistant("Answer 4", summarized(2, "Pumps 1 to 3 were fine."), tracking_id="t9"),
    ]

    assert shape(align(tier(*messages), tier(*copies, name="compressed"))) == [
        kept(0, 0),
        kept(1, 1),
    ]


def test_a_note_about_messages_no_tier_holds_leaves_its_answer_kept() -> None:
    left = said("Question 1", "Answer 4")
    carrier = assistant("Answer 4", summarized(2, "Fine."), tracking_id="t1")

    alignment = align(tier(*left), tier(left[0], carrier, name="compressed"))

    assert shape(alignment) == [kept(0, 0), kept(1, 1)]
    assert [pair.outcome for pair in alignment.rows[1].blocks] == ["kept", "summarized"]


def test_a_note_counts_on_over_messages_that_stayed() -> None:
    messages = said("Q1", "A1", "Q2", "A2", "Q3", "A3", "Q4", "A4")
    carrier = assistant("A1", summarized(3), tracking_id="t1")
    right = [messages[0], carrier, messages[3], messages[6], messages[7]]

    assert shape(align(tier(*messages), tier(*right, name="compressed"))) == [
        kept(0, 0),
        kept(1, 1),
        ([2], [], "summarized", "identity"),
        kept(3, 2),
        ([4, 5], [], "summarized", "identity"),
        kept(6, 3),
        kept(7, 4),
    ]


def test_a_message_made_of_a_note_stands_beside_what_it_replaced() -> None:
    messages = said("Q1", "A1", "Q2", "A2", "Q3")
    note = assistant(Marker(reduction="dropped", text="[Dropped: 3 messages]"))

    assert shape(
        align(tier(*messages), tier(messages[0], note, messages[4], name="compressed"))
    ) == [kept(0, 0), ([1, 2, 3], [1], "dropped", "identity"), kept(4, 2)]


# -- merged messages -------------------------------------------------------------------------------


def test_messages_that_were_merged_stand_beside_the_one_entry() -> None:
    messages = [user("One.", tracking_id="a"), user("Two.", tracking_id="b"), assistant("Yes.")]
    merged = user("One.", "Two.", tracking_id="a")

    assert shape(align(tier(*messages), tier(merged, messages[2], name="compressed"))) == [
        ([0, 1], [0], "kept", "identity"),
        kept(2, 1),
    ]


def test_a_removed_message_between_merged_ones_stays_with_them() -> None:
    messages = said("Q1", "A1", "Q2", "A2", "Q3")
    merged = assistant("A1", summarized(1, "Fine."), "A2", tracking_id="t1")

    alignment = align(tier(*messages), tier(messages[0], merged, messages[4], name="compressed"))

    assert shape(alignment) == [
        kept(0, 0),
        ([1, 2, 3], [1], "summarized", "identity"),
        kept(4, 2),
    ]


# -- identity before likeness ----------------------------------------------------------------------


def test_equal_words_with_other_ids_are_never_paired() -> None:
    left = tier(user("Continue.", tracking_id="a"))
    right = tier(user("Continue.", tracking_id="b"), name="compressed")

    assert shape(align(left, right)) == [dropped(0), added(0)]


def test_similar_words_are_paired_where_nothing_identifies_them() -> None:
    left = tier(user("Show the pressure of pump one."), assistant("It is four bar today."))
    right = tier(user("Show the pressure of pump 1."), assistant("???"), name="compressed")

    assert shape(align(left, right)) == [
        ([0], [0], "rewritten", "similar"),
        dropped(1),
        added(1),
    ]


def test_tool_ids_identify_messages_without_other_ids() -> None:
    left = tier(user("Go."), assistant(use("a", value={"q": 1})), user(result("a", "long" * 50)))
    right = tier(assistant(use("a", value={"q": 1})), user(result("a", "nothing alike")))

    assert shape(align(left, right)) == [
        dropped(0),
        kept(1, 0),
        ([2], [1], "rewritten", "identity"),
    ]


def test_a_message_that_changed_its_place_is_dropped_there_and_added_here() -> None:
    messages = said("Q1", "A1", "Q2", "A2")
    moved = [messages[0], messages[3], messages[1], messages[2]]

    assert shape(align(tier(*messages), tier(*moved, name="compressed"))) == [
        kept(0, 0),
        added(1),
        kept(1, 2),
        kept(2, 3),
        dropped(3),
    ]


def test_keys_that_are_places_do_not_pair_equal_texts() -> None:
    texts = ["Continue.", "A1", "Continue.", "A2", "Continue.", "A3"]
    left = [user(t, key=str(n), number=n) for n, t in enumerate(texts)]
    right = [user(t, key=str(n), number=n) for n, t in enumerate(texts[2:])]

    assert shape(align(tier(*left), tier(*right, name="compressed"))) == [
        dropped(0),
        dropped(1),
        *(kept(n, n - 2, "equal") for n in range(2, 6)),
    ]


def test_records_that_are_the_same_under_the_same_key_are_one_message() -> None:
    def stored() -> list[Message]:
        return [user("Continue.", key=str(n), number=n) for n in range(6)]

    right = [stored()[1], stored()[4]]

    assert shape(align(tier(*stored()), tier(*right, name="compressed"))) == [
        dropped(0),
        kept(1, 0),
        dropped(2),
        dropped(3),
        kept(4, 1),
        dropped(5),
    ]


def test_declared_links_come_before_everything_else() -> None:
    messages = said("Q1", "A1", "Q2", "A2", "Q3")
    right = tier(
        user("All about 1 and 2.", is_summary=True),
        user("Third question, in short"),
        name="compressed",
        links=(Link(entry=0, stands_for=("0", "1", "3")), Link(entry=1, stands_for=("4",))),
    )

    assert shape(align(tier(*messages), right)) == [
        ([0, 1], [0], "summarized", "declared"),
        dropped(2),
        ([3], [], "summarized", "declared"),
        ([4], [1], "rewritten", "declared"),
    ]


def test_tiers_that_share_nothing_are_dropped_and_added() -> None:
    alignment = align(tier(*said("a", "b")), tier(assistant("zzz"), name="compressed"))

    assert shape(alignment) == [dropped(0), dropped(1), added(0)]
    assert not alignment.summary.matched


# -- tombstones, fillers, redaction ----------------------------------------------------------------


def numbered(*contents: Block | str | tuple[Block | str, ...], name: str = "verbatim") -> Tier:
    messages = [
        user(*(c if isinstance(c, tuple) else (c,)), key=str(n), number=n)
        for n, c in enumerate(contents)
    ]
    return tier(*messages, name=name, kind="variant", aligned_by_number=name != "verbatim")


def test_a_variant_is_aligned_by_number() -> None:
    left = numbered(
        "Find the outage.",
        ("Searching.", use("tu_1")),
        result("tu_1", "3 hits"),
        "Three outages; the longest was 12 min.",
        "Thanks, and the shortest?",
        "2 min.",
    )
    right = numbered(
        "Find the outage.",
        (Deleted(), Deleted()),
        Filler(),
        "3 outages, longest 12 min.",
        "Thanks, and the shortest?",
        "2 min.",
        name="deleted",
    )

    assert shape(align(left, right)) == [
        kept(0, 0),
        ([1], [1], "tombstone", "identity"),
        ([2], [2], "filler", "identity"),
        ([3], [3], "rewritten", "identity"),
        kept(4, 4),
        kept(5, 5),
    ]


def test_two_variants_align_with_each_other() -> None:
    left = numbered("Go.", (Deleted(), "Yes."), Filler(), name="summary")
    right = numbered("Go.", (Deleted(), Deleted()), Filler(), name="deleted")

    assert shape(align(left, right)) == [
        kept(0, 0),
        ([1], [1], "tombstone", "identity"),
        kept(2, 2),
    ]


def test_a_message_with_one_tombstone_of_two_blocks_is_rewritten() -> None:
    alignment = align(numbered(("a", "b")), numbered(("a", Deleted()), name="deleted"))

    assert alignment.rows[0].outcome == "rewritten"
    assert [pair.outcome for pair in alignment.rows[0].blocks] == ["kept", "tombstone"]


def test_redaction_on_one_side_is_said_before_anything_else() -> None:
    left = tier(user("The code is 4711.", tracking_id="a"))
    right = tier(user("[Redacted.]", tracking_id="a", redacted=True), name="compressed")

    assert shape(align(left, right)) == [([0], [0], "redacted", "identity")]


def test_redaction_on_both_sides_changes_nothing() -> None:
    message = user("[Redacted.]", tracking_id="a", redacted=True)

    assert shape(align(tier(message), tier(message, name="compressed"))) == [kept(0, 0)]


def test_lost_viewing_context_makes_a_message_rewritten() -> None:
    left = tier(user(ViewingContext(context={"file_ids": ["f"]}), "Hi", tracking_id="a"))
    right = tier(user("Hi", tracking_id="a"), name="compressed")

    (row,) = align(left, right).rows

    assert row.outcome == "rewritten"
    assert [pair.outcome for pair in row.blocks] == ["dropped", "kept"]


# -- blocks ----------------------------------------------------------------------------------------

LONG = "".join(f"row {n:04} | pump {n % 7}\n" for n in range(100))


def preview(hidden: int) -> str:
    head, tail = LONG[:200], LONG[-100:]
    note = f"[... {hidden:,} chars elided ...]"
    return f"[Truncated: 1 block, ~500 tokens]\n\n{head}\n\n{note}\n\n{tail}"


@pytest.mark.parametrize(
    ("before", "after", "outcome", "cut"),
    [
        (Text(text=LONG), Text(text=LONG), "kept", None),
        (Text(text=LONG), Text(text=LONG[:50]), "truncated", Cut(at=50, hidden=len(LONG) - 50)),
        (
            Text(text=LONG),
            Text(text=LONG[:50] + "..."),
            "truncated",
            Cut(at=50, hidden=len(LONG) - 50),
        ),
        (Text(text=LONG), Text(text=LONG[-50:]), "truncated", Cut(at=0, hidden=len(LONG) - 50)),
        (Text(text="I do not agree."), Text(text="I do agree."), "rewritten", None),
        (
            Text(text=LONG),
            Marker(reduction="truncated", text=preview(1600)),
            "truncated",
            Cut(at=200, hidden=1600),
        ),
        (
            result("a", LONG),
            result(
                "a",
                f"{LONG[:200]}...\n\n... [truncated: 1500 chars removed] ...\n\n...{LONG[-200:]}",
            ),
            "truncated",
            Cut(at=200, hidden=1500),
        ),
        (
            Text(text=LONG),
            Marker(reduction="offloaded", text="[Offloaded: ~500 tokens] [ref: k]", refs=("k",)),
            "offloaded",
            None,
        ),
        (
            Text(text=LONG),
            Marker(reduction="dropped", text="[Dropped] [ref: k]", refs=("k",)),
            "offloaded",
            None,
        ),
        (Text(text=LONG), Marker(reduction="dropped", text="[Dropped]"), "dropped", None),
        (
            Text(text=LONG),
            Marker(reduction="summarized", text="[Summarized: text block, ~9 tokens]\n\nRows."),
            "summarized",
            None,
        ),
    ],
)
def test_each_block_says_what_became_of_it(
    before: Block, after: Block, outcome: str, cut: Cut | None
) -> None:
    text = LONG[:200] + LONG[200:1700] + LONG[-200:]
    if isinstance(after, Marker) or outcome != "truncated" or "removed]" not in str(after):
        text = LONG
    if before == result("a", LONG):
        before = result("a", text)

    (row,) = align(
        tier(assistant(before, tracking_id="a")),
        tier(assistant(after, tracking_id="a"), name="compressed"),
    ).rows

    assert [(pair.outcome, pair.cut) for pair in row.blocks] == [(outcome, cut)]
    assert row.outcome == outcome


def test_a_preview_inside_a_tool_result_makes_it_truncated() -> None:
    marker = Marker(reduction="truncated", text=preview(1600), refs=("tooluse_a_0",))
    after = result("a", marker.text)
    after = type(after)(
        tool_use_id="a", status="success", payload_source="content", parts=(marker,)
    )

    (row,) = align(
        tier(user(result("a", LONG), tracking_id="a")),
        tier(user(after, tracking_id="a"), name="compressed"),
    ).rows

    assert (row.outcome, row.blocks[0].cut) == ("truncated", Cut(at=200, hidden=1600))


def test_kept_and_truncated_blocks_make_a_truncated_message() -> None:
    left = tier(assistant("Here.", LONG, tracking_id="a"))
    right = tier(assistant("Here.", LONG[:300], tracking_id="a"), name="compressed")

    (row,) = align(left, right).rows

    assert row.outcome == "truncated"
    assert row.tokens.before - row.tokens.after == -(-len(LONG) // 4) - 75
