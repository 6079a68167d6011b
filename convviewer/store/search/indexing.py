"""Fills the search index behind the import: one worker, in small transactions.

Ids of messages are given out under a lock that is held until they are committed, so a message with
a smaller id than a committed one is there as well: a watermark says all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from convviewer.analysis.searchable import SearchableText
from convviewer.store import models
from convviewer.store.bulk import insert_rows
from convviewer.store.search import Span, engine
from convviewer.store.search.texts import load_texts, search_text

LEASE: Final = timedelta(seconds=30)
# One transaction's worth.
_MESSAGES: Final = 2_000
_CHARACTERS: Final = 2_000_000
# Messages read at once; each may hold large blocks.
_READ_AT_ONCE: Final = 50
_COLUMNS: Final = ("message_id", "thread_id", "parts", "clipped", "text")
_STATE: Final = 1

_Row = tuple[int, int, str, int, str]


class LeaseLost(Exception):
    """Another worker has taken over."""


class Busy(Exception):
    """An import holds a thread of the batch; it will be there, or gone, in a moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Messages with ids up to `watermark` are indexed; `pending` are not, counted to a limit."""

    watermark: int
    pending: int


def reach(count_to: int) -> Reach:
    """How far the index is."""
    mark = watermark()
    behind = models.Message.objects.filter(id__gt=mark).order_by()[:count_to].count()
    return Reach(watermark=mark, pending=behind)


def watermark() -> int:
    """The largest message id that is indexed."""
    found = models.SearchState.objects.filter(pk=_STATE).values_list("watermark", flat=True)
    return found.first() or 0


def take_lease(worker: str) -> bool:
    """Let this worker index for `LEASE`, unless another one may."""
    models.SearchState.objects.get_or_create(pk=_STATE)
    now = timezone.now()
    free = Q(worker=worker) | Q(lease_until=None) | Q(lease_until__lt=now)
    rows = models.SearchState.objects.filter(free, pk=_STATE)
    return bool(rows.update(worker=worker, lease_until=now + LEASE))


def release_lease(worker: str) -> None:
    """Let another worker begin at once."""
    rows = models.SearchState.objects.filter(pk=_STATE, worker=worker)
    rows.update(worker="", lease_until=None)


def index_batch(worker: str) -> int:
    """Index the next messages and return how many; 0: nothing is left to do.

    Raises `LeaseLost`, or `Busy` when the same call is worth repeating in a moment.
    """
    mark = watermark()
    rows, last, count = _read_batch(mark)
    if not count:
        return 0
    try:
        _write_batch(worker, rows, mark, last)
    except OperationalError as error:
        raise Busy from error
    return count


def _read_batch(mark: int) -> tuple[list[_Row], int, int]:
    """Rows to write, the new watermark, and how many messages that covers."""
    rows: list[_Row] = []
    count = characters = 0
    while count < _MESSAGES and characters < _CHARACTERS:
        behind = models.Message.objects.filter(id__gt=mark).order_by("id")
        messages = list(behind.defer("raw", "original_raw")[:_READ_AT_ONCE])
        if not messages:
            break
        texts = load_texts(messages)
        made = [_row(row, found) for row, found in zip(messages, texts, strict=True) if found]
        rows.extend(made)
        characters += sum(len(row[-1]) for row in made)
        count += len(messages)
        mark = messages[-1].pk
    return rows, mark, count


def _row(message: models.Message, texts: Sequence[SearchableText]) -> _Row:
    made = search_text(texts)
    return message.pk, message.thread_id, made.parts_json(), made.clipped, made.text


def _write_batch(worker: str, rows: Sequence[_Row], mark: int, last: int) -> None:
    with transaction.atomic():
        threads = sorted({thread for _, thread, *_ in rows})
        locked = models.Thread.objects.filter(pk__in=threads).order_by("pk")
        list(locked.select_for_update(nowait=True, no_key=True).values_list("pk", flat=True))
        ids = [pk for pk, *_ in rows]
        # An import may have replaced some of them since they were read.
        there = set(models.Message.objects.filter(pk__in=ids).values_list("pk", flat=True))
        insert_rows(models.SearchText, _COLUMNS, [row for row in rows if row[0] in there])
        engine().add(Span(first=mark + 1, end=last + 1))
        mine = models.SearchState.objects.filter(pk=_STATE, worker=worker, watermark=mark)
        if not mine.update(watermark=last, lease_until=timezone.now() + LEASE):
            raise LeaseLost
