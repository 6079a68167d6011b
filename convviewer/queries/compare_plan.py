"""Which rows of a comparison a window shows: changes, and runs of unchanged rows folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from django.db.models import QuerySet

from convviewer.queries.compare_pair import Pair
from convviewer.store import models
from convviewer.store.comparisons import StoredRow, load_rows

ROWS: Final = 50
# Fewer unchanged rows are shown as they are.
_FOLDED: Final = 2
# A permalink shows a little of what came before its row.
_BEFORE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsAt:
    """Where a window lies: behind row `after`, in front of `before`, or around `row`.

    `first` and `last` are the ends of an opened fold, whose rows are shown one by one.
    """

    first: int | None = None
    after: int | None = None
    before: int | None = None
    row: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A run of unchanged rows, `first` to `last`; the spans are positions of both tiers."""

    first: int
    last: int
    left: range
    right: range
    tokens: int


Item: TypeAlias = StoredRow | Fold


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Unchanged rows before any is loaded."""

    first: int
    last: int


def plan_window(
    pair: Pair, at: RowsAt, *, outcomes: Sequence[str] = (), flat: bool = False
) -> list[Item]:
    """The items of a window, at most 50; two queries.

    `outcomes` leaves out the others; that, `flat`, and an opened fold, show every row by itself.
    """
    if outcomes or flat or at.last is not None:
        return _flat_window(pair, at, outcomes)
    rows = models.ComparisonRow.objects.filter(comparison_id=pair.comparison)
    changed = _changed(rows, at)
    planned = list(_with_runs(changed, pair.rows, at))
    wanted = planned[-ROWS:] if at.before is not None else planned[:ROWS]
    runs = [item for item in wanted if isinstance(item, _Run)]
    edges = {edge for run in runs for edge in (run.first, run.last)}
    kept = {item.row.row: item for item in load_rows(rows.filter(row__in=edges))}
    items: list[Item] = [_loaded(item, kept) for item in wanted]
    return items


def rows_of(item: Item) -> range:
    """The numbers of the rows that an item stands for."""
    if isinstance(item, Fold):
        return range(item.first, item.last + 1)
    return range(item.row.row, item.row.row + 1)


def _flat_window(pair: Pair, at: RowsAt, outcomes: Sequence[str]) -> list[Item]:
    rows = models.ComparisonRow.objects.filter(comparison_id=pair.comparison)
    if outcomes:
        rows = rows.filter(outcome__in=outcomes)
    if at.last is not None:
        rows = rows.filter(row__lte=at.last)
    if at.before is not None:
        return list[Item](load_rows(rows.filter(row__lt=at.before).order_by("-row")[:ROWS])[::-1])
    return list[Item](load_rows(rows.filter(row__gte=_start(at)).order_by("row")[:ROWS]))


def _start(at: RowsAt) -> int:
    if at.first is not None:
        return at.first
    if at.row is not None:
        return max(0, at.row - _BEFORE)
    return 0 if at.after is None else at.after + 1


def _changed(rows: QuerySet[models.ComparisonRow], at: RowsAt) -> list[StoredRow]:
    changed = rows.exclude(outcome="kept")
    if at.before is not None:
        return load_rows(changed.filter(row__lt=at.before).order_by("-row")[:ROWS])[::-1]
    return load_rows(changed.filter(row__gte=_start(at)).order_by("row")[:ROWS])


def _with_runs(changed: Sequence[StoredRow], rows: int, at: RowsAt) -> Iterator[StoredRow | _Run]:
    """Put the runs of unchanged rows between the changes; as many changes as there are, or 50."""
    whole = len(changed) < ROWS
    if at.before is not None:
        start, end = (0 if whole else changed[0].row.row), min(at.before, rows)
    else:
        start, end = _start(at), rows if whole else changed[-1].row.row + 1
    for item in changed:
        yield from _runs(start, item.row.row, at.row)
        yield item
        start = item.row.row + 1
    yield from _runs(start, end, at.row)


def _runs(start: int, end: int, apart: int | None) -> Iterator[_Run]:
    """The unchanged rows from `start` to before `end`; the one asked for stays outside a fold."""
    if apart is not None and start <= apart < end:
        yield from _runs(start, apart, None)
        yield _Run(first=apart, last=apart)
        yield from _runs(apart + 1, end, None)
    elif end - start >= _FOLDED:
        yield _Run(first=start, last=end - 1)
    else:
        yield from (_Run(first=row, last=row) for row in range(start, end))


def _loaded(item: StoredRow | _Run, kept: dict[int, StoredRow]) -> Item:
    if isinstance(item, StoredRow):
        return item
    first, last = kept[item.first], kept[item.last]
    if first is last:
        return first
    return Fold(
        first=item.first,
        last=item.last,
        left=range(first.row.left.start, last.row.left.stop),
        right=range(first.row.right.start, last.row.right.stop),
        tokens=last.before + last.row.tokens.before - first.before,
    )


# -- which messages that takes ---------------------------------------------------------------------

# Of the messages that one summary replaces, these are shown until the rest is asked for.
FIRST_SHOWN: Final = 4
LAST_SHOWN: Final = 2


def shown_left(item: Item) -> list[range]:
    """Positions of the left tier that an item shows; of a fold its ends, which name it."""
    if isinstance(item, Fold):
        return [range(at, at + 1) for at in (item.left.start, item.left.stop - 1)]
    left = item.row.left
    if len(left) <= FIRST_SHOWN + LAST_SHOWN + 1:
        return [left]
    return [left[:FIRST_SHOWN], left[-LAST_SHOWN:]]


def shown_right(item: Item) -> list[range]:
    """Positions of the right tier that an item shows, the entry that holds its note included."""
    if isinstance(item, Fold):
        return []
    into = item.row.into
    if into and into.block is not None:
        return [range(into.position, into.position + 1)]
    return [item.row.right]


def ordered(spans: Iterable[range]) -> list[range]:
    """Spans that hold something, in order, each once."""
    found = {(span.start, span.stop) for span in spans if span}
    return [range(*span) for span in sorted(found)]
