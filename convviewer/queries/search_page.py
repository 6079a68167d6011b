"""The search page: hits by thread, what narrows them, and what was not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

from convviewer.core.text import one_line
from convviewer.queries.addresses import thread_url
from convviewer.queries.paging import BadCursor
from convviewer.queries.search import SearchHit, SearchPage, search
from convviewer.queries.search_filters import named_threads
from convviewer.queries.search_query import (
    LONGEST_QUERY,
    STATUSES,
    BadQuery,
    SearchQuery,
    parse_query,
)
from convviewer.store.search.base import TRIGRAM
from convviewer.store.search.indexing import reach

PLACE_LABELS: Final = {
    "": "All text",
    "dialogue": "Dialogue",
    "tool_input": "Tool inputs",
    "tool_output": "Tool outputs",
}
_THREADS: Final = 10
_LONGEST_TITLE: Final = 120
_COUNT_TO: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What an address asks for; `place` is one of `PLACE_LABELS`."""

    q: str = ""
    place: str = ""
    after: str = ""

    @property
    def url(self) -> str:
        """The address of this request."""
        params = {"q": self.q, "in": self.place, "after": self.after}
        return f"/search/?{urlencode({name: text for name, text in params.items() if text})}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLink:
    """A thread whose id was searched for."""

    title: str
    name: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HitGroup:
    """Neighbouring hits of one thread, in the order they stand in."""

    title: str
    url: str
    hits: tuple[SearchHit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceLink:
    """One kind of text to narrow to."""

    label: str
    url: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChip:
    """A filter of the query; `url` is the search without it."""

    name: str
    value: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults:
    """The page. `problem` says why the query cannot be understood; there are no hits then.

    `jump` is the one thread with that id, "" for none; `threads` are several. `behind` counts
    messages that are still to be indexed, to a limit. `walked`: the index cannot help with terms
    this short, so that only some of the texts may have been read.
    """

    q: str
    asked: bool
    problem: str
    hits: SearchPage
    groups: tuple[HitGroup, ...]
    places: tuple[PlaceLink, ...]
    chips: tuple[FilterChip, ...]
    threads: tuple[ThreadLink, ...]
    jump: str
    behind: int
    walked: bool
    first_url: str
    next_url: str
    statuses: tuple[str, ...] = STATUSES
    longest: int = LONGEST_QUERY


def search_page(request: SearchRequest) -> SearchResults:
    """Search, or say why not."""
    query, hits, problem = SearchQuery(), SearchPage(), ""
    try:
        query = parse_query(request.q)
        if request.place:
            query = replace(query, places=(request.place,))
        hits = search(query, q=request.q, after=request.after)
    except (BadQuery, BadCursor) as error:
        problem = str(error)
    threads = _named(request.q) if request.q and not problem and not request.after else ()
    first = replace(request, after="")
    return SearchResults(
        q=request.q,
        asked=not query.empty,
        problem=problem,
        hits=hits,
        groups=_groups(hits.items),
        places=tuple(
            PlaceLink(label=label, url=replace(first, place=place).url, chosen=place == first.place)
            for place, label in PLACE_LABELS.items()
        ),
        chips=tuple(
            FilterChip(name=chip.name, value=chip.value, url=replace(first, q=chip.rest).url)
            for chip in query.chips
        ),
        threads=threads,
        jump=threads[0].url if len(threads) == 1 else "",
        behind=reach(_COUNT_TO).pending,
        walked=bool(query.terms) and all(len(term) < TRIGRAM for term in query.terms),
        first_url=first.url if request.after else "",
        next_url=replace(request, after=hits.next).url if hits.next else "",
    )


def _groups(hits: Sequence[SearchHit]) -> tuple[HitGroup, ...]:
    groups = []
    for thread, members in groupby(hits, key=lambda hit: hit.thread):
        found = tuple(members)
        groups.append(HitGroup(title=found[0].title, url=thread_url(thread), hits=found))
    return tuple(groups)


def _named(text: str) -> tuple[ThreadLink, ...]:
    """Threads of which the whole text is the id."""
    rows = named_threads((text.strip(),)).order_by("-sort_at", "-id")
    return tuple(
        ThreadLink(
            title=one_line(title or first, _LONGEST_TITLE),
            name=f"{external_id} {agent_id}".strip(),
            url=thread_url(public_id),
        )
        for public_id, title, first, external_id, agent_id in rows.values_list(
            "public_id", "title", "first_text", "external_id", "agent_id"
        )[:_THREADS]
    )
