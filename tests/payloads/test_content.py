from __future__ import annotations

import base64
import struct

import pytest

from convviewer.core.json import Json
from convviewer.core.raster import raster_type
from convviewer.payloads import classify, shape_for
from convviewer.payloads.parts.images import pixels
from convviewer.payloads.shapes import Code, Download, Image, Notice, Shape, Stack

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 60_000).decode()


def test_parts_of_a_content_list_are_drawn_in_order():
    shape = drawn(
        [
            {"type": "input_text", "text": "before"},
            {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
            {"type": "input_image", "image_url": "data:image/svg+xml;base64,PHN2Zy8+"},
            {"type": "input_text", "text": "after"},
        ]
    )
    assert isinstance(shape, Stack)
    before, image, svg, after = shape.parts
    assert (plain(before), plain(after)) == ("before", "after")
    assert isinstance(image, Image)
    assert (image.media_type, image.width, image.size) == ("image/png", None, 60_008)
    assert isinstance(svg, Download)
    assert svg.media_type == "image/svg+xml"


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"image": {"format": "png", "source": {"bytes": PNG}}}, "/image/source/bytes"),
        (
            {"image": {"source": {"bytes": {"__bytes_encoded__": True, "data": PNG}}}},
            "/image/source/bytes/data",
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            "/source/data",
        ),
        ([{"type": "image", "data": PNG, "mimeType": "image/png"}], "/0/data"),
        ({"content": [{"type": "image", "data": PNG, "mimeType": "x"}]}, "/content/0/data"),
        (
            [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}],
            "/0/image_url/url",
        ),
        (PNG, ""),
        (f"data:image/png;base64,{PNG}", ""),
    ],
)  # fmt: skip
def test_an_image_is_found_wherever_an_agent_system_puts_it(value: Json, pointer: str):
    assert classify(value) == "image"
    image = drawn(value)
    assert isinstance(image, Image)
    assert (image.media_type, image.pointer) == ("image/png", pointer)


def test_a_claim_of_an_image_without_its_bytes_is_a_download():
    shape = drawn({"type": "image", "data": "PGh0bWw+", "mimeType": "image/png"})
    assert isinstance(shape, Download)


def test_a_remote_image_is_a_sentence_and_never_loaded():
    shape = drawn(
        [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        ]
    )
    assert isinstance(shape, Stack)
    notice = shape.parts[1]
    assert isinstance(notice, Notice)
    assert "https://example.com/a.png" in "".join(span.text for span in notice.text)


def test_a_long_text_part_says_where_it_goes_on():
    value: Json = [{"type": "text", "text": "w" * 20_000}, {"type": "text", "text": "end"}]
    shape = drawn(value)
    assert isinstance(shape, Stack)
    first = shape.parts[0]
    assert isinstance(first, Code)
    assert (first.extent.next, first.extent.pointer) == (8_192, "/0/text")
    rest = shape_for(value, "text", pointer="/0/text")
    assert isinstance(rest, Code)
    assert rest.extent.total == 20_000


@pytest.mark.parametrize(
    ("head", "media_type", "size"),
    [
        (
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 1280, 720),
            "image/png",
            (1280, 720),
        ),
        (b"GIF89a" + struct.pack("<HH", 40, 30), "image/gif", (40, 30)),
        (
            b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08" + struct.pack(">HH", 30, 40) + b"\0" * 9,
            "image/jpeg",
            (40, 30),
        ),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp", None),
        (b"<svg xmlns=", "", None),
        (b"", "", None),
    ],
)
def test_the_first_bytes_say_type_and_size(
    head: bytes, media_type: str, size: tuple[int, int] | None
):
    assert (raster_type(head), pixels(head)) == (media_type, size)


def drawn(value: Json) -> Shape:
    return shape_for(value, "")


def plain(shape: Shape) -> str:
    assert isinstance(shape, Code)
    return "".join(span.text for span in shape.spans)
