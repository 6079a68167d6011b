"""Text as search compares it: without letter case, Latin accents or the kind of blank."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# Marks that NFKD takes off Latin, Greek and Cyrillic letters. Marks of other scripts are letters'
# parts that make another word, and stay.
_FIRST_MARK: Final = 0x0300
_LAST_MARK: Final = 0x036F
_REPLACEMENT: Final = "\ufffd"
_BLANKS: Final = re.compile(r" {2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A folded text, and for each of its characters the place in the original it came from."""

    text: str
    places: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original that `text[start:end]` came from; not empty."""
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> str:
    """Return the text in compatibility form (NFKD), case folded, without Latin accents.

    Each run of blanks, line breaks among them, is one space; characters that show nothing are
    gone; NUL and lone surrogates are U+FFFD. Folding a folded text changes nothing.
    """
    folded = text.translate(_TABLE)
    return _BLANKS.sub(" ", folded) if "  " in folded else folded


def fold_with_places(text: str) -> Folded:
    """As `fold`, with the way back to the original."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in _folded_characters(text):
        if character == " " and characters and characters[-1] == " ":
            continue
        characters.append(character)
        places.append(place)
    return Folded(text="".join(characters), places=tuple(places))


def _folded_characters(text: str) -> Iterator[tuple[int, str]]:
    for place, character in enumerate(text):
        for folded in _TABLE[ord(character)]:
            yield place, folded


class _Table(dict[int, str]):
    """What each character folds to, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    if character == "\0" or unicodedata.category(character) == "Cs":
        return _REPLACEMENT
    if character.isspace():
        return " "
    if unicodedata.category(character) == "Cf":
        return ""
    apart = unicodedata.normalize("NFKD", character).casefold()
    # Case folding may put accents together again, and NFKD brings blanks of its own.
    again = unicodedata.normalize("NFKD", apart)
    kept = (part for part in again if not _FIRST_MARK <= ord(part) <= _LAST_MARK)
    return "".join(" " if part.isspace() else part for part in kept)


_TABLE: Final = _Table()
