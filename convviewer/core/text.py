"""Text for people's eyes: what cannot be seen is named, cuts fall between whole characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

from convviewer.core.json_special import replace_surrogates

# Controls (line breaks and tabs aside), direction marks and overrides, characters without width,
# tags and lone surrogates. Joiners between two other non-ASCII characters do their proper work
# (emoji families, Persian, Indic scripts), and so do the tags that spell a flag.
_HIDDEN: Final = (
    r"(?:[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    r"\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    r"\ud800-\udfff\U0001d173-\U0001d17a]"
    r"|\r(?!\n)"
    r"|[\u200c\u200d](?![^\x00-\x7f])|(?<![^\x00-\x7f])[\u200c\u200d]"
    r"|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f])"
)
_HIDDEN_RUN: Final = re.compile(f"{_HIDDEN}+")
_HIDDEN_ONE: Final = re.compile(_HIDDEN)
_CLUSTER: Final = regex.compile(r"\X")
_LONGEST_CLUSTER: Final = 64
_NAMED_CHARACTERS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A stretch of text; `hidden`: characters that show nothing or reorder what follows."""

    text: str
    hidden: bool


def visible_runs(text: str) -> Iterator[Run]:
    """Split a text into what is seen and what must be named; joined, the runs are the text.

    Two surrogates that form a pair come out as the one character they mean.
    """
    text = join_surrogates(text)
    at = 0
    for hidden in _HIDDEN_RUN.finditer(text):
        if hidden.start() > at:
            yield Run(text=text[at : hidden.start()], hidden=False)
        yield Run(text=hidden.group(), hidden=True)
        at = hidden.end()
    if at < len(text):
        yield Run(text=text[at:], hidden=False)


def join_surrogates(text: str) -> str:
    """Return the text with two surrogates that form a pair as the one character they mean."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def name_hidden(text: str) -> str:
    """Return code points in place of hidden characters: "U+202E", "512 x U+0000"."""
    if len(text) > 1 and len(set(text)) == 1:
        return f"{len(text):,} x {_code_point(text[0])}"
    names = " ".join(map(_code_point, text[:_NAMED_CHARACTERS]))
    rest = len(text) - _NAMED_CHARACTERS
    return f"{names} +{rest:,}" if rest > 0 else names


def escape_hidden(text: str) -> str:
    r"""Return the text with each hidden character as a JSON escape, as in \u202e."""
    return _HIDDEN_ONE.sub(lambda found: _escape(found.group()), join_surrogates(text))


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters: the text, or its start and "…", no emoji torn."""
    if len(text) <= limit:
        return text
    end = 0
    for cluster in _CLUSTER.finditer(text[: limit + _LONGEST_CLUSTER]):
        if cluster.end() > limit - 1:
            break
        end = cluster.end()
    return text[: end or limit - 1] + "…"


def one_line(text: str, limit: int) -> str:
    """Return the start of a text on one line, without hidden characters, for titles and lists."""
    start = text[: limit * 4 + _LONGEST_CLUSTER]
    seen = " ".join(start.split())
    if seen.isascii() and seen.isprintable():  # most text: every character is one cluster
        return seen if len(seen) <= limit else f"{seen[: limit - 1]}…"
    seen = replace_surrogates(seen)
    return cut(_HIDDEN_ONE.sub("", seen), limit)


def format_bytes(size: int) -> str:
    """Return a size for people: "12 B", "0.6 KB", "214 KB", "1.2 MB"."""
    if size < 100:  # noqa: PLR2004 - below 0.1 KB
        return f"{size} B"
    value = float(size)
    for unit in ("KB", "MB", "GB"):
        value /= 1000
        if value < 999.5 or unit == "GB":  # noqa: PLR2004 - would round to four figures
            break
    return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"  # noqa: PLR2004


def count(number: int, noun: str) -> str:
    """Return "1 row", "14,208 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"
