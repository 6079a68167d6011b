"""Two texts of a row made ready to stand side by side: bounded diffs, and cuts."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from convviewer.analysis.markers import CUT_NOTE, Cut
from convviewer.analysis.wording import Piece, WordDiff, word_diff
from convviewer.core.json import Json, encode
from convviewer.core.text import count
from convviewer.queries.compare_blocks import CutHere, CutThere, Diff, Gap

# What one side of a diff shows, and what of an unchanged stretch in it.
_SHOWN: Final = 12_000
_AROUND: Final = 240
_HEAD: Final = 600
_LOST: Final = 800
# All diffs of one page together.
_SECONDS: Final = 0.8
_LEAST: Final = 0.02
# What a reduction writes in front of what it kept, and behind it.
_HEADER: Final = re.compile(r"\[Truncated: [^\[\]\n]{0,60}\]\n\n")
_FOOTER: Final = re.compile(r"\s*(?:\[Stashed\])?\s*\[refs?: [^\[\]\n]{0,400}\]\s*\Z")
_STOPS: Final = {
    "time": "the rest is compared by lines",
    "hunk": "a changed passage is too long to compare its words",
    "lines": "too many lines to compare",
    "": "",
}


@dataclass(slots=True)
class DiffBudget:
    """What is left of the time that a page spends on comparing words, in seconds."""

    left: float = field(default=_SECONDS)

    def compare(self, here: str, there: str) -> WordDiff:
        """The word diff, cut short where the time runs out."""
        start = time.monotonic()
        found = word_diff(here, there, seconds=max(_LEAST, min(self.left, _SECONDS / 2)))
        self.left -= time.monotonic() - start
        return found


def diff_sides(diff: WordDiff, n: tuple[int, int], *, mono: bool) -> tuple[Diff, Diff]:
    """Both sides of a diff; `n` are the numbers of the two blocks."""
    stopped = _STOPS[diff.stopped]
    if stopped and diff.stopped_at:
        stopped = f"From character {diff.stopped_at:,} on {stopped}"
    left, left_more = _bounded(_one_side(diff.pieces, "inserted"))
    right, right_more = _bounded(_one_side(diff.pieces, "deleted"))
    return (
        Diff(n=n[0], pieces=left, mono=mono, stopped=stopped or left_more),
        Diff(n=n[1], pieces=right, mono=mono, stopped=stopped or right_more),
    )


def cut_here(n: int, text: str, cut: Cut, *, mono: bool) -> CutHere:
    """The text that was cut, with the start of what is only here."""
    end = cut.at + cut.hidden
    lost = text[cut.at : min(end, cut.at + _LOST)]
    after = cut.at + len(lost)
    return CutHere(
        n=n,
        head=_end_of(text[: cut.at]),
        lost=lost,
        tail=_start_of(text[end:]),
        hidden=cut.hidden,
        next=after if after < end else None,
        mono=mono,
    )


def cut_there(n: int, text: str, cut: Cut, *, mono: bool) -> CutThere:
    """What was kept of it; the note that tells of the cut is shown as the tear."""
    note = CUT_NOTE.search(text)
    start, end = note.span() if note else (cut.at, cut.at)
    return CutThere(
        n=n,
        head=_end_of(text[:start]),
        tail=_start_of(text[end:]),
        hidden=cut.hidden,
        mono=mono,
    )


def as_it_was_cut(value: Json, right: str, stated: Cut) -> tuple[str, Cut]:
    """The text that a payload was when it was cut, and where in it the cut is.

    A JSON payload was written as text first; of the usual ways to write it, the one that begins
    like what was kept.
    """
    note = CUT_NOTE.search(right, _header_end(right))
    head = right[_header_end(right) : note.start() if note else 0]
    tail = _FOOTER.sub("", right[note.end() :]) if note else ""
    for text in _spellings(value):
        hidden = len(text) - len(head) - len(tail)
        if note and hidden > 0 and text.startswith(head) and text.endswith(tail):
            return text, Cut(at=len(head), hidden=hidden)
    return next(_spellings(value)), stated


def _header_end(text: str) -> int:
    found = _HEADER.match(text)
    return found.end() if found else 0


def _spellings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    yield encode(value)
    try:
        yield json.dumps(value, check_circular=False)
        yield json.dumps(value, ensure_ascii=False, check_circular=False)
        yield comparable_text(value)
    except RecursionError:
        return


def comparable_text(value: Json) -> str:
    """A payload as text whose lines can be compared: JSON indented, compact where it is deep."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, check_circular=False)
    except RecursionError:
        return encode(value)


def _one_side(pieces: Iterable[Piece], other: str) -> Iterator[Piece | Gap]:
    shown = [piece for piece in pieces if piece.kind != other]
    for number, piece in enumerate(shown):
        if piece.kind != "equal" or len(piece.text) <= 3 * _AROUND:
            yield piece
            continue
        first, last = number == 0, number == len(shown) - 1
        head = "" if first else piece.text[:_AROUND]
        tail = "" if last and not first else piece.text[-_AROUND:]
        if head:
            yield Piece(kind="equal", text=head)
        yield Gap(characters=len(piece.text) - len(head) - len(tail))
        if tail:
            yield Piece(kind="equal", text=tail)


def _bounded(pieces: Iterable[Piece | Gap]) -> tuple[tuple[Piece | Gap, ...], str]:
    """As many pieces as fit, and what to say of the rest."""
    chosen: list[Piece | Gap] = []
    room, rest = _SHOWN, 0
    for piece in pieces:
        if isinstance(piece, Gap):
            chosen.append(piece)
        elif room > 0:
            chosen.append(Piece(kind=piece.kind, text=piece.text[:room]))
            rest += max(0, len(piece.text) - room)
            room -= len(piece.text)
        else:
            rest += len(piece.text)
    return _merged(chosen), f"{count(rest, 'further character')} not shown" if rest else ""


def _merged(pieces: Sequence[Piece | Gap]) -> tuple[Piece | Gap, ...]:
    """No gap stands behind another."""
    kept: list[Piece | Gap] = []
    for piece in pieces:
        last = kept[-1] if kept else None
        if isinstance(piece, Gap) and isinstance(last, Gap):
            kept[-1] = Gap(characters=piece.characters + last.characters)
        else:
            kept.append(piece)
    return tuple(kept)


def _end_of(text: str) -> str:
    return text if len(text) <= _HEAD else f"…{text[-_HEAD:]}"


def _start_of(text: str) -> str:
    return text if len(text) <= _HEAD else f"{text[:_HEAD]}…"
