"""Rows of whole threads into the tables, and out of them again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from django.db import connection
from django.utils.dateparse import parse_datetime

from convviewer.store import alignment, models
from convviewer.store.bulk import delete_rows, insert_new, insert_rows, reserve_ids
from convviewer.store.prepare import (
    CALL_COLUMNS,
    MESSAGE_COLUMNS,
    OUTLINE_COLUMNS,
    THREAD_COLUMNS,
    TIER_COLUMNS,
    Prepared,
    Row,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    thread: Prepared
    public_id: str
    replaces: models.Thread | None


class ThreadWriter:
    """Collects threads for one transaction. `taken` are the public ids it has given away."""

    def __init__(self, now: datetime, taken: set[str]) -> None:
        self.taken = taken
        self._now = now
        self._items: list[_Item] = []

    def add(self, thread: Prepared, public_id: str, replaces: models.Thread | None = None) -> None:
        """Keep the thread for `write`."""
        self._items.append(_Item(thread=thread, public_id=public_id, replaces=replaces))

    def write(self) -> None:
        """Insert everything."""
        items = self._items
        if not items:
            return
        threads = self._thread_ids()
        tiers = _firsts(models.Tier, [len(item.thread.tiers) for item in items])
        messages = _firsts(models.Message, [len(item.thread.messages) for item in items])
        blobs = {name: blob for item in items for name, blob in item.thread.blobs.items()}
        insert_new(
            models.Blob,
            ("sha256", "of", "media_type", "size", "data"),
            [(b.sha256, b.of, b.media_type[:120], len(b.data), b.data) for b in blobs.values()],
        )
        self._write_threads(threads)
        insert_rows(models.Message, MESSAGE_COLUMNS, self._messages(threads, messages))
        insert_rows(models.Tier, TIER_COLUMNS, self._tiers(threads, tiers))
        entries = self._entries(tiers, messages)
        insert_rows(models.Entry, ("tier_id", "position", "message_id"), entries)
        insert_rows(models.ToolCall, CALL_COLUMNS, self._calls(threads, tiers))
        insert_rows(models.OutlineItem, OUTLINE_COLUMNS, self._outline(tiers))
        insert_rows(
            models.Unplaced,
            ("thread_id", "ordinal", "ref", "block"),
            [
                (pk, ordinal, ref, block)
                for item, pk in zip(items, threads, strict=True)
                for ordinal, (ref, block) in enumerate(item.thread.unplaced)
            ],
        )
        self._write_comparisons(threads, tiers)

    def _thread_ids(self) -> list[int]:
        new = sum(item.replaces is None for item in self._items)
        fresh = count(reserve_ids(models.Thread, new)) if new else count()
        return [item.replaces.pk if item.replaces else next(fresh) for item in self._items]

    def _write_threads(self, ids: list[int]) -> None:
        new: list[Row] = []
        adapt = connection.ops.adapt_datetimefield_value
        for item, pk in zip(self._items, ids, strict=True):
            known = item.public_id, _sort_time(item.thread, self._now), self._now
            if item.replaces is None:
                public_id, *times = known
                new.append((pk, public_id, *map(adapt, times), *item.thread.columns))
            else:
                values = zip(THREAD_COLUMNS[1:], (*known, *item.thread.columns), strict=True)
                models.Thread.objects.filter(pk=pk).update(**dict(values))
        insert_rows(models.Thread, THREAD_COLUMNS, new)

    def _messages(self, threads: list[int], firsts: list[int]) -> list[Row]:
        return [
            (pk, thread, *row)
            for item, thread, first in zip(self._items, threads, firsts, strict=True)
            for pk, row in enumerate(item.thread.messages, first)
        ]

    def _tiers(self, threads: list[int], firsts: list[int]) -> list[Row]:
        return [
            (pk, thread, *tier.columns)
            for item, thread, first in zip(self._items, threads, firsts, strict=True)
            for pk, tier in enumerate(item.thread.tiers, first)
        ]

    def _entries(self, tiers: list[int], messages: list[int]) -> list[Row]:
        return [
            (pk, position, first + member)
            for item, first_tier, first in zip(self._items, tiers, messages, strict=True)
            for pk, tier in enumerate(item.thread.tiers, first_tier)
            for position, member in enumerate(tier.members)
        ]

    def _calls(self, threads: list[int], firsts: list[int]) -> list[Row]:
        return [
            (pk, thread, *row)
            for item, thread, first in zip(self._items, threads, firsts, strict=True)
            for pk, tier in enumerate(item.thread.tiers, first)
            for row in tier.calls
        ]

    def _outline(self, firsts: list[int]) -> list[Row]:
        return [
            (pk, *row)
            for item, first in zip(self._items, firsts, strict=True)
            for pk, tier in enumerate(item.thread.tiers, first)
            for row in tier.outline
        ]

    def _write_comparisons(self, threads: list[int], tiers: list[int]) -> None:
        heads: list[Row] = []
        rows: list[Row] = []
        firsts = _firsts(models.Comparison, [len(i.thread.comparisons) for i in self._items])
        for item, thread, tier, first in zip(self._items, threads, tiers, firsts, strict=True):
            for pk, pair in enumerate(item.thread.comparisons, first):
                left, right = tier + pair.left, tier + pair.right
                version, count_of_rows = alignment.VERSION, len(pair.rows)
                heads.append((pk, thread, left, right, version, count_of_rows, pair.facts))
                rows.extend((pk, *row) for row in pair.rows)
        insert_rows(models.Comparison, alignment.COLUMNS, heads)
        insert_rows(models.ComparisonRow, alignment.ROW_COLUMNS, rows)


# What hangs on a thread itself, children first.
_OF_THREAD = (models.SearchText, models.ModelCall, models.Unplaced, models.Message, models.Tier)


def clear_thread(row: models.Thread) -> None:
    """Remove all that hangs on the thread; the row itself stays, so that its address does."""
    # The indexer, which adds to what is removed here, waits for this lock (store.search.indexing).
    models.Thread.objects.select_for_update().get(pk=row.pk)
    tiers = list(models.Tier.objects.filter(thread=row).values_list("pk", flat=True))
    comparisons = models.Comparison.objects.filter(thread=row).values_list("pk", flat=True)
    delete_rows(models.ComparisonRow, "comparison_id", comparisons)
    delete_rows(models.Comparison, "thread_id", [row.pk])
    for of_tier in (models.OutlineItem, models.ToolCall, models.Entry):
        delete_rows(of_tier, "tier_id", tiers)
    for of_thread in _OF_THREAD:
        delete_rows(of_thread, "thread_id", [row.pk])


def _firsts(model: type[Any], counts: list[int]) -> list[int]:
    """One reservation for all threads: the first id of each."""
    total = sum(counts)
    if not total:
        return [0] * len(counts)
    at = reserve_ids(model, total)
    firsts = []
    for number in counts:
        firsts.append(at)
        at += number
    return firsts


def _sort_time(thread: Prepared, now: datetime) -> datetime:
    """The last change the record knows of, else the time of the import."""
    for text in (thread.updated_at, thread.created_at):
        try:
            found = parse_datetime(text)
        except ValueError:
            continue
        if found is not None:
            return found if found.tzinfo else found.replace(tzinfo=UTC)
    return now
