"""Viewing context of old Roboto threads: a marker message beside the user's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convviewer.core.thread import Block, Text, Thread, ViewingContext
from convviewer.formats.roboto_thread import FORMAT
from tests.factories.sources import read_thread

CONTEXT: Any = {"dataset_ids": ["ds_1"], "visualizer_state": {"note": "a </ctx> inside a string"}}
MARKER = f"<ctx>{json.dumps(CONTEXT)}</ctx>"
READ = ViewingContext(context=CONTEXT)


def thread_of(*turns: tuple[str, str]) -> Thread:
    messages = [{"role": role, "content": [{"text": text}]} for role, text in turns]
    return read_thread(FORMAT, {"thread_id": "at_1", "org_id": "o", "messages": messages})


def blocks_of(thread: Thread) -> list[tuple[Block, ...]]:
    return [message.blocks for message in thread.tiers[0].messages]


def test_the_context_moves_to_the_user_message_before_the_marker():
    thread = thread_of(("user", "why?"), ("roboto", MARKER), ("user", "and then?"))

    assert blocks_of(thread) == [(Text(text="why?"), READ), (), (Text(text="and then?"),)]
    assert [message.number for message in thread.tiers[0].messages] == [0, 1, 2]
    assert MARKER in json.loads(thread.tiers[0].messages[1].raw)["content"][0]["text"]
    assert thread.warnings == ()


def test_else_to_the_user_message_after_it():
    thread = thread_of(("assistant", "hello"), ("roboto", f"  {MARKER}\n"), ("user", "why?"))

    assert blocks_of(thread) == [(Text(text="hello"),), (), (Text(text="why?"), READ)]


def test_several_markers_in_a_row_belong_to_the_same_user_message():
    thread = thread_of(("user", "why?"), ("roboto", MARKER), ("roboto", MARKER))

    assert blocks_of(thread) == [(Text(text="why?"), READ, READ), (), ()]


def test_without_a_user_message_beside_it_the_context_stays_where_it_is():
    thread = thread_of(("assistant", "a"), ("roboto", MARKER), ("assistant", "b"))

    assert blocks_of(thread) == [(Text(text="a"),), (READ,), (Text(text="b"),)]


@pytest.mark.parametrize("text", ["What is <ctx>{}</ctx>?", MARKER, "<ctx>{"])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_marker_typed_by_anyone_else_is_just_text(role: str, text: str):
    assert blocks_of(thread_of((role, text))) == [(Text(text=text),)]


def test_words_of_the_system_that_only_quote_a_marker_are_text():
    text = "The mark <ctx>{}</ctx> is old."

    assert blocks_of(thread_of(("roboto", text))) == [(Text(text=text),)]


@pytest.mark.parametrize(
    "broken",
    [
        "<ctx>{not json</ctx>",
        "<ctx></ctx>",
        "<ctx>[1]</ctx>",
        '<ctx>{"dataset_ids": ["ds_1"]',
        '<ctx>{"dataset_ids": []}</ctx> and more',
    ],
)
def test_a_broken_marker_is_unreadable_context_and_never_text(broken: str):
    thread = thread_of(("assistant", "a"), ("roboto", broken), ("user", "And now?"))

    assert blocks_of(thread)[1:] == [(), (Text(text="And now?"), ViewingContext(unreadable=broken))]
    (warning,) = thread.warnings
    assert (warning.code, warning.pointer, warning.count) == (
        "unreadable_context",
        "/messages/1",
        1,
    )


def test_other_blocks_of_a_marker_message_stay():
    error: dict[str, Any] = {"content_type": "error", "error_message": "x"}
    messages = [
        {"role": "user", "content": [{"text": "why?"}]},
        {"role": "roboto", "content": [{"text": MARKER}, error]},
    ]

    thread = read_thread(FORMAT, {"thread_id": "a", "org_id": "o", "messages": messages})

    first, second = blocks_of(thread)
    assert first == (Text(text="why?"), READ)
    assert [type(block).__name__ for block in second] == ["Error"]
