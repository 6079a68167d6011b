"""Keyset paging: where a page ended, as an opaque text that goes into an address."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence

from convviewer.core.errors import ConvviewerError

Value = str | int | float | None


class BadCursor(ConvviewerError):
    """A cursor that was cut short or made up, or that belongs to another order."""

    def __init__(self) -> None:
        super().__init__('"after" is no place in this list; leave it out to start at the top')


def encode_cursor(values: Sequence[Value]) -> str:
    """The values as text of letters, digits, "-" and "_"."""
    text = json.dumps(list(values), separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(text: str) -> list[Value]:
    """What `encode_cursor` was given. Raises `BadCursor` for anything else."""
    try:
        data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        values = json.loads(data, parse_constant=_refuse)
    except (Base64Error, ValueError, RecursionError) as error:
        raise BadCursor from error
    if not isinstance(values, list) or not all(map(_is_plain, values)):
        raise BadCursor
    return values


def _is_plain(value: object) -> bool:
    """Whether a database takes it: no NUL, no lone surrogate."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)
    return value is None or type(value) in {int, float}


def _refuse(constant: str) -> None:
    raise ValueError(constant)
