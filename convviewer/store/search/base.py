"""What the search index of either database must do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

TABLE: Final = "convviewer_searchtext"
# A term must have so many characters for an index over trigrams to help.
TRIGRAM: Final = 3


class TimeUp(Exception):
    """A statement ran into its time limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Message ids from `first` up to, not including, `end`."""

    first: int
    end: int


class Engine(Protocol):
    """Finds messages whose folded text holds every one of some folded terms."""

    def install(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Make the index over the table of search texts, which exists."""

    def remove(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Undo `install`."""

    def add(self, span: Span) -> None:
        """Index the rows of the span, which are new in the table; in their transaction.

        What is deleted from the table leaves the index by itself.
        """

    def stored(self, folded: str) -> str:
        """A folded text, or part of one, as the table keeps it; of the same length."""

    def find(self, terms: Sequence[str], span: Span, limit: int) -> list[int]:
        """The last `limit` of the message ids inside the span that hold all terms, last first.

        At least one term has `TRIGRAM` characters. Uses the index.
        """

    def scan(self, terms: Sequence[str], span: Span, limit: int) -> list[int]:
        """As `find`, for terms of any length; reads every text of the span."""

    def explain(self, terms: Sequence[str], span: Span, limit: int) -> list[str]:
        """The database's plan for `find`, line by line."""

    def time_limit(self, seconds: float) -> AbstractContextManager[None]:
        """Stop a statement inside the block that takes longer: it raises `TimeUp`.

        `find` belongs inside, for its plan.
        """
