"""Records to tables: which values are records, their columns, one window of rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from convviewer.core.json import Json, format_pointer
from convviewer.core.text import cut
from convviewer.payloads.base import Window
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.parts.values import ABSENT, CELL_CHARACTERS, cell_of
from convviewer.payloads.shapes import Cell, Column, Extent, Pair, Pairs, Row, Table

MAX_COLUMNS: Final = 40
_SAMPLE: Final = 50
_SHARED: Final = 0.5
_ROW_KEYS: Final = ("rows", "items", "data", "results", "records")
_CSV_SAMPLE_LINES: Final = 20
_CSV_MAX: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Records found in a value.

    path: from the value to the list of rows. names: given column names, when rows are lists.
    others: the members that stand beside the list in its wrapper.
    textual: every value is text by nature, so that none needs quotes.
    """

    rows: list[Json]
    path: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None
    others: tuple[tuple[str, Json], ...] = ()
    textual: bool = False


def find_records(value: Json) -> Records | None:
    """Return the records that a value is, or wraps; None when a table would not suit it."""
    match value:
        case list() if are_records(value):
            return Records(rows=value)
        case dict():
            return _with_columns(value) or _wrapped(value)
        case _:
            return None


def are_records(rows: list[Json]) -> bool:
    """Whether items are objects that share keys."""
    sample = [row for row in rows[:_SAMPLE] if isinstance(row, dict)]
    if not sample or len(sample) < min(len(rows), _SAMPLE):
        return False
    every = set().union(*sample)
    if not every or not isinstance(rows[-1], dict):
        return False
    filled = sum(len(row) for row in sample)
    return filled >= _SHARED * len(every) * len(sample)


def table_of(records: Records, window: Window) -> Table:
    """Return a window of the rows."""
    rows = records.rows[window.after : window.after + window.limit]
    names = records.names or column_names(row for row in rows if isinstance(row, dict))
    shown = names[:MAX_COLUMNS]
    rows = rows[: max(1, window.cells // max(1, len(shown)))]
    place = window.pointer + format_pointer(records.path)
    cells = [
        _text_cells(row, len(shown))
        if records.textual
        else _cells(row, shown, f"{place}/{window.after + i}", named=records.names is not None)
        for i, row in enumerate(rows)
    ]
    return build_table(
        names=shown,
        rows=cells,
        total_columns=len(names),
        extent=rows_extent(window, len(cells), len(records.rows)),
    )


def build_table(
    *, names: Sequence[str], rows: Sequence[tuple[Cell, ...]], total_columns: int, extent: Extent
) -> Table:
    """Return the table of finished cells."""
    columns = tuple(
        Column(name=text_spans(name[:200]), numeric=_numeric([row[i] for row in rows]))
        for i, name in enumerate(names)
    )
    return Table(
        columns=columns,
        rows=tuple(Row(number=extent.start + i, cells=cells) for i, cells in enumerate(rows)),
        total_columns=total_columns,
        extent=extent,
    )


def rows_extent(window: Window, shown: int, total: int, unit: str = "row") -> Extent:
    """Return the extent of a window of rows, members or lines."""
    end = window.after + shown
    return Extent(
        start=window.after,
        shown=shown,
        total=total,
        unit=unit,
        next=end if shown and end < total else None,
        pointer=window.pointer,
    )


def column_names(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the keys of all rows, in the order they first appear."""
    return tuple(dict.fromkeys(key for row in rows for key in row))


def pairs_of(members: dict[str, Json], window: Window) -> Pairs:
    """Return a window of an object's members."""
    shown = islice(members.items(), window.after, window.after + window.limit)
    rows = tuple(
        pair(key, cell_of(value, window.pointer + format_pointer((key,)))) for key, value in shown
    )
    return Pairs(rows=rows, extent=rows_extent(window, len(rows), len(members), "member"))


def pair(key: str, cell: Cell) -> Pair:
    """Return a named cell."""
    return Pair(name=text_spans(key[:200]), cell=cell)


def parse_csv(text: str) -> Records | None:
    """Return the rows of comma or tab separated text with a header line; None when it is not."""
    if len(text) > _CSV_MAX:
        return None
    for separator in "\t", ",", ";":
        sample = _read(text[:20_000].splitlines()[:_CSV_SAMPLE_LINES], separator)
        if _is_tabular(sample):
            header, *rows = _read(text.splitlines(), separator)
            return Records(
                rows=[list(row) for row in rows if row], names=tuple(header), textual=True
            )
    return None


def _read(lines: list[str], separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=separator))
    except csv.Error:
        return []


def _is_tabular(rows: list[list[str]]) -> bool:
    if len(rows) < 2:  # noqa: PLR2004 - a header and one row
        return False
    header, *body = rows
    named = len(header) > 1 and all(name.strip() and len(name) <= 60 for name in header)  # noqa: PLR2004
    return named and len(set(header)) == len(header) and all(len(r) == len(header) for r in body)


def _with_columns(value: dict[str, Json]) -> Records | None:
    columns, rows = value.get("columns"), value.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list) or not _are_rows(columns, rows):
        return None
    names = tuple(map(_name, columns))
    if len(set(names)) < len(names):
        return None
    return Records(
        rows=rows, path=("rows",), names=names, others=_others(value, {"columns", "rows"})
    )


def _wrapped(value: dict[str, Json]) -> Records | None:
    lists = [(key, item) for key, item in value.items() if isinstance(item, list) and item]
    found = [
        (key, item) for key, item in lists if are_records(item) and (key in _ROW_KEYS or item[1:])
    ]
    found.sort(key=lambda entry: (entry[0] not in _ROW_KEYS, -len(entry[1])))
    if not found or (len(lists) > 1 and found[0][0] not in _ROW_KEYS):
        return None
    key, rows = found[0]
    return Records(rows=rows, path=(key,), others=_others(value, {key}))


def _others(value: dict[str, Json], taken: set[str]) -> tuple[tuple[str, Json], ...]:
    return tuple((key, item) for key, item in value.items() if key not in taken)


def _are_rows(columns: list[Json], rows: list[Json]) -> bool:
    wide = len(columns)
    sample = rows[:_SAMPLE]
    return bool(columns) and all(isinstance(row, list) and len(row) == wide for row in sample)


def _name(column: Json) -> str:
    match column:
        case str():
            return column
        case {"name": str(name)}:
            return name
        case _:
            return "".join(span.text for span in cell_of(column, "").spans)


def _text_cells(row: Json, width: int) -> tuple[Cell, ...]:
    texts = row[:width] if isinstance(row, list) else []
    cells = [
        Cell(kind="string", spans=text_spans(cut(str(item), CELL_CHARACTERS))) for item in texts
    ]
    return (*cells, *[ABSENT] * (width - len(cells)))


def _cells(row: Json, names: Sequence[str], place: str, *, named: bool) -> tuple[Cell, ...]:
    if named and isinstance(row, list):
        padded: list[Json] = row[: len(names)]
        cells = [cell_of(item, f"{place}/{i}") for i, item in enumerate(padded)]
        return (*cells, *[ABSENT] * (len(names) - len(cells)))
    if isinstance(row, dict) and not named:
        return tuple(
            cell_of(row[name], place + format_pointer((name,))) if name in row else ABSENT
            for name in names
        )
    return (cell_of(row, place), *[ABSENT] * (len(names) - 1))


def _numeric(cells: Sequence[Cell]) -> bool:
    values = [cell for cell in cells if cell.kind not in {"absent", "null"}]
    return bool(values) and all(cell.numeric for cell in values)
