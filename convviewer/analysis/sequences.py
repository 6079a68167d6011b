"""Matching two sequences in order, in time that stays near linear."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import Final

from rapidfuzz.distance import LCSseq

Match = tuple[int, int]

# Items left times items right that one exact comparison may cost (about 10 ms).
_MAX_EXACT: Final = 4_000_000
# How often an item may be looked at again in ever smaller gaps.
_MAX_ROUNDS: Final = 12


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Return the indices of a longest strictly increasing subsequence, in order."""
    tails: list[int] = []
    tail_indices: list[int] = []
    previous: list[int] = []
    for index, value in enumerate(values):
        at = bisect_left(tails, value)
        previous.append(tail_indices[at - 1] if at else -1)
        tails[at : at + 1] = [value]
        tail_indices[at : at + 1] = [index]
    chain: list[int] = []
    index = tail_indices[-1] if tail_indices else -1
    while index >= 0:
        chain.append(index)
        index = previous[index]
    return chain[::-1]


def in_order(matches: Sequence[Match]) -> list[Match]:
    """Return the most matches that stand in the same order on both sides; each left is once."""
    by_left = sorted(matches)
    return [by_left[index] for index in longest_increasing([right for _, right in by_left])]


def match_equal(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Match]:
    """Match equal items in order, as index pairs.

    Items that occur once on either side lead. Between them the ends count before the starts, as
    compression takes from the front: of twelve equal texts the last ones stay.
    """
    matches: list[Match] = []
    gaps = [(0, len(left), 0, len(right), 0)]
    while gaps:
        left_from, left_to, right_from, right_to, depth = gaps.pop()
        if left_from >= left_to or right_from >= right_to:
            continue
        here, there = left[left_from:left_to], right[right_from:right_to]
        unique = _unique_matches(here, there) if depth < _MAX_ROUNDS else []
        if not unique:
            found = _match_ends(here, there)
            matches += [(left_from + i, right_from + j) for i, j in found]
            continue
        at_left, at_right = left_from, right_from
        for i, j in unique:
            matches.append((left_from + i, right_from + j))
            gaps.append((at_left, left_from + i, at_right, right_from + j, depth + 1))
            at_left, at_right = left_from + i + 1, right_from + j + 1
        gaps.append((at_left, left_to, at_right, right_to, depth + 1))
    return sorted(matches)


def match_exactly(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Match]:
    """Return a longest common subsequence as index pairs; the cost is the product of lengths."""
    numbers: dict[Hashable, int] = {}
    here = [numbers.setdefault(item, len(numbers)) for item in left]
    there = [numbers.setdefault(item, len(numbers)) for item in right]
    return [
        (block.src_start + offset, block.dest_start + offset)
        for block in LCSseq.opcodes(here, there)
        if block.tag == "equal"
        for offset in range(block.src_end - block.src_start)
    ]


def _unique_matches(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Match]:
    left_counts, right_counts = Counter(left), Counter(right)
    place = {item: j for j, item in enumerate(right) if right_counts[item] == 1}
    return in_order(
        [
            (i, place[item])
            for i, item in enumerate(left)
            if left_counts[item] == 1 and item in place
        ]
    )


def _match_last(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Match]:
    """Match each item, from the end, with its last place still free: all, if right is a part."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for i, item in enumerate(left):
        places[item].append(i)
    matches: list[Match] = []
    limit = len(left)
    for j in range(len(right) - 1, -1, -1):
        found = places.get(right[j], [])
        if at := bisect_left(found, limit):
            limit = found[at - 1]
            matches.append((limit, j))
    return matches[::-1]


def _match_ends(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Match]:
    shorter = min(len(left), len(right))
    tail = 0
    while tail < shorter and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    head = 0
    while head < shorter - tail and left[head] == right[head]:
        head += 1
    here, there = left[head : len(left) - tail], right[head : len(right) - tail]
    dear = len(here) * len(there) > _MAX_EXACT
    middle = _match_last(here, there) if dear else match_exactly(here, there)
    return [
        *((i, i) for i in range(head)),
        *((head + i, head + j) for i, j in middle),
        *((len(left) - n, len(right) - n) for n in range(tail, 0, -1)),
    ]
