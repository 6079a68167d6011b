"""Which raster image bytes prove to be: what claims to be one may be anything."""

from __future__ import annotations

from typing import Final

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def raster_type(head: bytes) -> str:
    """Return the media type that the first 16 bytes prove, "" when they prove none we show."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((name for magic, name in _MAGIC if head.startswith(magic)), "")
