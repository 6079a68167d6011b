"""Unified diffs to lines with marks and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from convviewer.payloads.base import Window
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.parts.tables import rows_extent
from convviewer.payloads.shapes import Diff, DiffLine, DiffMark

HUNK: Final = re.compile(
    r"@@ -(?P<old>\d{1,9})(?:,(?P<olds>\d{1,9}))? \+(?P<new>\d{1,9})(?:,(?P<news>\d{1,9}))? @@"
)
_HEADS: Final = (
    "diff ", "index ", "--- ", "+++ ", "new file mode", "deleted file mode", "old mode", "new mode",
    "similarity index", "rename ", "copy ", "Binary files ",
)  # fmt: skip
_MARKS: Final[dict[str, DiffMark]] = {"-": "del", "+": "ins", " ": "same", "": "same", "\\": "note"}


def diff_of(text: str, window: Window) -> Diff:
    """Return a window of the lines of a unified diff."""
    total = text.count("\n") + (not text.endswith("\n"))
    lines: list[DiffLine] = []
    characters = window.characters
    for number, line in enumerate(_lines(text)):
        if number < window.after:
            continue
        mark, content, old, new = line
        characters -= len(content)
        if len(lines) == window.limit or (characters < 0 and lines):
            break
        lines.append(
            DiffLine(mark=mark, spans=text_spans(content[: window.characters]), old=old, new=new)
        )
    return Diff(lines=tuple(lines), extent=rows_extent(window, len(lines), total, "line"))


def _lines(text: str) -> Iterator[tuple[DiffMark, str, int | None, int | None]]:
    """Yield mark, line, old and new number; outside a hunk a line is a head or a note."""
    old = new = olds = news = 0
    for line in text.removesuffix("\n").split("\n"):
        if olds <= 0 and news <= 0:
            hunk = HUNK.match(line)
            if hunk:
                old, new = int(hunk["old"]), int(hunk["new"])
                olds, news = int(hunk["olds"] or 1), int(hunk["news"] or 1)
            yield ("hunk" if hunk else _outside(line)), line, None, None
            continue
        mark = _MARKS.get(line[:1], "same")
        in_old, in_new = mark in {"del", "same"}, mark in {"ins", "same"}
        yield mark, line, old if in_old else None, new if in_new else None
        old, olds = old + in_old, olds - in_old
        new, news = new + in_new, news - in_new


def _outside(line: str) -> DiffMark:
    return "head" if line.startswith(_HEADS) else "note"
