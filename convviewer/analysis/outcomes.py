"""What became of a message and of each of its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from convviewer.analysis.content import block_key, plain_text
from convviewer.analysis.markers import CUT_NOTE, Cut, removed_messages, stated_cut
from convviewer.analysis.sequences import match_exactly
from convviewer.analysis.tokens import estimate_block
from convviewer.core.thread import (
    Block,
    Deleted,
    Filler,
    Marker,
    Message,
    Reasoning,
    ResultPart,
    Text,
    ToolResult,
    ToolUse,
)

VERSION: Final = 1

Outcome = Literal[
    "kept",
    "rewritten",
    "truncated",
    "summarized",
    "tombstone",
    "filler",
    "offloaded",
    "dropped",
    "added",
    "redacted",
]

_ELLIPSIS: Final = re.compile(r"\s*(?:\.\.\.|…|\[\.\.\.\]|\[…\])\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One figure on the left and on the right."""

    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAt:
    """A block's place in a tier: position of its message, and its number there."""

    position: int
    block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPair:
    """A block and what became of it; one side is None where nothing stands for the other.

    `cut` says where a truncated block was cut, counted in characters of the left block's text.
    """

    left: BlockAt | None
    right: BlockAt | None
    outcome: Outcome
    tokens: Change
    cut: Cut | None = None


Placed = tuple[BlockAt, Block]


def place_blocks(position: int, message: Message) -> list[Placed]:
    return [(BlockAt(position=position, block=n), b) for n, b in enumerate(message.blocks)]


def pair_blocks(left: Sequence[Placed], right: Sequence[Placed]) -> tuple[BlockPair, ...]:
    """Pair the blocks of messages that belong together; each block of a side is in one pair.

    Equal content first, then a call or result with the same id, then what stands in the same place
    between those.
    """
    same = match_exactly([block_key(b) for _, b in left], [block_key(b) for _, b in right])
    pairs: list[BlockPair] = []
    at_left = at_right = 0
    for i, j in [*same, (len(left), len(right))]:
        pairs += _pair_gap(left[at_left:i], right[at_right:j])
        if i < len(left):
            pairs.append(kept_pair(left[i][0], right[j][0], left[i][1]))
        at_left, at_right = i + 1, j + 1
    return tuple(pairs)


def kept_pair(left: BlockAt, right: BlockAt, block: Block) -> BlockPair:
    size = estimate_block(block)
    return BlockPair(left=left, right=right, outcome="kept", tokens=Change(before=size, after=size))


def lost_pair(left: Placed, outcome: Outcome = "dropped") -> BlockPair:
    tokens = Change(before=estimate_block(left[1]), after=0)
    return BlockPair(left=left[0], right=None, outcome=outcome, tokens=tokens)


def added_pair(right: Placed) -> BlockPair:
    """Return the pair of a block that nothing on the left became; a removal note says its own."""
    block = right[1]
    removal = isinstance(block, Marker) and removed_messages(block) is not None
    return BlockPair(
        left=None,
        right=right[0],
        outcome=outcome_of_marker(block) if removal and isinstance(block, Marker) else "added",
        tokens=Change(before=0, after=estimate_block(block)),
    )


def block_outcome(left: Block, right: Block) -> tuple[Outcome, Cut | None]:
    """Say what became of the left block, given that the right one stands in its place."""
    if block_key(left) == block_key(right):
        return "kept", None
    match right:
        case Deleted() | Filler():
            return ("tombstone" if isinstance(right, Deleted) else "filler"), None
        case Marker():
            return outcome_of_marker(right), stated_cut(right.text)
        case ToolResult() if isinstance(left, ToolResult):
            return _result_outcome(left, right)
        case Text() | Reasoning() if type(left) is type(right):
            cut = find_cut(plain_text(left), right.text)
            return ("truncated", cut) if cut else ("rewritten", None)
        case _:
            return "rewritten", None


def outcome_of_marker(marker: Marker) -> Outcome:
    match marker.reduction:
        case "truncated" | "elided" if removed_messages(marker) is None:
            return "truncated"
        case "truncated" | "elided":
            return "dropped"
        case "summarized":
            return "summarized"
        case "offloaded":
            return "offloaded"
        case "dropped":
            # With a reference the model can still fetch it.
            return "offloaded" if marker.refs else "dropped"


def message_outcome(left: Sequence[Message], right: Message, pairs: Sequence[BlockPair]) -> Outcome:
    """Return the outcome of messages that one message on the right stands beside.

    A note about other, removed messages is not part of the message that carries it.
    """
    carried = {number for number, b in enumerate(right.blocks) if removed_messages(b) is not None}
    own = [p for p in pairs if p.left or not p.right or p.right.block not in carried]
    changes = {pair.outcome for pair in own} - {"kept"}
    if not changes:
        return "kept"
    if right.redacted != any(message.redacted for message in left):
        return "redacted"
    if any(isinstance(block, Filler) for block in right.blocks):
        return "filler"
    if all(isinstance(block, Deleted) for block in right.blocks):
        return "tombstone"
    return _outcome_of_changes(changes, own, merged=len(left) > 1)


def find_cut(left: str, right: str) -> Cut | None:
    """Return where the left text was cut to give the right one; None if it was not just cut.

    A cut keeps the start, or the end; both only where a note stands between them.
    """
    note = CUT_NOTE.search(right)
    if note:
        head, tail = right[: note.start()], right[note.end() :]
        hidden = len(left) - len(head) - len(tail)
        if hidden > 0 and left.startswith(head) and left.endswith(tail):
            return Cut(at=len(head), hidden=hidden)
        return None
    kept = _ELLIPSIS.sub("", right)
    if not kept or len(kept) >= len(left):
        return None
    if left.startswith(kept):
        return Cut(at=len(kept), hidden=len(left) - len(kept))
    return Cut(at=0, hidden=len(left) - len(right)) if left.endswith(right) else None


# -- helpers ---------------------------------------------------------------------------------------


def _outcome_of_changes(
    changes: set[Outcome], pairs: Sequence[BlockPair], *, merged: bool
) -> Outcome:
    if len(changes) > 1:
        return "rewritten"
    (change,) = changes
    match change:
        case "summarized" | "truncated" | "offloaded":
            return change
        case "dropped" if merged or all(pair.outcome == change for pair in pairs):
            return change
        case _:
            return "rewritten"


def _pair_gap(left: Sequence[Placed], right: Sequence[Placed]) -> Iterator[BlockPair]:
    """Pair blocks that are not equal; what finds no partner is dropped, or added."""
    filler = any(isinstance(block, Filler) for _, block in right)
    partner = _partners(left, right)
    taken = set(partner.values())
    at_right = 0
    for i, lost in enumerate(left):
        j = partner.get(i)
        if j is None:
            yield lost_pair(lost, "filler" if filler else "dropped")
            continue
        yield from (added_pair(right[k]) for k in range(at_right, j) if k not in taken)
        at_right = max(at_right, j + 1)
        yield _changed_pair(lost, right[j])
    yield from (added_pair(right[k]) for k in range(at_right, len(right)) if k not in taken)


def _partners(left: Sequence[Placed], right: Sequence[Placed]) -> dict[int, int]:
    """Return for numbers on the left the number on the right that stands in its place."""
    by_id = {name: j for j, (_, block) in enumerate(right) if (name := _tool_name(block))}
    partner = {
        i: by_id.pop(name)
        for i, (_, block) in enumerate(left)
        if (name := _tool_name(block)) and name in by_id
    }
    taken = set(partner.values())
    free_left = [i for i in range(len(left)) if i not in partner]
    free_right = [j for j in range(len(right)) if j not in taken]
    aligned = len(free_left) == len(free_right)
    at = 0
    for i in free_left:
        if at < len(free_right) and _may_replace(left[i][1], right[free_right[at]][1]):
            partner[i] = free_right[at]
            at += 1
        elif aligned:
            at += 1
    return partner


def _tool_name(block: Block) -> tuple[str, str] | None:
    match block:
        case ToolUse():
            return ("use", block.id)
        case ToolResult():
            return ("result", block.tool_use_id)
        case _:
            return None


def _may_replace(left: Block, right: Block) -> bool:
    if removed_messages(right) is not None:
        return False
    if _tool_name(left) and _tool_name(right):
        return False  # same ids are partners already
    return isinstance(right, Deleted | Filler | Marker) or type(left) is type(right)


def _changed_pair(left: Placed, right: Placed) -> BlockPair:
    outcome, cut = block_outcome(left[1], right[1])
    return BlockPair(
        left=left[0],
        right=right[0],
        outcome=outcome,
        tokens=Change(before=estimate_block(left[1]), after=estimate_block(right[1])),
        cut=cut,
    )


def _result_outcome(left: ToolResult, right: ToolResult) -> tuple[Outcome, Cut | None]:
    if left.status != right.status:
        return "rewritten", None
    markers = [part for part in right.parts if isinstance(part, Marker)]
    if markers:
        return _outcome_of_parts(left, right, markers)
    if isinstance(left.payload, str) and isinstance(right.payload, str):
        cut = find_cut(left.payload, right.payload)
        return ("truncated", cut) if cut else ("rewritten", None)
    return "rewritten", None


def _outcome_of_parts(
    left: ToolResult, right: ToolResult, markers: Sequence[Marker]
) -> tuple[Outcome, Cut | None]:
    """Return the one outcome all markers agree on, if the other parts are as they were."""
    before = {block_key(part) for part in left.parts}
    if any(_is_new(part, before) for part in right.parts):
        return "rewritten", None
    outcomes = {outcome_of_marker(marker) for marker in markers}
    cuts = [cut for marker in markers if (cut := stated_cut(marker.text))]
    return (outcomes.pop() if len(outcomes) == 1 else "rewritten", cuts[0] if cuts else None)


def _is_new(part: ResultPart, before: set[tuple[object, ...]]) -> bool:
    return not isinstance(part, Marker) and block_key(part) not in before
