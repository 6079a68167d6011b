"""Threads: the list, one thread, its text, and its originals without a place."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Query, Router, Schema

from convviewer.api.answers import described, json_answer
from convviewer.api.params import After, Limit, Text, Tier
from convviewer.queries.dates import since_moment, until_moment
from convviewer.queries.dialogue import dialogue
from convviewer.queries.thread_detail import (
    ThreadDetail,
    UnplacedPage,
    thread_detail,
    unplaced_page,
)
from convviewer.queries.threads import (
    DEFAULT_SORT,
    PAGE,
    Sort,
    ThreadFilters,
    ThreadPage,
    list_threads,
)

router = Router(tags=["threads"])


class ThreadQuery(Schema):
    """What a listed thread must be; several values of one filter are alternatives.

    `agent` is a name or an id. `since` and `until` bound the last known change; a day counts whole.
    """

    q: Text = ""
    format: list[Text] = []
    agent: list[Text] = []
    status: list[Text] = []
    tool: list[Text] = []
    has_errors: bool | None = None
    compressed: bool | None = None
    introduced: bool | None = None
    since: str = ""
    until: str = ""
    sort: Sort = DEFAULT_SORT

    def filters(self) -> ThreadFilters:
        """The filters; raises `BadDate`."""
        return ThreadFilters(
            q=self.q,
            format=tuple(self.format),
            agent=tuple(self.agent),
            status=tuple(self.status),
            tool=tuple(self.tool),
            has_errors=self.has_errors,
            compressed=self.compressed,
            introduced=self.introduced,
            since=since_moment(self.since) if self.since else None,
            until=until_moment(self.until) if self.until else None,
        )


@router.get("/threads", response=ThreadPage)
def threads(
    request: HttpRequest, query: Query[ThreadQuery], after: After = "", limit: Limit = PAGE
) -> HttpResponse:
    """List threads, last changed first unless `sort` says otherwise."""
    return json_answer(list_threads(query.filters(), query.sort, after, limit))


@router.get("/threads/{thread}", response=ThreadDetail)
def one_thread(request: HttpRequest, thread: Text) -> HttpResponse:
    """Give a thread with everything but its messages."""
    return json_answer(thread_detail(thread))


@router.get("/threads/{thread}/unplaced", response=UnplacedPage)
def unplaced(
    request: HttpRequest, thread: Text, after: After = "", limit: Limit = 100
) -> HttpResponse:
    """List stored originals whose order and speaker are not recorded."""
    return json_answer(unplaced_page(thread, after=after, limit=limit))


@router.get("/threads/{thread}/text", openapi_extra=described("text/plain"))
def text(request: HttpRequest, thread: Text, tier: Tier = "") -> StreamingHttpResponse:
    """Give what was said in a tier as plain text; viewing context is no part of it."""
    paragraphs = dialogue(thread, tier)
    return StreamingHttpResponse(paragraphs, content_type="text/plain; charset=utf-8")
