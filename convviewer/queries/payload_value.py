"""Which value of a block is its payload."""

from __future__ import annotations

from dataclasses import dataclass, replace

from convviewer.core import thread as core
from convviewer.core.json import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A payload as stored: the value, or with `stored` a clipped text or None.

    `status` is that of the tool result, `label` names the payload for people, `guessed` marks an
    {"items": [...]} that was unwrapped on a guess.
    """

    value: Json
    stored: core.Stored | None = None
    status: str = ""
    label: str = ""
    guessed: bool = False


def value_of(block: core.Block, part: int | None = None) -> Value | None:
    """The payload of a block, or of one part of a tool result; None where it has none."""
    match block:
        case core.ToolUse():
            return Value(value=block.input, stored=block.stored, label=f"{block.name} input")
        case core.ToolResult() if part is None:
            return _payload(block)
        case core.ToolResult():
            return _part(block, part or 0)
        case core.Unknown():
            return Value(value=block.raw, stored=block.stored, label="Unknown block")
        case core.ViewingContext():
            context = block.unreadable if block.context is None else block.context
            return Value(value=context, label="Viewing context")
        case _:
            return _text_value(block)


def shown_parts(result: core.ToolResult) -> tuple[int, ...]:
    """The parts to show beside the payload: all where there is no single one."""
    if _is_in_parts(result):
        return tuple(range(len(result.parts)))
    beside = core.Media | core.Marker | core.Unknown
    return tuple(n for n, part in enumerate(result.parts) if isinstance(part, beside))


def _payload(result: core.ToolResult) -> Value | None:
    if result.payload_source == "none" or _is_in_parts(result):
        return None
    return Value(
        value=result.payload,
        stored=result.stored,
        status=result.status,
        label=_label(result),
        guessed=result.payload_guessed,
    )


def _is_in_parts(result: core.ToolResult) -> bool:
    has_single = result.payload is not None or result.stored is not None
    return result.payload_source == "content" and not has_single


def _part(result: core.ToolResult, number: int) -> Value | None:
    if number >= len(result.parts):
        return None
    part = result.parts[number]
    if isinstance(part, core.JsonValue):
        value: Value | None = Value(value=part.value, stored=part.stored)
    else:
        value = value_of(part)
    label = f"{_label(result)}, part {number + 1}"
    return value and replace(value, status=result.status, label=label)


def _text_value(block: core.Block) -> Value | None:
    match block:
        case core.Text() | core.Reasoning() | core.Marker():
            return Value(value=block.text, stored=block.stored, label="Text")
        case core.Citations() | core.Guard():
            return Value(value=block.text, label="Text")
        case core.Error():
            return Value(value=block.message, label="Error")
        case _:
            return None


def _label(result: core.ToolResult) -> str:
    return f"{result.name or 'Tool'} result"
