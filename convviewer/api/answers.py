"""From a read model to a response: strict JSON that is ours from end to end.

Neither pydantic (which fails at a depth of 300) nor ninja's encoder (which writes NaN) touches a
stored value: views return these responses, and name their read models for the OpenAPI document.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Final, cast

import msgspec
from django.http import HttpRequest, HttpResponse
from ninja.renderers import BaseRenderer

from convviewer.core.json import Json, count_special, decode, encode_strict

_JSON: Final = "application/json"
# Strict JSON has no such characters, not even in strings.
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def json_answer(model: object, status: int = 200) -> HttpResponse:
    """The read model as strict JSON."""
    return HttpResponse(encode_strict(as_json(model)), content_type=_JSON, status=status)


def stored_json_answer(data: bytes) -> HttpResponse:
    """Stored JSON text: byte for byte where it is strict JSON, else its strict form."""
    return HttpResponse(strict_json(data), content_type=_JSON)


def problem(detail: str, status: int) -> HttpResponse:
    """What went wrong, in the form that all errors have."""
    return json_answer({"detail": detail}, status=status)


def as_json(model: object) -> Json:
    """Objects for dataclasses, lists for tuples; a list or dict is stored JSON and stays."""
    if is_dataclass(model):
        return {field.name: as_json(getattr(model, field.name)) for field in fields(model)}
    match model:
        case tuple():
            return [as_json(item) for item in model]
        case datetime():
            return model.isoformat()
        case _:
            return cast("Json", model)


def strict_json(data: bytes) -> bytes:
    """The bytes themselves where any strict parser reads them, else the value's wire form."""
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        value = decode(data)
        return data if _is_strict(data, value) else encode_strict(value).encode()
    return data


def _is_strict(data: bytes, value: Json) -> bool:
    """Tell for a text that the fast decoder refused: some are merely deep, or have huge numbers."""
    special = count_special(value)
    if special.special_numbers or special.replaced_characters or _CONTROLS.search(data):
        return False
    return not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))


def described(media_type: str) -> dict[str, Any]:
    """OpenAPI's words for an endpoint that answers with anything but JSON."""
    schema = {"type": "string"}
    content = {media_type: {"schema": schema}}
    return {"responses": {200: {"description": "OK", "content": content}}}


class StrictRenderer(BaseRenderer):
    """What ninja itself answers, its errors above all, in the same JSON."""

    media_type = _JSON

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> str:
        """The text of a response."""
        return encode_strict(as_json(data))
