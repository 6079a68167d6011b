"""Where a later compression put something in place of messages of the tier that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from convviewer.core.json import Json, decode
from convviewer.queries.thread_head import ThreadHead
from convviewer.queries.tiers import TierView
from convviewer.store import models

_NEAREST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Messages up to `position` that one summary stands for.

    `row` is their row in the default comparison. `inferred`: the range rests on a stored count.
    """

    position: int
    messages: int
    before: int
    after: int
    row: int
    inferred: bool

    @property
    def change(self) -> float | None:
        """The change in tokens, below zero where some were saved."""
        return self.after / self.before - 1 if self.before else None


def load_boundaries(head: ThreadHead, tier: TierView, last: int) -> dict[int, Boundary]:
    """The boundaries that begin at or before the position `last`, by position; one query."""
    right = head.compressed
    rows = models.ComparisonRow.objects.filter(
        comparison__left_id=tier.pk,
        comparison__right_id=right.pk if right else tier.pk,
        outcome="summarized",
        left_from__lte=last,
    ).order_by("-row")[:_NEAREST]
    found = [_boundary(row) for row in rows]
    return {boundary.position: boundary for boundary in found if boundary is not None}


def _boundary(row: models.ComparisonRow) -> Boundary | None:
    """A row as a boundary; None for one message that was summarized in its own place."""
    facts = cast("Mapping[str, Json]", decode(row.facts))
    if facts.get("into") is None:
        return None
    start, stop = cast("list[int]", facts["left"])
    tokens = cast("Mapping[str, int]", facts["tokens"])
    return Boundary(
        position=stop - 1,
        messages=stop - start,
        before=tokens["before"],
        after=tokens["after"],
        row=row.row,
        inferred=facts.get("basis") == "inferred_offset",
    )
