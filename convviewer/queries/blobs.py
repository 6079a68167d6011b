"""Bytes by content: media, and values too large for their message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from convviewer.queries.missing import Missing
from convviewer.store import models


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobItem:
    """Stored bytes of media, JSON text or text; `media_type` is what the record claims."""

    of: Literal["media", "json", "text"]
    media_type: str
    data: bytes


def has_blob(sha256: str) -> bool:
    """Whether these bytes are stored."""
    return models.Blob.objects.filter(sha256=sha256).exists()


def load_blob(sha256: str) -> BlobItem:
    """The bytes of that hash. Raises `Missing`."""
    row = models.Blob.objects.filter(sha256=sha256).first()
    if row is None:
        raise Missing(f'No bytes with the hash "{sha256}" are stored here')
    of = cast("Literal['media', 'json', 'text']", row.of)
    return BlobItem(of=of, media_type=row.media_type, data=bytes(row.data))
