"""Alignments of two tiers: made once, stored with their version, read in parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from django.db import transaction

from convviewer.analysis.align import Row
from convviewer.core.json import Json, decode
from convviewer.store import models
from convviewer.store.alignment import (
    ROW_COLUMNS,
    VERSION,
    ComparisonFacts,
    MadeComparison,
    PlacedFact,
    make_comparison,
    packed_facts,
)
from convviewer.store.bulk import delete_rows, insert_rows, reserve_ids
from convviewer.store.codec import unpack
from convviewer.store.load import load_tiers

__all__ = [
    "VERSION",
    "ComparisonFacts",
    "PlacedFact",
    "StoredRow",
    "forget_comparison",
    "is_default_pair",
    "load_facts",
    "load_rows",
    "old_comparisons",
    "renew_comparison",
    "stored_comparison",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """A row, and the estimated tokens of the left tier in front of it."""

    row: Row
    before: int


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


def _loaded_row(stored: models.ComparisonRow) -> StoredRow:
    facts = cast("dict[str, Json]", decode(stored.facts))
    before = cast("int", facts.pop("before", 0))
    return StoredRow(row=unpack(Row, facts), before=before)
