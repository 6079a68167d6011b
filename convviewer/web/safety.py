"""Writes come from our own pages: checked here, since API writes carry no CSRF token."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from convviewer.web.errors import permission_denied

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class SameOriginWrites:
    """Refuses a write that a browser says comes from another site.

    Scripts send neither header and pass; so does our own origin. A page elsewhere cannot leave
    both headers out, nor forge them; a page without an origin of its own sends "null".
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in SAFE_METHODS or not _foreign(request):
            return self._get_response(request)
        reason = "This write comes from another site. Send it from convviewer's own pages."
        return permission_denied(request, PermissionDenied(reason))


def _foreign(request: HttpRequest) -> bool:
    site = request.headers.get("Sec-Fetch-Site", "")
    if site and site not in {"same-origin", "none"}:
        return True
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    # The scheme may differ behind a proxy that ends TLS.
    return origin.partition("://")[2].lower() != request.get_host().lower()
