"""Rows of whole threads into the tables, and out of them again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from django.utils.dateparse import parse_datetime

from convviewer.core import thread as core
from convviewer.core.json import encode
from convviewer.store import alignment, models
from convviewer.store.bulk import delete_rows, insert_new, insert_rows, reserve_ids
from convviewer.store.codec import pack
from convviewer.store.derive import Derived, DerivedTier, derive
from convviewer.store.rows import MESSAGE_COLUMNS, ThreadRows, column_text

TIER_COLUMNS = (
    "id",
    "thread_id",
    "ordinal",
    "name",
    "kind",
    "base",
    "captured_at",
    "strategy",
    "entries",
    "tokens",
    "facts",
    "content_hash",
)
CALL_COLUMNS = (
    "tier_id",
    "ordinal",
    "thread_id",
    "base",
    "tool_use_id",
    "name",
    "status",
    "runtime_ms",
    "use_position",
    "use_key",
    "use_block",
    "result_position",
    "result_key",
    "result_block",
    "pairing",
    "labels",
    "group",
    "error",
)
OUTLINE_COLUMNS = ("tier_id", "ordinal", "position", "key", "kind", "turn", "facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    rows: ThreadRows
    derived: Derived
    public_id: str
    replaces: models.Thread | None


class ThreadWriter:
    """Collects threads for one transaction. `taken` are the public ids it has given away."""

    def __init__(self, now: datetime) -> None:
        self.taken: set[str] = set()
        self._now = now
        self._items: list[_Item] = []

    def add(
        self, rows: ThreadRows, public_id: str, replaces: models.Thread | None = None
    ) -> tuple[core.Warning, ...]:
        """Keep the thread for `write`; returns what its analysis has to say of it."""
        derived = derive(rows)
        self._items.append(
            _Item(rows=rows, derived=derived, public_id=public_id, replaces=replaces)
        )
        return derived.warnings

    def write(self) -> None:
        """Insert everything."""
        items = self._items
        if not items:
            return
        threads = self._thread_ids()
        tiers = self._tier_ids()
        messages = self._message_ids()
        blobs = {name: blob for item in items for name, blob in item.rows.blobs.items()}
        insert_new(
            models.Blob,
            ("sha256", "of", "media_type", "size", "data"),
            [(b.sha256, b.of, b.media_type[:120], len(b.data), b.data) for b in blobs.values()],
        )
        self._write_threads(threads)
        insert_rows(models.Message, MESSAGE_COLUMNS, list(self._messages(threads, messages)))
        insert_rows(models.Tier, TIER_COLUMNS, list(self._tiers(threads, tiers)))
        entries = list(self._entries(tiers, messages))
        insert_rows(models.Entry, ("tier_id", "position", "message_id"), entries)
        insert_rows(models.ToolCall, CALL_COLUMNS, list(self._calls(threads, tiers)))
        insert_rows(models.OutlineItem, OUTLINE_COLUMNS, list(self._outline(tiers)))
        insert_rows(
            models.Unplaced,
            ("thread_id", "ordinal", "ref", "block"),
            [
                (pk, ordinal, ref, block)
                for item, pk in zip(items, threads, strict=True)
                for ordinal, (ref, block) in enumerate(item.rows.unplaced)
            ],
        )
        self._write_comparisons(threads, tiers)

    def _thread_ids(self) -> list[int]:
        new = sum(item.replaces is None for item in self._items)
        fresh = count(reserve_ids(models.Thread, new)) if new else count()
        return [item.replaces.pk if item.replaces else next(fresh) for item in self._items]

    def _tier_ids(self) -> list[int]:
        """The first tier id of each thread."""
        return _firsts(models.Tier, [len(item.rows.tiers) for item in self._items])

    def _message_ids(self) -> list[int]:
        """The first message id of each thread."""
        return _firsts(models.Message, [len(item.rows.messages) for item in self._items])

    def _write_threads(self, ids: list[int]) -> None:
        rows = [_thread_row(item, pk, self._now) for item, pk in zip(self._items, ids, strict=True)]
        replaced = {item.replaces.pk for item in self._items if item.replaces}
        models.Thread.objects.bulk_create([row for row in rows if row.pk not in replaced])
        names = [field.name for field in models.Thread._meta.concrete_fields if field.name != "id"]
        models.Thread.objects.bulk_update(
            [row for row in rows if row.pk in replaced], names, batch_size=500
        )

    def _messages(self, threads: list[int], firsts: list[int]) -> Iterator[tuple[Any, ...]]:
        for item, thread, first in zip(self._items, threads, firsts, strict=True):
            for pk, row in enumerate(item.rows.messages, first):
                yield (pk, thread, *row)

    def _tiers(self, threads: list[int], firsts: list[int]) -> Iterator[tuple[Any, ...]]:
        for item, thread, first in zip(self._items, threads, firsts, strict=True):
            for ordinal, tier in enumerate(item.derived.tiers):
                yield _tier_row(tier, first + ordinal, thread, ordinal)

    def _entries(self, tiers: list[int], messages: list[int]) -> Iterator[tuple[int, int, int]]:
        for item, first_tier, first in zip(self._items, tiers, messages, strict=True):
            for pk, tier in enumerate(item.rows.tiers, first_tier):
                for position, member in enumerate(tier.members):
                    yield pk, position, first + member

    def _calls(self, threads: list[int], firsts: list[int]) -> Iterator[tuple[Any, ...]]:
        for item, thread, first in zip(self._items, threads, firsts, strict=True):
            for pk, tier in enumerate(item.derived.tiers, first):
                yield from tier.call_rows(pk, thread)

    def _outline(self, firsts: list[int]) -> Iterator[tuple[Any, ...]]:
        for item, first in zip(self._items, firsts, strict=True):
            for pk, tier in enumerate(item.derived.tiers, first):
                yield from tier.outline_rows(pk)

    def _write_comparisons(self, threads: list[int], tiers: list[int]) -> None:
        counts = [len(item.derived.comparisons) for item in self._items]
        heads: list[tuple[Any, ...]] = []
        rows: list[tuple[Any, ...]] = []
        firsts = _firsts(models.Comparison, counts)
        for item, thread, tier, first in zip(self._items, threads, tiers, firsts, strict=True):
            for pk, pair in enumerate(item.derived.comparisons, first):
                left, right = tier + pair.left, tier + pair.right
                made, facts = pair.made.rows, alignment.packed_facts(pair.made.facts)
                heads.append((pk, thread, left, right, alignment.VERSION, len(made), facts))
                rows.extend((pk, *row) for row in made)
        insert_rows(models.Comparison, alignment.COLUMNS, heads)
        insert_rows(models.ComparisonRow, alignment.ROW_COLUMNS, rows)


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
    for of_thread in (models.SearchText, models.Unplaced, models.Message, models.Tier):
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


def _tier_row(tier: DerivedTier, pk: int, thread: int, ordinal: int) -> tuple[Any, ...]:
    source = tier.rows.tier
    return (
        pk,
        thread,
        ordinal,
        column_text(source.name, 200),
        source.kind,
        tier.base,
        column_text(source.captured_at, 80),
        column_text(source.strategy, 200),
        len(source.messages),
        tier.tokens,
        encode(pack(replace(source, messages=()))),
        tier.rows.content_hash,
    )


def _thread_row(item: _Item, pk: int, now: datetime) -> models.Thread:
    thread, derived = item.rows.thread, item.derived
    counters = derived.counters
    return models.Thread(
        id=pk,
        public_id=item.public_id,
        format=thread.format,
        external_id=column_text(thread.external_id),
        agent_id=column_text(thread.agent_id),
        lookup_id=column_text(thread.lookup_id or thread.external_id),
        title=column_text(thread.title),
        first_text=column_text(derived.first_text),
        status=column_text(thread.status, 80),
        agent_name=column_text(thread.agent.name or thread.agent.id or thread.agent_id),
        created_at=column_text(thread.created_at, 80),
        updated_at=column_text(thread.updated_at, 80),
        sort_at=_sort_time(thread, now),
        messages=counters.messages,
        turns=counters.turns,
        blocks=counters.blocks,
        tool_calls=counters.tool_calls,
        failures=counters.failures,
        declined=counters.declined,
        tokens=counters.tokens,
        tokens_after=counters.tokens_after,
        saved=counters.saved,
        compressed=counters.compressed,
        lost=counters.lost,
        introduced=counters.introduced,
        usage=derived.usage,
        facts=item.rows.head,
        warnings=encode(pack(thread.warnings + derived.warnings)),
        head_hash=item.rows.head_hash,
        imported_at=now,
    )


def _sort_time(thread: core.Thread, now: datetime) -> datetime:
    """The last change the record knows of, else the time of the import."""
    for text in (thread.updated_at, thread.created_at):
        try:
            found = parse_datetime(text)
        except ValueError:
            continue
        if found is not None:
            return found if found.tzinfo else found.replace(tzinfo=UTC)
    return now
