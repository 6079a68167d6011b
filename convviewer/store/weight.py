"""What a block costs to render, estimated from its size: windows are cut by this before reading.

Figures follow the templates: a tool card shows at most some rows or some lines of its payload, a
long text is clipped, so every estimate has a ceiling.
"""

from __future__ import annotations

from convviewer.core import thread as core

MESSAGE_NODES = 30
MESSAGE_BYTES = 2_000
_TEXT_CEILING = 16_000
_CARD_NODES = 60
_CARD_BYTES = 4_500
_VALUE_NODES_CEILING = 400
_VALUE_BYTES_CEILING = 24_000


def nodes(block: core.Block) -> int:
    """DOM elements, roughly."""
    match block:
        case core.Text() | core.Marker() | core.Reasoning():
            return 6 + min(len(block.text), _TEXT_CEILING) // 60
        case core.ToolResult():
            return _CARD_NODES + min(_VALUE_NODES_CEILING, _length(block) // 12)
        case core.ToolUse():
            return _CARD_NODES
        case core.Citations():
            return 8 + 6 * len(block.citations) + len(block.text) // 60
        case _:
            return 8


def html_bytes(block: core.Block) -> int:
    """Bytes of HTML, roughly."""
    match block:
        case core.Text() | core.Marker() | core.Reasoning():
            return 400 + 2 * min(len(block.text), _TEXT_CEILING)
        case core.ToolResult():
            return _CARD_BYTES + min(_VALUE_BYTES_CEILING, 4 * _length(block))
        case core.ToolUse():
            return _CARD_BYTES
        case core.Citations():
            return 600 + 400 * len(block.citations) + 2 * len(block.text)
        case _:
            return 600


def _length(result: core.ToolResult) -> int:
    """Characters of what the result shows, without encoding it: strings by length, else counted."""
    length = _value_length(result.payload)
    for part in result.parts:
        match part:
            case core.Text() | core.Marker():
                length += len(part.text)
            case core.JsonValue():
                length += _value_length(part.value)
            case _:
                length += 200
    return length


def _value_length(value: object) -> int:
    """A shallow measure: an array or object counts 24 characters an item, two levels down."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(_item_length(item) for item in value[:200])
    if isinstance(value, dict):
        return sum(24 + _item_length(item) for item in list(value.values())[:200])
    return 8


def _item_length(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, (list, dict)):
        return 24 * len(value)
    return 8
