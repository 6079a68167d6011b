"""Messages that resemble each other, for entries whose record identifies nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from convviewer.analysis.content import plain_text
from convviewer.analysis.markers import removed_messages
from convviewer.analysis.sequences import Match
from convviewer.core.thread import Message

THRESHOLD: Final = 0.6
# Characters of a message that are compared.
_SAMPLE: Final = 2_000
# A shorter text that starts alike tells nothing.
_MIN_START: Final = 20
_MAX_PAIRS_PER_GAP: Final = 400
_MAX_PAIRS: Final = 20_000


@dataclass(slots=True)
class Budget:
    """How many more pairs of messages one alignment may compare."""

    pairs: int = _MAX_PAIRS

    def take(self, pairs: int) -> bool:
        if pairs > min(_MAX_PAIRS_PER_GAP, self.pairs):
            return False
        self.pairs -= pairs
        return True


def match_similar(left: Sequence[Message], right: Sequence[Message], budget: Budget) -> list[Match]:
    """Return the pairs, in order, whose likeness adds up to most; none where that is too dear.

    Summaries and messages with a removal note stand for others and resemble nobody.
    """
    rows = [i for i, message in enumerate(left) if not _is_made(message)]
    columns = [j for j, message in enumerate(right) if not _is_made(message)]
    if not rows or not columns or not budget.take(len(rows) * len(columns)):
        return []
    here = [(i, sample(left[i])) for i in rows]
    there = [(j, sample(right[j])) for j in columns]
    scores = [
        [_score(a, b) if left[i].role == right[j].role else 0.0 for j, b in there] for i, a in here
    ]
    return [(here[i][0], there[j][0]) for i, j in _best_in_order(scores)]


def sample(message: Message) -> str:
    """Return the start of what can be read in a message."""
    texts: list[str] = []
    length = 0
    for block in message.blocks:
        texts.append(plain_text(block)[:_SAMPLE])
        length += len(texts[-1])
        if length >= _SAMPLE:
            break
    return "\n".join(texts)[:_SAMPLE]


def _is_made(message: Message) -> bool:
    return message.is_summary or any(removed_messages(b) is not None for b in message.blocks)


def _score(left: str, right: str) -> float:
    """Return likeness from 0 to 1; 0 below the threshold. What was cut short is alike."""
    start = right[: len(right) * 4 // 5]
    if len(start) >= _MIN_START and left.startswith(start):
        return 1.0
    return fuzz.ratio(left, right, score_cutoff=THRESHOLD * 100) / 100


def _best_in_order(scores: Sequence[Sequence[float]]) -> list[Match]:
    """Return the in-order pairs with the greatest sum of scores."""
    rows, columns = len(scores), len(scores[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            paired = best[i + 1][j + 1] + scores[i][j] if scores[i][j] else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[Match] = []
    i = j = 0
    while i < rows and j < columns:
        if scores[i][j] and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
