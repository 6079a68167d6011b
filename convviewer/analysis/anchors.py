"""Pairs of messages that two tiers share, in order: what everything else is placed between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from convviewer.analysis.content import block_key, message_key
from convviewer.analysis.identity import Basis, identify, may_be_one
from convviewer.analysis.sequences import Match, in_order, match_equal
from convviewer.analysis.similarity import Budget, match_similar
from convviewer.core.thread import Message, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Left messages, several where they were merged, that one message on the right continues."""

    left: range
    right: int
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Positions before, between or after anchors; either side may be empty."""

    left: range
    right: range


def find_anchors(left: Tier, right: Tier) -> list[Anchor]:
    """Return what both tiers share, in the order of both.

    Messages that the record identifies but that changed their order are left out: as few as do.
    """
    basis: dict[Match, Basis] = {(i, j): how for i, j, how in identify(left, right)}
    basis = {match: basis[match] for match in in_order(list(basis))}
    budget = Budget()

    def similar(here: Sequence[Message], there: Sequence[Message]) -> list[Match]:
        return match_similar(here, there, budget)

    ways: tuple[tuple[Basis, _Way], ...] = (("equal", _equal), ("similar", similar))
    for how, way in ways:
        found = list(_matches_in_gaps(way, left, right, basis))
        basis = dict(sorted({**basis, **dict.fromkeys(found, how)}.items()))
    anchors = [Anchor(left=range(i, i + 1), right=j, basis=how) for (i, j), how in basis.items()]
    return list(_with_merged(anchors, left, right))


def gaps_between(anchors: Sequence[Anchor], left: Tier, right: Tier) -> list[Gap]:
    """Return one gap before each anchor and one after the last; together they tile the rest."""
    start = Anchor(left=range(0), right=-1, basis="none")
    size = len(left.messages)
    end = Anchor(left=range(size, size), right=len(right.messages), basis="none")
    return [
        Gap(left=range(a.left.stop, b.left.start), right=range(a.right + 1, b.right))
        for a, b in pairwise([start, *anchors, end])
    ]


_Way = Callable[[Sequence[Message], Sequence[Message]], list[Match]]


def _matches_in_gaps(
    way: _Way, left: Tier, right: Tier, matches: dict[Match, Basis]
) -> Iterator[Match]:
    ends = (len(left.messages), len(right.messages))
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *matches, ends]):
        here, there = left.messages[i + 1 : next_i], right.messages[j + 1 : next_j]
        if not here or not there or (_all_identified(here) and _all_identified(there)):
            continue
        for a, b in way(here, there):
            if may_be_one(left, right, i + 1 + a, j + 1 + b):
                yield i + 1 + a, j + 1 + b


def _all_identified(messages: Sequence[Message]) -> bool:
    return all(message.tracking_id for message in messages)


def _equal(here: Sequence[Message], there: Sequence[Message]) -> list[Match]:
    return match_equal(list(map(_equality_key, here)), list(map(_equality_key, there)))


def _equality_key(message: Message) -> Hashable:
    return message.is_summary, message_key(message)


def _with_merged(anchors: Sequence[Anchor], left: Tier, right: Tier) -> Iterator[Anchor]:
    """Widen anchors over later messages whose blocks the entry on the right took in.

    An entry made of several messages keeps the id of the first only; messages between them that
    were removed fall inside.
    """
    for anchor, gap in zip(anchors, gaps_between(anchors, left, right)[1:], strict=True):
        entry = right.messages[anchor.right]
        own = left.messages[anchor.left.start]
        if not gap.left or len(entry.blocks) <= len(own.blocks):
            yield anchor
            continue
        extra = Counter(map(block_key, entry.blocks))
        extra.subtract(map(block_key, own.blocks))
        stop = anchor.left.stop
        for position in gap.left:
            blocks = Counter(map(block_key, left.messages[position].blocks))
            if left.messages[position].role == entry.role and blocks and blocks <= extra:
                extra -= blocks
                stop = position + 1
        yield Anchor(left=range(anchor.left.start, stop), right=anchor.right, basis=anchor.basis)
