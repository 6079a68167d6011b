"""The exact bytes of the members and items of a JSON text, however unusual what they hold."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from convviewer.core.json import decode

_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]', re.DOTALL)


def members(data: bytes) -> dict[str, bytes] | None:
    """Return the value texts of an object by name, the last of equal names; None: no object.

    Raises JsonError where the text is not JSON, not even in the dialect that `decode` takes.
    """
    try:
        return {name: bytes(text) for name, text in _MEMBERS.decode(data).items()}
    except (msgspec.DecodeError, RecursionError):
        text = _plain_bytes(data)
        if not isinstance(decode(text), dict):
            return None
        return {str(decode(name)): value for name, value in _children(text)}


def items(data: bytes) -> list[bytes] | None:
    """Return the texts of an array's items; None when the text is no array. Raises JsonError."""
    try:
        return [bytes(text) for text in _ITEMS.decode(data)]
    except (msgspec.DecodeError, RecursionError):
        text = _plain_bytes(data)
        if not isinstance(decode(text), list):
            return None
        return [value for _, value in _children(text)]


def _plain_bytes(data: bytes) -> bytes:
    """Return the text without a byte order mark, as UTF-8 where it was UTF-16."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode("utf-8", "surrogatepass")
    return data.removeprefix(codecs.BOM_UTF8)


def _children(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield name (empty in an array) and text of each child of a valid object or array."""
    depth = start = 0
    name = b""
    for token in _TOKEN.finditer(text):
        character = token.group()[:1]
        if character in b"[{":
            depth += 1
            start = token.end() if depth == 1 else start
            continue
        if depth == 1 and character == b":":
            name, start = text[start : token.start()], token.end()
        if depth == 1 and character in b",]}":
            if value := text[start : token.start()].strip():
                yield name, value
            start = token.end()
        depth -= character in b"]}"
