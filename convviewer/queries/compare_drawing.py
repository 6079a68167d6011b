"""One tier's part of a comparison's window, and its blocks drawn by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from convviewer.analysis.content import plain_text
from convviewer.core import thread as core
from convviewer.core.json import Json, decode
from convviewer.core.text import count
from convviewer.payloads import Window, cause_of, input_summary
from convviewer.queries import compare_blocks as cells
from convviewer.queries.block_views import context_summary
from convviewer.queries.blocks import Clip
from convviewer.queries.compare_sent import Repairs
from convviewer.queries.compare_texts import comparable_text
from convviewer.queries.media import Figure, figure_of
from convviewer.queries.payload import Look, PayloadView, Place, show
from convviewer.queries.payload_value import Value, shown_parts, value_of
from convviewer.queries.scene import Spot
from convviewer.queries.tiers import TierView
from convviewer.store.large import text_of_blob

# What a cell shows of a text, and of a payload.
TEXT_CHARACTERS: Final = 4_000
_SHORT_CHARACTERS: Final = 600
_PAYLOAD: Final = Look(window=Window(limit=6, characters=1_200, cells=60))
_PARTS: Final = 4
_TONES: Final = {"success": "ok", "error": "err", "declined": "warn"}
_ICONS: Final = {"success": "ok", "error": "error", "declined": "declined"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One tier's part of a window: its messages by position, its results by place.

    `as_sent` shows them as the model gets them. `blobs` hold what was read of large values.
    """

    thread: str
    tier: TierView
    messages: Mapping[int, core.Message]
    names: Mapping[Spot, str]
    as_sent: bool
    repairs: Repairs
    blobs: Mapping[str, bytes]
    pictures: frozenset[str]

    def block(self, spot: Spot) -> core.Block:
        """The block at a place of the window."""
        return self.messages[spot[0]].blocks[spot[1]]

    def text(self, block: core.Block) -> str:
        """All of a block's words, where they were read; JSON indented."""
        return comparable_text(self.value(block))

    def value(self, block: core.Block) -> Json:
        """What a block holds: its text, or the payload of a call or a result; "" for nothing."""
        stored: core.Stored | None = getattr(block, "stored", None)
        data = self.blobs.get(stored.sha256) if stored else None
        if data is not None and stored is not None:
            return text_of_blob(data) if stored.of == "text" else decode(data)
        value = value_of(block)
        if isinstance(block, core.ToolUse | core.ToolResult) and value is not None:
            return value.value
        return plain_text(block)


def drawn(block: core.Block, spot: Spot, side: Side, *, short: bool = False) -> cells.CellBlock:
    """A block by itself; `short` shows less of it."""
    match block:
        case core.Text() | core.Citations() | core.Guard() | core.Reasoning() | core.Marker():
            return _in_words(block, spot, side, short=short)
        case core.ToolUse() | core.ToolResult() | core.Media() | core.Unknown():
            return _as_data(block, spot, side)
        case _:
            return _note(spot[1], block, as_sent=side.as_sent)


def drawn_around(block: core.Block, body: cells.Body, spot: Spot, side: Side) -> cells.CellBlock:
    """The block that holds a body: a call, a result, reasoning, or the body itself."""
    match block:
        case core.ToolUse():
            return replace(_call(block, spot), body=body)
        case core.ToolResult():
            return replace(_result(block, spot, side), payload=None, parts=(), body=body)
        case core.Reasoning():
            return replace(_thought(block, spot[1]), text="", body=body)
        case _:
            return body


def _in_words(
    block: core.Text | core.Citations | core.Guard | core.Reasoning | core.Marker,
    spot: Spot,
    side: Side,
    *,
    short: bool,
) -> cells.CellBlock:
    match block:
        case core.Reasoning():
            return _thought(block, spot[1])
        case core.Marker():
            return _reduced(spot[1], block, side.messages[spot[0]].key)
        case _:
            return _words(spot[1], block, short=short)


def _as_data(
    block: core.ToolUse | core.ToolResult | core.Media | core.Unknown, spot: Spot, side: Side
) -> cells.CellBlock:
    match block:
        case core.ToolUse():
            return _call(block, spot)
        case core.ToolResult():
            return _result(block, spot, side)
        case core.Media():
            picture = block.sha256 in side.pictures
            return cells.Picture(n=spot[1], figure=figure_of(block, spot[1], picture=picture))
        case core.Unknown():
            return _raw(block, spot, side)


def _words(
    n: int, block: core.Text | core.Citations | core.Guard, *, short: bool = False
) -> cells.Words:
    stored = block.stored if isinstance(block, core.Text) else None
    text, clip = _clipped(block.text, stored, _SHORT_CHARACTERS if short else TEXT_CHARACTERS)
    return cells.Words(n=n, text=text, mono=False, clip=clip)


def _clipped(
    text: str, stored: core.Stored | None, limit: int = TEXT_CHARACTERS
) -> tuple[str, Clip | None]:
    total = stored.length if stored else len(text)
    shown = text[:limit]
    return shown, Clip(shown=len(shown), total=total) if total > len(shown) else None


def _thought(block: core.Reasoning, n: int) -> cells.Thought:
    return cells.Thought(
        n=n,
        text=_clipped(block.text, block.stored)[0],
        redacted_bytes=block.redacted_bytes,
        signed=bool(block.signature),
        body=None,
    )


def _call(block: core.ToolUse, spot: Spot) -> cells.Call:
    stored = block.stored
    args = f"{count(stored.length, 'member')}" if stored else input_summary(block.input)
    return cells.Call(n=spot[1], name=block.name, args=args, body=None)


def _result(block: core.ToolResult, spot: Spot, side: Side) -> cells.Result:
    value = value_of(block)
    cause = cause_of(value.value, "error") if value and block.status == "error" else None
    return cells.Result(
        n=spot[1],
        name=block.name or side.names.get(spot, "") or "result",
        status=block.status if block.status != "unknown" else "status unknown",
        tone=_TONES.get(block.status, "calm"),
        icon=_ICONS.get(block.status, "unknown"),
        cause=cause,
        payload=None if value is None or cause else _payload(value, _place(spot, side), side),
        body=None,
        parts=tuple(_parts(block, spot, side)),
    )


def _parts(
    block: core.ToolResult, spot: Spot, side: Side
) -> Iterator[cells.Reduced | Figure | PayloadView]:
    for number in shown_parts(block)[:_PARTS]:
        part = block.parts[number]
        if isinstance(part, core.Media):
            yield figure_of(part, number, picture=part.sha256 in side.pictures)
        elif isinstance(part, core.Marker):
            yield _reduced(spot[1], part, side.messages[spot[0]].key)
        elif (value := value_of(block, number)) is not None:
            yield _payload(value, replace(_place(spot, side), part=number), side)


def _place(spot: Spot, side: Side) -> Place:
    key = side.messages[spot[0]].key
    return Place(thread=side.thread, tier=side.tier.param, key=key, block=spot[1])


def _payload(value: Value, place: Place, side: Side) -> PayloadView:
    data = side.blobs.get(value.stored.sha256) if value.stored else None
    # Both sides show the same message: what a screen reader calls its payload must tell them apart.
    named = replace(value, label=f"{value.label}, {side.tier.label.lower()} tier")
    return show(named, place, data=data, look=_PAYLOAD)


def _reduced(n: int, block: core.Marker, key: str) -> cells.Reduced:
    text, clip = _clipped(block.text, block.stored)
    return cells.Reduced(
        n=n,
        reduction=block.reduction,
        text=text,
        refs=tuple(ref for ref in block.refs if ref not in block.missing),
        missing=block.missing,
        original=key,
        clip=clip,
    )


def _raw(block: core.Unknown, spot: Spot, side: Side) -> cells.Raw:
    value = cast("Value", value_of(block))
    payload = _payload(value, _place(spot, side), side)
    return cells.Raw(n=spot[1], reason=block.reason, payload=payload)


def _note(n: int, block: core.Block, *, as_sent: bool) -> cells.CellBlock:
    match block:
        case core.Deleted():
            return cells.Note(n=n, icon="tombstone", text=_DELETED, outcome="tombstone")
        case core.Filler() if as_sent:
            return cells.Words(n=n, text=FILLER, mono=True, clip=None)
        case core.Filler():
            text = "Content shortened away · the model sees"
            return cells.Note(n=n, icon="filler", text=text, code=FILLER, outcome="filler")
        case core.CachePoint():
            return cells.Note(n=n, icon="cache", text=f"Cache point {block.ttl}".strip())
        case core.Error():
            return cells.Note(n=n, icon="error", text=block.message, code=block.code)
        case core.ViewingContext():
            summary = context_summary(block.context)
            text = f"Viewing context · {summary}" if summary else "Viewing context"
            return cells.Note(n=n, icon="eye", text=text)
        case _:
            raise TypeError(f"a block of another family: {type(block).__name__}")


# What a filler reads when it is sent.
FILLER: Final = "<Deleted in compression>"
_DELETED: Final = "Deleted block"
