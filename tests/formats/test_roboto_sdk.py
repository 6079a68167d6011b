"""The Roboto SDK as the judge of whole records: block by block, and the original JSON unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convviewer.core import thread as core
from convviewer.formats import roboto_thread
from tests.factories.roboto_sdk import (
    AGENT_CONTENT_MODEL_BY_TYPE,
    AgentThreadRecord,
    AgentToolResultContent,
)
from tests.factories.sources import read_thread

SAMPLES = Path(roboto_thread.__file__).parents[1] / "samples" / "roboto"
RECORDS = sorted(SAMPLES.glob("*.json"))
KINDS: dict[str, type[Any]] = {
    "AgentTextContent": core.Text,
    "AgentToolUseContent": core.ToolUse,
    "AgentToolResultContent": core.ToolResult,
    "AgentErrorContent": core.Error,
    "AgentDeletedContent": core.Deleted,
    "AgentCompressionFillerContent": core.Filler,
    "AgentClientContextEntry": core.ViewingContext,
}

pytestmark = pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)


def judge_of(record: dict[str, Any]) -> AgentThreadRecord:
    """The SDK's record; it refuses a content_type that it does not know."""
    known = [
        message
        | {"content": [block for block in message["content"] if not _is_newer_than_the_sdk(block)]}
        for message in record["messages"]
    ]
    return AgentThreadRecord.model_validate(record | {"messages": known})


def test_the_sdk_reads_the_same_record_from_what_was_kept(path: Path):
    stored = json.loads(path.read_bytes())
    (tier,) = read_thread(roboto_thread.FORMAT, path.read_bytes(), path.name).tiers

    kept = stored | {"messages": [json.loads(message.raw) for message in tier.messages]}

    assert judge_of(kept) == judge_of(stored)


def test_thread_level_fields_are_those_of_the_sdk(path: Path):
    judge = judge_of(json.loads(path.read_bytes()))
    thread = read_thread(roboto_thread.FORMAT, path.read_bytes(), path.name)

    assert thread.external_id == judge.thread_id
    assert thread.title == (judge.title or "")
    assert thread.status == judge.status
    assert (thread.forked_from or None) == judge.forked_from_thread_id
    assert thread.forked_at == judge.forked_from_message_sequence_num
    assert [goal.status for goal in thread.goals] == [goal.status for goal in judge.goals or []]
    assert [task.title for task in thread.tasks] == [task.title for task in judge.tasks or []]


def test_blocks_are_those_of_the_sdk_with_the_same_values(path: Path):
    judge = judge_of(json.loads(path.read_bytes()))
    (tier,) = read_thread(roboto_thread.FORMAT, path.read_bytes(), path.name).tiers

    for message, judged in zip(tier.messages, judge.messages, strict=True):
        assert (message.role, message.status) == (judged.role, judged.status)
        # A legacy marker is text to the SDK, and viewing context of another message to us.
        expected = [content for content in judged.content if not _is_marker(content)]
        blocks = [block for block in message.blocks if not isinstance(block, core.Unknown)]
        assert len(blocks) >= len(expected)
        for block, content in zip(blocks, expected, strict=False):
            assert isinstance(block, KINDS[type(content).__name__])
            assert _value(block) == _judged_value(content)


def _is_newer_than_the_sdk(block: dict[str, Any]) -> bool:
    return block.get("content_type") not in {None, *AGENT_CONTENT_MODEL_BY_TYPE}


def _is_marker(content: Any) -> bool:
    return str(getattr(content, "text", "")).startswith("<ctx>")


def _value(block: core.Block) -> Any:
    match block:
        case core.Text(text=text):
            return text
        case core.ToolUse(id=identifier, input=given):
            return identifier, given
        case core.ToolResult(tool_use_id=identifier, payload=payload):
            return identifier, payload
        case core.Error(message=message):
            return message
        case _:
            return None


def _judged_value(content: Any) -> Any:
    match type(content).__name__:
        case "AgentTextContent":
            return content.text
        case "AgentToolUseContent":
            return content.tool_use_id, content.input
        case "AgentToolResultContent":
            assert isinstance(content, AgentToolResultContent)
            return content.tool_use_id, content.resolve_payload()
        case "AgentErrorContent":
            return content.error_message
        case _:
            return None
