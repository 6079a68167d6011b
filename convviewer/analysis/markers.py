"""What a reduction marker says in its own words: how much it hides, and where.

Numbers come as the writing machine prints them: 3,586 or 3.586 or 3 586.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from convviewer.core.thread import Block, Marker

_N: Final = r"(\d[\d.,'\u2019\u00a0\u2009\u202f]*)"
_REMOVED: Final = re.compile(
    rf"\[(?:Summarized|Dropped): {_N} messages?[\],]|\[\.\.\. {_N} messages? elided"
)
# What stands between the two kept ends of a cut text.
CUT_NOTE: Final = re.compile(
    rf"\s*(?:\.\.\.|…)?\s*(?:\.\.\. )?"
    rf"(?:\[\.\.\. {_N} chars elided \.\.\.\]|\[truncated: {_N} chars removed\]"
    rf'|<truncated chars="{_N}"/>)(?: \.\.\.)?\s*(?:\.\.\.|…)?\s*'
)
_PREVIEW_HEADER: Final = re.compile(rf"\[Truncated: {_N} blocks?, ~{_N} tokens\]\n\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where a text was cut: `at` characters are kept before the cut, `hidden` are gone."""

    at: int
    hidden: int


def removed_messages(block: Block) -> int | None:
    """Return how many whole messages a marker says it stands for; None if it stands for none."""
    if not isinstance(block, Marker):
        return None
    found = _REMOVED.match(block.text)
    return _number(found[1] or found[2]) if found else None


def stated_cut(text: str) -> Cut | None:
    """Return the cut that a shortened text states in its own note, if it states one."""
    header = _PREVIEW_HEADER.match(text)
    start = header.end() if header else 0
    note = CUT_NOTE.search(text, start)
    if note is None:
        return None
    return Cut(at=note.start() - start, hidden=_number(note[1] or note[2] or note[3]))


def _number(printed: str) -> int:
    return int("".join(char for char in printed if char.isdigit()))
