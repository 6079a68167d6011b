"""Blocks as the few kinds of pieces that readable exports are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from convviewer.core import thread as core
from convviewer.core.json import Json, count_special, encode
from convviewer.core.text import format_bytes, one_line

# Deeper values are written on one line: their indentation would outweigh them.
_DEEPEST_INDENTED: Final = 64
_DETAIL_LENGTH: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Words of the speaker, to be given character for character."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Words about the content, or in its place; one line or more."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """A value as text, whole. `label` says what it is, `detail` whose, on one line.

    `language` is json or text. The JSON is what the record holds: NaN and the infinities are bare
    words, integers have all their digits.
    """

    label: str
    detail: str
    text: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Media: `caption` has its kind, name and size on one line."""

    caption: str
    name: str
    data: bytes | None


Piece: TypeAlias = Words | Note | Data | Picture


def pieces_of(blocks: Iterable[core.Block], names: Mapping[str, str]) -> tuple[Piece, ...]:
    """The pieces of blocks in order; `names` are the tools' by id of their use."""
    return tuple(piece for block in blocks for piece in _pieces(block, names))


def _pieces(block: core.Block, names: Mapping[str, str]) -> Iterable[Piece]:
    match block:
        case core.ViewingContext():
            return ()
        case core.ToolUse():
            return _call(block)
        case core.ToolResult():
            return _result(block, block.name or names.get(block.tool_use_id, ""))
        case core.Text() | core.Reasoning() | core.Citations() | core.Guard():
            return _said(block)
        case core.CachePoint() | core.Error() | core.Deleted() | core.Filler():
            return (Note(text=_left_by_system(block)),)
        case core.Marker() | core.Media() | core.Unknown():
            return _part(block, "")


def _said(block: core.Text | core.Reasoning | core.Citations | core.Guard) -> Iterator[Piece]:
    match block:
        case core.Text():
            if block.refusal:
                yield Note(text="The model declined:")
            yield Words(text=block.text)
        case core.Reasoning():
            if block.text:
                yield Data(label="Reasoning", detail="", text=block.text, language="text")
            if block.redacted_bytes is not None:
                yield Note(text=f"Encrypted reasoning, {format_bytes(block.redacted_bytes)}")
        case core.Citations():
            yield Words(text=block.text)
            yield from (Note(text=_source(citation)) for citation in block.citations)
        case core.Guard():
            qualifiers = f" ({', '.join(block.qualifiers)})" if block.qualifiers else ""
            yield Note(text=f"Text for the guardrail{qualifiers}:")
            yield Words(text=block.text)


def _source(citation: core.Citation) -> str:
    place = citation.url or ("" if citation.location is None else encode(citation.location))
    first = " ".join(part for part in ("Source:", citation.title, place) if part)
    return f"{first}\n{citation.source_text}" if citation.source_text else first


def _left_by_system(block: core.CachePoint | core.Error | core.Deleted | core.Filler) -> str:
    match block:
        case core.CachePoint():
            return f"Cache point {block.type} {block.ttl}".rstrip()
        case core.Error():
            return (
                f"Error {block.code}: {block.message}" if block.code else f"Error: {block.message}"
            )
        case core.Deleted():
            return "Deleted by compression"
        case core.Filler():
            return "All content deleted by compression"


def _call(use: core.ToolUse) -> Iterator[Piece]:
    detail = _detail(use.name, f"({use.id})")
    yield Data(label="Tool call", detail=detail, text=_pretty(use.input), language="json")
    if use.input_note:
        yield Note(text=f"Tool input: {use.input_note}")


def _result(result: core.ToolResult, name: str) -> Iterator[Piece]:
    runtime = "" if result.runtime_ms is None else f"{result.runtime_ms:,} ms"
    status = "" if result.status == "unknown" else result.status
    detail = _detail(name, f"({result.tool_use_id})", status, runtime)
    if result.payload_source in {"payload", "envelope", "output"}:
        yield _value(result.payload, detail)
    elif not result.parts:
        yield Note(text=f"Tool result {detail}: no content")
    for part in result.parts:
        yield from _part(part, detail)


def _part(part: core.ResultPart, detail: str) -> Iterator[Piece]:
    """A piece of content; `detail` names the tool result that it is a part of, "" for none."""
    match part:
        case core.Text():
            yield _value(part.text, detail)
        case core.JsonValue():
            yield _value(part.value, detail)
        case core.Marker():
            yield Note(text=f"Tool result {detail}:\n{part.text}" if detail else part.text)
        case core.Unknown():
            label = _detail("Not understood", detail)
            yield Data(label=label, detail=part.reason, text=_pretty(part.raw), language="json")
        case core.Media():
            yield from _media(part, detail)


def _media(media: core.Media, detail: str) -> Iterator[Piece]:
    size = "" if media.size is None else format_bytes(media.size)
    name = one_line(media.name, _DETAIL_LENGTH)
    what = _detail(media.kind, name, media.format, size, media.location)
    yield Picture(
        caption=f"{what}, tool result {detail}" if detail else what,
        name=name or media.kind,
        data=media.data if media.kind == "image" else None,
    )
    if media.text:
        yield Data(label="Document", detail=name, text=media.text, language="text")


def _value(value: Json, detail: str) -> Data:
    if isinstance(value, str):
        return Data(label="Tool result", detail=detail, text=value, language="text")
    return Data(label="Tool result", detail=detail, text=_pretty(value), language="json")


def _pretty(value: Json) -> str:
    if count_special(value).depth > _DEEPEST_INDENTED:
        return encode(value)
    return json.dumps(value, indent=2, ensure_ascii=False)


def _detail(*parts: str) -> str:
    return one_line(" ".join(part for part in parts if part), _DETAIL_LENGTH)
