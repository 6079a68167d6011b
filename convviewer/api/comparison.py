"""Two tiers of a thread side by side: rows, lost facts, contexts, findings."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Field, Path, Query, Router, Schema

from convviewer.analysis.outcomes import Outcome
from convviewer.api.answers import json_answer
from convviewer.api.params import After, Limit, Text
from convviewer.queries.compare_pair import As
from convviewer.queries.compare_rows import ComparisonPage, RowsWanted, comparison_page
from convviewer.queries.context_over_time import CallPage, call_page
from convviewer.queries.integrity import IntegrityPage, integrity_of
from convviewer.queries.retention import RetentionItem, retention_of

router = Router(tags=["compare"])

COMPARE = "/threads/{thread}/compare/{left}/{right}"


class PairPath(Schema):
    """Two tiers by name; `compressed` means what the model would see."""

    thread: Text
    left: Text
    right: Text


class RowQuery(Schema):
    """Which rows, and whether the tier is shown as stored or as the model gets it."""

    shown_as: Annotated[As, Field(alias="as")] = "stored"
    outcome: list[Outcome] = []
    after: After = ""
    limit: Limit = 50

    def wanted(self) -> RowsWanted:
        """The rows to give."""
        return RowsWanted(
            shown_as=self.shown_as, outcomes=tuple(self.outcome), after=self.after, limit=self.limit
        )


@router.get(COMPARE, response=ComparisonPage)
def compare(request: HttpRequest, pair: Path[PairPath], query: Query[RowQuery]) -> HttpResponse:
    """Give aligned rows in order; together they tile both tiers."""
    return json_answer(comparison_page(pair.thread, pair.left, pair.right, query.wanted()))


@router.get(f"{COMPARE}/retention", response=RetentionItem)
def retention(request: HttpRequest, pair: Path[PairPath]) -> HttpResponse:
    """List identifiers and figures that the right tier lost, and those it introduced."""
    return json_answer(retention_of(pair.thread, pair.left, pair.right))


@router.get("/threads/{thread}/context", response=CallPage)
def context(
    request: HttpRequest, thread: Text, after: After = "", limit: Limit = 100
) -> HttpResponse:
    """List model calls with the size of their context, and what it was made of."""
    return json_answer(call_page(thread, after=after, limit=limit))


@router.get("/threads/{thread}/integrity", response=IntegrityPage)
def integrity(request: HttpRequest, thread: Text) -> HttpResponse:
    """List what does not add up in a thread, or was broken by its compression."""
    return json_answer(integrity_of(thread))
