"""Stored media as files."""

from __future__ import annotations

from dataclasses import dataclass

from convviewer.payloads.parts.images import raster_type
from convviewer.queries.missing import Missing
from convviewer.store import models

_MAGIC_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFile:
    """Bytes of a medium; `picture` is the raster type that they prove, "" for none."""

    data: bytes
    picture: str
    claimed_type: str


def media_file(sha256: str) -> MediaFile:
    """The medium of that hash. Raises Missing; values stored apart are no media."""
    blob = models.Blob.objects.filter(sha256=sha256, of="media").first()
    if blob is None:
        raise Missing(f"No medium {sha256[:12]} is stored here")
    data = bytes(blob.data)
    return MediaFile(
        data=data, picture=raster_type(data[:_MAGIC_BYTES]), claimed_type=blob.media_type
    )
