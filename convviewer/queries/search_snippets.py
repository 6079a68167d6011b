"""The part of a text around what was found, and where in it the matches stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from convviewer.core.folding import Folded, fold_with_places

# Characters of the original shown around the first match of each term.
_BEFORE: Final = 60
_AFTER: Final = 140
_WINDOWS: Final = 3
_BETWEEN: Final = " … "
_BLANK: Final = re.compile(r"\s")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a snippet; `match`: it is what was looked for."""

    text: str
    match: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """Text on one line; `matches` are ranges of its characters, in order, apart."""

    text: str
    matches: tuple[Range, ...]

    def pieces(self) -> Iterator[Piece]:
        """Split the text at its matches; joined, the pieces are the text."""
        at = 0
        for start, end in self.matches:
            if start > at:
                yield Piece(text=self.text[at:start], match=False)
            yield Piece(text=self.text[start:end], match=True)
            at = end
        if at < len(self.text):
            yield Piece(text=self.text[at:], match=False)


def snippet(text: str, terms: Sequence[str]) -> Snippet:
    """Cut the text around the first match of each term; its start where none is in it."""
    folded = fold_with_places(text)
    matches = _merged(sorted(r for term in terms for r in _ranges(folded, term)))
    firsts = sorted(folded.span(at, at + len(term)) for term, at in _firsts(folded, terms))
    windows = _windows(firsts, len(text))
    shown = ""
    ranges: list[Range] = []
    for start, end in windows:
        shown += (_BETWEEN if shown else "") + ("…" if start and not shown else "")
        shift = len(shown) - start
        ranges += [
            (max(a, start) + shift, min(b, end) + shift)
            for a, b in matches
            if a < end and b > start
        ]
        shown += text[start:end]
    if windows[-1][1] < len(text):
        shown += "…"
    return Snippet(text=_on_one_line(shown), matches=tuple(ranges))


def _firsts(folded: Folded, terms: Sequence[str]) -> Iterator[tuple[str, int]]:
    for term in terms:
        at = folded.text.find(term)
        if at >= 0:
            yield term, at


def _ranges(folded: Folded, term: str) -> Iterator[Range]:
    at = folded.text.find(term)
    while at >= 0:
        yield folded.span(at, at + len(term))
        at = folded.text.find(term, at + len(term))


def _windows(firsts: Sequence[Range], length: int) -> list[Range]:
    around = [(max(0, start - _BEFORE), min(length, end + _AFTER)) for start, end in firsts]
    return _merged(around)[:_WINDOWS] or [(0, min(length, _BEFORE + _AFTER))]


def _merged(ranges: Sequence[Range]) -> list[Range]:
    """Sorted ranges with those that touch made one."""
    merged: list[Range] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _on_one_line(text: str) -> str:
    """The text with each blank a space and valid Unicode, character for character."""
    return _SURROGATE.sub("\ufffd", _BLANK.sub(" ", text))
