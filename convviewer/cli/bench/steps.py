"""The measured steps, by name; each runs alone in a process (`child.run_step`)."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Any

import orjson
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from convviewer.cli.bench.child import children_watched, measured, peak_mb
from convviewer.importing.importer import import_paths
from convviewer.store.bulk import insert_rows

ROUNDS = 15
# Parents before children, as an import writes them.
_TABLES = ("Thread", "Blob", "Message", "Tier", "Entry", "ToolCall", "OutlineItem")


def migrate() -> dict[str, Any]:
    """An empty database."""
    call_command("migrate", verbosity=0)
    return {}


def import_folder(folder: str) -> dict[str, Any]:
    """One import, in a database that is there."""
    idle = peak_mb()
    with children_watched() as peaks:
        took = measured(lambda: import_paths([Path(folder)]))
    return {**took, "idle_mb": idle, "peak_mb": peak_mb() + sum(peaks.values())}


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


def read_pages(key: str) -> dict[str, Any]:
    """Server time, size, elements and queries of the only thread's first window and permalink."""
    call_command("collectstatic", interactive=False, verbosity=0)
    client = Client(SERVER_NAME="127.0.0.1")
    base = f"/threads/{_only_thread()}/"
    return {"first": _read(client, base), "permalink": _read(client, f"{base}messages/{key}/")}


def show_pages(key: str) -> dict[str, Any]:
    """Seconds until Chromium shows the text of both pages, served by the product's server."""
    from convviewer.cli.bench.chromium import seconds_until_visible  # noqa: PLC0415 - needs Chromium

    base = f"/threads/{_only_thread()}/"
    return seconds_until_visible({"first": base, "permalink": f"{base}messages/{key}/"})


def _only_thread() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT public_id FROM convviewer_thread")
        ((public_id,),) = cursor.fetchall()
    return str(public_id)


def _read(client: Client, url: str) -> dict[str, Any]:
    response = client.get(url)
    if response.status_code != HTTPStatus.OK:
        raise CommandError(f"{url} answered {response.status_code}")
    html = response.content.decode()
    with CaptureQueriesContext(connection) as captured:
        client.get(url)
    # Counted now: the next request empties the log that this one's queries stand in.
    queries = len(captured)
    seconds = median(measured(lambda: client.get(url))["cpu"] for _ in range(ROUNDS))
    counter = _Elements()
    counter.feed(html)
    return {
        "seconds": seconds,
        "html": len(html.encode()),
        "nodes": counter.count,
        "queries": queries,
    }


class _Elements(HTMLParser):
    """Counts start tags."""

    count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count += 1
