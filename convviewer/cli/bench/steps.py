"""The measured steps, by name; each runs alone in a process (`child.run_step`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
from django.apps import apps
from django.core.management import call_command
from django.db import connection, transaction

from convviewer.cli.bench.child import measured, peak_mb
from convviewer.importing.importer import import_paths
from convviewer.store.bulk import insert_rows

# Parents before children, as an import writes them.
_TABLES = ("Thread", "Blob", "Message", "Tier", "Entry", "ToolCall", "OutlineItem")


def migrate() -> dict[str, Any]:
    """An empty database."""
    call_command("migrate", verbosity=0)
    return {}


def import_folder(folder: str) -> dict[str, Any]:
    """One import, in a database that is there."""
    idle = peak_mb()
    took = measured(lambda: import_paths([Path(folder)]))
    return {**took, "idle_mb": idle}


def dump(target: str) -> dict[str, Any]:
    """The rows that an import wrote, table by table, into a file."""
    import pickle  # noqa: PLC0415 - between two processes of one benchmark

    rows: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {}
    with connection.cursor() as cursor:
        for name in _TABLES:
            model = apps.get_model("convviewer", name)
            columns = [field.column for field in model._meta.concrete_fields]
            names = ", ".join(f'"{column}"' for column in columns)
            cursor.execute(f'SELECT {names} FROM "{model._meta.db_table}"')  # noqa: S608
            rows[name] = (columns, [tuple(row) for row in cursor.fetchall()])
    Path(target).write_bytes(pickle.dumps(rows))
    return {}


def yardstick(folder: str, rows_file: str) -> dict[str, Any]:
    """Decode the files with orjson, and insert the same rows: one executemany, or COPY, a table."""
    import pickle  # noqa: PLC0415 - between two processes of one benchmark

    files = sorted(Path(folder).iterdir())
    rows = pickle.loads(Path(rows_file).read_bytes())  # noqa: S301 - we wrote it just now
    return measured(lambda: _decode_and_insert(files, rows))


def _decode_and_insert(
    files: Sequence[Path], rows: dict[str, tuple[list[str], list[tuple[Any, ...]]]]
) -> None:
    for file in files:
        orjson.loads(file.read_bytes())
    with transaction.atomic():
        for name in _TABLES:
            columns, values = rows[name]
            insert_rows(apps.get_model("convviewer", name), columns, values)
