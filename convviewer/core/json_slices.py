"""Bounded reading of a large stored JSON text: one level, one page, one slice at a time."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeAlias

import msgspec

from convviewer.core.json_decode import decode
from convviewer.core.json_encode import encode, json_length
from convviewer.core.json_pointer import array_index, missing, parse_pointer
from convviewer.core.json_special import replace_surrogates
from convviewer.core.json_types import Json

Kind: TypeAlias = Literal["object", "array", "string", "number", "bool", "null", "special"]

PREVIEW_CHARACTERS: Final = 200
SMALL_BYTES: Final = 2_000

# A value not yet looked into, as its bytes; or already decoded, where the fast decoder refused.
_Node: TypeAlias = msgspec.Raw | Json
_Opened: TypeAlias = Json | list[msgspec.Raw] | dict[str, msgspec.Raw]

_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY: Final = msgspec.json.Decoder(list[msgspec.Raw])
_BLANKS: Final = b" \t\n\r"
_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SKETCH_DEPTH: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A member of an object or an item of an array, described without its contents.

    key: the member's name as stored, or the item's index.
    size: members, items, characters of a string, or of a scalar's literal.
    preview: at most 200 characters, valid Unicode.
    value: the value itself where it is small (JSON text of at most 2,000 bytes), else None.
    """

    key: str | int
    kind: Kind
    size: int
    preview: str
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What stands at a pointer: its children, or a slice of its text.

    size: members, items, or characters of the whole, whatever the slice.
    items: the children asked for; empty for scalars.
    text: the slice of a string, valid Unicode; the literal of any other scalar; "" for containers.
    next: the `after` of the following slice, None at the end.
    """

    kind: Kind
    size: int
    items: tuple[Child, ...]
    text: str
    next: int | None


def level(data: bytes | str, pointer: str, *, after: int = 0, limit: int = 100) -> Level:
    """Return `limit` children, or characters of a string, from `after` on at the pointer.

    `after` is 0 or more, `limit` 1 or more. Large arrays and objects stay bytes but for the
    children asked for; a text that only the tolerant decoder reads is decoded whole.

    Raises JsonError when the text is not JSON, PointerError when the pointer leads nowhere.
    """
    node = _find(data, pointer)
    opened = _open(node)
    end = after + limit
    match opened:
        case dict():
            members = islice(opened.items(), after, end)
            items = tuple(_child(key, member) for key, member in members)
            size, text = len(opened), ""
        case list():
            items = tuple(_child(after + i, item) for i, item in enumerate(opened[after:end]))
            size, text = len(opened), ""
        case _:
            whole = _text(node, opened)
            items, size, text = (), len(whole), replace_surrogates(whole[after:end])
    return Level(
        kind=_kind(opened), size=size, items=items, text=text, next=end if end < size else None
    )


def _find(data: bytes | str, pointer: str) -> _Node:
    tokens = parse_pointer(pointer)
    node = _root(data)
    for depth, token in enumerate(tokens):
        opened = _open(node)
        match opened:
            case dict() if token in opened:
                node = opened[token]
            case list() if (index := array_index(token)) is not None and index < len(opened):
                node = opened[index]
            case _:
                raise missing(tokens[: depth + 1])
    return node


def _root(data: bytes | str) -> _Node:
    if isinstance(data, str):
        try:
            data = data.encode()
        except UnicodeEncodeError:
            return decode(data)
    return decode(data) if data.startswith(_BYTE_ORDER_MARKS) else msgspec.Raw(data.strip(_BLANKS))


def _open(node: _Node) -> _Opened:
    """Decode one level: children stay bytes, unless only the tolerant decoder can read them."""
    if not isinstance(node, msgspec.Raw):
        return node
    try:
        match bytes(memoryview(node)[:1]):
            case b"{":
                return _OBJECT.decode(node)
            case b"[":
                return _ARRAY.decode(node)
            case _:
                return decode(bytes(node))
    except (msgspec.DecodeError, RecursionError):
        return decode(bytes(node))


def _child(key: str | int, node: _Node) -> Child:
    opened = _open(node)
    size = len(opened if isinstance(opened, dict | list) else _text(node, opened))
    return Child(
        key=key,
        kind=_kind(opened),
        size=size,
        preview=_preview(node, opened),
        value=_value_if_small(node),
    )


def _kind(opened: _Opened) -> Kind:
    kind: Kind
    match opened:
        case dict():
            kind = "object"
        case list():
            kind = "array"
        case str():
            kind = "string"
        case None:
            kind = "null"
        case bool():
            kind = "bool"
        case float() if not math.isfinite(opened):
            kind = "special"
        case int() | float():
            kind = "number"
    return kind


def _text(node: _Node, scalar: _Opened) -> str:
    """Return a string itself, or the literal of another scalar, as stored where that is known."""
    if isinstance(scalar, str):
        return scalar
    if isinstance(node, msgspec.Raw):
        return bytes(node).decode("ascii")
    return encode(node)


def _value_if_small(node: _Node) -> Json:
    if not isinstance(node, msgspec.Raw):
        return node if json_length(node, at_most=SMALL_BYTES) <= SMALL_BYTES else None
    return decode(bytes(node)) if len(memoryview(node)) <= SMALL_BYTES else None


def _preview(node: _Node, opened: _Opened) -> str:
    if isinstance(opened, str):
        text = opened[: PREVIEW_CHARACTERS + 1]
    else:
        # No part is empty, so that this many fill the preview.
        text = "".join(islice(_sketch(node, 0), PREVIEW_CHARACTERS + 1))
    if len(text) > PREVIEW_CHARACTERS:
        text = text[: PREVIEW_CHARACTERS - 1] + "…"
    return replace_surrogates(text)


def _sketch(node: _Node, depth: int) -> Iterator[str]:
    """Yield readable JSON text in small parts; what is deep inside is only hinted at."""
    opened = _open(node)
    if isinstance(opened, dict):
        brackets, children = "{}", ((f"{_quoted(k)}: ", child) for k, child in opened.items())
    elif isinstance(opened, list):
        brackets, children = "[]", (("", child) for child in opened)
    else:
        yield _quoted(opened) if isinstance(opened, str) else _text(node, opened)
        return
    if opened and depth == _SKETCH_DEPTH:
        yield "…".join(brackets)
        return
    yield brackets[0]
    for i, (label, child) in enumerate(children):
        if i or label:
            yield f"{', ' if i else ''}{label}"
        yield from _sketch(child, depth + 1)
    yield brackets[1]


def _quoted(text: str) -> str:
    return json.dumps(text[:PREVIEW_CHARACTERS], ensure_ascii=False)
