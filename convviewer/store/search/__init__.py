"""Search in folded text: any substring, the same on both databases.

`engine()` is the database's own index; everything else here is the portable rest.
"""

from __future__ import annotations

from django.db import connection

from convviewer.store.search.base import Engine, Span, TimeUp
from convviewer.store.search.postgresql import PostgresqlEngine
from convviewer.store.search.sqlite import SqliteEngine

__all__ = ["Engine", "Span", "TimeUp", "engine"]

_ENGINES: dict[str, Engine] = {"sqlite": SqliteEngine(), "postgresql": PostgresqlEngine()}


def engine() -> Engine:
    """The engine of the default database."""
    return _ENGINES[connection.vendor]
