"""Query parameters as typed values; a bad one answers 400 and says what is expected."""

from __future__ import annotations

from collections.abc import Collection

from django.core.exceptions import BadRequest
from django.http import HttpRequest

LARGEST = 2**31 - 1
_DIGITS = 20


def text_param(request: HttpRequest, name: str) -> str:
    """The parameter's text, "" when absent."""
    return request.GET.get(name, "").replace("\0", "\ufffd")


def number_param(request: HttpRequest, name: str) -> int | None:
    """A whole number of 0 or more that both databases take; None when absent."""
    text = request.GET.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > _DIGITS:
        raise BadRequest(f'"{name}" must be a whole number')
    return min(int(text), LARGEST)


def choice_param(request: HttpRequest, name: str, choices: Collection[str]) -> str:
    """One of the choices, "" when absent."""
    text = request.GET.get(name, "")
    if text and text not in choices:
        raise BadRequest(f'"{name}" must be one of: {", ".join(choices)}')
    return text
