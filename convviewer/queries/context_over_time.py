"""How large the context was at each model call, and what it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from django.db.models import F, QuerySet
from django.db.models.functions import Mod

from convviewer.analysis.context import PARTS
from convviewer.core.json import decode
from convviewer.queries.addresses import message_url, thread_url
from convviewer.queries.cursors import number_cursor, numbers_of
from convviewer.queries.thread_head import ThreadHead, open_thread
from convviewer.queries.tier_lookup import thread_row
from convviewer.store import models
from convviewer.store.contexts import store_contexts

_CURSOR: Final = "context"
_BARS: Final = 100
_ROWS: Final = 100
_WIDTH: Final = 1000
_HEIGHT: Final = 220


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositionItem:
    """Estimated tokens of a context by what they are."""

    system: int
    user: int
    assistant: int
    reasoning: int
    tool_input: int
    tool_output: int
    summary: int

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """Part and tokens, in order."""
        return tuple((name, getattr(self, name)) for name in PARTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallItem:
    """A model call: the message it answered with, and the context it was given.

    `size` is the prompt as `reported`, else the estimate; the composition is always estimated.
    `tier` names the stored tier that the estimate starts from; `exact`: the model saw just that.
    """

    key: str
    position: int
    size: int
    reported: bool
    estimated: int
    composition: CompositionItem
    tier: str | None
    exact: bool
    compacted: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPage:
    """A page of model calls, in order."""

    items: tuple[CallItem, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BarPart:
    """Part of a bar, in units of the drawing."""

    name: str
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A call as drawn: its estimate by part, and the size the record reports as a mark."""

    call: CallItem
    x: float
    width: float
    parts: tuple[BarPart, ...]
    mark: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPage:
    """The page: a drawing of at most 100 calls, and a table of them.

    `every`: the drawing shows each so-manieth call.
    """

    head: ThreadHead
    calls: int
    largest: int
    every: int
    bars: tuple[Bar, ...]
    rows: tuple[CallItem, ...]
    after: int | None
    compactions: int


def call_page(thread: str, *, after: str, limit: int) -> CallPage:
    """Up to `limit` model calls behind the cursor; three queries. Raises `Missing`, `BadCursor`."""
    (last,) = numbers_of(after, _CURSOR, -1)
    row = thread_row(thread)
    store_contexts(row)
    calls = models.ModelCall.objects.filter(thread=row, ordinal__gt=last).order_by("ordinal")
    found = list(calls[: limit + 1])
    shown = found[:limit]
    return CallPage(
        items=tuple(_item(thread, call) for call in shown),
        next=number_cursor(_CURSOR, shown[-1].ordinal) if len(found) > limit else None,
    )


def context_page(thread: str, after: int) -> ContextPage:
    """The page, its table from call `after` on. Raises Missing."""
    opened = open_thread(thread)
    store_contexts(opened.row)
    calls = models.ModelCall.objects.filter(thread=opened.row)
    count = calls.count()
    every = max(1, -(-count // _BARS))
    drawn = [_item(thread, call) for call in _drawn(calls, every)]
    rows = list(calls.filter(ordinal__gte=after).order_by("ordinal")[: _ROWS + 1])
    largest = max((max(call.size, call.estimated) for call in drawn), default=0)
    return ContextPage(
        head=opened.head,
        calls=count,
        largest=largest,
        every=every,
        bars=tuple(_bars(drawn, largest)),
        rows=tuple(_item(thread, call) for call in rows[:_ROWS]),
        after=rows[_ROWS].ordinal if len(rows) > _ROWS else None,
        compactions=calls.filter(compacted=True).count(),
    )


def _drawn(calls: QuerySet[models.ModelCall], every: int) -> QuerySet[models.ModelCall]:
    if every == 1:
        return calls.order_by("ordinal")
    picked = calls.annotate(place=Mod(F("ordinal"), every)).filter(place=0)
    return picked.order_by("ordinal")


def _item(thread: str, call: models.ModelCall) -> CallItem:
    parts = cast("list[int]", decode(call.parts))
    seen_at = f"{thread_url(thread)}?tier={call.tier}" if call.exact else ""
    return CallItem(
        key=call.key,
        position=call.position,
        size=call.estimated if call.reported is None else call.reported,
        reported=call.reported is not None,
        estimated=call.estimated,
        composition=CompositionItem(**dict(zip(PARTS, parts, strict=True))),
        tier=call.tier or None,
        exact=call.exact,
        compacted=call.compacted,
        url=seen_at or message_url(thread, call.key),
    )


def _bars(calls: Sequence[CallItem], largest: int) -> Iterator[Bar]:
    step = _WIDTH / max(len(calls), 1)
    for number, call in enumerate(calls):
        y = float(_HEIGHT)
        parts = []
        for name, tokens in call.composition.named:
            height = tokens / largest * _HEIGHT if largest else 0.0
            y -= height
            if height:
                parts.append(BarPart(name=name, y=round(y, 1), height=round(height, 1)))
        mark = _HEIGHT - call.size / largest * _HEIGHT if call.reported and largest else None
        yield Bar(
            call=call,
            x=round(number * step, 1),
            width=round(step * 0.8, 1),
            parts=tuple(parts),
            mark=None if mark is None else round(mark, 1),
        )
