"""Windows of a text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from convviewer.core.json import Json, encode
from convviewer.core.text import escape_hidden
from convviewer.payloads.base import Window
from convviewer.payloads.parts.spans import code_spans
from convviewer.payloads.shapes import Code, Extent

# As sources write it: the lexer of strict JSON makes noise of NaN and Infinity.
JSON: Final = "json5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A piece of a text; it ends at a line break where there is one in its second half."""

    text: str
    extent: Extent


def text_slice(text: str, window: Window) -> Slice:
    """Return the window of a whole text."""
    return sliced(text[window.after : window.after + window.characters], len(text), window)


def sliced(piece: str, total: int, window: Window) -> Slice:
    """Return the slice that starts with `piece`, which was read at the window's place."""
    if window.after + len(piece) < total:
        piece = piece[: _good_end(piece)]
    end = window.after + len(piece)
    extent = Extent(
        start=window.after,
        shown=len(piece),
        total=total,
        unit="character",
        next=end if end < total else None,
        pointer=window.pointer,
    )
    return Slice(text=piece, extent=extent)


def code_of(text: str, window: Window, language: str = "") -> Code:
    """Return the window of a text as preformatted text."""
    piece = text_slice(text, window)
    return Code(spans=code_spans(piece.text, language), extent=piece.extent, language=language)


def raw_of(value: Json, window: Window) -> Code:
    """Return the window of a value's JSON text, indented; what is very deep stays compact."""
    return code_of(escape_hidden(_indented(value)), window, language=JSON)


def _indented(value: Json) -> str:
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, check_circular=False)
    except RecursionError:
        return encode(value)


def _good_end(piece: str) -> int:
    line_end = piece.rfind("\n", len(piece) // 2) + 1
    return line_end or len(piece)
