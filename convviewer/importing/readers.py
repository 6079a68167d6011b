"""Reads beside the process that writes, where there is enough to read for that to pay."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TypeAlias

from convviewer.formats.source import Source, SourceFile
from convviewer.importing.reading import Reading, read_claim
from convviewer.importing.units import Claim

# Below this much to read, starting a process takes longer than it saves.
WORTH_BYTES = 16 * 1024**2
# Two readers keep one writer busy; a machine of two processors has room for one.
MOST_READERS = 2
# What a reader gets at once, and how much may be under way or wait to be written: this bounds
# memory, however much there is to read. It is what readers need while a batch is being written.
GROUP_BYTES = 256 * 1024
AHEAD_BYTES = 4 * 1024**2
# As many groups are left to the readers, so that the next batch does not find them idle.
GROUPS_LEFT = 6
# A larger unit is read by the writer itself, thread by thread, so that only one is in memory.
LARGE_BYTES = 4 * 1024**2

ClaimRead: TypeAlias = tuple[Claim, Iterable[Reading]]


@dataclass(slots=True, kw_only=True)
class _Group:
    """Claims that are read together; `task` where another process was asked to read them."""

    claims: list[Claim]
    size: int
    task: Future[list[list[Reading]]] | None = None
    readings: Iterable[Iterable[Reading]] | None = None


class Readers:
    """Reads claims in order: in this process, or in others that prepare what comes next."""

    def __init__(self, pool: ProcessPoolExecutor | None) -> None:
        self._pool = pool

    def read(self, claims: Sequence[Claim]) -> Iterator[ClaimRead]:
        """Each claim with what reading it gives. An error of a reader is raised here."""
        ahead = AHEAD_BYTES if self._pool else 0
        waiting: deque[_Group] = deque()
        for group in _groups(claims):
            waiting.append(group)
            self._begin(group)
            while sum(item.size for item in waiting) > ahead:
                yield from _read_first(waiting)
        while waiting:
            yield from _read_first(waiting)

    def _begin(self, group: _Group) -> None:
        if self._pool is None or group.size > LARGE_BYTES:
            return
        # Where a reader was killed, this process reads the rest.
        with suppress(BrokenProcessPool):
            group.task = self._pool.submit(_read_all, group.claims)


@contextmanager
def readers(source: Source, files: Sequence[SourceFile]) -> Iterator[Readers]:
    """Readers for the files of a source, other processes among them where that pays.

    They start at once, and are gone when the block ends, or when this process does.
    """
    if not _worth_it(source, files):
        yield Readers(None)
        return
    # A fresh interpreter: a copy of this one would share its database connection and its locks.
    pool = ProcessPoolExecutor(reader_count(), get_context("spawn"), initializer=_start_reader)
    pool.submit(_read_all, [])
    try:
        yield Readers(pool)
    finally:
        pool.shutdown(cancel_futures=True)


def reader_count() -> int:
    """How many processes may read beside this one; 0 where there is one processor."""
    return min(MOST_READERS, (os.cpu_count() or 1) - 1)


def _worth_it(source: Source, files: Sequence[SourceFile]) -> bool:
    """Whether other processes may read these files, and save time by it.

    Members of a zip share one open file. Processes are started only from the main thread of a
    program: an import behind a request must not outlive its server, nor wait for others.
    """
    if not reader_count() or threading.current_thread() is not threading.main_thread():
        return False
    small = sum(file.size for file in files if file.size <= LARGE_BYTES)
    return small >= WORTH_BYTES and Path(source.root).is_dir()


def _groups(claims: Iterable[Claim]) -> Iterator[_Group]:
    """Runs of small claims, in order; a large one stands alone."""
    group: list[Claim] = []
    size = 0
    for claim in claims:
        own = sum(file.size for file in claim.unit.files)
        if group and size + own > GROUP_BYTES:
            yield _Group(claims=group, size=size)
            group, size = [], 0
        group.append(claim)
        size += own
    if group:
        yield _Group(claims=group, size=size)


def _read_first(waiting: deque[_Group]) -> Iterator[ClaimRead]:
    """Take the first group; rather than wait for it, read the last that nobody has begun."""
    first = waiting[0]
    while first.task is not None and not first.task.done() and _read_last(waiting):
        pass
    waiting.popleft()
    yield from zip(first.claims, _readings(first), strict=True)


def _read_last(waiting: deque[_Group]) -> bool:
    left = [group for group in waiting if group.task and not group.task.done()]
    if len(left) <= GROUPS_LEFT:
        return False
    last = left[-1]
    if last.task is None or not last.task.cancel():
        return False
    last.task, last.readings = None, _read_all(last.claims)
    return True


def _readings(group: _Group) -> Iterable[Iterable[Reading]]:
    if group.task is not None:
        with suppress(BrokenProcessPool):
            return group.task.result()
    return group.readings or map(read_claim, group.claims)


# -- in a reader -----------------------------------------------------------------------------------


def _read_all(claims: list[Claim]) -> list[list[Reading]]:
    return [list(read_claim(claim)) for claim in claims]


def _start_reader() -> None:
    """What is read forms no cycles; who interrupts the import asks the writer, and it ends us."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
