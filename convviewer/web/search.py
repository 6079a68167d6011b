"""The search page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from convviewer.queries.search_page import PLACE_LABELS, SearchRequest, search_page
from convviewer.web.http import render_page
from convviewer.web.params import choice_param, text_param


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """`/search/`: hits for a query; the whole id of a thread leads straight to it."""
    page = search_page(
        SearchRequest(
            q=text_param(request, "q"),
            place=choice_param(request, "in", PLACE_LABELS),
            after=text_param(request, "after"),
        )
    )
    if page.jump:
        return HttpResponseRedirect(page.jump)
    return render_page(request, "search/search.html", page, partial="results")
