"""What stands for messages that were removed: a summary entry, or a note in a neighbour."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from convviewer.analysis.anchors import Anchor, Gap
from convviewer.analysis.content import block_key
from convviewer.analysis.identity import Basis, declared_spans
from convviewer.analysis.markers import removed_messages
from convviewer.analysis.outcomes import Outcome, outcome_of_marker
from convviewer.core.thread import Marker, Message, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """An entry on the right, or one of its blocks, that stands for removed messages."""

    position: int
    block: int | None
    outcome: Outcome
    basis: Basis


def find_standins(
    left: Tier, right: Tier, anchors: Sequence[Anchor], gaps: Sequence[Gap]
) -> dict[int, StandIn]:
    """Return, by left position, what stands for each unmatched message that something stands for.

    A summary stands for what is missing beside it, and for what is missing before pinned messages
    that it follows. A note stands for the gap it closes, and for later ones up to its own count.
    """
    search = _Search(left, right, anchors, gaps)
    declared = declared_spans(left, right)
    search.declare(declared)
    for note in _notes(left, right, anchors, gaps):
        if note.position in declared:
            continue
        if note.block is None and right.messages[note.position].is_summary:
            search.place_summary(note)
        else:
            search.place_note(note)
    return search.found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    """A stand-in before it is known for what: the gap it stands in, or the anchor it stands at.

    `count` is how many messages it says it stands for.
    """

    position: int
    block: int | None
    outcome: Outcome
    gap: int
    at_anchor: bool
    count: int = 0


def _notes(
    left: Tier, right: Tier, anchors: Sequence[Anchor], gaps: Sequence[Gap]
) -> Iterator[_Note]:
    for number, gap in enumerate(gaps):
        for position in gap.right:
            yield from _notes_of_entry(right.messages[position], position, number)
        if number == len(anchors):
            break
        anchor = anchors[number]
        entry = right.messages[anchor.right]
        here = [left.messages[i] for i in anchor.left]
        # A span that was merged over removed messages holds them itself.
        if len(here) == 1 and here[0] is not entry:
            yield from _new_notes(here[0], entry, anchor.right, number)


def _notes_of_entry(entry: Message, position: int, gap: int) -> Iterator[_Note]:
    if entry.is_summary:
        yield _Note(position=position, block=None, outcome="summarized", gap=gap, at_anchor=False)
        return
    alone = len(entry.blocks) == 1
    for number, block in enumerate(entry.blocks):
        if (count := removed_messages(block)) is not None and isinstance(block, Marker):
            yield _Note(
                position=position,
                block=None if alone else number,
                outcome=outcome_of_marker(block),
                gap=gap,
                at_anchor=False,
                count=count,
            )


def _new_notes(here: Message, entry: Message, position: int, gap: int) -> Iterator[_Note]:
    old = {block_key(block) for block in here.blocks if isinstance(block, Marker)}
    for number, block in enumerate(entry.blocks):
        count = removed_messages(block)
        if count is not None and isinstance(block, Marker) and block_key(block) not in old:
            yield _Note(
                position=position,
                block=number,
                outcome=outcome_of_marker(block),
                gap=gap,
                at_anchor=True,
                count=count,
            )


class _Search:
    """Hands out unmatched left positions to stand-ins, each once.

    `_open` are the numbers of gaps that still hold some, in order.
    """

    def __init__(
        self, left: Tier, right: Tier, anchors: Sequence[Anchor], gaps: Sequence[Gap]
    ) -> None:
        self.found: dict[int, StandIn] = {}
        self._left = left
        self._right = right
        self._anchors = anchors
        self._gaps = gaps
        self._open = [number for number, gap in enumerate(gaps) if gap.left]

    def declare(self, spans: Mapping[int, Sequence[int]]) -> None:
        unmatched = {i for number in self._open for i in self._gaps[number].left}
        for entry, span in spans.items():
            standin = StandIn(position=entry, block=None, outcome="summarized", basis="declared")
            self.found.update(dict.fromkeys(unmatched.intersection(span), standin))

    def place_summary(self, note: _Note) -> None:
        numbers = [note.gap] if self._is_open(note.gap) else []
        for number in range(note.gap - 1, -1, -1):
            if not _is_pinned(self._right.messages[self._anchors[number].right]):
                break
            if self._is_open(number):
                numbers.insert(0, number)
        self._take(note, numbers)

    def place_note(self, note: _Note) -> None:
        # The note was put at the end of the message before the gap, else into the one after it.
        first = note.gap + 1 if note.at_anchor and self._is_open(note.gap + 1) else note.gap
        if not self._is_open(first):
            return
        numbers: list[int] = []
        taken = 0
        for number in self._open[bisect_left(self._open, first) :]:
            if numbers and taken >= note.count:
                break
            numbers.append(number)
            taken += len(self._gaps[number].left)
        self._take(note, numbers)

    def _is_open(self, number: int) -> bool:
        at = bisect_left(self._open, number)
        return at < len(self._open) and self._open[at] == number

    def _take(self, note: _Note, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        taken = [i for n in numbers for i in self._gaps[n].left if i not in self.found]
        standin = StandIn(
            position=note.position,
            block=note.block,
            outcome=note.outcome,
            basis=self._basis(note, taken, numbers),
        )
        self.found.update(dict.fromkeys(taken, standin))
        for number in numbers:
            del self._open[bisect_left(self._open, number)]

    def _basis(self, note: _Note, taken: Sequence[int], numbers: Sequence[int]) -> Basis:
        if self._rests_on_count(note, taken):
            return "inferred_offset"
        beside = {
            self._anchors[at].basis
            for number in numbers
            for at in (number - 1, number)
            if 0 <= at < len(self._anchors)
        }
        for basis in ("similar", "equal"):
            if basis in beside:
                return basis
        return "identity" if beside else "none"

    def _rests_on_count(self, note: _Note, taken: Sequence[int]) -> bool:
        """Say whether the first messages are missing only because a stored count says so.

        That is where the record numbers its messages and keeps them apart from the tier. A tier
        that lists them under ids of their own tells by those which are missing.
        """
        count = self._right.removed_count
        if count is None or note.position != 0 or note.block is not None:
            return False
        counted = len(taken) <= count and list(taken) == list(range(len(taken)))
        return counted and all(map(_is_numbered, self._right.messages[1:]))


def _is_numbered(message: Message) -> bool:
    return message.key == str(message.number)


def _is_pinned(message: Message) -> bool:
    return isinstance(message.custom, dict) and bool(message.custom.get("pinned"))
