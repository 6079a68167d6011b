"""Writes threads: in bulk, whole, and only where something changed."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from django.db import transaction
from django.utils import timezone

from convviewer.core import thread as core
from convviewer.store import models
from convviewer.store.load import load_thread
from convviewer.store.matching import StoredThread, same_thread, stored_threads
from convviewer.store.rows import ThreadRows, column_text, thread_rows
from convviewer.store.write import ThreadWriter, clear_thread

Action = Literal["created", "updated", "unchanged"]
Merge = Callable[[core.Thread, core.Thread], core.Thread]

# One transaction holds about this much; a thread is never split.
BATCH_MESSAGES = 10_000
BATCH_BYTES = 16 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of one thread that was handed in; `warnings` are those of this import."""

    public_id: str
    action: Action
    thread: core.Thread
    warnings: tuple[core.Warning, ...]


@dataclass(slots=True, kw_only=True)
class _Pending:
    rows: ThreadRows
    merge: Merge
    lookup: tuple[str, str, str] = field(init=False)

    def __post_init__(self) -> None:
        thread = self.rows.thread
        known_by = thread.lookup_id or thread.external_id
        self.lookup = (thread.format, column_text(known_by), column_text(thread.agent_id))


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

    def add(self, thread: core.Thread, merge: Merge) -> None:
        """Take the thread; `merge` joins it with what is stored of it already."""
        rows = thread_rows(thread)
        self._pending.append(_Pending(rows=rows, merge=merge))
        self._messages += len(rows.messages)
        self._bytes += rows.bytes

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
    seen: set[tuple[str, str, str]] = set()
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
    writer = ThreadWriter(timezone.now())
    written = [_place(item, stored.get(item.lookup, []), writer) for item in batch]
    writer.write()
    return written


def _place(item: _Pending, candidates: list[StoredThread], writer: ThreadWriter) -> Written:
    found = same_thread(item.rows, candidates)
    if found is None:
        public_id = _new_public_id(item.rows.thread, writer.taken)
        warnings = writer.add(item.rows, public_id)
        return _written(item, public_id, "created", warnings)
    if found.holds(item.rows):
        return _written(item, found.row.public_id, "unchanged", ())
    merged = item.merge(load_thread(found.row), item.rows.thread)
    rows = thread_rows(merged)
    if found.holds(rows):
        return _written(item, found.row.public_id, "unchanged", ())
    clear_thread(found.row)
    warnings = writer.add(rows, found.row.public_id, replaces=found.row)
    return _written(item, found.row.public_id, "updated", warnings)


def _written(
    item: _Pending, public_id: str, action: Action, found: tuple[core.Warning, ...]
) -> Written:
    thread = item.rows.thread
    return Written(
        public_id=public_id, action=action, thread=thread, warnings=thread.warnings + found
    )


def _new_public_id(thread: core.Thread, taken: set[str]) -> str:
    """Made from the thread's identity, so that a link means the same thread on any machine."""
    identity = "\0".join((thread.format, thread.external_id, thread.agent_id))
    digest = sha256(identity.encode("utf-8", "surrogatepass")).digest()
    base = b32encode(digest[:10]).decode().lower()
    names = models.Thread.objects.filter(public_id__startswith=base)
    used = set(names.values_list("public_id", flat=True)) | taken
    ordinal = 1
    public_id = base
    while public_id in used:
        ordinal += 1
        public_id = f"{base}-{ordinal}"
    taken.add(public_id)
    return public_id
