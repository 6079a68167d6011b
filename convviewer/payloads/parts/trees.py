"""Values to trees: one level, with the whole of what is small and a place for the rest."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final, TypeAlias

from convviewer.core.json import Child, Json, Kind, encode, format_pointer
from convviewer.payloads.base import Window
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.parts.tables import rows_extent
from convviewer.payloads.parts.values import (
    CELL_CHARACTERS,
    cell_of,
    kind_of,
    literal_cell,
    preview_cell,
    reachable,
    size_of,
    string_cell,
)
from convviewer.payloads.shapes import Cell, Extent, Node, Tree

INLINE_NODES: Final = 200
INLINE_CHARACTERS: Final = 8_192
INLINE_DEPTH: Final = 8

_Container: TypeAlias = "dict[str, Json] | list[Json]"


def tree_of(value: Json, window: Window) -> Tree:
    """Return the window of a value's children, or the value itself when it is a scalar."""
    budget = Budget()
    match value:
        case dict() | list():
            shown = islice(_members(value), window.after, window.after + window.limit)
            place = window.pointer
            nodes = tuple(
                node_of(key, item, place + format_pointer((key,)), budget) for key, item in shown
            )
            extent = rows_extent(window, len(nodes), len(value), _unit(value))
        case _:
            nodes = (_leaf(None, kind_of(value), size_of(value), cell_of(value, window.pointer)),)
            extent = Extent(start=0, shown=1, total=1, unit="value", pointer=window.pointer)
    return Tree(of=kind_of(value), nodes=nodes, extent=extent)


class Budget:
    """What may still be inlined in one tree."""

    def __init__(self) -> None:
        self._nodes = INLINE_NODES
        self._characters = INLINE_CHARACTERS

    def take(self, value: _Container) -> bool:
        """Whether the whole inside of a container fits; if so it is taken off."""
        nodes, characters = self._nodes, self._characters
        level: list[Json] = [value]
        for _ in range(INLINE_DEPTH):
            below: list[Json] = []
            for container in level:
                for key, item in _members(container):
                    nodes -= 1
                    characters -= len(str(key)) + _weight(item)
                    if nodes < 0 or characters < 0:
                        return False
                    below.append(item)
            level = [item for item in below if isinstance(item, dict | list) and item]
            if not level:
                self._nodes, self._characters = nodes, characters
                return True
        return False


def node_of(key: str | int, value: Json, pointer: str, budget: Budget) -> Node:
    """Return the node of a decoded value."""
    if not isinstance(value, dict | list) or not value:
        return _leaf(key, kind_of(value), size_of(value), cell_of(value, pointer))
    if budget.take(value):
        return _inlined(key, value)
    return _folded(key, kind_of(value), len(value), pointer)


def node_of_child(child: Child, pointer: str, budget: Budget) -> Node:
    """Return the node of a child that was read from stored text."""
    if child.value is not None:
        return node_of(child.key, child.value, pointer, budget)
    match child.kind:
        case "object" | "array":
            return _folded(child.key, child.kind, child.size, pointer)
        case _:
            return _leaf(child.key, child.kind, child.size, cell_of_child(child, pointer))


def cell_of_child(child: Child, pointer: str) -> Cell:
    """Return the cell of a child that was read from stored text."""
    if child.value is not None:
        return cell_of(child.value, pointer)
    match child.kind:
        case "string":
            return string_cell(child.preview, child.size, pointer)
        case "null":
            return literal_cell("null", child.kind, pointer)
        case _:
            return preview_cell(child.preview, child.kind, pointer)


def _members(value: Json) -> Iterable[tuple[str | int, Json]]:
    match value:
        case dict():
            return value.items()
        case list():
            return enumerate(value)
        case _:
            return ()


def _inlined(key: str | int, value: _Container) -> Node:
    """Return a node with all that is below it; `Budget` has bounded its depth."""
    children = tuple(
        _inlined(name, item)
        if isinstance(item, dict | list) and item
        else _leaf(name, kind_of(item), size_of(item), cell_of(item, ""))
        for name, item in _members(value)
    )
    return Node(name=text_spans(str(key)), kind=kind_of(value), size=len(value), children=children)


def _folded(key: str | int, kind: Kind, size: int, pointer: str) -> Node:
    return Node(name=text_spans(str(key)[:1000]), kind=kind, size=size, pointer=reachable(pointer))


def _leaf(key: str | int | None, kind: Kind, size: int, cell: Cell) -> Node:
    name = () if key is None else text_spans(str(key)[:1000])
    return Node(name=name, kind=kind, size=size, spans=cell.spans, pointer=cell.pointer)


def _unit(value: _Container) -> str:
    return "member" if isinstance(value, dict) else "item"


def _weight(value: Json) -> int:
    """Return the characters of a scalar; more than any budget for a string that would be cut."""
    match value:
        case str():
            return len(value) if len(value) <= CELL_CHARACTERS else INLINE_CHARACTERS + 1
        case dict() | list():
            return 2
        case int() if abs(value) > 10**CELL_CHARACTERS:
            return INLINE_CHARACTERS + 1
        case _:
            return len(encode(value))
