"""Search over what stands in messages: dialogue, tool inputs and tool outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Sum

from convviewer.analysis.searchable import BLOCK_LIMIT, Place
from convviewer.core.text import one_line
from convviewer.queries.addresses import block_anchor, message_anchor, message_url
from convviewer.queries.cursors import number_cursor, numbers_of
from convviewer.queries.search_candidates import Candidates
from convviewer.queries.search_filters import (
    Found,
    blocks_of_calls,
    cards_of_results,
    find_places,
    named_threads,
)
from convviewer.queries.search_query import SearchQuery
from convviewer.queries.search_snippets import Range, Snippet, snippet
from convviewer.store import models
from convviewer.store.search import engine
from convviewer.store.search.indexing import watermark
from convviewer.store.search.texts import MessageText, Part, load_texts

PAGE: Final = 30
_CURSOR: Final = "search"
_LAST_ID: Final = 2**63 - 1
_ALL_BLOCKS: Final = 2**31 - 1
_LONGEST_TITLE: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A block in which something was found.

    `matches` are ranges of characters of `snippet`, a single line. `clipped`: more of the block
    than is searched exists. `number` is the message's number for people.
    """

    thread: str
    title: str
    tier: str
    key: str
    number: int | None
    role: str
    block: int
    place: Place
    snippet: str
    matches: tuple[Range, ...]
    clipped: bool
    url: str

    def pieces(self) -> Snippet:
        """The snippet, for pages to draw its pieces."""
        return Snippet(text=self.snippet, matches=self.matches)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """A page of hits: the latest imported first, those of one thread in the order they stand in.

    `next` is the cursor of what follows, None at the end. `complete` is False where time ran out
    before the page was full: `next` goes on from there. `not_yet_indexed` messages were not looked
    at. `clipped_blocks` of all stored ones are searched only up to `block_limit` characters.
    """

    items: tuple[SearchHit, ...] = ()
    next: str | None = None
    complete: bool = True
    not_yet_indexed: int = 0
    clipped_blocks: int = 0
    block_limit: int = BLOCK_LIMIT


def search(query: SearchQuery, *, q: str = "", after: str = "", limit: int = PAGE) -> SearchPage:
    """Find blocks; `q` is the query as it was written, for links. Raises `BadCursor`."""
    message, block = numbers_of(after, _CURSOR, _LAST_ID, _ALL_BLOCKS)
    if query.empty:
        return SearchPage()
    hunt = _Hunt(query=query, message=message, block=block, wanted=limit + 1)
    hunt.run()
    return SearchPage(
        items=_items(hunt.hits[:limit], query, q),
        next=hunt.next(limit),
        complete=len(hunt.hits) > limit or hunt.candidates.finished,
        not_yet_indexed=hunt.candidates.passed_over,
        clipped_blocks=_clipped_blocks(query),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    found: Found
    part: Part


class _Hunt:
    """Goes through the candidates until it has what is wanted, or nothing is left, or it is late.

    It starts behind block `block` of message `message`.
    """

    def __init__(self, *, query: SearchQuery, message: int, block: int, wanted: int) -> None:
        self.hits: list[_Hit] = []
        end = min(message, _LAST_ID - 1) + 1
        self.candidates = Candidates(query, end=end, wanted=wanted, watermark=watermark())
        self._query = query
        self._start = (message, block)
        self._wanted = wanted
        self._covered = end
        self._terms = tuple(map(engine().stored, query.terms))
        self._without = tuple(map(engine().stored, query.without))

    def run(self) -> None:
        """Collect hits."""
        for batch in self.candidates.batches():
            self._covered = batch.covered
            if batch.texts:
                self._take(batch.texts)
            if len(self.hits) >= self._wanted:
                return

    def next(self, limit: int) -> str | None:
        """Where the following page starts."""
        if len(self.hits) > limit:
            last = self.hits[limit - 1]
            return number_cursor(_CURSOR, last.found.message, last.part.block)
        if self.candidates.finished:
            return None
        return number_cursor(_CURSOR, self._covered, _ALL_BLOCKS)

    def _take(self, texts: Mapping[int, MessageText]) -> None:
        likely = {message for message, text in texts.items() if self._holds_terms(text.parts)}
        places = find_places(self._query, likely) if likely else {}
        calls = blocks_of_calls(self._query, places) if self._query.of_calls else None
        for message in sorted(places, reverse=True):
            blocks = None if calls is None else calls.get(message, set())
            for part in self._matching(texts[message], blocks):
                if message < self._start[0] or part.block > self._start[1]:
                    self.hits.append(_Hit(found=places[message], part=part))

    def _holds_terms(self, parts: Sequence[Part]) -> bool:
        return all(any(term in part.text for part in parts) for term in self._terms)

    def _matching(self, text: MessageText, blocks: Collection[int] | None) -> list[Part]:
        """The parts in which something is found, where the message as a whole is what is meant."""
        places = self._query.places
        parts = [
            part
            for part in text.parts
            if (not places or part.place in places) and (blocks is None or part.block in blocks)
        ]
        if any(term in part.text for term in self._without for part in parts):
            return []
        if not self._holds_terms(parts):
            return []
        if not self._terms:
            return parts
        return [part for part in parts if any(term in part.text for term in self._terms)]


def _items(hits: Sequence[_Hit], query: SearchQuery, q: str) -> tuple[SearchHit, ...]:
    rows = models.Message.objects.filter(pk__in={hit.found.message for hit in hits})
    messages = list(rows.defer("raw", "original_raw"))
    texts = {
        (row.pk, item.block): item.text
        for row, items in zip(messages, load_texts(messages), strict=True)
        for item in items
    }
    threads = {thread: order for order, thread in enumerate(_threads_of(hits))}
    inside = sorted(
        hits, key=lambda hit: (threads[hit.found.thread], hit.found.message, hit.part.block)
    )
    cards = cards_of_results(hit.found for hit in hits if hit.part.place == "tool_output")
    # An import may have replaced a message in the meantime.
    return tuple(
        _item(hit, texts[place], query, _url(hit, cards.get(place), q))
        for hit in inside
        if (place := (hit.found.message, hit.part.block)) in texts
    )


def _threads_of(hits: Iterable[_Hit]) -> dict[str, None]:
    return dict.fromkeys(hit.found.thread for hit in hits)


def _url(hit: _Hit, card: tuple[str, int] | None, q: str) -> str:
    """The hit's message, at the card that shows a call or its result."""
    found, block = hit.found, hit.part.block
    address = message_url(found.thread, found.key, "" if found.base else found.tier, q=q)
    if hit.part.place == "dialogue":
        return f"{address}#{message_anchor(found.key)}"
    key, number = card or (found.key, block)
    return f"{address}#{block_anchor(key, number)}"


def _item(hit: _Hit, text: str, query: SearchQuery, url: str) -> SearchHit:
    found, part = hit.found, hit.part
    cut = snippet(text, query.terms)
    return SearchHit(
        thread=found.thread,
        title=one_line(found.title, _LONGEST_TITLE),
        tier=found.tier,
        key=found.key,
        number=found.number,
        role=found.role,
        block=part.block,
        place=part.place,
        snippet=cut.text,
        matches=cut.matches,
        clipped=part.clipped,
        url=url,
    )


def _clipped_blocks(query: SearchQuery) -> int:
    rows = models.SearchText.objects.filter(clipped__gt=0)
    if query.thread:
        rows = rows.filter(thread__in=named_threads(query.thread).values("pk"))
    return rows.aggregate(blocks=Sum("clipped"))["blocks"] or 0
