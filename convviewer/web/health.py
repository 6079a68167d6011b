"""Whether the server can answer."""

from __future__ import annotations

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse

from convviewer import VERSION
from convviewer.queries.threads import any_thread


def health(request: HttpRequest) -> JsonResponse:
    """200 when the database answers, else 503."""
    try:
        any_thread()
    except DatabaseError:
        return _answer("failed", status=503)
    return _answer("ok", status=200)


def _answer(state: str, status: int) -> JsonResponse:
    return JsonResponse({"status": state, "database": state, "version": VERSION}, status=status)
