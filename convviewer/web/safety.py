"""Writes come from our own pages: checked here, since API writes carry no CSRF token."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, JsonResponse

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class SameOriginWrites:
    """Refuses a write that a browser says comes from another site.

    Scripts send neither header and pass; so does our own origin. A page elsewhere cannot leave
    both headers out, nor forge them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in SAFE_METHODS or not _foreign(request):
            return self._get_response(request)
        reason = "This write comes from another site. Send it from convviewer's own pages."
        return JsonResponse({"detail": reason}, status=403)


def _foreign(request: HttpRequest) -> bool:
    site = request.headers.get("Sec-Fetch-Site", "")
    if site and site not in {"same-origin", "none"}:
        return True
    origin = request.headers.get("Origin")
    return origin is not None and urlsplit(origin).netloc != request.get_host()
