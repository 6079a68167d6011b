"""The wire form: strict JSON that still tells special numbers apart."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Final, TypeAlias

from convviewer.core.json_encode import encode_with
from convviewer.core.json_special import has_surrogates, replace_surrogates
from convviewer.core.json_types import Json

_STRICT: Final = json.JSONEncoder(
    separators=(",", ":"), check_circular=False, allow_nan=False, ensure_ascii=False
)
_SPECIAL_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
_PENDING: TypeAlias = list[tuple[list[Json] | dict[str, Json], list[Json] | dict[str, Json]]]


def encode_strict(value: Json) -> str:
    """Return strict JSON text (compact, readable, valid Unicode) of the value's wire form."""
    try:
        text = _STRICT.encode(value)
    except (ValueError, RecursionError):
        return encode_with(_STRICT, to_wire(value))
    if '"$' in text or has_surrogates(text):
        return encode_with(_STRICT, to_wire(value))
    return text


def to_wire(value: Json) -> Json:
    """Return an equivalent that strict JSON can carry; encode it without `encode_strict`.

    NaN becomes {"$number": "NaN"} and so on; a key that starts with "$" gets one more in front;
    lone surrogates become U+FFFD (keys that would collide get more of it at their end).
    """
    return _rewrite(value, _to_wire_scalar, _to_wire_key)


def from_wire(value: Json) -> Json:
    """Return what `to_wire` was given, replaced characters aside; other "$" keys stay."""
    return _rewrite(value, _from_wire_scalar, _from_wire_key)


def _to_wire_scalar(value: Json) -> Json:
    match value:
        case str():
            return replace_surrogates(value)
        case float() if math.isnan(value):
            return {"$number": "NaN"}
        case float() if math.isinf(value):
            return {"$number": "Infinity" if value > 0 else "-Infinity"}
        case _:
            return value


def _to_wire_key(key: str) -> str:
    return replace_surrogates("$" + key if key.startswith("$") else key)


def _from_wire_scalar(value: Json) -> Json:
    if not isinstance(value, dict) or len(value) != 1:
        return value
    name = value.get("$number")
    return float(name) if isinstance(name, str) and name in _SPECIAL_NUMBERS else value


def _from_wire_key(key: str) -> str:
    return key[1:] if key.startswith("$$") else key


def _rewrite(value: Json, rewrite: Callable[[Json], Json], rename: Callable[[str], str]) -> Json:
    """Return a copy of a value of any depth.

    `rewrite` gets every value before its children; a container that it returns unchanged is
    copied with its children rewritten, all else it returns is final.
    """
    root: list[Json] = []
    pending: _PENDING = [([value], root)]
    while pending:
        source, copy = pending.pop()
        if isinstance(source, dict) and isinstance(copy, dict):
            for key, child in source.items():
                copy[_unused(rename(key), copy)] = _begin(child, rewrite, pending)
        elif isinstance(source, list) and isinstance(copy, list):
            copy.extend(_begin(child, rewrite, pending) for child in source)
    return root[0]


def _begin(value: Json, rewrite: Callable[[Json], Json], pending: _PENDING) -> Json:
    rewritten = rewrite(value)
    if rewritten is not value or not isinstance(value, list | dict):
        return rewritten
    copy: list[Json] | dict[str, Json] = [] if isinstance(value, list) else {}
    pending.append((value, copy))
    return copy


def _unused(key: str, taken: dict[str, Json]) -> str:
    while key in taken:
        key += "\ufffd"
    return key
