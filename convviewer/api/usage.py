"""Tokens: per model call, and in total."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from convviewer.api.answers import json_answer
from convviewer.api.params import After, Limit, Text
from convviewer.queries.usage import UsagePage, usage_page

router = Router(tags=["usage"])


@router.get("/threads/{thread}/usage", response=UsagePage)
def usage(
    request: HttpRequest, thread: Text, after: After = "", limit: Limit = 100
) -> HttpResponse:
    """List the model calls of the fullest tier, with the totals of all of them."""
    return json_answer(usage_page(thread, after=after, limit=limit))
