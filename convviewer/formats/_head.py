"""What the first bytes of a JSON file say about its shape, before any of it is decoded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_MAX_DEPTH: Final = 5
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:]', re.DOTALL)
_OPENING: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*([\[{])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The names met in the start of a JSON text.

    `opening` is "{" or "[", or "" for anything else. `paths` joins member names with "/", "*"
    stands for any item of an array: "messages/*/role". At most five names deep. `lines` counts
    the values that are met one after the other, as in JSON lines.
    """

    opening: str = ""
    paths: frozenset[str] = frozenset()
    lines: int = 0


def outline(head: bytes, *, quick: int | None = None) -> Outline:
    """Return the outline of the bytes, of the first `quick` only; they may end anywhere."""
    return _outline(head[:quick])


@lru_cache(maxsize=16)
def _outline(head: bytes) -> Outline:
    opening = _OPENING.match(head)
    if not opening:
        return Outline()
    paths: set[bytes] = set()
    path: list[bytes] = []
    string = b""
    lines = 0
    for match in _TOKEN.finditer(head):
        token = match.group()
        if token in {b"{", b"["}:
            path.append(b"*" if token == b"[" else b"")
            lines += len(path) == 1
        elif token in {b"}", b"]"}:
            del path[-1:]
        elif token != b":":
            string = token
        elif 0 < len(path) <= _MAX_DEPTH:
            path[-1] = string[1:-1]
            paths.add(b"/".join(path))
    return Outline(
        opening=opening.group(1).decode(),
        paths=frozenset(path.decode(errors="replace") for path in paths),
        lines=lines,
    )
