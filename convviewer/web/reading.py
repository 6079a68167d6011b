"""The reading page and its parts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from convviewer.payloads import INLINE
from convviewer.queries.inspector import inspector_at
from convviewer.queries.payload_page import payload_page
from convviewer.queries.raw import raw_page
from convviewer.queries.reading import ReadingRequest, reading_page
from convviewer.queries.unplaced import unplaced_page
from convviewer.web.files import payload_request
from convviewer.web.http import names_what_is_missing, render_page, wants_fragment
from convviewer.web.params import number_param, text_param


@require_safe
@names_what_is_missing
def thread(request: HttpRequest, thread: str, key: str = "") -> HttpResponse:
    """A window of the thread, at a message where one is named.

    htmx gets the window alone, or one payload where the address chooses how to see it.
    """
    block = number_param(request, "block")
    if wants_fragment(request) and key and block is not None:
        asked = payload_page(payload_request(request, thread, key, block), INLINE)
        return render_page(request, "threads/payload.html", asked, partial="payload")
    page = reading_page(
        ReadingRequest(
            thread=thread,
            tier=text_param(request, "tier"),
            key=key,
            after=number_param(request, "after"),
            before=number_param(request, "before"),
            first_block=number_param(request, "first_block") or 0,
            block=block,
            part=number_param(request, "part"),
            view=text_param(request, "view"),
        )
    )
    return render_page(request, "threads/thread.html", page, partial="window")


@require_safe
@names_what_is_missing
def payload(request: HttpRequest, thread: str, key: str, block: int) -> HttpResponse:
    """One payload on a page of its own; htmx gets the window of it that it asks for."""
    page = payload_page(payload_request(request, thread, key, block))
    return render_page(request, "threads/payload.html", page, partial="shape")


@require_safe
@names_what_is_missing
def raw(request: HttpRequest, thread: str, key: str) -> HttpResponse:
    """The record's own JSON of a message, in parts."""
    after = number_param(request, "after") or 0
    page = raw_page(thread, text_param(request, "tier"), key, after)
    return render_page(request, "threads/raw.html", page, partial="shape")


@require_safe
@names_what_is_missing
def unplaced(request: HttpRequest, thread: str) -> HttpResponse:
    """Stored originals whose order and speaker are not recorded."""
    page = unplaced_page(thread, number_param(request, "after") or 0)
    return render_page(request, "threads/unplaced.html", page)


@require_safe
@names_what_is_missing
def inspector(request: HttpRequest, thread: str, key: str) -> HttpResponse:
    """The inspector of one message; a page of its own without htmx."""
    page = inspector_at(thread, text_param(request, "tier"), key)
    return render_page(request, "threads/inspector.html", page, partial="inspector")
