"""Media as pages show them: pictures only where the bytes prove a raster image."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import BinaryField
from django.db.models.functions import Substr

from convviewer.core import thread as core
from convviewer.core.raster import raster_type
from convviewer.store import models

_MAGIC_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A medium. `sha256` is "" where the bytes are not stored; `picture`: a verified raster image.

    `n` is its number in the message or the result; `location` a place that is text and no link.
    """

    n: int
    media: str
    name: str
    format: str
    media_type: str
    size: int | None
    sha256: str
    location: str
    text: str
    picture: bool

    @property
    def icon(self) -> str:
        return "file" if self.media == "document" else self.media

    @property
    def title(self) -> str:
        return self.name or f"{self.format} {self.media}".strip()

    @property
    def file_name(self) -> str:
        """A name to save it under."""
        name = self.name or self.media
        suffix = f".{self.format}" if self.format else ""
        return name if name.endswith(suffix) else name + suffix


def figure_of(media: core.Media, n: int, *, picture: bool) -> Figure:
    """A stored medium; `picture` as `pictures_among` found."""
    return Figure(
        n=n,
        media=media.kind,
        name=media.name,
        format=media.format,
        media_type=media.media_type,
        size=media.size,
        sha256=media.sha256,
        location=media.location,
        text=media.text,
        picture=picture and media.kind == "image",
    )


def pictures_among(names: Collection[str]) -> set[str]:
    """Which blobs are raster images by their first bytes; one query, whatever there is."""
    heads = models.Blob.objects.filter(sha256__in={"", *names}).values_list(
        "sha256", Substr("data", 1, _MAGIC_BYTES, output_field=BinaryField())
    )
    return {name for name, head in heads if raster_type(bytes(head))}
