"""A stored tier as the model would be sent it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from convviewer.core.thread import (
    Block,
    Deleted,
    Message,
    Text,
    Tier,
    ToolResult,
    ToolUse,
)

# What the model reads where a filler stands.
FILLER_TEXT: Final = "<Deleted in compression>"
# Only a restored file session repairs its pairs.
_REPAIRS_PAIRS: Final = "strands-files"
_MISSING_RESULT: Final = "Tool was interrupted."


def as_sent(tier: Tier, stored_format: str) -> Tier:
    """Return the tier without tombstones and, where the format's SDK does so, with whole pairs.

    A filler stays a filler; it reads `FILLER_TEXT`. A message the repair makes has no number.
    """
    messages = tuple(map(_without_tombstones, tier.messages))
    if stored_format == _REPAIRS_PAIRS:
        messages = tuple(_with_whole_pairs(_without_orphans(messages)))
    return replace(tier, messages=messages)


def _without_tombstones(message: Message) -> Message:
    if not any(isinstance(block, Deleted) for block in message.blocks):
        return message
    return replace(message, blocks=tuple(b for b in message.blocks if not isinstance(b, Deleted)))


def _without_orphans(messages: Sequence[Message]) -> list[Message]:
    """Take away results of a user's message that does not follow a message with calls."""
    kept: list[Message] = []
    for position, message in enumerate(messages):
        follows_calls = position > 0 and bool(_calls(messages[position - 1]))
        if message.role != "user" or follows_calls or not _results(message):
            kept.append(message)
        elif rest := _without_results(message):
            kept.append(replace(message, blocks=rest))
    return kept


def _with_whole_pairs(messages: Sequence[Message]) -> Iterator[Message]:
    """Give each call exactly one result in the next message; the last message is left alone."""
    before: Message | None = None
    for message in messages:
        ids = _calls(before) if before else []
        before = message
        results = _results(message)
        if not ids or results.keys() == set(ids):
            yield message
            continue
        answers = tuple(results.get(i) or _missing_result(i) for i in ids)
        rest = _without_results(message)
        if rest and not results:
            yield _made(message, answers)
            yield message
        else:
            yield replace(message, blocks=answers + rest)


def _calls(message: Message) -> list[str]:
    return [block.id for block in message.blocks if isinstance(block, ToolUse)]


def _results(message: Message) -> dict[str, ToolResult]:
    return {b.tool_use_id: b for b in message.blocks if isinstance(b, ToolResult)}


def _without_results(message: Message) -> tuple[Block, ...]:
    return tuple(block for block in message.blocks if not isinstance(block, ToolResult))


def _missing_result(tool_use_id: str) -> ToolResult:
    return ToolResult(
        tool_use_id=tool_use_id,
        status="error",
        payload=_MISSING_RESULT,
        payload_source="content",
        parts=(Text(text=_MISSING_RESULT),),
    )


def _made(before: Message, blocks: tuple[Block, ...]) -> Message:
    return Message(
        key=f"{before.key}-results",
        number=None,
        role="user",
        blocks=blocks,
        raw=b"null",
        label="results made when the session is restored",
    )
