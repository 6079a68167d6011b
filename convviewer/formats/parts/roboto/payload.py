"""What a Roboto tool result holds: `payload`, else what its legacy envelope carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from convviewer.core.json import Json
from convviewer.core.thread import (
    JsonValue,
    MediaKind,
    PayloadSource,
    ResultPart,
    Text,
    Unknown,
)
from convviewer.formats.parts.blocks import media_of

_MEDIA: Final[dict[str, MediaKind]] = {
    "image": "image",
    "document": "document",
    "audio": "audio",
    "video": "video",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The payload, where it was found, and what else the envelope holds beside it.

    `guessed`: the value stood alone as {"items": [...]}, which may be the tool's own answer or a
    wrapper around its list.
    """

    payload: Json = None
    source: PayloadSource = "none"
    guessed: bool = False
    parts: tuple[ResultPart, ...] = ()


def resolve_payload(payload: Json, raw_response: Json) -> Resolved:
    """Resolve a result exactly as `AgentToolResultContent.resolve_payload()` of the SDK does.

    Whatever the envelope holds that is not the payload stays in `parts`, in its order, so that
    pictures beside a text and malformed envelopes are seen.
    """
    if not raw_response:
        return _given(payload)
    if not isinstance(raw_response, dict):
        return _malformed(payload, raw_response)
    if "toolResult" not in raw_response:
        return (
            Resolved(payload=raw_response, source="output") if payload is None else _given(payload)
        )
    result = raw_response["toolResult"]
    blocks = result.get("content") if isinstance(result, dict) else None
    if not isinstance(blocks, list):
        return _malformed(payload, raw_response)
    if payload is not None:
        return Resolved(payload=payload, source="payload", parts=_media_of(blocks))
    return _from_envelope(blocks)


def _given(payload: Json) -> Resolved:
    return Resolved() if payload is None else Resolved(payload=payload, source="payload")


def _malformed(payload: Json, raw_response: Json) -> Resolved:
    if payload is not None:
        return _given(payload)
    return Resolved(parts=(Unknown(raw=raw_response, reason="malformed response envelope"),))


def _media_of(blocks: list[Json]) -> tuple[ResultPart, ...]:
    """The pictures and files of an envelope whose words are repeated in `payload`."""
    parts = (_part(block) for block in blocks)
    return tuple(part for part in parts if not isinstance(part, Text | JsonValue | Unknown))


def _from_envelope(blocks: list[Json]) -> Resolved:
    index = next((index for index, block in enumerate(blocks) if _decides(block)), None)
    beside = tuple(_part(block) for place, block in enumerate(blocks) if place != index)
    block = None if index is None else blocks[index]
    match block:
        case {"json": {"items": list(items), **rest}} if not rest:
            return Resolved(payload=items, source="envelope", guessed=True, parts=beside)
        case {"json": str() | dict() | list() as value}:
            return Resolved(payload=value, source="envelope", parts=beside)
        case {"json": _}:
            return Resolved(parts=tuple(_part(block) for block in blocks))
        case {"text": value}:
            return Resolved(payload=value, source="envelope", parts=beside)
        case _:
            return Resolved(parts=beside)


def _decides(block: Json) -> bool:
    """Whether the SDK looks no further than this block: any `json`, or a `text` that is text."""
    return isinstance(block, dict) and ("json" in block or isinstance(block.get("text"), str))


def _part(block: Json) -> ResultPart:
    match block:
        case {"json": value}:
            return JsonValue(value=value)
        case {"text": str(text)}:
            return Text(text=text)
        case dict() if len(block) == 1:
            ((key, value),) = block.items()
            media = media_of(_MEDIA[key], value) if key in _MEDIA else None
            return media or Unknown(raw=block, reason=f"{key} part of a tool result")
        case _:
            return Unknown(raw=block, reason="part of a tool result")
