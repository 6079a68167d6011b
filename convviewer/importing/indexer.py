"""The indexer: makes new messages searchable, behind the import."""

from __future__ import annotations

from collections.abc import Callable
from logging import getLogger
from secrets import token_hex
from threading import Event, Thread
from time import sleep
from typing import Final

from django.db import DatabaseError, connection

from convviewer.store.search.indexing import (
    Busy,
    LeaseLost,
    index_batch,
    reach,
    release_lease,
    take_lease,
)

_LOG: Final = getLogger(__name__)
_REST_SECONDS: Final = 1.0
_END_SECONDS: Final = 5.0
_BUSY_SECONDS: Final = 0.2
_BUSY_TRIES: Final = 100
_COUNT_TO: Final = 1_000_000_000


def pending_messages() -> int:
    """How many stored messages are not indexed yet."""
    return reach(_COUNT_TO).pending


def index_now(on_batch: Callable[[int], None], stop: Event | None = None) -> bool:
    """Index all there is, telling `on_batch` the messages of each batch.

    False: another worker is at it, or took over. Raises `Busy` when the database stays locked.
    """
    worker = token_hex(8)
    if not take_lease(worker):
        return False
    try:
        while not (stop and stop.is_set()):
            count = _next_batch(worker)
            if not count:
                break
            on_batch(count)
    except LeaseLost:
        return False
    finally:
        release_lease(worker)
    return True


def _next_batch(worker: str) -> int:
    for _ in range(_BUSY_TRIES):
        try:
            return index_batch(worker)
        except Busy:
            sleep(_BUSY_SECONDS)
    return index_batch(worker)


def start_indexer() -> Callable[[], None]:
    """Index in the background from now on, whatever arrives; the returned function ends that."""
    stop = Event()
    thread = Thread(target=_keep_indexing, args=(stop,), name="indexer", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join(_END_SECONDS)

    return end


def _keep_indexing(stop: Event) -> None:
    while not stop.is_set():
        try:
            if reach(1).pending:
                index_now(lambda _: None, stop)
        except (Busy, DatabaseError):
            # Locked or away: the next round tries again, and search says what it does not cover.
            _LOG.warning("Indexing stopped and will go on in a moment", exc_info=True)
        finally:
            connection.close()
        stop.wait(_REST_SECONDS)
