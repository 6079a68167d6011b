"""Source code, judged by how its lines start."""

from __future__ import annotations

import re
from typing import Final

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TEXT, Context, Example, Window
from convviewer.payloads.parts.texts import code_of, raw_of
from convviewer.payloads.shapes import Shape

_HEAD: Final = 4_096
_STARTS: Final = (
    (re.compile(r"#!\S*\b(?:ba|z|da)?sh\b"), "bash"),
    (re.compile(r"#!.*\bpython"), "python"),
    (re.compile(r"#!.*\bnode\b"), "javascript"),
    (re.compile(r"\s{0,100}<\?xml\b"), "xml"),
    (re.compile(r"\s{0,100}<(?:!doctype html|html)\b", re.IGNORECASE), "html"),
)
# The first word of a line that one of the patterns below may match.
_FIRST: Final = re.compile(
    r"package|func|public|private|protected|import|@|export|const|let|from|async|def|class|use|pub"
    r"|fn|impl|SELECT|INSERT|CREATE|UPDATE|WITH"
)
_LINES: Final = tuple(
    (re.compile(pattern), language)
    for pattern, language in (
        (r"(?:package \w+$|func [\w(])", "go"),
        (r"(?:public |private |protected |import [\w.]+;|@Override)", "java"),
        (r"(?:import .* from ['\"]|export |const \w+ = |let \w+ = |function \w+\()", "javascript"),
        (
            r"(?:from [\w.]+ import |import [\w.]+$|(?:async )?def \w+\(.*:$|class \w+.*:$|@\w+)",
            "python",
        ),
        (r"(?:use [\w:]+;|(?:pub )?fn \w+|impl )", "rust"),
        (r"(?:SELECT|INSERT INTO|CREATE TABLE|UPDATE|WITH \w+ AS)\b", "sql"),
    )
)
_SQL: Final = re.compile(r"\s{0,100}(?:SELECT\b[^;]{1,2000}\bFROM\b|CREATE TABLE\b|INSERT INTO\b)")
_ENOUGH: Final = 2


class SourceCode:
    """A program, or a page of mark-up."""

    name = "code"
    label = "Code"
    offers = (TEXT, RAW)
    examples = (
        Example(
            label="Python",
            value="import math\n\n\ndef area(r):\n    return math.pi * r**2\n",
            shape="code",
        ),
        Example(label="a shell script", value="#!/bin/sh\nset -e\nls -la\n", shape="code"),
        Example(label="SQL", value="SELECT id, total FROM orders WHERE total > 40;", shape="code"),
        Example(label="a page", value="<!doctype html>\n<script>alert(1)</script>", shape="code"),
    )

    def match(self, value: Json, context: Context) -> int:
        """A language that the start or two lines give away."""
        del context
        return 55 if isinstance(value, str) and language_of(value) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw it highlighted."""
        del view
        if not isinstance(value, str):
            return raw_of(value, window)
        return code_of(value, window, language=language_of(value))


def language_of(text: str) -> str:
    """Return the language of a text as pygments names it, "" when it is no code."""
    head = text[:_HEAD]
    start = next((language for pattern, language in _STARTS if pattern.match(head)), "")
    if start or _SQL.match(head):
        return start or "sql"
    lines = [line for line in head.splitlines() if _FIRST.match(line)]
    for pattern, language in _LINES:
        if sum(bool(pattern.match(line)) for line in lines) >= _ENOUGH:
            return language
    return ""


PAYLOAD_TYPE = SourceCode()
