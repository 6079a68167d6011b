"""Errors as answers: {"detail": one line that says what is wrong and what there is}."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import ValidationError

from convviewer.api.answers import problem
from convviewer.core.errors import ConvviewerError, PointerError
from convviewer.importing.uploads import UploadRefused
from convviewer.queries.missing import Missing


def answer_errors(api: NinjaAPI) -> None:
    """Let the API answer what its queries raise."""
    api.exception_handler(Missing)(_missing)
    api.exception_handler(PointerError)(_nothing_there)
    api.exception_handler(UploadRefused)(_refused)
    api.exception_handler(ConvviewerError)(_bad_request)
    api.exception_handler(ValidationError)(_bad_parameters)


def _missing(request: HttpRequest, error: Missing) -> HttpResponse:
    names = ", ".join(item.label for item in error.alternatives if item.thread)
    return problem(f"{error.what}. There is: {names}" if names else error.what, 404)


def _nothing_there(request: HttpRequest, error: PointerError) -> HttpResponse:
    return problem(str(error), 404)


def _refused(request: HttpRequest, error: UploadRefused) -> HttpResponse:
    return problem(str(error), error.status)


def _bad_request(request: HttpRequest, error: ConvviewerError) -> HttpResponse:
    return problem(str(error), 400)


def _bad_parameters(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return problem("; ".join(_line(item) for item in error.errors), 422)


def _line(item: dict[str, Any]) -> str:
    """The parameter's name and what it should be, as in "limit: Input should be …"."""
    name = [part for part in item["loc"] if isinstance(part, str)][-1]
    return f"{name}: {item['msg']}"
