"""SQLite: FTS5 over trigrams without positions, then a look at the text itself.

Half the size of an index with positions; the look weeds out texts that hold all trigrams of a term
but not the term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Final

from django.db import OperationalError, connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from convviewer.store.search.base import TABLE, TRIGRAM, Span, TimeUp

_INDEX: Final = f"{TABLE}_index"
# More trigrams of one query cost more than they rule out.
_MOST_TRIGRAMS: Final = 24
# How many steps of SQLite's machine lie between two looks at the clock.
_STEPS: Final = 20_000

_INSTALL: Final = (
    f"CREATE VIRTUAL TABLE {_INDEX} USING fts5(text, content='{TABLE}', "
    "content_rowid='message_id', tokenize='trigram case_sensitive 1', detail=none, columnsize=0)",
    f"CREATE TRIGGER {TABLE}_removed AFTER DELETE ON {TABLE} BEGIN "  # noqa: S608
    f"INSERT INTO {_INDEX} ({_INDEX}, rowid, text) "
    "VALUES ('delete', old.message_id, old.text); END",
)
_REMOVE: Final = (
    f"DROP TRIGGER {TABLE}_removed",
    f"DROP TABLE {_INDEX}",
)


class SqliteEngine:
    """See `Engine`."""

    def install(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for statement in _INSTALL:
            schema_editor.execute(statement)

    def remove(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for statement in _REMOVE:
            schema_editor.execute(statement)

    def add(self, span: Span) -> None:
        # Not by a trigger: FTS5 would write its pages after each row, at twice the cost.
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {_INDEX} (rowid, text) SELECT message_id, text FROM {TABLE} "  # noqa: S608
                "WHERE message_id >= %s AND message_id < %s",
                [span.first, span.end],
            )

    def stored(self, folded: str) -> str:
        return folded

    def find(self, terms: Sequence[str], span: Span, limit: int) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(*_find(terms, span, limit))
            return [row[0] for row in cursor.fetchall()]

    def scan(self, terms: Sequence[str], span: Span, limit: int) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT message_id FROM {TABLE} t WHERE message_id >= %s AND message_id < %s "  # noqa: S608
                f"{_holding(terms)} ORDER BY message_id DESC LIMIT %s",
                [span.first, span.end, *terms, limit],
            )
            return [row[0] for row in cursor.fetchall()]

    def explain(self, terms: Sequence[str], span: Span, limit: int) -> list[str]:
        statement, values = _find(terms, span, limit)
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", values)
            return [row[-1] for row in cursor.fetchall()]

    @contextmanager
    def time_limit(self, seconds: float) -> Iterator[None]:
        connection.ensure_connection()
        end = monotonic() + seconds
        connection.connection.set_progress_handler(lambda: monotonic() > end, _STEPS)
        try:
            yield
        except OperationalError as error:
            if "interrupted" in str(error):
                raise TimeUp from error
            raise
        finally:
            connection.connection.set_progress_handler(None, 0)


def _find(terms: Sequence[str], span: Span, limit: int) -> tuple[str, list[str | int]]:
    # CROSS JOIN keeps the order: the index first.
    statement = (
        f"SELECT i.rowid FROM {_INDEX} i CROSS JOIN {TABLE} t ON t.message_id = i.rowid "  # noqa: S608
        f"WHERE i.{_INDEX} MATCH %s AND i.rowid >= %s AND i.rowid < %s "
        f"{_holding(terms)} ORDER BY i.rowid DESC LIMIT %s"
    )
    return statement, [_match(terms), span.first, span.end, *terms, limit]


def _holding(terms: Sequence[str]) -> str:
    return " ".join("AND instr(t.text, %s) > 0" for _ in terms)


def _match(terms: Sequence[str]) -> str:
    """All trigrams of the terms, or as many spread evenly over them, as an FTS5 expression."""
    found = dict.fromkeys(
        term[at : at + TRIGRAM] for term in terms for at in range(len(term) - TRIGRAM + 1)
    )
    trigrams = list(found)
    step = -(-len(trigrams) // _MOST_TRIGRAMS)
    quoted = (trigram.replace('"', '""') for trigram in trigrams[::step])
    return " AND ".join(f'"{trigram}"' for trigram in quoted)
