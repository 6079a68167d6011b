"""Messages of a comparison's rows, each block beside what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, TypeAlias

from convviewer.analysis.outcomes import BlockPair
from convviewer.core import thread as core
from convviewer.core.text import count
from convviewer.queries import compare_blocks as cells
from convviewer.queries.compare_drawing import Side, drawn, drawn_around
from convviewer.queries.compare_sent import INTERRUPTED
from convviewer.queries.compare_texts import (
    DiffBudget,
    as_it_was_cut,
    cut_here,
    cut_there,
    diff_sides,
)
from convviewer.queries.scene import Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Both sides of the window, and the time that its word diffs may still take."""

    left: Side
    right: Side
    budget: DiffBudget


_Sides: TypeAlias = tuple[cells.CellBlock, cells.CellBlock]

# A cell of more blocks says how many it leaves out; its header leads to all of them.
_MOST_BLOCKS: Final = 40


def cell_blocks(
    position: int, side: Side, changed: Mapping[Spot, cells.CellBlock], *, short: bool = False
) -> tuple[cells.CellBlock, ...]:
    """The blocks of one message in order; those in `changed` as their pair made them.

    `short` shows less of each: one of many messages that a summary replaces.
    """
    message = side.messages[position]
    made = [
        _made(block, (position, n), side, changed, short=short)
        for n, block in enumerate(message.blocks[:_MOST_BLOCKS])
    ]
    found = [block for block in made if block is not None]
    return (
        *_tombstones_joined(found),
        *_left_out(message),
        *_interrupted(position, message, side),
    )


def changed_blocks(
    pairs: Sequence[BlockPair], row_outcome: str, both: Compared
) -> tuple[dict[Spot, cells.CellBlock], dict[Spot, cells.CellBlock]]:
    """Blocks that did not stay as they were, by place: those of the left tier, and of the right."""
    here: dict[Spot, cells.CellBlock] = {}
    there: dict[Spot, cells.CellBlock] = {}
    for pair in pairs:
        if pair.outcome == "kept":
            continue
        fate = pair.outcome if pair.outcome != row_outcome else ""
        sides = _side_by_side(pair, both)
        if pair.left and pair.left.position in both.left.messages:
            spot = (pair.left.position, pair.left.block)
            block = sides[0] if sides else drawn(both.left.block(spot), spot, both.left)
            here[spot] = replace(block, fate=fate)
        if pair.right and pair.right.position in both.right.messages:
            spot = (pair.right.position, pair.right.block)
            block = sides[1] if sides else drawn(both.right.block(spot), spot, both.right)
            there[spot] = block if _says_itself(block, fate) else replace(block, fate=fate)
    return here, there


def _says_itself(block: cells.CellBlock, fate: str) -> bool:
    return isinstance(block, cells.Note) and block.outcome == fate


# -- one pair --------------------------------------------------------------------------------------


def _side_by_side(pair: BlockPair, both: Compared) -> _Sides | None:
    """Both blocks with a diff or a cut between them; None where their texts do not compare."""
    spots = _spots(pair, both)
    if spots is None:
        return None
    left, right = both.left.block(spots[0]), both.right.block(spots[1])
    bodies = _bodies(pair, left, right, both)
    if bodies is None:
        return None
    return (
        drawn_around(left, bodies[0], spots[0], both.left),
        drawn_around(right, bodies[1], spots[1], both.right),
    )


def _spots(pair: BlockPair, both: Compared) -> tuple[Spot, Spot] | None:
    here, there = pair.left, pair.right
    if here is None or there is None:
        return None
    if here.position not in both.left.messages or there.position not in both.right.messages:
        return None
    return (here.position, here.block), (there.position, there.block)


def _bodies(
    pair: BlockPair, left: core.Block, right: core.Block, both: Compared
) -> tuple[cells.Body, cells.Body] | None:
    if pair.left is None or pair.right is None or isinstance(right, core.Deleted | core.Filler):
        return None
    mono = isinstance(left, core.ToolUse | core.ToolResult)
    here, there = both.left.text(left), both.right.text(right)
    if pair.cut and pair.outcome == "truncated":
        torn = cut_there(pair.right.block, there, pair.cut, mono=mono)
        text, cut = as_it_was_cut(both.left.value(left), there, pair.cut)
        key = both.left.messages[pair.left.position].key
        return cut_here(pair.left.block, text, cut, mono=mono), _stashed(torn, right, key)
    if pair.outcome == "rewritten" and type(left) is type(right) and here and there:
        numbers = (pair.left.block, pair.right.block)
        return diff_sides(both.budget.compare(here, there), numbers, mono=mono)
    return None


def _stashed(torn: cells.CutThere, right: core.Block, original: str) -> cells.CutThere:
    """The tear with the references to what was cut away; `original` is the message's key."""
    blocks = [right, *(right.parts if isinstance(right, core.ToolResult) else ())]
    markers = [block for block in blocks if isinstance(block, core.Marker)]
    return replace(
        torn,
        refs=tuple(ref for item in markers for ref in item.refs if ref not in item.missing),
        missing=tuple(ref for item in markers for ref in item.missing),
        original=original,
    )


# -- one message -----------------------------------------------------------------------------------


def _made(
    block: core.Block,
    spot: Spot,
    side: Side,
    changed: Mapping[Spot, cells.CellBlock],
    *,
    short: bool,
) -> cells.CellBlock | None:
    if side.as_sent and (isinstance(block, core.Deleted) or spot in side.repairs.left_out):
        return None
    return changed.get(spot) or drawn(block, spot, side, short=short)


def _tombstones_joined(blocks: Iterable[cells.CellBlock]) -> Iterator[cells.CellBlock]:
    for deleted, group in groupby(blocks, key=_is_tombstone):
        members = list(group)
        first = members[0]
        if deleted and isinstance(first, cells.Note):
            text = f"{count(len(members), 'block')} deleted"
            yield replace(first, text=text)
        else:
            yield from members


def _is_tombstone(block: cells.CellBlock) -> bool:
    return isinstance(block, cells.Note) and block.outcome == "tombstone"


def _left_out(message: core.Message) -> Iterator[cells.Note]:
    further = len(message.blocks) - _MOST_BLOCKS
    if further > 0:
        yield cells.Note(n=_MOST_BLOCKS, icon="unfold", text=count(further, "further block"))


def _interrupted(position: int, message: core.Message, side: Side) -> Iterator[cells.Note]:
    if not side.as_sent:
        return
    for n, _ in enumerate(message.blocks):
        if (position, n) in side.repairs.interrupted:
            text = "A result is added when the session is restored:"
            yield cells.Note(n=n, icon="added", text=text, code=INTERRUPTED, outcome="added")
