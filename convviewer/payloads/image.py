"""Images: data URLs, base64 with a picture in it, and content lists that hold one."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.payloads.base import IMAGE, RAW, Context, Example, Window
from convviewer.payloads.parts.content import BytesPart, content_parts
from convviewer.payloads.parts.images import bare_image, media_of
from convviewer.payloads.parts.stacks import stack_of_parts
from convviewer.payloads.parts.texts import raw_of
from convviewer.payloads.shapes import Shape

_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


class Picture:
    """A raster image, alone or among texts."""

    name = "image"
    label = "Image"
    offers = (IMAGE, RAW)
    examples = (
        Example(label="a data URL", value=f"data:image/png;base64,{_DOT}", shape="image"),
        Example(
            label="an MCP answer",
            value=[
                {"type": "text", "text": "the front camera"},
                {"type": "image", "data": _DOT, "mimeType": "image/png"},
            ],
            shape="stack",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """Where the first bytes of something prove an image."""
        del context
        if isinstance(value, str) and bare_image(value):
            return 95
        parts = content_parts(value) or ()
        return 95 if any(isinstance(part, BytesPart) and part.is_image for part in parts) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw the image, or the parts in order."""
        del view
        bare = bare_image(value) if isinstance(value, str) else None
        if bare:
            return media_of(bare, pointer=window.pointer)
        parts = content_parts(value, window.pointer)
        match parts:
            case (BytesPart() as part,):
                return media_of(part.encoded, pointer=part.pointer, name=part.name)
            case None:
                return raw_of(value, window)
            case _:
                return stack_of_parts(parts, window)


PAYLOAD_TYPE = Picture()
