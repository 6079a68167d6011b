"""What makes two blocks, or two messages, equal: their content, metadata aside."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from convviewer.core.json import Json, content_hash, encode
from convviewer.core.thread import (
    Block,
    CachePoint,
    Citation,
    Citations,
    Deleted,
    Error,
    Filler,
    Guard,
    JsonValue,
    Marker,
    Media,
    Message,
    Reasoning,
    ResultPart,
    Stored,
    Text,
    ToolResult,
    ToolUse,
    Unknown,
    ViewingContext,
)

Key = tuple[Hashable, ...]
Part = Block | ResultPart


def message_key(message: Message) -> Key:
    """Return a value that is equal for messages of equal role and content."""
    return (message.role, *map(block_key, message.blocks))


def block_key(block: Part) -> Key:
    """Return a value that is equal for blocks of equal content.

    The order of JSON keys, times, tool runtimes, names of results and where a payload was found
    make no difference; status, ids, signatures and media bytes do.
    """
    match block:
        case Text() | Reasoning() | Citations() | Guard() | Marker() | Error():
            return _words_key(block)
        case ToolUse() | ToolResult():
            return _tool_key(block)
        case JsonValue() | ViewingContext() | Unknown():
            return _data_key(block)
        case Media():
            return _media_key(block)
        case CachePoint() | Deleted() | Filler():
            return _note_key(block)


def plain_text(block: Part) -> str:
    """Return what can be read in a block as one text, JSON as compact text; "" for the rest."""
    match block:
        case Text() | Reasoning() | Citations() | Guard() | Marker() | Media():
            return block.text
        case Error():
            return block.message
        case ToolUse() | JsonValue() | Unknown():
            return _text_of_json(_value_of(block))
        case ToolResult():
            return text_of_result(block)
        case ViewingContext() | CachePoint() | Deleted() | Filler():
            return ""


def text_of_result(result: ToolResult) -> str:
    """Return the words of a tool result, parts on lines of their own."""
    if result.payload is not None:
        return _text_of_json(result.payload)
    return "\n".join(text for part in result.parts if (text := plain_text(part)))


def _words_key(block: Text | Reasoning | Citations | Guard | Marker | Error) -> Key:
    match block:
        case Text():
            return ("text", _text_key(block.text, block.stored), block.refusal)
        case Reasoning():
            text = _text_key(block.text, block.stored)
            return ("reasoning", text, block.signature, block.redacted_bytes)
        case Citations():
            return ("citations", block.text, *map(_citation_key, block.citations))
        case Guard():
            return ("guard", block.text, block.qualifiers)
        case Marker():
            return ("marker", _text_key(block.text, block.stored))
        case Error():
            return ("error", block.message, block.code)


def _citation_key(citation: Citation) -> Key:
    return (citation.title, citation.source_text, citation.url, _json_key(citation.location))


def _tool_key(block: ToolUse | ToolResult) -> Key:
    match block:
        case ToolUse():
            return ("tool_use", block.id, block.name, _json_key(block.input, block.stored))
        case ToolResult():
            payload = _json_key(block.payload, block.stored)
            parts = tuple(map(block_key, block.parts))
            return ("tool_result", block.tool_use_id, block.status, payload, parts)


def _data_key(block: JsonValue | ViewingContext | Unknown) -> Key:
    match block:
        case JsonValue():
            return ("json", _json_key(block.value, block.stored))
        case ViewingContext():
            return ("viewing_context", _json_key(block.context), block.unreadable)
        case Unknown():
            return ("unknown", _json_key(block.raw, block.stored))


def _note_key(block: CachePoint | Deleted | Filler) -> Key:
    match block:
        case CachePoint():
            return ("cache_point", block.type, block.ttl)
        case Deleted():
            return ("deleted",)
        case Filler():
            return ("filler",)


def _media_key(media: Media) -> Key:
    digest = hashlib.sha256(media.data).hexdigest() if media.data is not None else media.sha256
    return ("media", media.kind, media.format, media.name, digest, media.location, media.text)


def _text_key(text: str, stored: Stored | None) -> Hashable:
    return ("stored", stored.sha256) if stored else text


def _json_key(value: Json, stored: Stored | None = None) -> Hashable:
    if stored:
        return ("stored", stored.sha256)
    return value if isinstance(value, str) or value is None else ("hash", content_hash(value))


def _value_of(block: ToolUse | JsonValue | Unknown) -> Json:
    match block:
        case ToolUse():
            return block.input
        case JsonValue():
            return block.value
        case Unknown():
            return block.raw


def _text_of_json(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode(value)
