"""Content blocks as Strands Agents and Bedrock Converse store them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from convviewer.core.json import Json
from convviewer.core.thread import (
    Block,
    CachePoint,
    Citation,
    Citations,
    Guard,
    JsonValue,
    Marker,
    Media,
    MediaKind,
    Reasoning,
    ResultPart,
    ResultStatus,
    Text,
    ToolResult,
    ToolUse,
    Unknown,
)
from convviewer.formats.parts.media import bytes_of, media_of, texts_of
from convviewer.formats.parts.strands.markers import read_marker, read_result_marker
from convviewer.formats.parts.warning_log import WarningLog

__all__ = ["Context", "media_of", "parse_message_content"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where the value being read stands, who speaks there, and where to note what is wrong.

    `pointer` is its JSON pointer inside the file `path`; `role` is "" outside messages.
    """

    path: str
    log: WarningLog
    pointer: str = ""
    role: str = ""

    def at(self, *parts: str | int) -> Context:
        """The same speaker, further down; parts need no escaping."""
        pointer = self.pointer + "".join(f"/{part}" for part in parts)
        return Context(path=self.path, pointer=pointer, role=self.role, log=self.log)

    def note(self, code: str, message: str) -> None:
        """Warn about this place."""
        self.log.add(code, message, path=self.path, pointer=self.pointer)


class _BadBlockError(Exception):
    """A block of a known kind whose parts are not what the kind promises."""


def parse_message_content(content: Json, context: Context) -> tuple[Block, ...]:
    """The blocks of one message, one for each in the record and in its order.

    Nothing is dropped: what no rule explains becomes `Unknown`, noted as `unknown_block`; a known
    block with the wrong inside too, noted as `bad_block`. Plain text in place of the list is read
    as one text and noted as `bad_block`; so is an absent list, which gives no blocks.
    """
    if isinstance(content, list):
        return tuple(_block(item, context, index) for index, item in enumerate(content))
    if isinstance(content, str):
        _note_plain_text(context)
        return (_words(content, context),)
    if content is None:
        context.note("bad_block", "a message without content")
        return ()
    return (_unknown(content, "content is neither a list of blocks nor text", context),)


def _block(item: Json, parent: Context, index: int) -> Block:
    if not isinstance(item, dict):
        return _unknown(item, "a block is an object with one key", parent.at(index))
    text = item.get("text")
    if isinstance(text, str) and len(item) == 1:  # by far the most common one
        return _words(text, parent)
    context = parent.at(index)
    present = {key: value for key, value in item.items() if value is not None}
    kinds = [key for key in present if key in _BLOCKS]
    if len(kinds) != 1:
        return _unknown(item, f"block of keys {', '.join(sorted(item))[:100] or 'none'}", context)
    kind = kinds[0]
    if len(present) > 1:
        context.note("bad_block", f"{kind} block with other keys beside it: see its original JSON")
    try:
        return _BLOCKS[kind](present[kind], context.at(kind))
    except _BadBlockError as error:
        context.note("bad_block", f"{kind} block: {error}")
        return Unknown(raw=item, reason=str(error))


def _words(text: str, context: Context) -> Text | Marker:
    return read_marker(text, role=context.role) or Text(text=text)


def _text(value: Json, context: Context) -> Text | Marker:
    if not isinstance(value, str):
        raise _BadBlockError("expected text")
    return _words(value, context)


def _reasoning(value: Json, context: Context) -> Reasoning:
    """Python nests the text in `reasoningText`; the npm SDK does not."""
    fields = _object(value)
    inner = fields.get("reasoningText", fields)
    if isinstance(inner, str):
        inner = {"text": inner}
    inner = _object(inner)
    redacted = fields.get("redactedContent")
    data = bytes_of(redacted)
    if redacted is not None and data is None:
        raise _BadBlockError("redactedContent is not base64")
    return Reasoning(
        text=_string(inner.get("text")),
        signature=_string(inner.get("signature")),
        redacted_bytes=None if data is None else len(data),
    )


def _tool_use(value: Json, context: Context) -> ToolUse:
    fields = _object(value)
    identifier, name = fields.get("toolUseId"), fields.get("name")
    if not isinstance(identifier, str) or not isinstance(name, str):
        raise _BadBlockError("expected toolUseId and name as text")
    return ToolUse(id=identifier, name=name, input=fields.get("input"))


def _tool_result(value: Json, context: Context) -> ToolResult:
    fields = _object(value)
    identifier = fields.get("toolUseId")
    if not isinstance(identifier, str):
        raise _BadBlockError("expected toolUseId as text")
    parts = _parts(fields.get("content"), context.at("content"))
    return ToolResult(
        tool_use_id=identifier,
        status=_status(fields.get("status")),
        payload=_payload(parts),
        payload_source="content" if parts else "none",
        parts=parts,
    )


def _status(value: Json) -> ResultStatus:
    if value == "success":
        return "success"
    return "error" if value == "error" else "unknown"


def _payload(parts: tuple[ResultPart, ...]) -> Json:
    if len(parts) != 1:
        return None
    match parts[0]:
        case Text(text=text):
            return text
        case JsonValue(value=value):
            return value
        case Media() | Marker() | Unknown():
            return None


def _parts(content: Json, context: Context) -> tuple[ResultPart, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        _note_plain_text(context)
        return (_part({"text": content}, context),)
    if not isinstance(content, list):
        return (_unknown(content, "a tool result's content is a list of parts", context),)
    return tuple(_part(item, context.at(index)) for index, item in enumerate(content))


def _part(item: Json, context: Context) -> ResultPart:
    # A stored `json` may be null, so unlike in a block a null is a value here.
    if not isinstance(item, dict) or len(item) != 1:
        return _unknown(item, "part of a tool result", context)
    ((key, value),) = item.items()
    if key == "json":
        return JsonValue(value=value)
    if key == "text" and isinstance(value, str):
        return read_result_marker(value) or Text(text=value)
    media = media_of(_MEDIA[key], value) if key in _MEDIA else None
    return media or _unknown(item, f"{key} part of a tool result", context)


def _media(kind: MediaKind) -> Callable[[Json, Context], Media]:
    def read(value: Json, context: Context) -> Media:
        media = media_of(kind, value)
        if media is None:
            raise _BadBlockError("expected a source with bytes in base64, or a location")
        return media

    return read


def _citations(value: Json, context: Context) -> Citations:
    fields = _object(value)
    cited = fields.get("citations")
    return Citations(
        text=texts_of(fields.get("content")),
        citations=tuple(_citation(item) for item in cited) if isinstance(cited, list) else (),
    )


def _citation(value: Json) -> Citation:
    fields = _object(value)
    location = fields.get("location")
    web = location.get("web", location) if isinstance(location, dict) else None
    return Citation(
        title=_string(fields.get("title")),
        source_text=texts_of(fields.get("sourceContent")),
        url=_string(web.get("url")) if isinstance(web, dict) else "",
        location=location,
    )


def _guard(value: Json, context: Context) -> Guard:
    text = _object(_object(value).get("text"))
    qualifiers = text.get("qualifiers")
    if not isinstance(text.get("text"), str):
        raise _BadBlockError("expected text inside text")
    return Guard(
        text=_string(text.get("text")),
        qualifiers=tuple(map(str, qualifiers)) if isinstance(qualifiers, list) else (),
    )


def _cache_point(value: Json, context: Context) -> CachePoint:
    fields = _object(value)
    kind = fields.get("type", fields.get("cacheType"))
    return CachePoint(type=_string(kind), ttl=_string(fields.get("ttl")))


_MEDIA: Final[dict[str, MediaKind]] = {
    "image": "image",
    "document": "document",
    "audio": "audio",
    "video": "video",
}

_BLOCKS: Final[dict[str, Callable[[Json, Context], Block]]] = {
    "text": _text,
    "toolUse": _tool_use,
    "toolResult": _tool_result,
    "reasoningContent": _reasoning,
    "reasoning": _reasoning,
    "citationsContent": _citations,
    "citations": _citations,
    "guardContent": _guard,
    "cachePoint": _cache_point,
    **{key: _media(kind) for key, kind in _MEDIA.items()},
}


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise _BadBlockError("expected an object")
    return value


def _string(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _note_plain_text(context: Context) -> None:
    context.note("bad_block", "content is plain text, not a list: read as one text")


def _unknown(raw: Json, reason: str, context: Context) -> Unknown:
    context.note("unknown_block", f"not understood and kept as it is: {reason}")
    return Unknown(raw=raw, reason=reason)
