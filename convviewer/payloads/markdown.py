"""Markdown, judged by several signs of it in one text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TEXT, Context, Example, Window
from convviewer.payloads.parts.texts import raw_of, text_slice
from convviewer.payloads.shapes import Prose, Shape

_HEAD: Final = 4_096
# Without one of these none of the signs below can be there.
_ANY_SIGN: Final = re.compile(r"[#*`\[|>~]|^ {0,3}(?:[-+]|\d{1,3}\.) ", re.MULTILINE)
_SIGNS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^#{1,6} \S",
        r"^ {0,3}(?:[-*+]|\d{1,3}\.) \S[^\n]*\n+ {0,3}(?:[-*+]|\d{1,3}\.) \S",
        r"^(?:```|~~~)",
        r"\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)",
        r"\*\*[^*\n]{1,200}\*\*",
        r"^\|? ?:?-{3,}:? ?\|",
        r"(?<!`)`[^`\n]{1,200}`(?!`)",
        r"^> \S",
    )
)
_ENOUGH: Final = 2
# A rendered paragraph is one text node, and none is longer than this.
_CHARACTERS: Final = 16_000


class Markdown:
    """Text that is written in Markdown."""

    name = "markdown"
    label = "Markdown"
    offers = (TEXT, RAW)
    examples = (
        Example(
            label="a report",
            value="# Gaps\n\nThe **front** lidar lost frames:\n\n- 14:06:58\n- 14:07:09\n",
            shape="prose",
        ),
        Example(label="an answer", value="Use `git log`, see [the manual](man.md).", shape="prose"),
    )

    def match(self, value: Json, context: Context) -> int:
        """Two different signs; one is common in plain text."""
        del context
        if not isinstance(value, str):
            return 0
        head = value[:_HEAD]
        if not _ANY_SIGN.search(head):
            return 0
        return 50 if sum(bool(sign.search(head)) for sign in _SIGNS) >= _ENOUGH else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Hand the source to the template, which renders it."""
        del view
        if not isinstance(value, str):
            return raw_of(value, window)
        smaller = replace(window, characters=min(window.characters, _CHARACTERS))
        piece = text_slice(value, smaller)
        return Prose(text=piece.text, extent=piece.extent)


PAYLOAD_TYPE = Markdown()
