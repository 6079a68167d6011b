"""PostgreSQL: a GIN index over trigrams (pg_trgm), on text in which punctuation is letters.

pg_trgm ignores what is no letter or digit, so punctuation and blanks are kept as letters that no
folded text holds: small letters with accents. LIKE then needs no escapes either.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from django.core.management.base import CommandError
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from convviewer.store.search.base import TABLE, TRIGRAM, Span, TimeUp

_INDEX: Final = f"{TABLE}_trigrams"
_MARKS: Final = string.punctuation + " "
_LETTERS: Final = "àáâãäåçèéêëìíîïñòóôõöùúûüýÿāăąćĉċ"
_STORED: Final = str.maketrans(_MARKS, _LETTERS)
# A common term is found among the newest ids sooner than by collecting all that hold it.
_NEWEST: Final = 10_000


class PostgresqlEngine:
    """See `Engine`."""

    def install(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        try:
            schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except DatabaseError as error:
            raise CommandError(
                "Search needs PostgreSQL's extension pg_trgm, and this user could not create it. "
                "Install PostgreSQL's contrib package if it is missing, have an administrator run "
                f"CREATE EXTENSION pg_trgm in this database, then migrate again. ({error})"
            ) from error
        schema_editor.execute(f"CREATE INDEX {_INDEX} ON {TABLE} USING gin (text gin_trgm_ops)")

    def remove(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(f"DROP INDEX {_INDEX}")

    def add(self, span: Span) -> None:
        """Nothing to do: the index follows its table."""

    def stored(self, folded: str) -> str:
        return folded.translate(_STORED)

    def find(self, terms: Sequence[str], span: Span, limit: int) -> list[int]:
        newest = Span(first=max(span.first, span.end - _NEWEST), end=span.end)
        found = self.scan(terms, newest, limit)
        if len(found) == limit or newest.first == span.first:
            return found
        return _ids(*_find(terms, span, limit))

    def scan(self, terms: Sequence[str], span: Span, limit: int) -> list[int]:
        statement = (
            f"SELECT message_id FROM {TABLE} WHERE message_id >= %s AND message_id < %s"  # noqa: S608
            f"{_and_each(terms)} ORDER BY message_id DESC LIMIT %s"
        )
        return _ids(statement, [span.first, span.end, *_patterns(terms), limit])

    def explain(self, terms: Sequence[str], span: Span, limit: int) -> list[str]:
        statement, values = _find(terms, span, limit)
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {statement}", values)
            return [row[0] for row in cursor.fetchall()]

    @contextmanager
    def time_limit(self, seconds: float) -> Iterator[None]:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = {max(1, int(seconds * 1000))}")
                # The planner takes LIKE for less selective than it is.
                cursor.execute("SET LOCAL enable_seqscan = off")
                yield
                cursor.execute("SET LOCAL enable_seqscan TO DEFAULT")
                cursor.execute("SET LOCAL statement_timeout TO DEFAULT")
        except OperationalError as error:
            if "statement timeout" in str(error):
                raise TimeUp from error
            raise


def _find(terms: Sequence[str], span: Span, limit: int) -> tuple[str, list[str | int]]:
    """The index first, whatever the planner thinks of walking the ids backwards."""
    long = [term for term in terms if len(term) >= TRIGRAM]
    short = [term for term in terms if len(term) < TRIGRAM]
    statement = (
        f"WITH found AS MATERIALIZED (SELECT message_id, text FROM {TABLE} "  # noqa: S608
        f"WHERE {_each(long)}) SELECT message_id FROM found "
        f"WHERE message_id >= %s AND message_id < %s{_and_each(short)} "
        "ORDER BY message_id DESC LIMIT %s"
    )
    return statement, [*_patterns(long), span.first, span.end, *_patterns(short), limit]


def _each(terms: Sequence[str]) -> str:
    return " AND ".join("text LIKE %s" for _ in terms)


def _and_each(terms: Sequence[str]) -> str:
    return "".join(" AND text LIKE %s" for _ in terms)


def _patterns(terms: Sequence[str]) -> list[str]:
    return [f"%{term.translate(_STORED)}%" for term in terms]


def _ids(statement: str, values: Sequence[str | int]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [row[0] for row in cursor.fetchall()]
