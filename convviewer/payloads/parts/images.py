"""Bytes inside JSON: data URLs and base64, and what their first bytes prove them to be."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Final

from convviewer.core.raster import raster_type
from convviewer.core.text import one_line
from convviewer.payloads.shapes import Download, Image

_DATA_URL: Final = re.compile(
    r"data:(?P<type>[\w.+-]{1,80}/[\w.+-]{1,80})?(?:;[\w=.-]{1,80}){0,5};base64,", re.IGNORECASE
)
_HEAD_CHARACTERS: Final = 64
# Long enough that no word or id is taken for bytes.
_BASE64_AT_LEAST: Final = 512
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\r\n]+={0,2}\s*")
_JUDGED: Final = 2_000
_JPEG_SIZES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Base64 text with the type that is claimed for it, "" when none is."""

    data: str
    claimed: str = ""


def data_url(text: str) -> Encoded | None:
    """Return what a string that is one whole data URL holds."""
    found = _DATA_URL.match(text)
    if not found:
        return None
    return Encoded(data=text[found.end() :], claimed=(found["type"] or "").lower())


def looks_like_base64(text: str) -> bool:
    """Whether a long string is base64 of something: judged by its start, length and variety."""
    head = text[:_JUDGED]
    if len(text) < _BASE64_AT_LEAST or not _BASE64.fullmatch(head):
        return False
    varied = all(re.search(kind, head) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return varied and not re.search(r"(.{1,40})\1{10}", head[:_BASE64_AT_LEAST])


def bare_image(text: str) -> Encoded | None:
    """Return what a string holds that is nothing but base64 of a raster image."""
    encoded = Encoded(data=text)
    if len(text) < _HEAD_CHARACTERS or not _BASE64.fullmatch(text[:_JUDGED]):
        return None
    return encoded if encoded_raster_type(encoded) else None


def encoded_raster_type(encoded: Encoded) -> str:
    """Return the proven media type of base64 text, looking at its start only."""
    return raster_type(decode_base64(encoded.data[:_HEAD_CHARACTERS]))


def decode_base64(data: str) -> bytes:
    """Return the bytes; b"" when the text is not base64."""
    compact = "".join(data.split()).rstrip("=")
    compact = compact[: len(compact) - (len(compact) % 4 == 1)]
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def media_of(encoded: Encoded, *, pointer: str, name: str = "") -> Image | Download:
    """Return the image that the bytes prove to be, else a download; SVG is never an image here."""
    size = _decoded_size(encoded.data)
    proven = encoded_raster_type(encoded)
    if not proven:
        media_type = one_line(encoded.claimed, 100) or "application/octet-stream"
        return Download(
            name=one_line(name, 100) or "data", media_type=media_type, size=size, pointer=pointer
        )
    width, height = pixels(decode_base64(encoded.data[:65_536])) or (None, None)
    return Image(
        media_type=proven,
        alt=one_line(name, 100) or "Image in the payload",
        size=size,
        width=width,
        height=height,
        pointer=pointer,
    )


def pixels(head: bytes) -> tuple[int, int] | None:
    """Return (width, height) of a PNG, GIF or JPEG, None when its first bytes do not say."""
    match raster_type(head):
        case "image/png" if head[12:16] == b"IHDR" and len(head) >= 24:  # noqa: PLR2004
            size = _big(head[16:20]), _big(head[20:24])
        case "image/gif" if len(head) >= 10:  # noqa: PLR2004
            size = int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
        case "image/jpeg":
            return _jpeg_pixels(head)
        case _:
            return None
    return size if all(size) else None


def _jpeg_pixels(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:  # noqa: PLR2004 - a segment marker
        if head[at + 1] in _JPEG_SIZES:
            return _big(head[at + 7 : at + 9]), _big(head[at + 5 : at + 7])
        at += 2 + max(2, _big(head[at + 2 : at + 4]))
    return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _decoded_size(data: str) -> int:
    padding = data[-4:].count("=")
    return max(0, len(data) * 3 // 4 - padding)
