"""Tool calls of a thread and of all threads."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema

from convviewer.api.answers import json_answer
from convviewer.api.params import After, Limit, Text, Tier
from convviewer.core.thread import ResultStatus
from convviewer.queries.tool_calls import CallFilters, CallPage, all_calls, thread_calls

router = Router(tags=["tool calls"])


class CallQuery(Schema):
    """What a call must be; several values of one filter are alternatives."""

    status: list[ResultStatus] = []
    tool: list[Text] = []

    def filters(self) -> CallFilters:
        """The filters."""
        return CallFilters(status=tuple(self.status), tool=tuple(self.tool))


class TierCallQuery(CallQuery):
    """What a call of one tier must be."""

    tier: Tier = ""


@router.get("/threads/{thread}/tool-calls", response=CallPage)
def calls_of_thread(
    request: HttpRequest,
    thread: Text,
    query: Query[TierCallQuery],
    after: After = "",
    limit: Limit = 100,
) -> HttpResponse:
    """List the calls of a tier, each with its result as paired over the whole tier."""
    found = thread_calls(thread, query.tier, query.filters(), after=after, limit=limit)
    return json_answer(found)


@router.get("/tool-calls", response=CallPage)
def calls(
    request: HttpRequest, query: Query[CallQuery], after: After = "", limit: Limit = 100
) -> HttpResponse:
    """List the calls of the fullest tier of every thread."""
    return json_answer(all_calls(query.filters(), after=after, limit=limit))
