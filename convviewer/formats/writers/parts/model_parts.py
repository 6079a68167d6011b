"""Tool results, media and their parts as Bedrock Converse and Strands Agents write them."""

from __future__ import annotations

import base64
from typing import Final, Literal, TypeAlias

from convviewer.core import thread as core
from convviewer.core.json import Json, encode
from convviewer.core.text import format_bytes

Dialect: TypeAlias = Literal["converse", "strands"]

# Where a result's payload is no part of its content.
_APART: Final = frozenset({"payload", "envelope", "output"})


def result_form(result: core.ToolResult, dialect: Dialect) -> Json:
    """The inside of a toolResult. A declined call is an error; an unknown status is left out."""
    content: list[Json] = [part_form(part, dialect) for part in result.parts]
    if result.payload_source in _APART:
        content.insert(0, _payload_form(result.payload, dialect))
    form: dict[str, Json] = {"toolUseId": result.tool_use_id, "content": content}
    if result.status != "unknown":
        form["status"] = "success" if result.status == "success" else "error"
    return form


def part_form(part: core.ResultPart, dialect: Dialect) -> Json:
    """A part of a tool result, or a block that is like one."""
    match part:
        case core.Text() | core.Marker():
            return {"text": part.text}
        case core.JsonValue():
            return {"json": part.value}
        case core.Unknown():
            return _unknown_form(part.raw, dialect)
        case core.Media():
            return _media_form(part, dialect)


def bytes_form(data: bytes, dialect: Dialect) -> Json:
    """Bytes: base64, which Strands Agents wraps to tell it from text."""
    coded = base64.b64encode(data).decode("ascii")
    return coded if dialect == "converse" else {"__bytes_encoded__": True, "data": coded}


def _payload_form(payload: Json, dialect: Dialect) -> Json:
    """A Roboto payload. Bedrock takes objects only, and a list in the wrapper that Roboto uses."""
    match payload:
        case str():
            return {"text": payload}
        case list() if dialect == "converse":
            return {"json": {"items": payload}}
        case dict():
            return {"json": payload}
        case _:
            return {"json": payload} if dialect == "strands" else {"text": encode(payload)}


def _unknown_form(raw: Json, dialect: Dialect) -> Json:
    """Strands keeps what it does not know; Bedrock refuses it, but takes it as text."""
    return raw if dialect == "strands" else {"text": encode(raw)}


def _media_form(media: core.Media, dialect: Dialect) -> Json:
    source = _source(media, dialect)
    if source is None:
        return {"text": f"[{_described(media)}]"}
    form: dict[str, Json] = {"format": media.format} if media.format else {}
    if media.name or (media.kind == "document" and dialect == "converse"):
        form["name"] = media.name or "document"
    return {media.kind: {**form, "source": source}}


def _source(media: core.Media, dialect: Dialect) -> dict[str, Json] | None:
    if media.data is not None:
        return {"bytes": bytes_form(media.data, dialect)}
    if media.text:
        return {"text": media.text}
    if media.location.startswith("s3://"):
        place: dict[str, Json] = {"uri": media.location}
        if dialect == "converse":
            return {"s3Location": place}
        return {"location": {"type": "s3", **place}}
    return {"url": media.location} if media.location and dialect == "strands" else None


def _described(media: core.Media) -> str:
    size = "" if media.size is None else format_bytes(media.size)
    parts = (media.name, media.format, size, media.location)
    return ", ".join([media.kind, *(part for part in parts if part)])
