"""Small builders of messages for tests of pure functions."""

from __future__ import annotations

from typing import Any

from convviewer.core.json import Json
from convviewer.core.thread import (
    Block,
    Marker,
    Message,
    Text,
    Tier,
    ToolResult,
    ToolUse,
)


def message(role: str, *blocks: Block | str, **fields: Any) -> Message:
    content = tuple(Text(text=block) if isinstance(block, str) else block for block in blocks)
    fields.setdefault("key", "k")
    fields.setdefault("number", None)
    fields.setdefault("raw", repr(content).encode("utf-8", "surrogatepass"))
    return Message(role=role, blocks=content, **fields)


def user(*blocks: Block | str, **fields: Any) -> Message:
    return message("user", *blocks, **fields)


def assistant(*blocks: Block | str, **fields: Any) -> Message:
    return message("assistant", *blocks, **fields)


def use(tool_use_id: str, name: str = "search", value: Json = None) -> ToolUse:
    return ToolUse(id=tool_use_id, name=name, input=value)


def result(tool_use_id: str, text: str = "done", **fields: Any) -> ToolResult:
    fields.setdefault("status", "success")
    return ToolResult(
        tool_use_id=tool_use_id,
        payload=text,
        payload_source="content",
        parts=(Text(text=text),),
        **fields,
    )


def summarized(count: int, body: str = "") -> Marker:
    text = f"[Summarized: {count} messages, ~27 tokens]\n\n{body}"
    return Marker(reduction="summarized", text=text)


def tier(*messages: Message, name: str = "verbatim", **fields: Any) -> Tier:
    """A tier whose messages are keyed by their position where they have no key of their own."""
    fields.setdefault("kind", "verbatim" if name == "verbatim" else "compressed")
    return Tier(name=name, messages=messages, **fields)
