"""What goes wrong, said on a page, or in JSON where a program asked."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from convviewer.core.errors import ConvviewerError

API = "/api/"
_REASONS = {
    400: "This request could not be read.",
    403: "This request is not allowed.",
    404: "Nothing is stored at this address.",
    500: "The server could not answer; its log says why.",
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400; a reason that we gave ourselves is told."""
    return _answer(request, 400, _own_words(exception))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403; a reason that we gave ourselves is told."""
    return _answer(request, 403, str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    return _answer(request, 404, _own_words(exception))


def server_error(request: HttpRequest) -> HttpResponse:
    """500; reads nothing from the database."""
    return _answer(request, 500, "")


def _own_words(exception: Exception) -> str:
    """Text that is written for people: other exceptions quote what was sent."""
    return str(exception) if isinstance(exception, BadRequest | ConvviewerError) else ""


def _answer(request: HttpRequest, status: int, reason: str) -> HttpResponse:
    if request.path.startswith(API):
        return JsonResponse({"detail": reason or _REASONS[status]}, status=status)
    return render(request, f"{status}.html", {"reason": reason}, status=status)
