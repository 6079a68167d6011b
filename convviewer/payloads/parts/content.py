"""Content lists: the parts a tool result may be made of, as several agent systems write them."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from typing import Final, TypeAlias

from convviewer.core.json import Json
from convviewer.payloads.parts.images import Encoded, data_url, encoded_raster_type

_TEXT_TYPES: Final = ("text", "input_text", "output_text")
_MEDIA_KINDS: Final = ("image", "document", "audio", "video")
_MAX_PARTS: Final = 10_000
_MCP_ANSWER: Final = frozenset({"content", "isError", "structuredContent", "_meta"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Words."""

    pointer: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart:
    """A JSON value, which may be of any payload type but a content list."""

    pointer: str
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class BytesPart:
    """Bytes as base64; `pointer` leads to the string that holds them."""

    pointer: str
    encoded: Encoded
    name: str = ""

    @property
    def is_image(self) -> bool:
        """Whether the bytes prove to be a raster image."""
        return bool(encoded_raster_type(self.encoded))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacePart:
    """Something that stands elsewhere; the place is text to show, never opened."""

    pointer: str
    place: str
    name: str = ""


Part: TypeAlias = TextPart | JsonPart | BytesPart | PlacePart


def content_parts(value: Json, pointer: str = "") -> tuple[Part, ...] | None:
    """Return the parts of a content list, in order; None when the value is not one.

    Taken: a list of parts (MCP, Converse, OpenAI, Anthropic), an MCP answer {"content": [...]},
    one part alone when it holds bytes, a string that is one data URL.
    """
    match value:
        case str():
            encoded = data_url(value)
            return (BytesPart(pointer=pointer, encoded=encoded),) if encoded else None
        case list() if value:
            return _parts(value, pointer)
        case dict():
            return _object_parts(value, pointer)
        case _:
            return None


def _object_parts(value: dict[str, Json], pointer: str) -> tuple[Part, ...] | None:
    items = value.get("content")
    if isinstance(items, list) and items and value.keys() <= _MCP_ANSWER:
        return _parts(items, f"{pointer}/content")
    part = _part(value, pointer)
    return (part,) if isinstance(part, BytesPart) else None


def _parts(items: list[Json], pointer: str) -> tuple[Part, ...] | None:
    if len(items) > _MAX_PARTS:
        return None
    parts: list[Part] = []
    for i, item in enumerate(items):
        part = _part(item, f"{pointer}/{i}")
        if part is None:
            return None
        parts.append(part)
    return tuple(parts)


def _part(item: Json, pointer: str) -> Part | None:
    return _object_part(item, pointer) if isinstance(item, dict) else None


def _object_part(item: dict[str, Json], pointer: str) -> Part | None:
    match item:
        case {"type": str(kind), "text": str(text)} if kind in _TEXT_TYPES:
            return TextPart(pointer=f"{pointer}/text", text=text)
        case {"__bytes_encoded__": True, "data": str(data)}:
            return BytesPart(pointer=f"{pointer}/data", encoded=Encoded(data=data))
        case {"type": str(kind)} if kind.startswith("resource"):
            return _mcp_resource(item, pointer)
        case {"type": str(kind)}:
            return _typed(kind, item, pointer)
        case _ if len(item) == 1:
            return _converse_part(*next(iter(item.items())), pointer)
        case _:
            return None


def _typed(kind: str, item: dict[str, Json], pointer: str) -> Part | None:
    match item:
        case {"data": str(data), "mimeType": str(claimed)} if kind in _MEDIA_KINDS:
            encoded = Encoded(data=data, claimed=claimed)
            return BytesPart(pointer=f"{pointer}/data", encoded=encoded, name=kind)
        case {"source": dict(source)} if kind in _MEDIA_KINDS:
            return _sourced(kind, source, f"{pointer}/source")
        case {"image_url": url} if kind in {"input_image", "image_url"}:
            return _image_url(url, f"{pointer}/image_url")
        case _:
            return None


def _mcp_resource(item: dict[str, Json], pointer: str) -> Part | None:
    match item:
        case {"resource": {"text": str(text)}}:
            return TextPart(pointer=f"{pointer}/resource/text", text=text)
        case {"resource": {"blob": str(data), "uri": str(uri), "mimeType": str(claimed)}}:
            encoded = Encoded(data=data, claimed=claimed)
            return BytesPart(pointer=f"{pointer}/resource/blob", encoded=encoded, name=uri)
        case {"uri": str(uri)}:
            return PlacePart(pointer=f"{pointer}/uri", place=uri, name=_text(item.get("name")))
        case _:
            return None


def _image_url(url: Json, pointer: str) -> Part | None:
    match url:
        case {"url": str(text)}:
            return _image_url(text, f"{pointer}/url")
        case str():
            encoded = data_url(url)
            if encoded:
                return BytesPart(pointer=pointer, encoded=encoded, name="image")
            return PlacePart(pointer=pointer, place=url, name="image")
        case _:
            return None


def _sourced(kind: str, source: dict[str, Json], pointer: str) -> Part | None:
    """Return a part whose bytes stand in a `source`, as Anthropic and Converse write it."""
    match source:
        case {"data": str(data)}:
            encoded = Encoded(data=data, claimed=_text(source.get("media_type")))
            return BytesPart(pointer=f"{pointer}/data", encoded=encoded, name=kind)
        case {"bytes": str(data)}:
            return BytesPart(pointer=f"{pointer}/bytes", encoded=Encoded(data=data), name=kind)
        case {"bytes": {"data": str(data)}}:
            place = f"{pointer}/bytes/data"
            return BytesPart(pointer=place, encoded=Encoded(data=data), name=kind)
        case (
            {"url": str(url)} | {"location": {"uri": str(url)}} | {"s3Location": {"uri": str(url)}}
        ):
            return PlacePart(pointer=pointer, place=url, name=kind)
        case _:
            return None


def _converse_part(kind: str, inside: Json, pointer: str) -> Part | None:
    """Return the part that Converse writes as an object of one member."""
    match kind, inside:
        case "text", str(text):
            return TextPart(pointer=f"{pointer}/text", text=text)
        case "json", value:
            return JsonPart(pointer=f"{pointer}/json", value=value)
        case _, {"source": dict(source)} if kind in _MEDIA_KINDS and isinstance(inside, dict):
            part = _sourced(kind, source, f"{pointer}/{kind}/source")
            return _with_claim(part, _text(inside.get("format")), _text(inside.get("name")))
        case _:
            return None


def _with_claim(part: Part | None, extension: str, name: str) -> Part | None:
    if not isinstance(part, BytesPart):
        return part
    claimed = mimetypes.guess_type(f"x.{extension}")[0] or part.encoded.claimed
    encoded = Encoded(data=part.encoded.data, claimed=claimed)
    return BytesPart(pointer=part.pointer, encoded=encoded, name=name or part.name)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
