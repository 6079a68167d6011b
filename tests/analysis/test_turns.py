"""Turns, outline and the words of a message."""

from __future__ import annotations

import pytest

from convviewer.analysis.pairing import pair_calls
from convviewer.analysis.turns import dialogue_text, outline, turns
from convviewer.core.thread import (
    CachePoint,
    Citations,
    Error,
    Guard,
    Marker,
    Media,
    Message,
    Reasoning,
    Text,
    ViewingContext,
)
from tests.analysis.build import assistant, message, result, summarized, use, user

THREAD = [
    user("Summary of before.", is_summary=True, label="summary by a manager", key="s"),
    user("\n  Find   the pump.\nIt is blue.", key="0"),
    assistant("Looking.", use("a", name="find"), key="1"),
    user(result("a", "no such pump", status="error"), key="2"),
    assistant("Not found.", summarized(4, "Pumps."), key="3"),
    user(result("gone"), "And the valve?", key="4"),
    assistant(Error(message="overloaded", code="529"), key="5"),
]
TOKENS = [100, 9, 5, 4, 20, 6, 3]


def test_a_turn_starts_where_a_user_says_something() -> None:
    found = turns(THREAD, pair_calls(THREAD), TOKENS)

    assert [(t.start, t.end, t.title, t.calls, t.failures) for t in found] == [
        (0, 1, "", 0, 0),
        (1, 5, "Find the pump.", 1, 1),
        (5, 7, "And the valve?", 1, 0),
    ]
    assert [t.messages for t in found] == [1, 4, 2]
    assert [t.key for t in found] == ["s", "0", "4"]
    assert [t.tokens for t in found] == [100, 38, 9]


@pytest.mark.parametrize(
    "opening",
    [
        user(result("a")),
        user("Earlier: all fine.", is_summary=True),
        user(ViewingContext(context={"file_ids": []})),
        user("   "),
        assistant("Hello."),
        message("roboto", "A note."),
    ],
)
def test_results_summaries_and_context_start_no_turn(opening: Message) -> None:
    found = turns([user("One."), opening], (), (1, 1))

    assert [(turn.start, turn.end) for turn in found] == [(0, 2)]


def test_an_image_alone_starts_a_turn_named_after_it() -> None:
    (turn,) = turns([user(Media(kind="image", name="pump.png"))], (), (1,))

    assert turn.title == "pump.png"


def test_a_tier_without_messages_has_no_turns() -> None:
    assert turns([], (), ()) == ()


def test_the_outline_lists_everything_in_order() -> None:
    calls = pair_calls(THREAD)

    items = outline(THREAD, calls, turns(THREAD, calls, TOKENS))

    assert [(i.kind, i.key, i.title, i.turn) for i in items] == [
        ("turn", "s", "", 0),
        ("compaction", "s", "summary by a manager", 0),
        ("turn", "0", "Find the pump.", 1),
        ("failure", "1", "find: no such pump", 1),
        ("compaction", "3", "4 messages replaced", 1),
        ("turn", "4", "And the valve?", 2),
        ("call", "4", "unknown", 2),
        ("failure", "5", "529: overloaded", 2),
    ]


def test_the_words_of_a_message_leave_out_what_nobody_said() -> None:
    blocks = (
        Reasoning(text="hidden thought"),
        Text(text="I would rather not.", refusal=True),
        Citations(text="Rain fell."),
        Guard(text="Checked."),
        CachePoint(),
        ViewingContext(context={"file_ids": ["secret"]}),
        use("a"),
        Marker(reduction="dropped", text="[Dropped]"),
        Error(message="overloaded"),
    )

    text = dialogue_text(assistant(*blocks))

    assert text == "I would rather not.\n\nRain fell.\n\nChecked.\n\noverloaded"
