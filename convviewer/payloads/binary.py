"""Bytes that are shown as a file only: base64 of no image, SVG among them."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TEXT, Context, Example, View, Window
from convviewer.payloads.parts.content import BytesPart, content_parts
from convviewer.payloads.parts.images import Encoded, looks_like_base64, media_of
from convviewer.payloads.parts.stacks import stack_of_parts
from convviewer.payloads.parts.texts import raw_of
from convviewer.payloads.shapes import Shape

_FILE = View(name=TEXT.name, label="File")


class Binary:
    """Bytes to download."""

    name = "binary"
    label = "Binary"
    offers = (_FILE, RAW)
    examples = (
        Example(
            label="SVG is not drawn",
            value="data:image/svg+xml;base64,PHN2Zy8+",
            shape="download",
        ),
        Example(
            label="stored bytes",
            value={"__bytes_encoded__": True, "data": "JVBERi0xLjQ="},
            shape="download",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """Bytes, whatever they are; an image type rates higher."""
        del context
        if isinstance(value, str) and looks_like_base64(value):
            return 85
        parts = content_parts(value) or ()
        return 92 if any(isinstance(part, BytesPart) for part in parts) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Offer the file, or the parts in order."""
        del view
        parts = content_parts(value, window.pointer)
        match parts:
            case (BytesPart() as part,):
                return media_of(part.encoded, pointer=part.pointer, name=part.name)
            case None if isinstance(value, str):
                return media_of(Encoded(data=value), pointer=window.pointer)
            case None:
                return raw_of(value, window)
            case _:
                return stack_of_parts(parts, window)


PAYLOAD_TYPE = Binary()
