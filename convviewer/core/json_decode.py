"""JSON text to values: fast where it is strict, tolerant where it is not, at any depth."""

from __future__ import annotations

import codecs
import json
import math
import re
from decimal import Decimal, InvalidOperation
from typing import Final, NoReturn

import msgspec

from convviewer.core.errors import JsonError
from convviewer.core.json_types import Json

# Python converts no integer of more digits to or from text (a guard against quadratic time).
MAX_INTEGER_DIGITS: Final = 4_300

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_FOUND_CHARACTERS: Final = 20

_SEPARATOR: Final = "a comma or a closing bracket"
_NAME: Final = "a member name in double quotes"
_COLON: Final = "a colon after the member name"
_END: Final = "the end of the text"
_EXPECTATIONS: Final = (
    ("Expecting ','", _SEPARATOR),
    ("Expecting ':'", _COLON),
    ("Expecting property name", _NAME),
    ("Illegal trailing comma before end of object", _NAME),  # from Python 3.13
    ("Extra data", _END),
    ("Unterminated string", "a closing double quote for this string"),
    ("Invalid \\u", "four hexadecimal digits after \\u"),
    ("Invalid \\", 'one of " \\ / b f n r t u after a backslash'),
)


def decode(data: bytes | str) -> Json:
    r"""Return the value of a JSON text as sources write it.

    Beyond strict JSON this takes: a byte order mark (UTF-8 or UTF-16), the bare words NaN, Infinity
    and -Infinity, raw control characters in strings (NUL among them), lone surrogates, any depth,
    and bytes that are not UTF-8: each such byte 0xNN becomes the lone surrogate U+DCNN, so that
    it is counted, shown as U+FFFD and can still be told. Of duplicate keys the last wins.

    Integers keep their digits; other numbers become floats. A number too large for a float
    ("1e999") becomes the integer it stands for, never infinity; one that needs more than
    MAX_INTEGER_DIGITS digits stays text, as written.

    Raises JsonError, naming place and expectation, for anything else.
    """
    try:
        value: Json = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return _decode_tolerantly(_as_text(data))
    return value


def _decode_tolerantly(text: str) -> Json:
    try:
        value: Json = _TOLERANT.decode(text)
    except json.JSONDecodeError as error:
        raise _json_error(text, error.pos, _expectation(error.msg)) from None
    except (ValueError, RecursionError):  # a number too long, or a value too deep
        return _DeepReader(text).read()
    return value


def _as_text(data: bytes | str) -> str:
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


class _DeepReader:
    """A decoder whose depth is bounded by memory alone."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> Json:
        value = self._read_value()
        open_containers = [value] if isinstance(value, list | dict) else []
        while open_containers:
            container = open_containers[-1]
            if self._closes(container):
                open_containers.pop()
                continue
            child = self._read_child(container)
            if isinstance(child, list | dict):
                open_containers.append(child)
        if self._peek():
            self._fail(_END)
        return value

    def _closes(self, container: list[Json] | dict[str, Json]) -> bool:
        """Step over the closing bracket, or over the comma before the next child."""
        closing = "]" if isinstance(container, list) else "}"
        found = self._peek()
        if found == closing:
            self._at += 1
            return True
        if container:
            if found != ",":
                self._fail(_SEPARATOR)
            self._at += 1
        return False

    def _read_child(self, container: list[Json] | dict[str, Json]) -> Json:
        if isinstance(container, list):
            value = self._read_value()
            container.append(value)
            return value
        key = self._read_key()
        value = self._read_value()
        container[key] = value
        return value

    def _read_key(self) -> str:
        if self._peek() != '"':
            self._fail(_NAME)
        key = str(self._read_scalar())
        if self._peek() != ":":
            self._fail(_COLON)
        self._at += 1
        return key

    def _read_value(self) -> Json:
        """Return a scalar whole, or a container still empty with its opening bracket read."""
        match self._peek():
            case "[":
                self._at += 1
                return []
            case "{":
                self._at += 1
                return {}
            case _:
                return self._read_scalar()

    def _read_scalar(self) -> Json:
        try:
            value: Json
            value, self._at = _TOLERANT_OF_LONG_INTEGERS.raw_decode(self._text, self._at)
        except json.JSONDecodeError as error:
            self._at = error.pos
            self._fail(_expectation(error.msg))
        return value

    def _peek(self) -> str:
        """Step over blanks; return the next character, or "" at the end."""
        blanks = _BLANKS.match(self._text, self._at)
        self._at = blanks.end() if blanks else self._at
        return self._text[self._at : self._at + 1]

    def _fail(self, expected: str) -> NoReturn:
        raise _json_error(self._text, self._at, expected)


def _json_error(text: str, at: int, expected: str) -> JsonError:
    found = text[at : at + _FOUND_CHARACTERS]
    return JsonError(
        f"expected {expected}, found {ascii(found) if found else 'the end of the text'}",
        at,
        text.count("\n", 0, at) + 1,
        at - text.rfind("\n", 0, at),
    )


def _expectation(message: str) -> str:
    """Return what the standard library's decoder missed, in our words."""
    return next((ours for theirs, ours in _EXPECTATIONS if message.startswith(theirs)), "a value")


def _float(literal: str) -> float | int | str:
    value = float(literal)
    if math.isfinite(value):
        return value
    try:
        exact = Decimal(literal)
    except InvalidOperation:  # an exponent of some 20 digits
        return literal
    return int(exact) if exact.adjusted() < MAX_INTEGER_DIGITS else literal


def _int(literal: str) -> int | str:
    if len(literal.removeprefix("-")) > MAX_INTEGER_DIGITS:
        return literal
    return int(literal)


_TOLERANT: Final = json.JSONDecoder(strict=False, parse_float=_float)
_TOLERANT_OF_LONG_INTEGERS: Final = json.JSONDecoder(
    strict=False, parse_float=_float, parse_int=_int
)
