"""Values too large for their message, and media bytes, moved to blobs and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, cast

from convviewer.core import thread as core
from convviewer.core.json import Json, decode, encode

# A block whose stored text is no longer than this stays in its message whole.
INLINE_BYTES = 32 * 1024
# What a clipped text keeps in its message, in characters.
CLIPPED_TEXT = 4096

B = TypeVar("B")
C = TypeVar("C", bound=core.Text | core.Reasoning | core.Marker)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBlob:
    """Bytes to store under their own hash."""

    sha256: str
    of: Literal["media", "json", "text"]
    data: bytes
    media_type: str = ""


def blob_of_text(text: str) -> NewBlob:
    """Text as UTF-8; a lone surrogate survives the round trip."""
    data = text.encode("utf-8", "surrogatepass")
    return NewBlob(sha256=hashlib.sha256(data).hexdigest(), of="text", data=data)


def text_of_blob(data: bytes) -> str:
    """The text that `blob_of_text` stored."""
    return data.decode("utf-8", "surrogatepass")


class Offloader:
    """Moves what is large, or media, out of blocks; `blobs` collects the bytes by hash."""

    def __init__(self) -> None:
        self.blobs: dict[str, NewBlob] = {}

    def media(self, block: core.Block) -> core.Block:
        """The block with media bytes named by hash."""
        if isinstance(block, core.Media):
            return self._media(block)
        if isinstance(block, core.ToolResult):
            if not any(isinstance(part, core.Media) for part in block.parts):
                return block
            parts = tuple(
                self._media(part) if isinstance(part, core.Media) else part for part in block.parts
            )
            return replace(block, parts=parts)
        return block

    def large(self, block: core.Block) -> core.Block:
        """The block without its large values; called for blocks whose stored text is large."""
        match block:
            case core.Text() | core.Reasoning() | core.Marker():
                return self._clip(block)
            case core.ToolUse():
                kept, stored = self._value(block.input)
                return replace(block, input=kept, stored=stored)
            case core.ToolResult():
                kept, stored = self._value(block.payload)
                parts = tuple(self._part(part) for part in block.parts)
                return replace(block, payload=kept, stored=stored, parts=parts)
            case core.Unknown():
                kept, stored = self._value(block.raw)
                return replace(block, raw=kept, stored=stored)
            case _:
                return block

    def _part(self, part: core.ResultPart) -> core.ResultPart:
        match part:
            case core.Text() | core.Marker():
                return self._clip(part)
            case core.JsonValue():
                kept, stored = self._value(part.value)
                return replace(part, value=kept, stored=stored)
            case core.Unknown():
                kept, stored = self._value(part.raw)
                return replace(part, raw=kept, stored=stored)
            case core.Media():
                return part

    def _clip(self, block: C) -> C:
        if len(block.text) <= CLIPPED_TEXT:
            return block
        stored = self._keep(blob_of_text(block.text), length=len(block.text))
        return replace(block, text=block.text[:CLIPPED_TEXT], stored=stored)

    def _value(self, value: Json) -> tuple[Json, core.Stored | None]:
        if isinstance(value, str):
            if len(value) <= CLIPPED_TEXT:
                return value, None
            return value[:CLIPPED_TEXT], self._keep(blob_of_text(value), length=len(value))
        if not isinstance(value, (list, dict)):
            return value, None
        data = encode(value).encode("ascii")
        if len(data) <= CLIPPED_TEXT:
            return value, None
        blob = NewBlob(sha256=hashlib.sha256(data).hexdigest(), of="json", data=data)
        return None, self._keep(blob, length=len(value))

    def _keep(self, blob: NewBlob, *, length: int) -> core.Stored:
        self.blobs[blob.sha256] = blob
        of = cast("Literal['text', 'json']", blob.of)
        return core.Stored(sha256=blob.sha256, of=of, size=len(blob.data), length=length)

    def _media(self, media: core.Media) -> core.Media:
        if media.data is None:
            return media
        sha256 = hashlib.sha256(media.data).hexdigest()
        self.blobs[sha256] = NewBlob(
            sha256=sha256, of="media", data=media.data, media_type=media.media_type
        )
        return replace(media, data=None, sha256=sha256, size=len(media.data))


def blob_names(block: core.Block) -> set[str]:
    """The hashes of the blobs that a loaded block needs."""
    names = {part.sha256 for part in _media_of(block) if part.sha256}
    names |= {item.stored.sha256 for item in _holders(block) if item.stored}
    return names


def restore(block: core.Block, blobs: Mapping[str, bytes]) -> core.Block:
    """The block as its format made it."""
    if isinstance(block, core.Media):
        return _with_data(block, blobs)
    if isinstance(block, core.ToolResult):
        block = replace(block, parts=tuple(_whole_part(part, blobs) for part in block.parts))
    return _whole(block, blobs)


def _media_of(block: core.Block) -> tuple[core.Media, ...]:
    if isinstance(block, core.Media):
        return (block,)
    if isinstance(block, core.ToolResult):
        return tuple(part for part in block.parts if isinstance(part, core.Media))
    return ()


def _holders(block: core.Block) -> list[Any]:
    parts = list(block.parts) if isinstance(block, core.ToolResult) else []
    return [item for item in (block, *parts) if hasattr(item, "stored")]


def _whole_part(part: core.ResultPart, blobs: Mapping[str, bytes]) -> core.ResultPart:
    if isinstance(part, core.Media):
        return _with_data(part, blobs)
    return cast("core.ResultPart", _whole(part, blobs))


def _with_data(media: core.Media, blobs: Mapping[str, bytes]) -> core.Media:
    data = blobs.get(media.sha256)
    return media if data is None else replace(media, data=data, sha256="")


# Which field of a block holds the value that `stored` stands for.
_VALUE_FIELDS: dict[type[Any], str] = {
    core.ToolUse: "input",
    core.ToolResult: "payload",
    core.JsonValue: "value",
    core.Unknown: "raw",
    core.Text: "text",
    core.Reasoning: "text",
    core.Marker: "text",
}
_READERS: dict[str, Callable[[bytes], Json]] = {"text": text_of_blob, "json": decode}


def _whole(block: B, blobs: Mapping[str, bytes]) -> B:
    stored: core.Stored | None = getattr(block, "stored", None)
    if stored is None or stored.sha256 not in blobs:
        return block
    value = _READERS[stored.of](blobs[stored.sha256])
    changes: dict[str, Any] = {_VALUE_FIELDS[type(block)]: value, "stored": None}
    return replace(cast("Any", block), **changes)  # type: ignore[no-any-return]
