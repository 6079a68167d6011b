"""Which messages of two tiers are the same message, by what the record says of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from typing import Literal

from convviewer.core.thread import Message, Tier, ToolResult, ToolUse

Basis = Literal["declared", "identity", "equal", "similar", "inferred_offset", "none"]
Identified = tuple[int, int, Basis]


def identify(left: Tier, right: Tier) -> list[Identified]:
    """Return pairs of positions that are one message: each position at most once, in any order.

    Declared links first, then the same stored message, its tracking id, its number where entries
    stand at numbers, its own key, and last a tool use id that occurs once in each tier.
    """
    declared = dict(_declared_pairs(left, right))
    found = {i: j for j, i in {j: i for i, j in declared.items()}.items()}
    taken = set(found.values())
    for name in _ways(left, right):
        here = _places(name, left.messages, found)
        for i, j in _pairs(here, _places(name, right.messages, taken), unique=name is _tools):
            if i not in found and j not in taken and may_be_one(left, right, i, j):
                found[i] = j
                taken.add(j)
    return [(i, j, "declared" if declared.get(i) == j else "identity") for i, j in found.items()]


def may_be_one(left: Tier, right: Tier, i: int, j: int) -> bool:
    """Say whether nothing the record states tells two messages apart."""
    here, there = left.messages[i], right.messages[j]
    if here is there:
        return True
    if here.role != there.role:
        return False
    if here.tracking_id and there.tracking_id:
        return here.tracking_id == there.tracking_id
    if _numbered(left, right) and None not in (here.number, there.number):
        return here.number == there.number
    return _share_tools(here, there)


def declared_spans(left: Tier, right: Tier) -> dict[int, list[int]]:
    """Return, for entries on the right, the left positions that the record says they stand for."""
    place = {message.key: position for position, message in enumerate(left.messages)}
    return {
        link.entry: [place[key] for key in link.stands_for if key in place]
        for link in right.links
        if 0 <= link.entry < len(right.messages)
    }


# -- ways to tell a message ------------------------------------------------------------------------

_Name = Callable[[Message], Iterable[Hashable]]


def _ways(left: Tier, right: Tier) -> Iterator[_Name]:
    yield lambda message: (id(message),)
    yield lambda message: (message.tracking_id,) if message.tracking_id else ()
    if _numbered(left, right):
        yield lambda message: () if message.number is None else (message.number,)
    elif _keys_agree(left, right):
        yield _record_name
    yield _tools


_Places = dict[Hashable, list[int]]


def _places(name: _Name, messages: Sequence[Message], but: Container[int]) -> _Places:
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position, message in enumerate(messages):
        if position not in but:
            for item in name(message):
                places[item].append(position)
    return places


def _pairs(left: _Places, right: _Places, *, unique: bool) -> Iterator[tuple[int, int]]:
    """Pair what has the same name; of names that repeat the last with the last, or none."""
    for item, positions in left.items():
        others = right.get(item, [])
        if not unique or len(positions) == len(others) == 1:
            yield from zip(reversed(positions), reversed(others), strict=False)


def _declared_pairs(left: Tier, right: Tier) -> Iterator[tuple[int, int]]:
    for entry, span in declared_spans(left, right).items():
        if len(span) == 1 and not right.messages[entry].is_summary:
            yield span[0], entry
    stands = {link.stands_for: link.entry for link in left.links}
    for link in right.links:
        if link.stands_for in stands:
            yield stands[link.stands_for], link.entry


def _numbered(left: Tier, right: Tier) -> bool:
    return left.aligned_by_number or right.aligned_by_number


def _keys_agree(left: Tier, right: Tier) -> bool:
    """Say whether keys name messages: some formats' keys are places, which a removal shifts."""
    here = {message.key: message.raw for message in left.messages if message.number is not None}
    return all(
        here.get(message.key, message.raw) == message.raw
        for message in right.messages
        if message.number is not None and not message.tracking_id
    )


def _record_name(message: Message) -> Iterable[Hashable]:
    if message.number is None:
        return ()
    return ((message.key, message.number, message.raw),)


def _tools(message: Message) -> Iterable[Hashable]:
    for block in message.blocks:
        if isinstance(block, ToolUse) and block.id:
            yield "use", block.id
        elif isinstance(block, ToolResult) and block.tool_use_id:
            yield "result", block.tool_use_id


def _share_tools(here: Message, there: Message) -> bool:
    tools = set(_tools(here))
    others = set(_tools(there))
    return not tools or not others or not tools.isdisjoint(others)
