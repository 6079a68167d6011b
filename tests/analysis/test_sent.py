"""A tier as the model would be sent it."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

from hypothesis import given
from hypothesis import strategies as st
from strands.session.repository_session_manager import RepositorySessionManager

from convviewer.analysis.sent import as_sent
from convviewer.core.thread import Block, Deleted, Filler, Message, Text, ToolResult, ToolUse
from tests.analysis.build import assistant, message, result, tier, use, user

BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(Text, text=st.sampled_from(["a", "b"])),
    st.sampled_from("abc").map(use),
    st.sampled_from("abc").map(result),
)
MESSAGES = st.builds(
    lambda role, blocks: message(role, *blocks),
    st.sampled_from(["user", "assistant"]),
    st.lists(BLOCKS, min_size=1, max_size=4),
)


def sdk_block(block: Block) -> dict[str, Any]:
    match block:
        case Text():
            return {"text": block.text}
        case ToolUse():
            return {"toolUse": {"toolUseId": block.id, "name": block.name, "input": {}}}
        case ToolResult():
            return {
                "toolResult": {
                    "toolUseId": block.tool_use_id,
                    "status": block.status,
                    "content": [{"text": block.payload}],
                }
            }
        case _:
            raise AssertionError(block)


def sdk_messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    return [{"role": m.role, "content": [sdk_block(b) for b in m.blocks]} for m in messages]


@given(st.lists(MESSAGES, max_size=8))
def test_pairs_are_repaired_as_the_sdk_repairs_them_on_restore(messages: list[Message]) -> None:
    stored: Any = sdk_messages(tuple(messages))
    restored = RepositorySessionManager._fix_broken_tool_use(MagicMock(), stored)

    sent = as_sent(tier(*messages), "strands-files")

    assert sdk_messages(sent.messages) == [
        {"role": m["role"], "content": m["content"]} for m in restored
    ]


def test_other_formats_send_broken_pairs_as_they_are() -> None:
    stored = tier(user(result("gone")), assistant(use("a")))

    assert as_sent(stored, "strands-snapshots") == stored


def test_tombstones_vanish_and_fillers_stay() -> None:
    stored = tier(assistant(Deleted(), "Yes.", Deleted()), user(Filler()))

    assert [m.blocks for m in as_sent(stored, "roboto-thread").messages] == [
        (Text(text="Yes."),),
        (Filler(),),
    ]
