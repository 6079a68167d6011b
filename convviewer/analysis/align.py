"""Which entries of one tier stand for which messages of another: rows that tile both.

Identity comes first, then equal content, then similar content; what the record tells apart is
never paired by its words. What finds no partner belongs to the summary or removal note beside it,
or was dropped, or added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from convviewer.analysis.anchors import Anchor, Gap, find_anchors, gaps_between
from convviewer.analysis.identity import Basis
from convviewer.analysis.outcomes import (
    BlockAt,
    BlockPair,
    Change,
    Outcome,
    Placed,
    added_pair,
    kept_pair,
    lost_pair,
    message_outcome,
    pair_blocks,
    place_blocks,
)
from convviewer.analysis.standins import StandIn, find_standins
from convviewer.analysis.tokens import estimate
from convviewer.core.thread import Tier

VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What stands side by side: adjacent positions of each tier, either side may be empty.

    `into` names what stands for removed messages: a summary entry, which is the right side of the
    first such row, or a note inside a neighbouring message, which then is in `blocks` of the first.
    `blocks` lists the blocks of both sides, save those of removed messages that something stands
    for: they all share the row's outcome.
    """

    row: int
    left: range
    right: range
    outcome: Outcome
    basis: Basis
    tokens: Change
    blocks: tuple[BlockPair, ...] = ()
    into: StandIn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Totals of an alignment. Outcomes count messages: of the left tier, and what was added.

    `weights` are the estimated tokens before, by outcome (after, for what was added).
    `saved_ratio` is None where the left tier is empty.
    """

    messages: Change
    tokens: Change
    saved_ratio: float | None
    outcomes: Mapping[Outcome, int]
    weights: Mapping[Outcome, int]
    matched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Rows in the order of both tiers; each position of either tier is in exactly one row."""

    rows: tuple[Row, ...]
    summary: Summary


def align(left: Tier, right: Tier) -> Alignment:
    """Align two tiers of one thread in time near linear in their messages."""
    anchors = find_anchors(left, right)
    gaps = gaps_between(anchors, left, right)
    rows = _Rows(left, right, find_standins(left, right, anchors, gaps))
    for gap, anchor in zip(gaps, [*anchors, None], strict=True):
        rows.add_gap(gap)
        if anchor:
            rows.add_anchor(anchor)
    return Alignment(rows=tuple(rows.made), summary=_summary(rows.made))


class _Rows:
    """Rows made so far, in order. `_shown` are the stand-ins that a row shows already."""

    def __init__(self, left: Tier, right: Tier, standins: Mapping[int, StandIn]) -> None:
        self.made: list[Row] = []
        self._left = left.messages
        self._right = right.messages
        self._standins = standins
        self._notes = {
            BlockAt(position=standin.position, block=standin.block)
            for standin in standins.values()
            if standin.block is not None
        }
        self._shown: set[StandIn] = set()
        self._at_right = 0

    def add_anchor(self, anchor: Anchor) -> None:
        entry = self._right[anchor.right]
        messages = [self._left[position] for position in anchor.left]
        pairs = self._pairs(anchor)
        self.made.append(
            Row(
                row=len(self.made),
                left=anchor.left,
                right=self._next(1),
                outcome=message_outcome(messages, entry, pairs),
                basis=anchor.basis,
                tokens=_change(pairs),
                blocks=pairs,
            )
        )

    def add_gap(self, gap: Gap) -> None:
        for run in self._runs(gap.left):
            standin = self._standins.get(run.start)
            if standin:
                self._add_replaced(run, standin, gap)
            else:
                self._add_dropped(run.start)
        self._add_new(gap.right.stop)

    def _runs(self, positions: range) -> Iterator[range]:
        """Split positions into runs that one thing stands for, and single ones."""
        start = positions.start
        for position in positions:
            standin = self._standins.get(position)
            if standin is None or standin != self._standins.get(position + 1):
                yield range(start, position + 1)
                start = position + 1
            elif position + 1 == positions.stop:
                yield range(start, position + 1)

    def _pairs(self, anchor: Anchor) -> tuple[BlockPair, ...]:
        entry = self._right[anchor.right]
        there = self._placed_right(anchor.right)
        if self._left[anchor.left.start] is entry and len(anchor.left) == 1:
            here = place_blocks(anchor.left.start, entry)
            return tuple(
                kept_pair(a, b, block) for (a, block), (b, _) in zip(here, there, strict=True)
            )
        placed = [p for i in anchor.left for p in place_blocks(i, self._left[i])]
        pairs = pair_blocks(placed, there)
        return pairs if len(anchor.left) == 1 else _with_removed(pairs)

    def _placed_right(self, position: int) -> list[Placed]:
        """Return the blocks of an entry without notes that belong to removed messages."""
        placed = place_blocks(position, self._right[position])
        return [item for item in placed if item[0] not in self._notes]

    def _add_replaced(self, run: range, standin: StandIn, gap: Gap) -> None:
        whole = standin.block is None
        shows = standin not in self._shown and (not whole or standin.position in gap.right)
        if shows:
            self._shown.add(standin)
        if shows and whole:
            self._add_new(standin.position)
        blocks = self._note(standin) if shows else ()
        after = estimate(self._right[standin.position]) if shows and whole else 0
        self.made.append(
            Row(
                row=len(self.made),
                left=run,
                right=self._next(int(shows and whole)),
                outcome=standin.outcome,
                basis=standin.basis,
                tokens=Change(
                    before=sum(estimate(self._left[i]) for i in run),
                    after=after + sum(pair.tokens.after for pair in blocks),
                ),
                blocks=blocks,
                into=standin,
            )
        )

    def _note(self, standin: StandIn) -> tuple[BlockPair, ...]:
        """Return the block that stands for removed messages, if it is a block of another entry."""
        if standin.block is None:
            return ()
        place = BlockAt(position=standin.position, block=standin.block)
        return (added_pair((place, self._right[standin.position].blocks[standin.block])),)

    def _add_dropped(self, position: int) -> None:
        pairs = tuple(map(lost_pair, place_blocks(position, self._left[position])))
        self._add_alone(range(position, position + 1), self._next(0), "dropped", pairs)

    def _add_new(self, stop: int) -> None:
        """Add a row for each message on the right before `stop` that no row holds yet."""
        start = self.made[-1].left.stop if self.made else 0
        while self._at_right < stop:
            pairs = tuple(map(added_pair, self._placed_right(self._at_right)))
            self._add_alone(range(start, start), self._next(1), "added", pairs)

    def _add_alone(
        self, left: range, right: range, outcome: Outcome, pairs: tuple[BlockPair, ...]
    ) -> None:
        self.made.append(
            Row(
                row=len(self.made),
                left=left,
                right=right,
                outcome=outcome,
                basis="none",
                tokens=_change(pairs),
                blocks=pairs,
            )
        )

    def _next(self, count: int) -> range:
        start = self._at_right
        self._at_right += count
        return range(start, self._at_right)


def _with_removed(pairs: tuple[BlockPair, ...]) -> tuple[BlockPair, ...]:
    """Say of blocks lost between merged messages what the note left there says of them."""
    for note in pairs:
        if note.left is None and note.outcome == "summarized":
            return tuple(
                replace(pair, outcome=note.outcome) if pair.outcome == "dropped" else pair
                for pair in pairs
            )
    return pairs


def _change(pairs: Sequence[BlockPair]) -> Change:
    return Change(
        before=sum(pair.tokens.before for pair in pairs),
        after=sum(pair.tokens.after for pair in pairs),
    )


def _summary(rows: Sequence[Row]) -> Summary:
    outcomes: Counter[Outcome] = Counter()
    weights: Counter[Outcome] = Counter()
    for row in rows:
        outcomes[row.outcome] += len(row.left) or len(row.right)
        weights[row.outcome] += row.tokens.before if row.left else row.tokens.after
    before = sum(row.tokens.before for row in rows)
    after = sum(row.tokens.after for row in rows)
    return Summary(
        messages=Change(
            before=sum(len(row.left) for row in rows), after=sum(len(row.right) for row in rows)
        ),
        tokens=Change(before=before, after=after),
        saved_ratio=1 - after / before if before else None,
        outcomes=dict(outcomes),
        weights=dict(weights),
        matched=any((row.right and row.left) or row.into for row in rows),
    )
