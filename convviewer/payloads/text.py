"""Plain text, and content lists of texts."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TEXT, Context, Example, Window
from convviewer.payloads.parts.content import TextPart, content_parts
from convviewer.payloads.parts.stacks import stack_of_parts
from convviewer.payloads.parts.texts import code_of, raw_of
from convviewer.payloads.shapes import Shape


class PlainText:
    """What is text and nothing more particular."""

    name = "text"
    label = "Text"
    offers = (TEXT, RAW)
    examples = (
        Example(label="a sentence", value="Order ORD-0004 was refunded.", shape="code"),
        Example(label="entities stay as they are", value="&lt;script&gt; &amp;amp;", shape="code"),
        Example(
            label="hidden characters", value="invoice_\u202egpj.exe a\u200bb\x00", shape="code"
        ),
        Example(label="JSON in a text", value='[{"id": 1}, {"id": 2}]', shape="code"),
        Example(label="comma separated values", value="id,total\n1,9.50\n2,3.00\n", shape="code"),
        Example(
            label="content list",
            value=[{"type": "text", "text": "first"}, {"type": "text", "text": "second"}],
            shape="stack",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """Any text; surely a content list that holds no bytes."""
        del context
        if isinstance(value, str):
            return 20
        parts = content_parts(value)
        return 90 if parts and any(isinstance(part, TextPart) for part in parts) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw the text, or the parts in order."""
        del view
        if isinstance(value, str):
            return code_of(value, window)
        parts = content_parts(value, window.pointer)
        return stack_of_parts(parts, window) if parts else raw_of(value, window)


PAYLOAD_TYPE = PlainText()
