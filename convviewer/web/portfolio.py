"""The page that shows every payload type, for those who change one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from convviewer.queries.portfolio import portfolio
from convviewer.web.http import render_page


@require_safe
def shapes(request: HttpRequest) -> HttpResponse:
    """Every example in every view."""
    return render_page(request, "shapes_page.html", portfolio())
