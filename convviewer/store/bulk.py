"""Many rows at once: one executemany on SQLite, one COPY on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

from convviewer.store.models import IdBlock

# SQLite takes 32,766 parameters a statement.
IDS_PER_STATEMENT = 10_000


def reserve_ids(model: type[Model], count: int) -> int:
    """The first of `count` ids that nobody else will get; inside a transaction."""
    table = model._meta.db_table
    IdBlock.objects.get_or_create(table=table)
    block = IdBlock.objects.select_for_update().get(table=table)
    IdBlock.objects.filter(table=table).update(next_id=block.next_id + count)
    return block.next_id


def insert_rows(
    model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert the rows; `columns` are the table's own names, in the order of the rows."""
    if not rows:
        return
    names = ", ".join(f'"{column}"' for column in columns)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
                for row in rows:
                    copy.write_row(row)
            return
        cursor.executemany(_insert(table, names, len(columns)), rows)


def insert_new(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert those rows whose key is not there yet."""
    if not rows:
        return
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        statement = _insert(model._meta.db_table, names, len(columns))
        cursor.executemany(f"{statement} ON CONFLICT DO NOTHING", rows)


def delete_rows(model: type[Model], column: str, ids: Iterable[int]) -> None:
    """Delete by id of a parent, without loading what goes; children first is the caller's order."""
    wanted = list(ids)
    with connection.cursor() as cursor:
        for start in range(0, len(wanted), IDS_PER_STATEMENT):
            part = wanted[start : start + IDS_PER_STATEMENT]
            marks = ", ".join(["%s"] * len(part))
            table = model._meta.db_table
            cursor.execute(f'DELETE FROM "{table}" WHERE "{column}" IN ({marks})', part)  # noqa: S608


def _insert(table: str, names: str, width: int) -> str:
    marks = ", ".join(["%s"] * width)
    return f'INSERT INTO "{table}" ({names}) VALUES ({marks})'  # noqa: S608 - names are the models'
