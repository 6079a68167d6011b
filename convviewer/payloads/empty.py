"""Nothing: null, "", [], {}, each said by name."""

from __future__ import annotations

from typing import Final

from convviewer.core.json import Json, encode
from convviewer.payloads.base import RAW, TEXT, Context, Example, Window
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.shapes import Notice, Shape

_WORDS: Final = {
    "null": "No content: null",
    '""': 'Empty text: ""',
    "[]": "Empty list: []",
    "{}": "Empty object: {}",
}


class Empty:
    """A value with nothing in it."""

    name = "empty"
    label = "Empty"
    offers = (TEXT, RAW)
    examples = (
        Example(label="null", value=None, shape="notice"),
        Example(label="empty text", value="", shape="notice"),
        Example(label="empty list", value=[], shape="notice"),
        Example(label="empty object", value={}, shape="notice"),
    )

    def match(self, value: Json, context: Context) -> int:
        """Only what holds nothing at all."""
        del context
        return 100 if value is None or value in ("", [], {}) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Say which kind of nothing."""
        del view, window
        return Notice(tone="calm", text=text_spans(_WORDS.get(encode(value), "Empty")))


PAYLOAD_TYPE = Empty()
