"""Fences around values, and fences that a speaker left open."""

from __future__ import annotations

import re
from typing import Final

_BACKTICKS: Final = re.compile(r"`+")
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


def fenced(text: str, language: str) -> str:
    """The text between fences that are longer than any run of backticks in it."""
    fence = "`" * max(3, _longest_run(text) + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}\n"


def code_span(text: str) -> str:
    """One line of text as a Markdown code span."""
    fence = "`" * (_longest_run(text) + 1)
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def open_fence(text: str) -> str:
    """The fence that a Markdown text opens and does not close, "" when it closes all."""
    opened = ""
    for found in _FENCE.finditer(text.replace("\r\n", "\n")):
        fence, info = found[1], found[2]
        if not opened:
            # Backticks behind backticks make a code span, not a fence.
            opened = "" if fence[0] == "`" and "`" in info else fence
        elif fence.startswith(opened) and not info.strip():
            opened = ""
    return opened


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
