"""Several shapes in order: content lists, and facts above a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from convviewer.core.json import Json
from convviewer.core.text import cut
from convviewer.payloads.base import INLINE, Window
from convviewer.payloads.parts.content import BytesPart, JsonPart, Part, PlacePart, TextPart
from convviewer.payloads.parts.images import media_of
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.parts.tables import Records, pairs_of, rows_extent, table_of
from convviewer.payloads.parts.texts import code_of
from convviewer.payloads.parts.trees import tree_of
from convviewer.payloads.shapes import Extent, Notice, Shape, Stack

_MAX_PLACE: Final = 300


def stack_of_parts(parts: tuple[Part, ...], window: Window) -> Stack:
    """Return a window of a content list; each text starts, and says where it goes on."""
    limit = min(window.limit, 4 * max(1, window.characters // INLINE.characters))
    shown = parts[window.after : window.after + limit]
    shapes = tuple(_shape(part) for part in shown)
    return Stack(parts=shapes, extent=rows_extent(window, len(shapes), len(parts), "part"))


def records_shape(records: Records, window: Window) -> Shape:
    """Return a table, on its first page with the facts that its wrapper holds beside it."""
    table = table_of(records, window)
    if not records.others or window.after:
        return table
    facts = pairs_of(dict(records.others), replace(window, limit=20))
    return stack(facts, table)


def stack(*shapes: Shape) -> Stack:
    """Return shapes that belong together and all fit."""
    extent = Extent(start=0, shown=len(shapes), total=len(shapes), unit="part")
    return Stack(parts=shapes, extent=extent)


def pointed(window: Window, pointer: str) -> Window:
    """Return the window of a value that stands inside another one, from its start."""
    return replace(window, after=0, pointer=pointer)


def _shape(part: Part) -> Shape:
    window = pointed(INLINE, part.pointer)
    match part:
        case TextPart():
            return code_of(part.text, window)
        case JsonPart():
            return _json_shape(part.value, window)
        case BytesPart():
            return media_of(part.encoded, pointer=part.pointer, name=cut(part.name, 100))
        case PlacePart():
            text = f"{part.name or 'File'} at {cut(part.place, _MAX_PLACE)}, not in the import"
            return Notice(tone="calm", text=text_spans(text))


def _json_shape(value: Json, window: Window) -> Shape:
    return code_of(value, window) if isinstance(value, str) else tree_of(value, window)
