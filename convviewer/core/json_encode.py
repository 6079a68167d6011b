"""Values to JSON text in the stored dialect, and the hash of a value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Final

import msgspec

from convviewer.core.json_types import Json

_DIGEST_BYTES: Final = 16
_STORED: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False)
_CANONICAL: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False, sort_keys=True)
_FAST: Final = msgspec.json.Encoder()


def encode(value: Json) -> str:
    r"""Return compact ASCII text that `decode` reads back equal; keys keep their order.

    The dialect we store: NaN and the infinities are bare words, lone surrogates \udXXX escapes
    (two that form a pair come back as the one character they mean).
    """
    try:
        text = _FAST.encode(value)
    except (UnicodeEncodeError, RecursionError):
        return encode_with(_STORED, value)
    # The fast encoder writes special numbers as null: only a text without one is sure to be right.
    if text.isascii() and b"null" not in text:
        return text.decode("ascii")
    return encode_with(_STORED, value)


def content_hash(value: Json) -> str:
    """Return 32 hexadecimal digits that are equal for equal values, whatever the order of keys."""
    canonical = encode_with(_CANONICAL, value).encode("ascii")
    return hashlib.blake2b(canonical, digest_size=_DIGEST_BYTES).hexdigest()


def json_length(value: Json, *, at_most: int) -> int:
    """Return the length of `encode(value)`; counting stops at the first part beyond `at_most`."""
    length = 0
    for part in encoded_parts(_STORED, value):
        length += len(part)
        if length > at_most:
            break
    return length


def encode_with(encoder: json.JSONEncoder, value: Json) -> str:
    """Return what the encoder makes of the value, at any depth; its separators must be compact."""
    try:
        return encoder.encode(value)
    except RecursionError:
        return "".join(encoded_parts(encoder, value))


def encoded_size(value: Json) -> int:
    """Return the bytes of the value as compact UTF-8 JSON, fast; a special number counts four."""
    try:
        return len(_FAST.encode(value))
    except (UnicodeEncodeError, RecursionError):
        return len(encode(value))


def encoded_parts(encoder: json.JSONEncoder, value: Json) -> Iterator[str]:
    """Yield the compact text of a value of any depth in small parts."""
    pending: list[tuple[Iterator[tuple[str, Json]], str]] = [(iter([("", value)]), "")]
    while pending:
        members, closing = pending[-1]
        member = next(members, None)
        if member is None:
            pending.pop()
            yield closing
            continue
        prefix, child = member
        yield prefix
        match child:
            case dict():
                yield "{"
                pending.append((_object_members(encoder, child), "}"))
            case list():
                yield "["
                pending.append((_array_members(child), "]"))
            case _:
                yield encoder.encode(child)


def _object_members(
    encoder: json.JSONEncoder, value: dict[str, Json]
) -> Iterator[tuple[str, Json]]:
    comma = ""
    for key in sorted(value) if encoder.sort_keys else value:
        yield f"{comma}{encoder.encode(key)}:", value[key]
        comma = ","


def _array_members(value: list[Json]) -> Iterator[tuple[str, Json]]:
    comma = ""
    for item in value:
        yield comma, item
        comma = ","
