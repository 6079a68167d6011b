"""The comparison page: two tiers side by side, a window of their rows, and what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.db.models import QuerySet

from convviewer.queries.compare_pair import ALL_OUTCOMES, As, Pair, pair_of
from convviewer.queries.compare_plan import RowsAt, plan_window, rows_of
from convviewer.queries.compare_views import FoldView, ItemView, Views
from convviewer.queries.compare_window import Loaded, load_window
from convviewer.queries.missing import Alternative, Missing
from convviewer.queries.thread_head import ThreadHead, open_thread
from convviewer.store import models
from convviewer.store.comparisons import PlacedFact

Mode = Literal["split", "unified"]

# Of lost facts the page lists these; the API gives all.
FACTS_LISTED: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """What an address asks for; "" and None mean the default.

    `first` and `last` are the ends of an opened fold, whose rows are shown one by one.
    """

    thread: str
    left: str = ""
    right: str = ""
    shown_as: As = "stored"
    mode: Mode = "split"
    outcomes: tuple[str, ...] = ()
    row: int | None = None
    after: int | None = None
    before: int | None = None
    first: int | None = None
    last: int | None = None
    unfold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareWindow:
    """Rows `first` to `last`; `previous` and `next` are rows to ask for, None at an end."""

    first: int
    last: int
    items: tuple[ItemView, ...]
    previous: int | None
    next: int | None
    previous_stop: int | None
    next_stop: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomePart:
    """An outcome in the strip: its messages, its tokens, and its part of the bar (percent)."""

    name: str
    messages: int
    tokens: int
    start: float
    width: float
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BandView:
    """A band of the minimap, out of 1,000."""

    row: int
    outcome: str
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """The whole page. `next_loss` and `next_summary` are rows behind the one asked for."""

    head: ThreadHead
    request: CompareRequest
    pair: Pair
    parts: tuple[OutcomePart, ...]
    changes: int
    lost: tuple[PlacedFact, ...]
    introduced: tuple[PlacedFact, ...]
    bands: tuple[BandView, ...]
    window: CompareWindow
    next_loss: int | None
    next_summary: int | None


def comparison(request: CompareRequest) -> ComparisonPage:
    """Load the page. Raises Missing for an unknown thread or tier, or a row that is none."""
    opened = open_thread(request.thread, "")
    pair = pair_of(opened.row, opened.head.tiers, request.left, request.right)
    _check_row(request, pair)
    at = RowsAt(
        first=request.first,
        last=request.last,
        after=request.after,
        before=request.before,
        row=request.row,
    )
    items = plan_window(pair, at, outcomes=request.outcomes, flat=request.unfold)
    loaded = load_window(
        pair,
        items,
        asked=request.row,
        backwards=request.before is not None,
        as_sent=request.shown_as == "sent",
    )
    here = request.row or 0
    rows = models.ComparisonRow.objects.filter(comparison_id=pair.comparison)
    summaries = rows.filter(outcome="summarized", row__gt=here).order_by("row")
    return ComparisonPage(
        head=opened.head,
        request=request,
        pair=pair,
        parts=tuple(_parts(pair, request.outcomes)),
        changes=rows.exclude(outcome="kept").count(),
        lost=pair.facts.lost[:FACTS_LISTED],
        introduced=pair.facts.introduced[:FACTS_LISTED],
        bands=tuple(_bands(pair)),
        window=_window(request, pair, loaded),
        next_loss=min((f.row for f in pair.facts.lost if f.row > here), default=None),
        next_summary=summaries.values_list("row", flat=True).first(),
    )


def _check_row(request: CompareRequest, pair: Pair) -> None:
    if request.row is None or request.row < pair.rows:
        return
    raise Missing(
        f"This comparison has no row {request.row:,}; its last is {pair.rows - 1:,}",
        (Alternative(label="The thread", thread=request.thread),),
    )


def _parts(pair: Pair, chosen: Sequence[str]) -> Iterator[OutcomePart]:
    summary = pair.facts.summary
    total = sum(summary.weights.values()) or 1
    start = 0.0
    for name in ALL_OUTCOMES:
        weight = summary.weights.get(name, 0)
        width = round(100 * weight / total, 3)
        yield OutcomePart(
            name=name,
            messages=summary.outcomes.get(name, 0),
            tokens=weight,
            start=round(start, 3),
            width=width,
            shown=not chosen or name in chosen,
        )
        start += width


def _bands(pair: Pair) -> Iterator[BandView]:
    y = 0.0
    for band in pair.facts.bands:
        height = band.share * 1000
        yield BandView(row=band.row, outcome=band.outcome, y=round(y, 2), height=round(height, 2))
        y += height


# -- the window ------------------------------------------------------------------------------------


def _window(request: CompareRequest, pair: Pair, loaded: Loaded) -> CompareWindow:
    numbers = [number for item in loaded.items for number in (rows_of(item)[0], rows_of(item)[-1])]
    first, last = (numbers[0], numbers[-1]) if numbers else (0, pair.rows - 1)
    rest = _rest_of_fold(last, request.last)
    last = rest.last if rest else last
    rows = models.ComparisonRow.objects.filter(comparison_id=pair.comparison)
    shown = rows.filter(outcome__in=request.outcomes) if request.outcomes else rows
    changed = rows.exclude(outcome="kept")
    items = Views(pair, loaded, request.row).made()
    return CompareWindow(
        first=first,
        last=last,
        items=(*items, rest) if rest else tuple(items),
        previous=first if _nearest(shown.filter(row__lt=first), "-row") is not None else None,
        next=last if _nearest(shown.filter(row__gt=last), "row") is not None else None,
        previous_stop=_nearest(changed.filter(row__lt=first), "-row"),
        next_stop=_nearest(changed.filter(row__gt=last), "row"),
    )


def _rest_of_fold(last: int, end: int | None) -> FoldView | None:
    """What of an opened fold did not fit into the window."""
    if end is None or last >= end:
        return None
    return FoldView(first=last + 1, last=end, messages=end - last, names="", tokens=0)


def _nearest(rows: QuerySet[models.ComparisonRow], order: str) -> int | None:
    return rows.order_by(order).values_list("row", flat=True).first()
