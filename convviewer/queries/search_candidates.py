"""Which messages a search looks at, newest first, in batches, within a time limit.

Rows that the indexer has not reached come first and are read as they are stored. The rest comes
from the index; where the index cannot help (terms under three characters, no terms at all), from
the filters, or by walking through the texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Final

from convviewer.queries.search_filters import chosen_messages, id_span
from convviewer.queries.search_query import SearchQuery
from convviewer.store import models
from convviewer.store.search import Span, TimeUp, engine
from convviewer.store.search.base import TRIGRAM
from convviewer.store.search.texts import (
    MessageText,
    load_search_texts,
    load_texts,
    search_text,
)

# A statement, and all of them together; in seconds.
_STATEMENT: Final = 1.0
_ALL: Final = 2.5
# What may go into reading rows that are not indexed.
_UNINDEXED: Final = 0.8

_LARGEST_BATCH: Final = 2_048
_UNINDEXED_BATCH: Final = 200
_TEXTS_AT_ONCE: Final = 256
# Ids looked at by one statement that reads every text.
_WALK: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Texts by message id. Messages with ids from `covered` on have been looked at."""

    texts: dict[int, MessageText]
    covered: int


class Candidates:
    """One search's way through the messages below `end`; `wanted` hits will do.

    After the last batch `finished` tells whether nothing is left, `passed_over` counts messages
    that are not indexed and were not read in time.
    """

    def __init__(self, query: SearchQuery, *, end: int, wanted: int, watermark: int) -> None:
        self.finished = False
        self.passed_over = 0
        self._query = query
        self._wanted = wanted
        self._watermark = watermark
        self._deadline = monotonic() + _ALL
        self._span = id_span(query, end)

    def batches(self) -> Iterator[Batch]:
        """The batches, newest first."""
        yield from self._unindexed()
        end = min(self._span.end, self._watermark + 1)
        for ids, covered in self._indexed(Span(first=self._span.first, end=end)):
            for start in range(0, len(ids), _TEXTS_AT_ONCE):
                part = ids[start : start + _TEXTS_AT_ONCE]
                yield Batch(texts=load_search_texts(part), covered=part[-1])
            yield Batch(texts={}, covered=covered)

    @property
    def _late(self) -> bool:
        return monotonic() >= self._deadline

    def _unindexed(self) -> Iterator[Batch]:
        first = max(self._span.first, self._watermark + 1)
        end = self._span.end
        deadline = monotonic() + _UNINDEXED
        rows = chosen_messages(self._query).defer("raw", "original_raw").order_by("-id")
        while first < end:
            if monotonic() >= deadline:
                left = models.Message.objects.filter(id__gte=first, id__lt=end)
                self.passed_over = left.order_by().count()
                return
            batch = list(rows.filter(id__gte=first, id__lt=end)[:_UNINDEXED_BATCH])
            if not batch:
                return
            texts = zip(batch, map(search_text, load_texts(batch)), strict=True)
            end = batch[-1].pk
            yield Batch(texts={row.pk: text for row, text in texts}, covered=end)

    def _indexed(self, span: Span) -> Iterator[tuple[list[int], int]]:
        """Ids, and how far down all of them are."""
        if any(len(term) >= TRIGRAM for term in self._query.terms):
            yield from self._by_index(span)
        elif self._query.of_messages:
            yield from self._by_filters(span)
        else:
            yield from self._by_walking(span)

    def _by_index(self, span: Span) -> Iterator[tuple[list[int], int]]:
        size, end = self._wanted, span.end
        while not self._late:
            rest = Span(first=span.first, end=end)
            try:
                with engine().time_limit(_STATEMENT):
                    ids = engine().find(self._query.terms, rest, size)
            except TimeUp:
                yield from self._by_walking(rest)
                return
            end = ids[-1] if len(ids) == size else span.first
            yield ids, end
            if end == span.first:
                self.finished = True
                return
            size = min(size * 2, _LARGEST_BATCH)

    def _by_filters(self, span: Span) -> Iterator[tuple[list[int], int]]:
        end = span.end
        chosen = chosen_messages(self._query).order_by("-id").values_list("pk", flat=True)
        while not self._late:
            rows = chosen.filter(id__gte=span.first, id__lt=end)
            try:
                with engine().time_limit(_STATEMENT):
                    ids = list(rows[: self._wanted])
            except TimeUp:
                yield from self._by_walking(Span(first=span.first, end=end))
                return
            end = ids[-1] if len(ids) == self._wanted else span.first
            yield ids, end
            if end == span.first:
                self.finished = True
                return

    def _by_walking(self, span: Span) -> Iterator[tuple[list[int], int]]:
        """Each text from the end of the span on, until time is up."""
        deadline = max(self._deadline, monotonic() + _STATEMENT)
        end = span.end
        while end > span.first:
            window = Span(first=max(span.first, end - _WALK), end=end)
            ids = engine().scan(self._query.terms, window, _WALK)
            end = window.first
            yield ids, end
            if monotonic() >= deadline:
                break
        self.finished = end <= span.first
