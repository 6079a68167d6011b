"""Core blocks to the blocks that pages show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, cast

from django.utils.dateparse import parse_datetime

from convviewer.analysis.tokens import estimate_block
from convviewer.core import thread as core
from convviewer.core.json import Json
from convviewer.core.text import count
from convviewer.queries import blocks
from convviewer.queries.marker_note import note_of
from convviewer.queries.media import figure_of
from convviewer.queries.payload import Place, show
from convviewer.queries.payload_value import value_of
from convviewer.queries.places import place_of_source
from convviewer.queries.scene import Scene
from convviewer.queries.tool_cards import ToolCard, card_of_result, card_of_use

# A text of at most this many characters is shown whole.
TEXT_CHARACTERS: Final = 16_000
_CONTEXT_NOUNS: Final = {
    "dataset_ids": "dataset",
    "file_ids": "file",
    "collection_ids": "collection",
    "device_ids": "device",
    "device_type_ids": "device type",
    "session_ids": "session",
    "view_ids": "view",
}

_Numbered = tuple[int, core.Block]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The message whose blocks are shown: its place, its key and its time."""

    position: int
    key: str
    created_at: str


def block_views(
    numbered: Iterable[_Numbered], owner: Owner, scene: Scene
) -> tuple[blocks.BlockView, ...]:
    """The blocks in order: neighbouring calls and media grouped, results where their call is."""
    views: list[blocks.BlockView] = []
    for kind, group in groupby(numbered, key=lambda item: _family(item[1])):
        members = list(group)
        match kind:
            case "use":
                views.append(_calls(members, owner, scene))
            case "result":
                views.extend(_results(members, owner, scene))
            case "media":
                views.append(_media(members, scene))
            case "deleted":
                views.append(_deleted(members, owner, scene))
            case _:
                views.extend(_single(n, block, owner, scene) for n, block in members)
    return tuple(views)


def _family(block: core.Block) -> str:
    match block:
        case core.ToolUse():
            return "use"
        case core.ToolResult():
            return "result"
        case core.Media():
            return "media"
        case core.Deleted():
            return "deleted"
        case _:
            return "single"


# -- calls and results -----------------------------------------------------------------------------


def _calls(members: Sequence[_Numbered], owner: Owner, scene: Scene) -> blocks.BlockView:
    cards = tuple(
        card_of_use(
            cast("core.ToolUse", block),
            _place(n, owner, scene),
            scene.uses[owner.position, n],
            scene,
        )
        for n, block in members
    )
    first = members[0][0]
    if len(cards) == 1:
        return blocks.CallBlock(n=first, card=cards[0])
    times = [card.runtime_ms for card in cards if card.runtime_ms is not None]
    return blocks.ParallelBlock(
        n=first,
        cards=cards,
        failed=sum(card.status == "error" for card in cards),
        wall_ms=_wall_ms(cards, owner, scene),
        summed_ms=sum(times) if len(times) > 1 else None,
    )


def _wall_ms(cards: Sequence[ToolCard], owner: Owner, scene: Scene) -> float | None:
    """From the message that calls to the last of those that answer, both in the window."""
    ends = [
        message.created_at
        for message in scene.messages.values()
        if any(card.result and card.result.key == message.key for card in cards)
    ]
    spans = [span for end in ends if (span := _span_ms(owner.created_at, end)) is not None]
    return max(spans, default=None)


def _span_ms(start: str, end: str) -> float | None:
    try:
        first, last = parse_datetime(start), parse_datetime(end)
    except ValueError:
        return None
    if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
        return None
    span = (last - first).total_seconds() * 1000
    return span if span > 0 else None


def _results(
    members: Sequence[_Numbered], owner: Owner, scene: Scene
) -> Iterator[blocks.BlockView]:
    above: list[blocks.ShownAbove] = []
    for n, block in members:
        call = scene.results[owner.position, n]
        if call.use_position is not None and scene.has(call.use_position):
            above.append(
                blocks.ShownAbove(name=call.name, key=call.use_key or "", block=call.use_block or 0)
            )
            continue
        result = cast("core.ToolResult", block)
        card = card_of_result(result, _place(n, owner, scene), call, scene)
        yield blocks.CallBlock(n=n, card=card)
    if above:
        yield blocks.ResultsBlock(n=members[0][0], results=tuple(above))


def _place(n: int, owner: Owner, scene: Scene) -> Place:
    return Place(thread=scene.thread, tier=scene.tier.param, key=owner.key, block=n)


def _media(members: Sequence[_Numbered], scene: Scene) -> blocks.MediaBlock:
    figures = (
        figure_of(block, n, picture=scene.is_picture(block.sha256))
        for n, block in members
        if isinstance(block, core.Media)
    )
    return blocks.MediaBlock(n=members[0][0], figures=tuple(figures))


def _deleted(members: Sequence[_Numbered], owner: Owner, scene: Scene) -> blocks.DeletedBlock:
    original = owner.key in scene.in_base
    return blocks.DeletedBlock(n=members[0][0], count=len(members), original=original)


# -- words and notes -------------------------------------------------------------------------------


def _single(n: int, block: core.Block, owner: Owner, scene: Scene) -> blocks.BlockView:
    match block:
        case core.Text() | core.Reasoning() | core.Citations() | core.Guard():
            return _words(n, block)
        case core.Marker():
            return _marker(n, block, original=owner.key in scene.in_base)
        case core.Filler():
            return blocks.FillerBlock(n=n, original=owner.key in scene.in_base)
        case core.Unknown():
            return _unknown(n, block, _place(n, owner, scene), scene)
        case _:
            return _note(n, block)


def _words(
    n: int, block: core.Text | core.Reasoning | core.Citations | core.Guard
) -> blocks.BlockView:
    match block:
        case core.Text():
            text, clip = _clipped(block.text, block.stored)
            return blocks.TextBlock(n=n, text=text, refusal=block.refusal, clip=clip)
        case core.Reasoning():
            text, clip = _clipped(block.text, block.stored)
            return blocks.ReasoningBlock(
                n=n,
                text=text,
                tokens=estimate_block(block),
                signed=bool(block.signature),
                redacted_bytes=block.redacted_bytes,
                clip=clip,
            )
        case core.Citations():
            sources = (_source(number, item) for number, item in enumerate(block.citations, 1))
            return blocks.CitationsBlock(n=n, text=block.text, sources=tuple(sources))
        case core.Guard():
            return blocks.GuardBlock(n=n, text=block.text, qualifiers=block.qualifiers)


def _clipped(text: str, stored: core.Stored | None) -> tuple[str, blocks.Clip | None]:
    total = stored.length if stored else len(text)
    shown = text[:TEXT_CHARACTERS]
    return shown, blocks.Clip(shown=len(shown), total=total) if total > len(shown) else None


def _source(number: int, citation: core.Citation) -> blocks.SourceItem:
    return blocks.SourceItem(
        number=number,
        title=citation.title,
        url=citation.url,
        place=place_of_source(citation.location),
        quote=citation.source_text,
    )


def _marker(n: int, block: core.Marker, *, original: bool) -> blocks.MarkerBlock:
    text, clip = _clipped(block.text, block.stored)
    return blocks.MarkerBlock(n=n, note=note_of(block, original=original), text=text, clip=clip)


def _unknown(n: int, block: core.Unknown, place: Place, scene: Scene) -> blocks.UnknownBlock:
    value = value_of(block)
    assert value is not None  # noqa: S101 - an unknown block is its own payload
    look = scene.look_at(place)
    payload = show(value, place, data=scene.data(block.stored), look=look)
    return blocks.UnknownBlock(n=n, reason=block.reason, payload=payload)


def _note(n: int, block: core.Block) -> blocks.BlockView:
    match block:
        case core.CachePoint():
            return blocks.CachePointBlock(n=n, type=block.type, ttl=block.ttl)
        case core.Error():
            return blocks.ErrorBlock(n=n, message=block.message, code=block.code)
        case core.ViewingContext():
            unreadable = block.context is None and bool(block.unreadable)
            return blocks.ContextBlock(
                n=n, summary=context_summary(block.context), unreadable=unreadable
            )
        case _:
            raise TypeError(f"a block of another family: {type(block).__name__}")


def context_summary(context: Json) -> str:
    """What a viewing context holds, in a few words: "2 datasets, 1 file"."""
    if not isinstance(context, dict):
        return ""
    found = [
        count(len(ids), noun)
        for key, noun in _CONTEXT_NOUNS.items()
        if isinstance(ids := context.get(key), list) and ids
    ]
    return ", ".join(found)
