"""What the first bytes of a JSON file say about its shape, before any of it is decoded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_MAX_DEPTH: Final = 5
# By then a list of messages has told its names. Every file of an import is outlined: mind the time.
_NAMES_WITHOUT_NEWS: Final = 100
_OPEN: Final = {b"{": b"", b"[": b"*"}
_CLOSE: Final = frozenset({b"}", b"]"})
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:]', re.DOTALL)
_OPENING: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*([\[{])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The names met in the start of a JSON text.

    `opening` is "{" or "[", or "" for anything else. `paths` joins member names with "/", "*"
    stands for any item of an array: "messages/*/role". At most five names deep.
    """

    opening: str = ""
    paths: frozenset[str] = frozenset()


@lru_cache(maxsize=16)
def outline(head: bytes) -> Outline:
    """Return the outline of the bytes; they may end anywhere. It ends where names repeat."""
    opening = _OPENING.match(head)
    if not opening:
        return Outline()
    paths: set[bytes] = set()
    path: list[bytes] = []
    string, repeated = b"", 0
    for match in _TOKEN.finditer(head):
        token = match.group()
        if token in _OPEN:
            path.append(_OPEN[token])
        elif token in _CLOSE:
            del path[-1:]
        elif token != b":":
            string = token
        elif repeated == _NAMES_WITHOUT_NEWS:
            break
        elif 0 < len(path) <= _MAX_DEPTH:
            path[-1] = string[1:-1]
            known = len(paths)
            paths.add(b"/".join(path))
            repeated = repeated + 1 if len(paths) == known else 0
    return Outline(
        opening=opening.group(1).decode(),
        paths=frozenset(path.decode(errors="replace") for path in paths),
    )
