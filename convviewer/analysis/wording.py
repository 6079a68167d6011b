"""Which words changed between two texts, in bounded time.

Lines are compared first, then the words inside each run of changed lines.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz.distance import Indel

Kind = Literal["equal", "deleted", "inserted"]
Stop = Literal["", "time", "hunk", "lines"]

MAX_LINES: Final = 40_000
# Words left times words right inside one run of changed lines.
MAX_PRODUCT: Final = 4_000_000
# The rest of one second is for lines and for joining the pieces.
MAX_SECONDS: Final = 0.5

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
# A word, a run of blanks, or one other character.
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of the left text (equal, deleted) or of the right one (equal, inserted)."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WordDiff:
    """Equal and deleted pieces joined are the left text, equal and inserted ones the right text.

    `stopped` names the first bound that was met: `lines`, too many to compare at all; `hunk`, a
    run of changed lines too large for words; `time`, the rest was compared by lines only.
    `stopped_at` is where in the left text that was, in characters.
    """

    pieces: tuple[Piece, ...]
    stopped: Stop = ""
    stopped_at: int | None = None


def word_diff(left: str, right: str, *, seconds: float = MAX_SECONDS) -> WordDiff:
    """Compare two texts by words; what is too large is compared by lines, or not at all."""
    deadline = time.monotonic() + seconds
    left_lines, right_lines = _LINE.findall(left), _LINE.findall(right)
    if max(len(left_lines), len(right_lines)) > MAX_LINES:
        return WordDiff(
            pieces=tuple(_joined(_replaced(left, right))), stopped="lines", stopped_at=0
        )
    pieces: list[Piece] = []
    stopped: Stop = ""
    stopped_at: int | None = None
    at = 0
    for kind, before, after in _parts(left_lines, right_lines):
        found: list[Piece] = [Piece(kind="equal", text=before)]
        stop: Stop = ""
        if kind == "changed":
            found, stop = _diff_words(before, after, deadline)
        if stop and not stopped:
            stopped, stopped_at = stop, at
        pieces += found
        at += len(before)
    return WordDiff(pieces=tuple(_joined(pieces)), stopped=stopped, stopped_at=stopped_at)


def _parts(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield what is equal and what changed; a large change of as many lines goes line by line."""
    for kind, before, after in _hunks(left, right):
        if kind == "equal" or len(before) * len(after) <= MAX_PRODUCT:
            yield kind, before, after
            continue
        here, there = _LINE.findall(before), _LINE.findall(after)
        if len(here) != len(there):
            yield kind, before, after
            continue
        for old, new in zip(here, there, strict=True):
            yield kind, old, new


def _diff_words(left: str, right: str, deadline: float) -> tuple[list[Piece], Stop]:
    if not left or not right:
        return list(_replaced(left, right)), ""
    if time.monotonic() > deadline:
        return list(_replaced(left, right)), "time"
    here, there = _WORD.findall(left), _WORD.findall(right)
    if len(here) * len(there) > MAX_PRODUCT:
        return list(_replaced(left, right)), "hunk"
    pieces: list[Piece] = []
    for kind, before, after in _hunks(here, there):
        if kind == "equal":
            pieces.append(Piece(kind="equal", text=before))
        else:
            pieces += _replaced(before, after)
    return pieces, ""


def _hunks(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield "equal" or "changed" with both texts, in order; neighbouring changes are joined."""
    before = after = ""
    numbers: dict[str, int] = {}
    here = [numbers.setdefault(item, len(numbers)) for item in left]
    there = [numbers.setdefault(item, len(numbers)) for item in right]
    for step in Indel.opcodes(here, there):
        gone = "".join(left[step.src_start : step.src_end])
        new = "".join(right[step.dest_start : step.dest_end])
        if step.tag != "equal":
            before, after = before + gone, after + new
            continue
        if before or after:
            yield "changed", before, after
            before = after = ""
        yield "equal", gone, new
    if before or after:
        yield "changed", before, after


def _replaced(left: str, right: str) -> Iterator[Piece]:
    if left == right:
        yield Piece(kind="equal", text=left)
        return
    if left:
        yield Piece(kind="deleted", text=left)
    if right:
        yield Piece(kind="inserted", text=right)


def _joined(pieces: Sequence[Piece] | Iterator[Piece]) -> Iterator[Piece]:
    """Join neighbours of one kind."""
    pending: Piece | None = None
    texts: list[str] = []
    for piece in pieces:
        if pending and pending.kind != piece.kind:
            yield Piece(kind=pending.kind, text="".join(texts))
            texts = []
        texts.append(piece.text)
        pending = piece
    if pending and any(texts):
        yield Piece(kind=pending.kind, text="".join(texts))
