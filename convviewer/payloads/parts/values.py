"""Values in one line: cells, previews, sizes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from types import NoneType
from typing import Final

from convviewer.core.json import Json, Kind, encode, replace_surrogates
from convviewer.core.text import cut, escape_hidden
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.shapes import Cell, Spans

CELL_CHARACTERS: Final = 200
_PREVIEW_DEPTH: Final = 2
# A string that reads like another kind of value, or whose ends would be lost.
_NEEDS_QUOTES: Final = re.compile(
    r"\s*|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity|[\[{\"].*|\s.*|.*\s",
    re.DOTALL,
)

_KINDS: Final[dict[type, Kind]] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    NoneType: "null",
}

ABSENT: Final = Cell(kind="absent", spans=text_spans("—"))


def kind_of(value: Json) -> Kind:
    """Return the kind of a decoded value."""
    if isinstance(value, float) and not math.isfinite(value):
        return "special"
    return _KINDS[type(value)]


def size_of(value: Json) -> int:
    """Return members, items or characters; 1 for other scalars."""
    return len(value) if isinstance(value, dict | list | str) else 1


def cell_of(value: Json, pointer: str) -> Cell:
    """Return the cell of a value that stands at `pointer`."""
    match value:
        case str():
            return string_cell(value[: CELL_CHARACTERS + 1], len(value), pointer)
        case dict() | list() if value:
            return Cell(
                kind=kind_of(value), spans=text_spans(preview(value)), pointer=reachable(pointer)
            )
        case _:
            return literal_cell(encode(value), kind_of(value), pointer)


def string_cell(start: str, size: int, pointer: str) -> Cell:
    """Return the cell of a string of which at least the first characters are known."""
    if size > CELL_CHARACTERS:
        return Cell(kind="string", spans=text_spans(_cut(start)), pointer=reachable(pointer))
    return Cell(kind="string", spans=text_spans(quoted_if_needed(start)))


def literal_cell(literal: str, kind: Kind, pointer: str) -> Cell:
    """Return the cell of a number or another literal, all digits in it."""
    if len(literal) > CELL_CHARACTERS:
        return Cell(kind=kind, spans=text_spans(_cut(literal)), pointer=reachable(pointer))
    return Cell(kind=kind, spans=text_spans(literal))


def preview_cell(text: str, kind: Kind, pointer: str) -> Cell:
    """Return the cell of a container of which only a preview is known."""
    spans = text_spans(cut(text, CELL_CHARACTERS))
    return Cell(kind=kind, spans=spans, pointer=reachable(pointer))


def reachable(pointer: str) -> str:
    """Return a pointer that an address can carry: "" where a key holds half a character."""
    return pointer if replace_surrogates(pointer) == pointer else ""


def quoted_if_needed(text: str) -> str:
    """Return a string so that it cannot be taken for a number, a literal, or nothing."""
    return f'"{text}"' if _NEEDS_QUOTES.fullmatch(text) else text


def string_spans(text: str) -> Spans:
    """Return the spans of a string as a tree shows it."""
    return text_spans(quoted_if_needed(text))


def preview(value: Json, limit: int = CELL_CHARACTERS) -> str:
    """Return one line of readable JSON, what is deep or long in it only hinted at."""
    return cut(_sketch(value, 0, limit), limit)


def _sketch(value: Json, depth: int, limit: int) -> str:
    match value:
        case dict() if value and depth == _PREVIEW_DEPTH:
            return "{…}"
        case list() if value and depth == _PREVIEW_DEPTH:
            return "[…]"
        case dict():
            members = (
                f"{quoted(cut(key, limit))}: {_sketch(item, depth + 1, limit)}"
                for key, item in value.items()
            )
            return "{" + _listed(members, limit) + "}"
        case list():
            return "[" + _listed((_sketch(item, depth + 1, limit) for item in value), limit) + "]"
        case str():
            return quoted(cut(value, limit))
        case _:
            return encode(value)


def _listed(parts: Iterator[str], limit: int) -> str:
    """Join parts until the limit is passed; the caller cuts what is too much."""
    taken: list[str] = []
    for part in parts:
        taken.append(part)
        limit -= len(part) + 2
        if limit < 0:
            break
    return ", ".join(taken)


def quoted(text: str) -> str:
    """Return a string as a JSON literal, hidden characters escaped."""
    literal = json.dumps(replace_surrogates(text), ensure_ascii=False)
    return escape_hidden(literal)


def _cut(text: str) -> str:
    return cut(text if len(text) > CELL_CHARACTERS else text + "…", CELL_CHARACTERS)
