"""From a read model to a response; the only module that knows htmx."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from convviewer.core.json import replace_surrogates
from convviewer.queries.missing import Missing

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)


def render_page(
    request: HttpRequest, template: str, page: object, *, partial: str = "", status: int = 200
) -> HttpResponse:
    """Return the page, or its partial where htmx asks; the template sees `page` alone.

    A read model is fully loaded: a query while rendering raises.
    """
    name = f"{template}#{partial}" if partial and wants_fragment(request) else template
    with connection.execute_wrapper(_refuse_query):
        html = render_to_string(name, {"page": page}, request)
    # A record may hold half a character anywhere, and a page is UTF-8.
    response = HttpResponse(replace_surrogates(html), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part to swap in; a restored history entry needs the whole page."""
    htmx: HtmxDetails = vars(request)["htmx"]
    return bool(htmx) and not htmx.history_restore_request


def names_what_is_missing(
    view: Callable[Concatenate[HttpRequest, P], R],
) -> Callable[Concatenate[HttpRequest, P], R | HttpResponse]:
    """Let a view answer 404 with a page that says what is missing, and what there is."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R | HttpResponse:
        try:
            _refuse_nul(request)
            return view(request, *args, **kwargs)
        except Missing as missing:
            return render_page(request, "threads/missing.html", missing, status=404)

    return wrapped


def _refuse_nul(request: HttpRequest) -> None:
    """No stored name holds a NUL, and PostgreSQL refuses to be asked for one."""
    if "%00" in request.get_full_path():
        raise Missing("Nothing is stored at this address")


def _refuse_query(execute: object, sql: str, *_: Any) -> Any:
    raise RuntimeError(f"A query while rendering; load it in the read model: {sql[:200]}")
