"""Finds the stored thread that an imported one is (interfaces.md, Identity)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Q

from convviewer.store import models
from convviewer.store.prepare import Prepared
from convviewer.store.rows import column_text, identity

Lookup = tuple[str, str, str]
# One query's worth: SQLite bounds the parameters of a statement.
_KEYS_PER_QUERY = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredThread:
    """A candidate: its row, what its messages are known by, and the hashes of its tiers."""

    row: models.Thread
    identities: frozenset[str]
    places: frozenset[tuple[int | None, str]]
    tiers: dict[str, str]

    def holds(self, thread: Prepared) -> bool:
        """Whether importing the thread would change nothing."""
        same_head = thread.head_hash == self.row.head_hash
        return same_head and all(
            self.tiers.get(tier.name) == tier.content_hash for tier in thread.tiers
        )


def stored_threads(lookups: Collection[Lookup]) -> dict[Lookup, list[StoredThread]]:
    """The stored threads that could be the ones looked for."""
    by_lookup: dict[Lookup, list[models.Thread]] = defaultdict(list)
    for row in _rows(lookups):
        by_lookup[(row.format, row.lookup_id, row.agent_id)].append(row)
    rows = [row for lookup in by_lookup if lookup in lookups for row in by_lookup[lookup]]
    identities, places = _messages(rows)
    tiers: dict[int, dict[str, str]] = defaultdict(dict)
    for pk, name, hashed in _tiers(rows):
        tiers[pk][name] = hashed
    return {
        lookup: [
            StoredThread(
                row=row,
                identities=frozenset(identities[row.pk]),
                places=frozenset(places[row.pk]),
                tiers=tiers[row.pk],
            )
            for row in by_lookup[lookup]
        ]
        for lookup in lookups
        if lookup in by_lookup
    }


def same_thread(thread: Prepared, candidates: Iterable[StoredThread]) -> StoredThread | None:
    """The candidate that shares most with the thread, if one is the same thread at all."""
    rated = [(_shared(thread, candidate), candidate) for candidate in candidates]
    best = max(rated, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] else None


def _shared(thread: Prepared, candidate: StoredThread) -> int:
    exact = column_text(thread.external_id) == candidate.row.external_id
    if not exact and not _one_path(thread.external_id, candidate.row.external_id):
        return 0
    mine = thread.identities()
    if exact and (not mine or not candidate.identities):
        return 1
    shared = len(mine & candidate.identities)
    if not exact and shared < min(len(mine), len(candidate.identities)):
        return 0
    return shared or _shared_places(thread, candidate)


def _shared_places(thread: Prepared, candidate: StoredThread) -> int:
    """Variants of one record: compression may have changed every content, not role and number."""
    if not any(tier.aligned_by_number for tier in thread.tiers):
        variant = any(name not in {"verbatim", "compressed"} for name in candidate.tiers)
        if not variant:
            return 0
    if {tier.name for tier in thread.tiers} & candidate.tiers.keys():
        return 0
    return len({(row.number, row.role) for row in thread.messages} & candidate.places)


def _one_path(left: str, right: str) -> bool:
    """Whether one is the other's end: a part imported by itself has a shorter path."""
    return f"/{left}".endswith(f"/{right}") or f"/{right}".endswith(f"/{left}")


def _rows(lookups: Collection[Lookup]) -> Iterable[models.Thread]:
    names = sorted({name for _, name, _ in lookups})
    formats = sorted({format_name for format_name, _, _ in lookups})
    for start in range(0, len(names), _KEYS_PER_QUERY):
        part = names[start : start + _KEYS_PER_QUERY]
        wanted = Q(format__in=formats, lookup_id__in=part)
        yield from models.Thread.objects.filter(wanted).order_by("id")


def _messages(
    rows: list[models.Thread],
) -> tuple[dict[int, set[str]], dict[int, set[tuple[int | None, str]]]]:
    identities: dict[int, set[str]] = defaultdict(set)
    places: dict[int, set[tuple[int | None, str]]] = defaultdict(set)
    messages = models.Message.objects.filter(thread__in=rows).values_list(
        "thread_id", "tracking_id", "number", "content_hash", "role"
    )
    for pk, tracking_id, number, hashed, role in messages.iterator(chunk_size=5_000):
        identities[pk].add(identity(tracking_id, number, hashed))
        places[pk].add((number, role))
    return identities, places


def _tiers(rows: list[models.Thread]) -> Iterable[tuple[int, str, str]]:
    tiers = models.Tier.objects.filter(thread__in=rows)
    return tiers.values_list("thread_id", "name", "content_hash")
