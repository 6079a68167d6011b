"""Two tiers aligned and made ready for their tables; no table is touched here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from convviewer.analysis import align as aligning
from convviewer.analysis import outcomes, retention
from convviewer.analysis.align import Row, Summary, align
from convviewer.analysis.retention import Fact, Retention
from convviewer.core import thread as core
from convviewer.core.json import Json, encode
from convviewer.store.codec import pack

# Raised when what is stored here changes; the other parts of the sum only ever grow.
_LAYOUT: Final = 1
VERSION: Final = _LAYOUT + aligning.VERSION + outcomes.VERSION + retention.VERSION

COLUMNS: Final = ("id", "thread_id", "left_id", "right_id", "version", "rows", "facts")
ROW_COLUMNS: Final = ("comparison_id", "row", "outcome", "left_from", "right_from", "facts")
# A minimap has about as many bands as there are to tell apart on a screen.
_BANDS: Final = 160
# Of rows that share a band the gravest outcome is shown.
_GRAVITY: Final = (
    *("dropped", "filler", "tombstone", "summarized", "truncated"),
    *("offloaded", "rewritten", "redacted", "added", "kept"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Part of a minimap: `share` of the messages, from `row` on, by the gravest outcome there."""

    row: int
    outcome: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFact:
    """A fact, and the row that its first message stands in."""

    fact: Fact
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFacts:
    """What is stored of an alignment beside its rows; None: retention was not asked for yet."""

    summary: Summary
    retention: Retention | None = None
    lost: tuple[PlacedFact, ...] = ()
    introduced: tuple[PlacedFact, ...] = ()
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeComparison:
    """Two tiers aligned and ready for their tables; `rows` are without their comparison's id."""

    facts: ComparisonFacts
    rows: list[tuple[Any, ...]] = field(repr=False)


def make_comparison(left: core.Tier, right: core.Tier, *, with_retention: bool) -> MadeComparison:
    """Align two tiers of one thread, and compare their facts where asked."""
    rows = align(left, right)
    facts = ComparisonFacts(summary=rows.summary, bands=tuple(_bands(rows.rows)))
    if with_retention:
        facts = _with_retention(facts, retention.retention(left, right), left, right, rows.rows)
    return MadeComparison(facts=facts, rows=list(_packed_rows(rows.rows)))


def packed_facts(facts: ComparisonFacts) -> str:
    """The stored text that `load_facts` reads."""
    return encode(pack(facts))


def _packed_rows(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    before = 0
    for row in rows:
        left = row.left.start if row.left else None
        right = row.right.start if row.right else None
        facts = cast("dict[str, Json]", pack(row))
        yield row.row, row.outcome, left, right, encode({**facts, "before": before})
        before += row.tokens.before


def _with_retention(
    facts: ComparisonFacts,
    found: Retention,
    left: core.Tier,
    right: core.Tier,
    rows: Sequence[Row],
) -> ComparisonFacts:
    lost_at = _row_of_keys(left, {row.row: row.left for row in rows})
    new_at = _row_of_keys(right, {row.row: row.right for row in rows})
    return ComparisonFacts(
        summary=facts.summary,
        # The lists stand beside it, each fact with its row.
        retention=Retention(
            kept=found.kept,
            lost_count=found.lost_count,
            introduced_count=found.introduced_count,
            clipped=found.clipped,
        ),
        lost=tuple(_placed(fact, lost_at) for fact in found.lost),
        introduced=tuple(_placed(fact, new_at) for fact in found.introduced),
        bands=facts.bands,
    )


def _row_of_keys(tier: core.Tier, spans: Mapping[int, range]) -> dict[str, int]:
    return {tier.messages[at].key: row for row, span in spans.items() for at in span}


def _placed(fact: Fact, rows: Mapping[str, int]) -> PlacedFact:
    return PlacedFact(fact=fact, row=rows.get(fact.keys[0], 0) if fact.keys else 0)


def _bands(rows: Sequence[Row]) -> Iterator[Band]:
    """Neighbouring rows of one outcome as one band, and no more bands than can be told apart."""
    total = sum(map(_height, rows))
    start, height, outcomes_here = 0, 0, set[str]()
    for number, row in enumerate(rows):
        outcomes_here.add(row.outcome)
        height += _height(row)
        after = rows[number + 1] if number + 1 < len(rows) else None
        if after and (height * _BANDS < total or outcomes_here == {after.outcome}):
            continue
        gravest = min(outcomes_here, key=_GRAVITY.index)
        yield Band(row=start, outcome=gravest, share=round(height / total, 5))
        start, height, outcomes_here = number + 1, 0, set()


def _height(row: Row) -> int:
    return max(len(row.left), len(row.right))
