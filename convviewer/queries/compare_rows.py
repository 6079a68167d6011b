"""Aligned rows as the API gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from django.db.models import Q

from convviewer.analysis.identity import Basis
from convviewer.analysis.markers import Cut
from convviewer.analysis.outcomes import BlockAt, BlockPair, Change, Outcome
from convviewer.core import thread as core
from convviewer.queries.compare_pair import As, Pair, open_pair
from convviewer.queries.compare_sent import INTERRUPTED, Repairs, load_repairs
from convviewer.queries.cursors import number_cursor, numbers_of
from convviewer.queries.scene import Spot
from convviewer.queries.tool_calls import HalfItem
from convviewer.store import models
from convviewer.store.comparisons import StoredRow, load_rows
from convviewer.store.load import load_message

_CURSOR: Final = "compare"
_LABELS: Final[dict[Basis, str]] = {
    "inferred_offset": "range inferred from the stored count",
    "similar": "matched by similar words",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedBlock:
    """A block and what became of it; null where a side has none.

    `cut` says where a truncated block was cut, and how many characters are gone.
    """

    left: HalfItem | None
    right: HalfItem | None
    outcome: Outcome
    tokens: Change
    cut: Cut | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedResult:
    """A result that the agent system makes up for a call before it hands the tier to the model."""

    tool_use_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInItem:
    """What stands for removed messages: an entry, or with `block` one block of it."""

    key: str
    block: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowItem:
    """Positions that stand side by side; those of all rows tile both tiers.

    `basis_label` says in words how sure the row is, where it is not. `added_results` are empty
    unless the tier is shown as sent.
    """

    row: int
    url: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    outcome: Outcome
    basis: Basis
    basis_label: str
    tokens: Change
    blocks: tuple[ComparedBlock, ...]
    into: StandInItem | None
    added_results: tuple[AddedResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensItem:
    """Tokens before and after, estimated alike for both tiers."""

    before: int
    after: int
    saved_ratio: float | None
    estimated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryItem:
    """Two tiers in figures. `outcomes` count messages: those of the left tier, and those added.

    `matched` is false where no message of one tier could be found in the other.
    """

    left: str
    right: str
    messages: Change
    tokens: TokensItem
    outcomes: dict[str, int]
    lost_identifiers: int
    introduced_identifiers: int
    kept_identifiers: int
    matched: bool

    def count(self, outcome: str) -> int:
        """How many messages that became of."""
        return self.outcomes.get(outcome, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """A page of rows, and the figures of all of them."""

    summary: SummaryItem
    items: tuple[RowItem, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsWanted:
    """Which rows: with these outcomes, all for none, behind the cursor, at most `limit`."""

    shown_as: As = "stored"
    outcomes: tuple[str, ...] = ()
    after: str = ""
    limit: int = 50


def comparison_page(thread: str, left: str, right: str, wanted: RowsWanted) -> ComparisonPage:
    """Up to `limit` rows of two tiers; seven queries. Raises `Missing` and `BadCursor`."""
    (last,) = numbers_of(wanted.after, _CURSOR, -1)
    pair = open_pair(thread, left, right)
    rows = models.ComparisonRow.objects.filter(comparison_id=pair.comparison, row__gt=last)
    if wanted.outcomes:
        rows = rows.filter(outcome__in=wanted.outcomes)
    found = load_rows(rows.order_by("row")[: wanted.limit + 1])
    shown = found[: wanted.limit]
    return ComparisonPage(
        summary=summary_item(pair),
        items=tuple(_items(pair, shown, wanted.shown_as)),
        next=number_cursor(_CURSOR, shown[-1].row.row) if len(found) > len(shown) else None,
    )


def summary_item(pair: Pair) -> SummaryItem:
    """The figures of an alignment."""
    summary, retention = pair.facts.summary, pair.facts.retention
    return SummaryItem(
        left=pair.left.name,
        right=pair.right.name,
        messages=summary.messages,
        tokens=TokensItem(
            before=summary.tokens.before,
            after=summary.tokens.after,
            saved_ratio=summary.saved_ratio,
            estimated=True,
        ),
        outcomes={str(name): number for name, number in summary.outcomes.items()},
        lost_identifiers=retention.lost_count if retention else 0,
        introduced_identifiers=retention.introduced_count if retention else 0,
        kept_identifiers=retention.kept if retention else 0,
        matched=summary.matched,
    )


def basis_label(basis: Basis) -> str:
    """What to add to a row that rests on less than the record's own word; "" for the others."""
    return _LABELS.get(basis, "")


def spans_filter(spans: Iterable[range]) -> Q:
    """Positions in any of the spans, which are in order; neighbours are joined."""
    joined: list[range] = []
    for span in spans:
        if joined and joined[-1].stop == span.start:
            joined[-1] = range(joined[-1].start, span.stop)
        elif span:
            joined.append(span)
    places = Q()
    for span in joined:
        places |= Q(position__gte=span.start, position__lt=span.stop)
    return places if joined else Q(position=-1)


def _items(pair: Pair, rows: Sequence[StoredRow], shown_as: As) -> Iterator[RowItem]:
    left = _keys(pair.left.pk, [item.row.left for item in rows])
    right = _keys(pair.right.pk, [item.row.right for item in rows], _standins(rows))
    sent = _sent(pair, rows) if shown_as == "sent" else _Sent()
    for item in rows:
        row = item.row
        into = row.into
        yield RowItem(
            row=row.row,
            url=pair.url(row=row.row),
            left=tuple(row.left),
            right=tuple(row.right),
            left_keys=tuple(left[at] for at in row.left),
            right_keys=tuple(right[at] for at in row.right),
            outcome=row.outcome,
            basis=row.basis,
            basis_label=basis_label(row.basis),
            tokens=row.tokens,
            blocks=tuple(_block(block, left, right, sent) for block in row.blocks),
            into=StandInItem(key=right[into.position], block=into.block) if into else None,
            added_results=tuple(_added(row.right, sent)),
        )


def _keys(tier: int, spans: Sequence[range], also: Iterable[int] = ()) -> dict[int, str]:
    places = spans_filter(spans) | Q(position__in=list(also))
    entries = models.Entry.objects.filter(places, tier_id=tier)
    return dict(entries.values_list("position", "message__key"))


def _standins(rows: Sequence[StoredRow]) -> set[int]:
    named = {item.row.into.position for item in rows if item.row.into}
    blocks = chain.from_iterable(item.row.blocks for item in rows)
    return named | {block.right.position for block in blocks if block.right}


# -- as sent ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """What does not reach the model as it is stored: blocks that vanish, results made up."""

    vanished: frozenset[Spot] = frozenset()
    repairs: Repairs = field(default_factory=Repairs)


def _sent(pair: Pair, rows: Sequence[StoredRow]) -> _Sent:
    spans = [item.row.right for item in rows if item.row.right]
    if pair.right.kind == "verbatim" or not spans:
        return _Sent()
    repairs = load_repairs(pair.row, pair.right.pk, spans)
    entries = models.Entry.objects.filter(spans_filter(spans), tier_id=pair.right.pk)
    entries = entries.filter(message__blocks__contains='"deleted"').select_related("message")
    tombstones = {
        (entry.position, number)
        for entry in entries.defer("message__raw", "message__original_raw")
        for number, block in enumerate(load_message(entry.message).blocks)
        if isinstance(block, core.Deleted)
    }
    return _Sent(vanished=repairs.left_out | tombstones, repairs=repairs)


def _added(right: range, sent: _Sent) -> Iterator[AddedResult]:
    for (position, _), name in sorted(sent.repairs.interrupted.items()):
        if position in right:
            yield AddedResult(tool_use_id=name, text=INTERRUPTED)


def _block(
    pair: BlockPair, left: Mapping[int, str], right: Mapping[int, str], sent: _Sent
) -> ComparedBlock:
    there = pair.right
    if there and (there.position, there.block) in sent.vanished:
        there = None
    return ComparedBlock(
        left=_half(pair.left, left),
        right=_half(there, right),
        outcome=pair.outcome,
        tokens=pair.tokens,
        cut=pair.cut,
    )


def _half(place: BlockAt | None, keys: Mapping[int, str]) -> HalfItem | None:
    return HalfItem(key=keys[place.position], block=place.block) if place else None
