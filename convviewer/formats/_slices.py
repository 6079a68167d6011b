"""The exact bytes of the members and items of a JSON text, however unusual what they hold."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec

from convviewer.core.json import Json, SpecialCounts, count_special, decode
from convviewer.formats._blocks import Context

# JSON text of one value; `bytes(slice)` copies it out of the bytes of its file.
Slice: TypeAlias = msgspec.Raw | bytes

_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]', re.DOTALL)
_REFUSALS: Final = (msgspec.DecodeError, RecursionError)


def members(data: Slice) -> dict[str, Slice] | None:
    """Return the value texts of an object by name, the last of equal names; None: no object.

    Raises JsonError where the text is not JSON, not even in the dialect that `decode` takes.
    """
    try:
        return dict(_MEMBERS.decode(data))
    except _REFUSALS:
        text = _plain_bytes(data)
        if not isinstance(decode(text), dict):
            return None
        return {str(decode(name)): value for name, value in _children(text)}


def items(data: Slice) -> list[Slice] | None:
    """Return the texts of an array's items; None when the text is no array. Raises JsonError."""
    try:
        return list(_ITEMS.decode(data))
    except _REFUSALS:
        text = _plain_bytes(data)
        if not isinstance(decode(text), list):
            return None
        return [value for _, value in _children(text)]


def decode_counted(data: Slice) -> tuple[Json, SpecialCounts | None]:
    """Return the value, with counts where it may hold what strict JSON cannot. Raises JsonError."""
    try:
        return msgspec.json.decode(data), None
    except _REFUSALS:
        value = decode(bytes(data))
        return value, count_special(value)


def note_special(counts: SpecialCounts, context: Context) -> None:
    """Warn of what strict JSON cannot carry: it is stored as it is and shown replaced."""
    if counts.replaced_characters:
        context.log.add(
            "replaced_characters",
            "characters that are no valid Unicode are shown as U+FFFD",
            path=context.path,
            pointer=context.pointer,
            count=counts.replaced_characters,
        )
    if counts.special_numbers:
        context.log.add(
            "special_number",
            "numbers that JSON does not have: NaN, Infinity or -Infinity",
            path=context.path,
            pointer=context.pointer,
            count=counts.special_numbers,
        )


def _plain_bytes(data: Slice) -> bytes:
    """Return the text without a byte order mark, as UTF-8 where it was UTF-16."""
    text = bytes(data)
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return text.decode("utf-16", "replace").encode("utf-8", "surrogatepass")
    return text.removeprefix(codecs.BOM_UTF8)


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
