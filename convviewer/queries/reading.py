"""The reading page: a window of a tier, with the outline and the inspector beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from convviewer.core import thread as core
from convviewer.payloads import INLINE
from convviewer.queries.compaction import load_compaction
from convviewer.queries.inspector import Inspector, load_inspector
from convviewer.queries.message_view import MessageView, message_view
from convviewer.queries.outline import Outline, Stop, TurnView, load_outline
from convviewer.queries.panels import Panels, load_panels
from convviewer.queries.payload import Look, Place
from convviewer.queries.payload_value import value_of
from convviewer.queries.scene import (
    Chosen,
    Scene,
    WindowRow,
    calls_by_result,
    calls_by_use,
    load_previews,
)
from convviewer.queries.thread_head import OpenThread, ThreadHead, open_thread, shown_tier
from convviewer.queries.tiers import TierView
from convviewer.queries.windows import At, Bounds, find_position, window_bounds
from convviewer.store import models
from convviewer.store.load import load_message

_WAITING: Final = "client_tool_turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRequest:
    """What an address asks for. `key` is the message it names, "" for none.

    `first_block` starts a very long message at that block; `view` and its companions choose how
    the payload of `block` is shown.
    """

    thread: str
    tier: str = ""
    key: str = ""
    after: int | None = None
    before: int | None = None
    first_block: int = 0
    block: int | None = None
    part: int | None = None
    view: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSection:
    """Messages of the window that stand in one turn; `continued`: it began before the window."""

    turn: TurnView | None
    continued: bool
    messages: tuple[MessageView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowView:
    """A window. `previous` and `next` are positions to ask for; None at an end of the tier."""

    first: int
    last: int
    entries: int
    turns: tuple[TurnSection, ...]
    previous: int | None
    next: int | None
    previous_stop: Stop | None
    next_stop: Stop | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPage:
    """The whole page; without a window the thread has no messages.

    `selected` is the message that the inspector shows; `asked`: the address named it.
    """

    head: ThreadHead
    panels: Panels
    window: WindowView | None
    outline: Outline | None
    inspector: Inspector | None
    selected: str
    asked: bool


def reading_page(request: ReadingRequest) -> ReadingPage:
    """Load the page. Raises Missing for an unknown thread, tier or message."""
    opened = open_thread(request.thread, request.tier)
    tier = opened.head.tier
    panels = load_panels(opened)
    if tier is None or not tier.entries:
        return _empty_page(opened, panels)
    at = _at(request, opened, tier)
    bounds, calls = window_bounds(tier, at)
    rows = _rows(tier, bounds)
    selected = bounds.first if at.around is None else at.around
    compaction = load_compaction(opened.head, tier, bounds.last)
    outline = load_outline(tier, bounds, selected, compaction.boundaries)
    scene = replace(_scene(request, opened, rows, calls), compaction=compaction)
    return ReadingPage(
        head=opened.head,
        panels=panels,
        window=_window(request, rows, scene, bounds, outline),
        outline=outline,
        inspector=load_inspector(opened, tier, selected),
        selected=next((row.message.key for row in rows if row.position == selected), ""),
        asked=bool(request.key),
    )


def _empty_page(opened: OpenThread, panels: Panels) -> ReadingPage:
    return ReadingPage(
        head=opened.head,
        panels=panels,
        window=None,
        outline=None,
        inspector=None,
        selected="",
        asked=False,
    )


def _at(request: ReadingRequest, opened: OpenThread, tier: TierView) -> At:
    if request.key:
        return At(around=find_position(opened.row, tier, request.key, request.thread))
    after, before = request.after, request.before
    if before is not None and before > 0:
        return At(before=min(before, tier.entries))
    # A place behind the end would be a page without messages: show the last of them.
    return At(after=None if after is None else min(after, tier.entries - 2))


def _rows(tier: TierView, bounds: Bounds) -> list[WindowRow]:
    entries = (
        models.Entry.objects.filter(
            tier_id=tier.pk, position__gte=bounds.first, position__lte=bounds.last
        )
        .order_by("position")
        .select_related("message")
        .defer("message__raw", "message__original_raw")
    )
    return [
        WindowRow(
            position=entry.position,
            nodes=entry.message.nodes,
            message=load_message(entry.message),
        )
        for entry in entries
    ]


def _scene(
    request: ReadingRequest,
    opened: OpenThread,
    rows: Sequence[WindowRow],
    calls: Sequence[models.ToolCall],
) -> Scene:
    tier = shown_tier(opened)
    blobs, pictures = load_previews((row.message for row in rows), _asked(request, rows))
    waits = opened.row.status == _WAITING and rows[-1].position == tier.entries - 1
    return Scene(
        thread=request.thread,
        tier=tier,
        messages={row.position: row.message for row in rows},
        uses=calls_by_use(calls),
        results=calls_by_result(calls),
        waits_at=rows[-1].position if waits else None,
        in_base=_in_base(opened, tier, rows),
        chosen=_chosen(request, tier),
        blobs=blobs,
        pictures=pictures,
    )


def _asked(request: ReadingRequest, rows: Sequence[WindowRow]) -> core.Stored | None:
    """The payload that the address wants to see in a certain way, where it is stored apart."""
    message = next((row.message for row in rows if row.message.key == request.key), None)
    if message is None or request.block is None or not request.view:
        return None
    blocks = message.blocks[request.block : request.block + 1]
    value = value_of(blocks[0], request.part) if blocks else None
    return value.stored if value else None


def _in_base(opened: OpenThread, tier: TierView, rows: Sequence[WindowRow]) -> frozenset[str]:
    if tier.base:
        return frozenset()
    keys = {row.message.key for row in rows}
    held = models.Entry.objects.filter(
        tier__thread=opened.row, tier__base=True, message__thread=opened.row, message__key__in=keys
    )
    return frozenset(held.values_list("message__key", flat=True))


def _chosen(request: ReadingRequest, tier: TierView) -> Chosen | None:
    if request.block is None or not request.view:
        return None
    place = Place(
        thread=request.thread,
        tier=tier.param,
        key=request.key,
        block=request.block,
        part=request.part,
    )
    return Chosen(place=place, look=Look(view=request.view, window=INLINE))


def _window(
    request: ReadingRequest,
    rows: Sequence[WindowRow],
    scene: Scene,
    bounds: Bounds,
    outline: Outline,
) -> WindowView:
    turns = {row.position: outline.turn_at(row.position) for row in rows}
    sections = groupby(rows, key=lambda row: turns[row.position])
    return WindowView(
        first=bounds.first,
        last=bounds.last,
        entries=bounds.entries,
        turns=tuple(_section(turn, list(members), scene, request) for turn, members in sections),
        previous=bounds.first if bounds.has_previous else None,
        next=bounds.last if bounds.has_next else None,
        previous_stop=outline.previous_stop,
        next_stop=outline.next_stop,
    )


def _section(
    turn: TurnView | None, rows: Sequence[WindowRow], scene: Scene, request: ReadingRequest
) -> TurnSection:
    return TurnSection(
        turn=turn,
        continued=turn is not None and rows[0].position > turn.position,
        messages=tuple(
            message_view(
                row,
                scene,
                turn=turn.number if turn else None,
                first_block=request.first_block if row.message.key == request.key else 0,
            )
            for row in rows
        ),
    )
