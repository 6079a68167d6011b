"""Shapes of large stored payloads, read one slice at a time and never decoded whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from convviewer.core.json import Child, Level, format_pointer, level
from convviewer.payloads.base import Window
from convviewer.payloads.parts.difflines import diff_of
from convviewer.payloads.parts.spans import ansi_spans, text_spans
from convviewer.payloads.parts.stacks import stack
from convviewer.payloads.parts.tables import (
    MAX_COLUMNS,
    build_table,
    column_names,
    pair,
    rows_extent,
)
from convviewer.payloads.parts.texts import JSON, Slice, sliced
from convviewer.payloads.parts.trees import Budget, cell_of_child, node_of_child
from convviewer.payloads.parts.values import ABSENT, cell_of
from convviewer.payloads.shapes import Cell, Code, Extent, Pairs, Shape, Table, Terminal, Tree

# Opening a row that is too large to come with its list reads the whole text again.
_SCANNED_BYTES: Final = 64_000_000
_WRAPPER_MEMBERS: Final = 50
_ROW_MEMBERS: Final = 200
_SAMPLE: Final = 5


def large_shape(data: bytes, view: str, window: Window) -> Shape:
    """Return a window of what stands at the window's pointer in a JSON text."""
    if view == "raw" and not window.pointer:
        piece = sliced(_ascii(data, window), len(data), window)
        return Code(spans=text_spans(piece.text), extent=piece.extent, language=JSON)
    here = level(data, window.pointer, after=window.after, limit=window.limit)
    if here.kind not in {"object", "array"}:
        return _text_shape(data, view, window)
    if view in {"tree", "raw"}:
        return _tree(here, window)
    return _table(data, here, window) or _tree(here, window)


def _ascii(data: bytes, window: Window) -> str:
    return data[window.after : window.after + window.characters].decode("ascii", "replace")


def _text_shape(data: bytes, view: str, window: Window) -> Shape:
    here = level(data, window.pointer, after=window.after, limit=window.characters)
    piece = sliced(here.text, here.size, window)
    match view:
        case "terminal":
            return Terminal(spans=ansi_spans(piece.text), extent=piece.extent)
        case "diff":
            return _diff(piece, window)
        case _:
            return Code(spans=text_spans(piece.text), extent=piece.extent)


def _diff(piece: Slice, window: Window) -> Shape:
    """Return the diff lines of a slice, counted in characters as the slice is."""
    whole = replace(window, after=0, limit=len(piece.text) + 1)
    return replace(diff_of(piece.text, whole), extent=piece.extent)


def _tree(here: Level, window: Window) -> Tree:
    budget = Budget()
    nodes = tuple(
        node_of_child(child, window.pointer + format_pointer((child.key,)), budget)
        for child in here.items
    )
    unit = "member" if here.kind == "object" else "item"
    return Tree(of=here.kind, nodes=nodes, extent=rows_extent(window, len(nodes), here.size, unit))


def _table(data: bytes, here: Level, window: Window) -> Shape | None:
    if here.kind == "array":
        return _rows_table(data, here, window, window.pointer)
    return _wrapped_table(data, window)


def _wrapped_table(data: bytes, window: Window) -> Shape | None:
    """Return the table of the longest list of objects in a wrapper, its other members above."""
    wrapper = level(data, window.pointer, limit=_WRAPPER_MEMBERS)
    lists = [child for child in wrapper.items if child.kind == "array" and child.size]
    if not lists:
        return None
    rows = max(lists, key=lambda child: child.size)
    place = window.pointer + format_pointer((rows.key,))
    here = level(data, place, after=window.after, limit=window.limit)
    table = _rows_table(data, here, window, place)
    if table is None or window.after:
        return table
    facts = tuple(
        pair(str(child.key), cell_of_child(child, window.pointer + format_pointer((child.key,))))
        for child in wrapper.items
        if child.key != rows.key
    )
    if not facts:
        return table
    extent = Extent(start=0, shown=len(facts), total=len(facts), unit="member")
    return stack(Pairs(rows=facts, extent=extent), table)


def _rows_table(data: bytes, here: Level, window: Window, place: str) -> Table | None:
    if not here.items or any(child.kind != "object" for child in here.items[:_SAMPLE]):
        return None
    rows = _opened(data, here.items, place)
    names = column_names(rows)
    shown = names[:MAX_COLUMNS]
    rows = rows[: max(1, window.cells // max(1, len(shown)))]
    return build_table(
        names=shown,
        rows=[tuple(row.get(name, ABSENT) for name in shown) for row in rows],
        total_columns=len(names),
        extent=rows_extent(window, len(rows), here.size),
    )


def _opened(data: bytes, children: tuple[Child, ...], place: str) -> list[dict[str, Cell]]:
    """Return the cells of as many rows as may be read for one page, at least one."""
    rows: list[dict[str, Cell]] = []
    scanned = 0
    for child in children:
        pointer = f"{place}/{child.key}"
        if child.value is None and child.kind == "object":
            scanned += len(data)
        if rows and scanned > _SCANNED_BYTES:
            break
        rows.append(_row(data, child, pointer))
    return rows


def _row(data: bytes, child: Child, pointer: str) -> dict[str, Cell]:
    """Return the cells of a row by column; what is no object stands in a column without a name."""
    match child.value:
        case dict() as members:
            return {
                key: cell_of(value, pointer + format_pointer((key,)))
                for key, value in members.items()
            }
        case None if child.kind == "object":
            return {
                str(member.key): cell_of_child(member, pointer + format_pointer((member.key,)))
                for member in level(data, pointer, limit=_ROW_MEMBERS).items
            }
        case _:
            return {"": cell_of_child(child, pointer)}
