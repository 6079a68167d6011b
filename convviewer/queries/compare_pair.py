"""Two tiers of a thread that are compared, their alignment, and the addresses of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import urlencode

from convviewer.analysis.outcomes import Outcome
from convviewer.queries.addresses import thread_url
from convviewer.queries.missing import Alternative, Missing
from convviewer.queries.tier_lookup import thread_row
from convviewer.queries.tiers import TierView, compressed_tier, load_tiers, named_tier
from convviewer.store import models
from convviewer.store.comparisons import ComparisonFacts, load_facts, stored_comparison

As = Literal["stored", "sent"]
Param: TypeAlias = str | int | tuple[str, ...]

ALL_OUTCOMES: Final[tuple[Outcome, ...]] = (
    *("summarized", "kept", "rewritten", "truncated", "offloaded"),
    *("tombstone", "filler", "dropped", "added", "redacted"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two tiers of one thread, in any order, aligned; `thread` is the public id."""

    row: models.Thread
    thread: str
    tiers: tuple[TierView, ...]
    left: TierView
    right: TierView
    comparison: int
    rows: int
    facts: ComparisonFacts

    def url(self, **params: Param) -> str:
        """The page of this comparison."""
        return compare_url(self.tiers, self.thread, self.left, self.right, **params)

    def swapped_url(self, **params: Param) -> str:
        """The page that compares the other way round."""
        return compare_url(self.tiers, self.thread, self.right, self.left, **params)


def open_pair(thread: str, left: str, right: str) -> Pair:
    """Align two tiers of a thread, or find them aligned; three queries.

    "" means the fullest tier on the left, on the right what the model would see. Raises Missing,
    which names the tiers there are.
    """
    row = thread_row(thread)
    return pair_of(row, load_tiers(row), left, right)


def pair_of(row: models.Thread, tiers: tuple[TierView, ...], left: str, right: str) -> Pair:
    """As `open_pair`, for a thread and tiers that are loaded; one query."""
    here = find_named(tiers, left, row.public_id)
    there = find_named(tiers, right, row.public_id) if right else default_right(tiers, here)
    comparison = stored_comparison(here.pk, there.pk)
    return Pair(
        row=row,
        thread=row.public_id,
        tiers=tiers,
        left=here,
        right=there,
        comparison=comparison.pk,
        rows=comparison.rows,
        facts=load_facts(comparison),
    )


def find_named(tiers: Sequence[TierView], name: str, thread: str) -> TierView:
    """The tier of that name, the fullest for "". Raises Missing, naming what there is."""
    found = named_tier(tiers, name)
    if found is None:
        names = ", ".join(tier.name for tier in tiers) or "none"
        what = f'This thread has no tier "{name}"; its tiers: {names}' if name else _NOTHING
        others = tuple(
            Alternative(label=tier.label, thread=thread, tier=tier.param) for tier in tiers
        )
        raise Missing(what, others)
    return found


def default_right(tiers: Sequence[TierView], left: TierView) -> TierView:
    """What stands beside the left tier where none is named: what the model would see."""
    found = compressed_tier(tiers)
    if found is not None and found.pk != left.pk:
        return found
    others = [tier for tier in tiers if tier.pk != left.pk]
    return others[-1] if others else left


def compare_url(
    tiers: Sequence[TierView], thread: str, left: TierView, right: TierView, **params: Param
) -> str:
    """The comparison page of two tiers; what it shows by default is left out, so is what is empty.

    A tuple gives its parameter several times.
    """
    default = default_right(tiers, left)
    named = {"left": left.param, "right": "" if right.pk == default.pk else right.name, **params}
    given = {name: value for name, value in named.items() if value not in {"", ()}}
    query = urlencode(given, doseq=True)
    address = f"{thread_url(thread)}compare/"
    return f"{address}?{query}" if query else address


_NOTHING: Final = "This thread has no messages"
