"""Search over dialogue, tool inputs and tool outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, cast

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from convviewer.analysis.searchable import Place
from convviewer.api.answers import as_json, json_answer
from convviewer.api.params import After, Limit
from convviewer.core.json import Json
from convviewer.queries.search import PAGE, SearchHit, SearchPage, search
from convviewer.queries.search_query import parse_query

router = Router(tags=["search"])

# The wire name of `SearchHit.place` is a word that Python keeps for itself.
_IN: Final = "in"


class HitOut(Schema):
    """A block in which something was found.

    `matches` are pairs of character offsets into `snippet`. `clipped`: the block holds more text
    than is searched.
    """

    thread: str
    title: str
    tier: str
    key: str
    number: int | None
    role: str
    block: int
    place: Annotated[Place, Field(alias=_IN)]
    snippet: str
    matches: list[tuple[int, int]]
    clipped: bool
    url: str


class SearchOut(Schema):
    """A page of hits.

    `complete` is false where time ran out before the page was full; `next` goes on from there.
    `not_yet_indexed` messages were not looked at. `clipped_blocks` blocks are searched only up to
    `block_limit` characters.
    """

    items: list[HitOut]
    next: str | None
    complete: bool
    not_yet_indexed: int
    clipped_blocks: int
    block_limit: int


class SearchParams(Schema):
    """What to look for; `in` narrows it to kinds of text."""

    q: str = ""
    places: Annotated[list[Place], Field(alias=_IN)] = []


@router.get("/search", response=SearchOut)
def hits(
    request: HttpRequest, query: Query[SearchParams], after: After = "", limit: Limit = PAGE
) -> HttpResponse:
    """Find blocks by any substring, letter case and Latin accents aside.

    Terms stand in one message; "quoted phrase", -not; filters tool: status: agent: role: in: tier:
    since: thread:.
    """
    parsed = parse_query(query.q)
    if query.places:
        parsed = replace(parsed, places=tuple(query.places))
    return json_answer(_wire(search(parsed, q=query.q, after=after, limit=limit)))


def _wire(page: SearchPage) -> Json:
    fields = cast("dict[str, Json]", as_json(replace(page, items=())))
    return {**fields, "items": [_hit(item) for item in page.items]}


def _hit(hit: SearchHit) -> Json:
    fields = cast("dict[str, Json]", as_json(hit))
    return {_IN if name == "place" else name: value for name, value in fields.items()}
