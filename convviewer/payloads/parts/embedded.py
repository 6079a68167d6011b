"""Values inside a text: JSON text, and comma separated values."""

from __future__ import annotations

from typing import Final

from convviewer.core.errors import JsonError
from convviewer.core.json import Json, decode
from convviewer.payloads.base import TABLE, TREE, View, Window
from convviewer.payloads.parts.stacks import records_shape
from convviewer.payloads.parts.tables import find_records, parse_csv
from convviewer.payloads.parts.trees import tree_of
from convviewer.payloads.shapes import Shape

MAX_PARSED: Final = 1_000_000


def parsed_json(text: str) -> Json:
    """Return the object or array that a text is the JSON of; None when it is neither."""
    start, end = text[:100].lstrip()[:1], text[-100:].rstrip()[-1:]
    if (start, end) not in {("{", "}"), ("[", "]")} or len(text) > MAX_PARSED:
        return None
    try:
        return decode(text)
    except JsonError:
        return None


def embedded_views(text: str) -> tuple[View, ...]:
    """Return what else a text can be seen as: tree and table of JSON text, table of CSV."""
    value = parsed_json(text)
    if value is not None:
        return (TREE, TABLE) if find_records(value) else (TREE,)
    return (TABLE,) if parse_csv(text) else ()


def embedded_shape(text: str, view: str, window: Window) -> Shape | None:
    """Return the tree or table that is in a text, None when it is not there."""
    value = parsed_json(text)
    if view == "tree" and value is not None:
        return tree_of(value, window)
    records = parse_csv(text) if value is None else find_records(value)
    return records_shape(records, window) if records and view == "table" else None
