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


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What the default comparison says of a tier, up to some position.

    `boundaries` are by the last position they stand for; `gone` are positions whose messages the
    tier `other` does without.
    """

    other: TierView | None
    boundaries: Mapping[int, Boundary]
    gone: frozenset[int]


def load_compaction(head: ThreadHead, tier: TierView, last: int) -> Compaction:
    """What is known of the positions up to `last`, the nearest first; one query."""
    right = head.compressed
    rows = models.ComparisonRow.objects.filter(
        comparison__left_id=tier.pk,
        comparison__right_id=right.pk if right else tier.pk,
        outcome__in=("summarized", "dropped"),
        left_from__lte=last,
    ).order_by("-row")[:_NEAREST]
    boundaries: dict[int, Boundary] = {}
    gone: set[int] = set()
    for row in rows:
        facts = cast("Mapping[str, Json]", decode(row.facts))
        # A message that was summarized in its own place has nothing that stands for it elsewhere.
        if row.outcome == "summarized" and facts.get("into") is None:
            continue
        start, stop = cast("list[int]", facts["left"])
        gone.update(range(start, stop))
        if row.outcome == "summarized":
            boundaries[stop - 1] = _boundary(row, facts, start, stop)
    return Compaction(other=right, boundaries=boundaries, gone=frozenset(gone))


def _boundary(
    row: models.ComparisonRow, facts: Mapping[str, Json], start: int, stop: int
) -> Boundary:
    tokens = cast("Mapping[str, int]", facts["tokens"])
    return Boundary(
        position=stop - 1,
        messages=stop - start,
        before=tokens["before"],
        after=tokens["after"],
        row=row.row,
        inferred=facts.get("basis") == "inferred_offset",
    )
