"""Writes threads: in bulk, whole, and only where something changed."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from django.db import transaction
from django.utils import timezone

from convviewer.core import thread as core
from convviewer.store import models
from convviewer.store.load import load_thread, rebuild
from convviewer.store.matching import Lookup, StoredThread, same_thread, stored_threads
from convviewer.store.prepare import Prepared, prepare
from convviewer.store.rows import column_text
from convviewer.store.write import ThreadWriter, clear_thread

Action = Literal["created", "updated", "unchanged"]
Merge = Callable[[core.Thread, core.Thread], core.Thread]

# One transaction holds about this much; a thread is never split.
BATCH_MESSAGES = 4_000
BATCH_BYTES = 6 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of one thread that was handed in; `warnings` are those of this import."""

    public_id: str
    action: Action
    thread: Prepared
    warnings: tuple[core.Warning, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    thread: Prepared
    merge: Merge
    lookup: Lookup


class Ingest:
    """Collects whole threads and writes many of them in one transaction.

    `add` keeps a thread until there are enough; `flush` writes what is kept and returns what became
    of it, in the order it was added. `before_commit` runs inside the same transaction, so that what
    it notes is true exactly when the threads are there.
    """

    def __init__(self) -> None:
        self._pending: list[_Pending] = []
        self._messages = 0
        self._bytes = 0

    def add(self, thread: Prepared, merge: Merge) -> None:
        """Take the thread; `merge` joins it with what is stored of it already."""
        lookup = thread.format, column_text(thread.lookup_id), column_text(thread.agent_id)
        self._pending.append(_Pending(thread=thread, merge=merge, lookup=lookup))
        self._messages += len(thread.messages)
        self._bytes += thread.bytes

    @property
    def full(self) -> bool:
        """Whether it is time to flush."""
        return self._messages >= BATCH_MESSAGES or self._bytes >= BATCH_BYTES

    def flush(self, before_commit: Callable[[list[Written]], None]) -> list[Written]:
        """Write what was added, in one transaction."""
        pending, self._pending = self._pending, []
        self._messages = self._bytes = 0
        with transaction.atomic():
            written: list[Written] = []
            for batch in _batches(pending):
                written.extend(_write_batch(batch))
            before_commit(written)
        return written


def _batches(pending: Sequence[_Pending]) -> Iterable[list[_Pending]]:
    """Runs in which no thread occurs twice: the second must meet the first in the tables."""
    batch: list[_Pending] = []
    seen: set[Lookup] = set()
    for item in pending:
        if item.lookup in seen:
            yield batch
            batch, seen = [], set()
        batch.append(item)
        seen.add(item.lookup)
    if batch:
        yield batch


def _write_batch(batch: Sequence[_Pending]) -> list[Written]:
    stored = stored_threads({item.lookup for item in batch})
    writer = ThreadWriter(timezone.now(), _used_ids(_id_of(item.thread) for item in batch))
    written = [_place(item, stored.get(item.lookup, []), writer) for item in batch]
    writer.write()
    return written


def _place(item: _Pending, candidates: list[StoredThread], writer: ThreadWriter) -> Written:
    thread = item.thread
    found = same_thread(thread, candidates)
    if found is None:
        public_id = _new_public_id(thread, writer.taken)
        writer.add(thread, public_id)
        return _written(thread, public_id, "created", thread.found)
    if found.holds(thread):
        return _written(thread, found.row.public_id, "unchanged", ())
    merged = prepare(item.merge(load_thread(found.row), rebuild(thread)))
    if found.holds(merged):
        return _written(thread, found.row.public_id, "unchanged", ())
    clear_thread(found.row)
    writer.add(merged, found.row.public_id, replaces=found.row)
    return _written(thread, found.row.public_id, "updated", merged.found)


def _written(
    thread: Prepared, public_id: str, action: Action, found: tuple[core.Warning, ...]
) -> Written:
    return Written(
        public_id=public_id, action=action, thread=thread, warnings=thread.warnings + found
    )


def _new_public_id(thread: Prepared, taken: set[str]) -> str:
    base = public_id = _id_of(thread)
    if base in taken:
        names = models.Thread.objects.filter(public_id__startswith=base)
        taken.update(names.values_list("public_id", flat=True))
    ordinal = 1
    while public_id in taken:
        ordinal += 1
        public_id = f"{base}-{ordinal}"
    taken.add(public_id)
    return public_id


def _id_of(thread: Prepared) -> str:
    """Made from the thread's identity, so that a link means the same thread on any machine."""
    identity = "\0".join((thread.format, thread.external_id, thread.agent_id))
    digest = sha256(identity.encode("utf-8", "surrogatepass")).digest()
    return b32encode(digest[:10]).decode().lower()


def _used_ids(public_ids: Iterable[str]) -> set[str]:
    rows = models.Thread.objects.filter(public_id__in=set(public_ids))
    return set(rows.values_list("public_id", flat=True))
