"""Facts that a compression kept, lost or made up, as the API gives them."""

from __future__ import annotations

from dataclasses import dataclass

from convviewer.analysis.facts import FactKind
from convviewer.queries.compare_pair import Pair, open_pair
from convviewer.store.comparisons import PlacedFact


@dataclass(frozen=True, slots=True, kw_only=True)
class FactItem:
    """A fact; `keys` name messages that state it, at most 20 of `mentions`.

    The messages are those of the left tier for what was lost, of the right one for what is new.
    """

    kind: FactKind
    value: str
    keys: tuple[str, ...]
    mentions: int
    row: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionItem:
    """Facts of what a compression changed: how many survive it, and which do not.

    Lists are ranked: errors and identifiers that later messages use again come first. They end
    at 2,000; the counts count all. `clipped`: some text was too long to be read to its end.
    """

    kept: int
    lost: tuple[FactItem, ...]
    introduced: tuple[FactItem, ...]
    lost_count: int
    introduced_count: int
    clipped: bool


def retention_of(thread: str, left: str, right: str) -> RetentionItem:
    """What the right tier keeps of the left one's facts; three queries. Raises `Missing`."""
    pair = open_pair(thread, left, right)
    found = pair.facts.retention
    return RetentionItem(
        kept=found.kept if found else 0,
        lost=tuple(_item(pair, fact) for fact in pair.facts.lost),
        introduced=tuple(_item(pair, fact) for fact in pair.facts.introduced),
        lost_count=found.lost_count if found else 0,
        introduced_count=found.introduced_count if found else 0,
        clipped=found.clipped if found else False,
    )


def _item(pair: Pair, placed: PlacedFact) -> FactItem:
    fact = placed.fact
    return FactItem(
        kind=fact.kind,
        value=fact.value,
        keys=fact.keys,
        mentions=fact.mentions,
        row=placed.row,
        url=pair.url(row=placed.row),
    )
