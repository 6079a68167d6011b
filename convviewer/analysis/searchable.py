"""Which text of a message can be searched, and what kind of text it is.

Dialogue is what stands in the conversation itself: words, reasoning, cited and guarded text,
errors, summaries and the notes a reduction left, names of media. Viewing context and what a
redaction replaced are no text here. JSON counts with keys and values; encoded bytes do not count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from convviewer.core.json import Json, encode
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

Place = Literal["dialogue", "tool_input", "tool_output"]

# Characters of one block that can be searched; what lies behind them is clipped, and said to be.
BLOCK_LIMIT: Final = 32 * 1024
# Bytes of a large stored value that are looked at: JSON may spend six on one character.
HEAD_BYTES: Final = 4 * BLOCK_LIMIT
# Stands where encoded bytes were, so that no match runs across.
GAP: Final = "…"

_DATA_URL: Final = re.compile(
    r"(data:[\w.+-]{1,100}/[\w.+-]{1,100}(?:;(?!base64,)[\w=.+-]{1,100})*+;base64,)"
    r"[A-Za-z0-9+/=_%-]++",
    re.IGNORECASE,
)
# Lines of base64, or one long one; words and paths have no such runs.
_ENCODED: Final = re.compile(r"(?:[A-Za-z0-9+/]{40,}+={0,2}+\s*+)++")
_SHORTEST_ENCODED: Final = 200
_MIXED: Final = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))

_JSON_TOKEN: Final = re.compile(
    r'(?P<bytes>\{"__bytes_encoded__":true,"data":"[^"]*+(?:"\}|$)'
    r'|\{"data":"[^"]*+","__bytes_encoded__":true\})'
    r'|"(?P<inner>(?:[^"\\]|\\.)*+)(?:"|$)'
    r"|(?P<mark>[:,])"
)
# What the end of a head leaves of an escape.
_CUT_ESCAPE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchableText:
    """The text of one block. `clipped`: the block holds more than can be searched."""

    block: int
    place: Place
    text: str
    clipped: bool = False


def texts_of(message: Message, heads: Mapping[str, bytes]) -> Iterator[SearchableText]:
    """Yield the text of each block that has any, in order.

    `heads` holds the first `HEAD_BYTES` bytes of large stored values, by hash; see `stored_values`.
    """
    for number, block in enumerate(message.blocks):
        place, pieces = _place_of(block), _block_pieces(block, heads)
        text, clipped = _joined(pieces)
        if text.strip():
            yield SearchableText(block=number, place=place, text=text, clipped=clipped)


def stored_values(message: Message) -> Iterator[Stored]:
    """The large values whose heads `texts_of` looks at."""
    for block in message.blocks:
        for item in (block, *(block.parts if isinstance(block, ToolResult) else ())):
            stored: Stored | None = getattr(item, "stored", None)
            if stored is not None:
                yield stored


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    text: str
    whole: bool = True


def _place_of(block: Block) -> Place:
    match block:
        case ToolUse():
            return "tool_input"
        case ToolResult():
            return "tool_output"
        case _:
            return "dialogue"


def _joined(pieces: Iterable[_Piece]) -> tuple[str, bool]:
    """One text without encoded bytes, and whether some of it is missing."""
    texts: list[str] = []
    left = BLOCK_LIMIT
    clipped = False
    for piece in pieces:
        text = _without_bytes(piece.text)
        clipped = clipped or not piece.whole or len(text) > left
        if text and left > 0:
            texts.append(text[:left])
            left -= len(text) + 1
    return "\n".join(texts), clipped


def _block_pieces(block: Block, heads: Mapping[str, bytes]) -> Iterator[_Piece]:
    match block:
        case ToolUse():
            yield _Piece(text=block.name)
            yield from _value_pieces(block.input, block.stored, heads)
            yield _Piece(text=block.input_note)
        case ToolResult():
            if block.payload_source not in {"content", "none"}:
                yield from _value_pieces(block.payload, block.stored, heads)
            for part in block.parts:
                yield from _part_pieces(part, heads)
        case Text() | Marker() | Media() | Unknown():
            yield from _part_pieces(block, heads)
        case Reasoning():
            yield _text_piece(block.text, block.stored, heads)
        case _:
            yield _Piece(text=_short_text(block))


def _short_text(
    block: Citations | Guard | Error | CachePoint | Deleted | Filler | ViewingContext,
) -> str:
    match block:
        case Citations():
            sources = (f"{item.title} {item.url} {item.source_text}" for item in block.citations)
            return "\n".join((block.text, *sources))
        case Guard():
            return block.text
        case Error():
            return f"{block.code} {block.message}"
        case CachePoint() | Deleted() | Filler() | ViewingContext():
            return ""


def _part_pieces(part: ResultPart, heads: Mapping[str, bytes]) -> Iterator[_Piece]:
    match part:
        case Text() | Marker():
            yield _text_piece(part.text, part.stored, heads)
        case JsonValue():
            yield from _value_pieces(part.value, part.stored, heads)
        case Unknown():
            yield from _value_pieces(part.raw, part.stored, heads)
        case Media():
            yield _Piece(text=f"{part.name} {part.location}".strip())
            yield _Piece(text=part.text)


def _text_piece(text: str, stored: Stored | None, heads: Mapping[str, bytes]) -> _Piece:
    """A text; the stored form of a large one begins with what its block kept of it."""
    if stored is None:
        return _Piece(text=text)
    head = heads.get(stored.sha256, b"")
    # A character that the cut went through is dropped; lone surrogates fold to U+FFFD anyway.
    longer = head.decode("utf-8", "ignore")
    return _Piece(text=longer or text, whole=len(head) >= stored.size)


def _value_pieces(
    value: Json, stored: Stored | None, heads: Mapping[str, bytes]
) -> Iterator[_Piece]:
    if stored is not None and stored.of == "json":
        head = heads.get(stored.sha256, b"")
        yield _Piece(text=_json_text(head.decode("ascii")), whole=len(head) >= stored.size)
    elif isinstance(value, str):
        yield _text_piece(value, stored, heads)
    elif value is not None:
        yield _Piece(text=_json_text(encode(value)))


def _json_text(text: str) -> str:
    """Stored JSON text, or its first part, as people read it: no escapes, bytes left out."""
    return _JSON_TOKEN.sub(_readable, _CUT_ESCAPE.sub(r"\1", text))


def _readable(token: re.Match[str]) -> str:
    if token["bytes"]:
        return GAP
    if token["mark"]:
        return f"{token['mark']} "
    inner = token["inner"]
    if "\\" in inner:
        inner = json.loads(f'"{inner}"')
    return f'"{_without_bytes(inner)}"'


def _without_bytes(text: str) -> str:
    if len(text) < _SHORTEST_ENCODED and "base64," not in text:
        return text
    return _ENCODED.sub(_encoded_or_text, _DATA_URL.sub(rf"\1{GAP}", text))


def _encoded_or_text(run: re.Match[str]) -> str:
    text = run.group()
    if len(text) < _SHORTEST_ENCODED or not all(kind.search(text) for kind in _MIXED):
        return text
    return GAP
