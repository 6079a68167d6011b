"""Pictures, documents, sounds and films as Strands Agents and Bedrock Converse store them."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from convviewer.core.json import Json
from convviewer.core.thread import Media, MediaKind

_MEDIA_TYPES: Final = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "mp3": "audio/mpeg",
    "mpga": "audio/mpeg",
    "m4a": "audio/mp4",
    "mka": "audio/x-matroska",
    "x-aac": "audio/aac",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mpg": "video/mpeg",
    "flv": "video/x-flv",
    "wmv": "video/x-ms-wmv",
    "three_gp": "video/3gpp",
}


def bytes_of(value: Json) -> bytes | None:
    """Stored bytes: {"__bytes_encoded__": true, "data": base64}, or the base64 text alone."""
    if isinstance(value, dict) and value.get("__bytes_encoded__") is True:
        value = value.get("data")
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None


def media_of(kind: MediaKind, value: Json) -> Media | None:
    """The picture, document, sound or film of a block; None when it has no readable source.

    A place (S3, URL) is kept as text and never opened.
    """
    if not isinstance(value, dict):
        return None
    source = value.get("source")
    if not isinstance(source, dict):
        return None
    stored_format = _string(value.get("format"))
    data = bytes_of(source.get("bytes"))
    text = _document_text(source)
    location = _location(source)
    if data is None and not text and not location:
        return None
    return Media(
        kind=kind,
        format=stored_format,
        name=_string(value.get("name")),
        media_type=_media_type(kind, stored_format),
        size=None if data is None else len(data),
        data=data,
        location=location,
        text=text,
    )


def texts_of(content: Json) -> str:
    """The texts of a list of {"text": …}, a line each."""
    if not isinstance(content, list):
        return ""
    return "\n".join(_string(item.get("text")) for item in content if isinstance(item, dict))


def _media_type(kind: MediaKind, stored_format: str) -> str:
    known = _MEDIA_TYPES.get(stored_format)
    if known or kind == "document" or not stored_format:
        return known or ""
    return f"{kind}/{stored_format}"


def _document_text(source: dict[str, Json]) -> str:
    text = source.get("text")
    return text if isinstance(text, str) else texts_of(source.get("content"))


def _location(source: dict[str, Json]) -> str:
    url = source.get("url")
    if isinstance(url, str):
        return url
    place = source.get("location", source.get("s3Location"))
    return _string(place.get("uri")) if isinstance(place, dict) else ""


def _string(value: Json) -> str:
    return value if isinstance(value, str) else ""
