"""One estimate of tokens, the same for every tier, for where the record counts none.

A token is taken as four bytes of UTF-8. That is near the truth for English prose and code, low for
dense JSON; what matters is that two tiers are measured alike. Figures made from it are always
labelled as estimated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from convviewer.core.json import Json, encoded_size
from convviewer.core.thread import (
    Block,
    CachePoint,
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

BYTES_PER_TOKEN: Final = 4
# Providers bill an image by its area; this is one of about a megapixel.
IMAGE_TOKENS: Final = 1_600
# A document's bytes are compressed and say little of its text; this is about three pages.
DOCUMENT_TOKENS: Final = 2_000
FILLER_TOKENS: Final = 7  # what stands in for the message reads "<Deleted in compression>"

SizedPart = Block | ResultPart


def estimate(message: Message) -> int:
    """Return the estimated tokens of what the model reads of a message."""
    return estimate_blocks(message.blocks)


def estimate_blocks(blocks: Iterable[Block]) -> int:
    return sum(map(estimate_block, blocks))


def estimate_block(block: SizedPart) -> int:
    """Return the estimated tokens of one block or part; 0 for what no model reads."""
    if type(block) is Text:  # most blocks; the match below would ask them several times over
        return _tokens_of_text(block.text, block.stored)
    match block:
        case Text() | Marker() | Reasoning() | Citations() | Guard() | Error():
            return _tokens_of_words(block)
        case ToolUse() | JsonValue() | ViewingContext() | Unknown():
            return _tokens_of_data(block)
        case ToolResult():
            return _tokens_of_result(block)
        case Media():
            return _tokens_of_media(block)
        case Filler() | Deleted() | CachePoint():
            return FILLER_TOKENS if isinstance(block, Filler) else 0


def _tokens_of_words(block: Text | Marker | Reasoning | Citations | Guard | Error) -> int:
    match block:
        case Text() | Marker() | Reasoning():
            return _tokens_of_text(block.text, block.stored)
        case Citations() | Guard():
            return _tokens_of_text(block.text)
        case Error():
            return _tokens_of_text(block.message)


def _tokens_of_data(block: ToolUse | JsonValue | ViewingContext | Unknown) -> int:
    match block:
        case ToolUse():
            return _tokens_of_text(block.name) + _tokens_of_json(block.input, block.stored)
        case JsonValue():
            return _tokens_of_json(block.value, block.stored)
        case ViewingContext():
            return _tokens_of_json(block.context)
        case Unknown():
            return _tokens_of_json(block.raw, block.stored)


def _tokens_of_result(result: ToolResult) -> int:
    if result.payload_source == "content":
        return sum(map(estimate_block, result.parts))
    beside = sum(estimate_block(part) for part in result.parts if isinstance(part, Media))
    return _tokens_of_json(result.payload, result.stored) + beside


def _tokens_of_media(media: Media) -> int:
    if media.text:
        return _tokens_of_text(media.text)
    match media.kind:
        case "image":
            return IMAGE_TOKENS
        case "document" | "audio" | "video":
            return DOCUMENT_TOKENS


def _tokens_of_json(value: Json, stored: Stored | None = None) -> int:
    if stored:
        return _tokens(stored.size)
    if isinstance(value, str):
        return _tokens_of_text(value)
    return 0 if value is None else _tokens(encoded_size(value))


def _tokens_of_text(text: str, stored: Stored | None = None) -> int:
    if stored is not None:
        return _tokens(stored.size)
    if text.isascii():
        return -(-len(text) // BYTES_PER_TOKEN)
    return _tokens(len(text.encode("utf-8", "surrogatepass")))


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)
