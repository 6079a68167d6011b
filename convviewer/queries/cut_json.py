"""The value that the start of a JSON text tells of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from convviewer.core.errors import JsonError
from convviewer.core.json import Json, decode

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*(?P<end>"?)|[\[\]{},]')
_CLOSING: Final = {"[": "]", "{": "}"}


def start_of(text: str) -> Json:
    """Close what a cut left open; None where that gives no value.

    A string that is cut keeps its start; a member whose value is missing is left out.
    """
    for repaired in _repairs(text):
        try:
            return decode(repaired)
        except JsonError:
            continue
    return None


def _repairs(text: str) -> Iterator[str]:
    """The text closed where it is cut, and closed at its last comma."""
    open_at_end: list[str] = []
    comma, open_at_comma = 0, [""]
    quote = ""
    end = 0
    for token in _TOKEN.finditer(text):
        end = token.end()
        match token[0]:
            case "[" | "{" as opening:
                open_at_end.append(_CLOSING[opening])
            case "]" | "}":
                open_at_end.pop()
            case ",":
                comma, open_at_comma = token.start(), open_at_end.copy()
            case _:
                quote = "" if token["end"] else '"'
    rest = "" if quote else text[end:]
    yield text[:end] + rest + quote + "".join(reversed(open_at_end))
    yield text[:comma] + "".join(reversed(open_at_comma))
