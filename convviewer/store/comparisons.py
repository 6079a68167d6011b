"""Alignments of two tiers: made once, stored with their version, read in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from django.db import transaction

from convviewer.analysis import align as aligning
from convviewer.analysis import outcomes, retention
from convviewer.analysis.align import Row, Summary, align
from convviewer.analysis.retention import Fact, Retention
from convviewer.core import thread as core
from convviewer.core.json import Json, decode, encode
from convviewer.store import models
from convviewer.store.bulk import delete_rows, insert_rows, reserve_ids
from convviewer.store.codec import pack, unpack
from convviewer.store.load import load_tiers

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """A row, and the estimated tokens of the left tier in front of it."""

    row: Row
    before: int


def make_comparison(left: core.Tier, right: core.Tier, *, with_retention: bool) -> MadeComparison:
    """Align two tiers of one thread, and compare their facts where asked."""
    rows = align(left, right)
    facts = ComparisonFacts(summary=rows.summary, bands=tuple(_bands(rows.rows)))
    if with_retention:
        facts = _with_retention(facts, retention.retention(left, right), left, right, rows.rows)
    return MadeComparison(facts=facts, rows=list(_packed_rows(rows.rows)))


def stored_comparison(left: int, right: int) -> models.Comparison:
    """The alignment of two tiers of one thread, made and stored if this version did not before.

    `left` and `right` are keys of tiers. A stored one costs one query.
    """
    found = models.Comparison.objects.filter(left_id=left, right_id=right).first()
    if found is not None and _is_whole(found):
        return found
    tiers = models.Tier.objects.in_bulk([left, right])
    return _made_again(tiers[left], tiers[right])


def old_comparisons() -> list[models.Comparison]:
    """Those that an older version made."""
    rows = models.Comparison.objects.exclude(version=VERSION).order_by("thread_id", "id")
    return list(rows.defer("facts").select_related("left", "right", "thread"))


def renew_comparison(old: models.Comparison) -> None:
    """Align the two tiers again; the thread's own counters follow."""
    with transaction.atomic():
        renewed = _made_again(old.left, old.right)
        found = load_facts(renewed).retention
        if found and is_default_pair(old.left, old.right):
            thread = renewed.thread
            thread.lost, thread.introduced = found.lost_count, found.introduced_count
            thread.save(update_fields=["lost", "introduced"])


def forget_comparison(old: models.Comparison) -> None:
    """Drop an alignment; who asks for it again has it made."""
    with transaction.atomic():
        _delete([old.pk])


def is_default_pair(left: models.Tier, right: models.Tier) -> bool:
    """Whether the thread's counters speak of these two: what happened, and what the model sees."""
    if left.name != "verbatim":
        return False
    if right.name == "compressed":
        return True
    others = models.Tier.objects.filter(thread=left.thread_id)
    if right.kind != "variant" or others.filter(name="compressed").exists():
        return False
    return others.filter(kind="variant").order_by("-ordinal").first() == right


def load_facts(comparison: models.Comparison) -> ComparisonFacts:
    """The summary of an alignment, with what was lost and introduced."""
    facts: ComparisonFacts = unpack(ComparisonFacts, decode(comparison.facts))
    return facts


def load_rows(rows: Iterable[models.ComparisonRow]) -> list[StoredRow]:
    """Stored rows as they were made."""
    return [_loaded_row(row) for row in rows]


def packed_facts(facts: ComparisonFacts) -> str:
    """The stored text that `load_facts` reads."""
    return encode(pack(facts))


# -- storing ---------------------------------------------------------------------------------------


def _is_whole(comparison: models.Comparison) -> bool:
    return comparison.version == VERSION and load_facts(comparison).retention is not None


def _made_again(left: models.Tier, right: models.Tier) -> models.Comparison:
    here, there = load_tiers([left, right])
    made = make_comparison(here, there, with_retention=True)
    with transaction.atomic():
        return _replace(left, right, made)


def _replace(left: models.Tier, right: models.Tier, made: MadeComparison) -> models.Comparison:
    """Store it in place of what is there; whoever reads the same pair meanwhile waits here."""
    thread = models.Thread.objects.select_for_update().get(pk=left.thread_id)
    old = models.Comparison.objects.filter(left=left, right=right)
    _delete(list(old.values_list("pk", flat=True)))
    pk = reserve_ids(models.Comparison, 1)
    stored = models.Comparison(
        id=pk,
        thread=thread,
        left=left,
        right=right,
        version=VERSION,
        rows=len(made.rows),
        facts=packed_facts(made.facts),
    )
    stored.save(force_insert=True)
    insert_rows(models.ComparisonRow, ROW_COLUMNS, [(pk, *row) for row in made.rows])
    return stored


def _delete(comparisons: Sequence[int]) -> None:
    delete_rows(models.ComparisonRow, "comparison_id", comparisons)
    delete_rows(models.Comparison, "id", comparisons)


def _packed_rows(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    before = 0
    for row in rows:
        left = row.left.start if row.left else None
        right = row.right.start if row.right else None
        facts = cast("dict[str, Json]", pack(row))
        yield row.row, row.outcome, left, right, encode({**facts, "before": before})
        before += row.tokens.before


def _loaded_row(stored: models.ComparisonRow) -> StoredRow:
    facts = cast("dict[str, Json]", decode(stored.facts))
    before = cast("int", facts.pop("before", 0))
    return StoredRow(row=unpack(Row, facts), before=before)


# -- facts -----------------------------------------------------------------------------------------


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
