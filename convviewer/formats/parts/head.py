"""What the first bytes of a JSON file say about its shape, before any of it is decoded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_MAX_DEPTH: Final = 5
# Names that a list of messages repeats before all of them are known. Every file of an import is
# outlined, so time counts here.
_REPEATED_NAMES: Final = 100
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
    """Return the outline of the bytes; they may end anywhere.

    It stops early in a list of messages whose names only repeat: what follows it is not met.
    """
    opening = _OPENING.match(head)
    if not opening:
        return Outline()
    return Outline(
        opening=opening.group(1).decode(),
        paths=frozenset(path.decode(errors="replace") for path in _paths(head)),
    )


def _paths(head: bytes) -> set[bytes]:
    paths: set[bytes] = set()
    path: list[bytes] = []
    string, repeated, in_messages = b"", 0, False
    for match in _TOKEN.finditer(head):
        token = match.group()
        if token in _OPEN:
            path.append(_OPEN[token])
        elif token in _CLOSE:
            del path[-1:]
        elif token != b":":
            string = token
        elif name := _news(path, string, paths):
            paths.add(name)
            repeated = 0
            in_messages = in_messages or name.endswith(b"*/role")
        else:
            repeated += in_messages
            if repeated == _REPEATED_NAMES:
                break
    return paths


def _news(path: list[bytes], string: bytes, known: set[bytes]) -> bytes:
    """Note the member that `string` names in the path; return its path where that is news."""
    if not 0 < len(path) <= _MAX_DEPTH:
        return b""
    path[-1] = string[1:-1]
    name = b"/".join(path)
    return b"" if name in known else name
