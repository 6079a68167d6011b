"""Stored bytes. They are not ours, so nothing in them may act on this site."""

from __future__ import annotations

import re
from typing import Final

from django.http import HttpRequest, HttpResponse
from ninja import Router

from convviewer.api.answers import described, strict_json
from convviewer.api.params import Text
from convviewer.core.json import replace_surrogates
from convviewer.core.raster import raster_type
from convviewer.queries.blobs import BlobItem, has_blob, load_blob

router = Router(tags=["blobs"])

# A browser plays these in a page of ours, and never opens them as a page of their own.
_PLAYED: Final = re.compile(r"(?:audio|video)/[\w.+-]{1,60}")
_BYTES: Final = "application/octet-stream"


@router.get("/blobs/{sha256}", openapi_extra=described(_BYTES))
def blob(request: HttpRequest, sha256: Text) -> HttpResponse:
    """Give bytes by their hash: as an attachment, unless they prove to be a raster image."""
    etag = f'"{sha256}"'
    if etag in request.headers.get("If-None-Match", "") and has_blob(sha256):
        return _kept(HttpResponse(status=304), etag)
    item = load_blob(sha256)
    image = raster_type(item.data[:16]) if item.of == "media" else ""
    response = HttpResponse(_data(item), content_type=image or _media_type(item))
    if not image:
        response["Content-Disposition"] = "attachment"
    response["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return _kept(response, etag)


def _kept(response: HttpResponse, etag: str) -> HttpResponse:
    """Content never changes under its own hash."""
    response["ETag"] = etag
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def _data(item: BlobItem) -> bytes:
    match item.of:
        case "media":
            return item.data
        case "json":
            return strict_json(item.data)
        case "text":
            return replace_surrogates(item.data.decode("utf-8", "surrogatepass")).encode()


def _media_type(item: BlobItem) -> str:
    match item.of:
        case "media":
            return item.media_type if _PLAYED.fullmatch(item.media_type) else _BYTES
        case "json":
            return "application/json"
        case "text":
            return "text/plain; charset=utf-8"
