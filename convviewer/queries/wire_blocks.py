"""Blocks as the API gives them (interfaces.md, HTTP API): one class for each kind.

`truncated_bytes` is the size of a value that is too large, or nests too deep, to come along; 0
where it is whole. A text then holds its start, any other value is null: the payload endpoint
gives it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from convviewer.core.json import Json
from convviewer.core.thread import MediaKind, PayloadSource, Reduction, ResultStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """Words of the message's speaker; `refusal`: the model's own words for declining."""

    kind: Literal["text"] = "text"
    text: str
    refusal: bool
    truncated_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningBlock:
    """`redacted_bytes` is the size of reasoning that the provider encrypted, else null."""

    kind: Literal["reasoning"] = "reasoning"
    text: str
    signature: str
    redacted_bytes: int | None
    truncated_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUseBlock:
    """A call. `input_note` says what is wrong with an input that could not be read."""

    kind: Literal["tool_use"] = "tool_use"
    id: str
    name: str
    input: Json
    answered_by_server: bool | None
    internal_keys: tuple[str, ...]
    input_note: str
    truncated_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart:
    """A JSON part of a tool result."""

    kind: Literal["json"] = "json"
    value: Json
    truncated_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaBlock:
    """`blob_url` is null where the bytes are not in the import; `location` is never opened."""

    kind: MediaKind
    format: str
    name: str
    media_type: str
    size: int | None
    blob_url: str | None
    location: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationItem:
    """One source of a cited text; `location` as the format states it."""

    title: str
    source_text: str
    url: str
    location: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationsBlock:
    """Generated text with the sources it rests on."""

    kind: Literal["citations"] = "citations"
    text: str
    citations: tuple[CitationItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardBlock:
    """Text handed to a guardrail for checking."""

    kind: Literal["guard"] = "guard"
    text: str
    qualifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePointBlock:
    """A prompt cache boundary."""

    kind: Literal["cache_point"] = "cache_point"
    type: str
    ttl: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBlock:
    """An error that the agent system stored in place of content."""

    kind: Literal["error"] = "error"
    message: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedBlock:
    """A tombstone: compression removed the block that stood here."""

    kind: Literal["deleted"] = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class FillerBlock:
    """Compression removed all content; the message stays for its role and turn."""

    kind: Literal["filler"] = "filler"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewingContextBlock:
    """What the user was looking at; `unreadable` is the raw text where it could not be parsed."""

    kind: Literal["viewing_context"] = "viewing_context"
    context: Json
    unreadable: str
    truncated_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerBlock:
    """A note that a reduction left; `missing` are those of `refs` that are not in the import."""

    kind: Literal["marker"] = "marker"
    reduction: Reduction
    text: str
    refs: tuple[str, ...]
    missing: tuple[str, ...]
    truncated_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownBlock:
    """What no format rule explains, raw."""

    kind: Literal["unknown"] = "unknown"
    raw: Json
    reason: str
    truncated_bytes: int


PartItem: TypeAlias = TextBlock | JsonPart | MediaBlock | MarkerBlock | UnknownBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultBlock:
    """What a tool answered. `payload_type` is null where several parts stand for one payload."""

    kind: Literal["tool_result"] = "tool_result"
    tool_use_id: str
    name: str
    status: ResultStatus
    runtime_ms: float | None
    payload: Json
    payload_source: PayloadSource
    payload_guessed: bool
    payload_type: str | None
    parts: tuple[PartItem, ...]
    truncated_bytes: int


BlockItem: TypeAlias = (
    TextBlock
    | ReasoningBlock
    | ToolUseBlock
    | ToolResultBlock
    | MediaBlock
    | CitationsBlock
    | GuardBlock
    | CachePointBlock
    | ErrorBlock
    | DeletedBlock
    | FillerBlock
    | ViewingContextBlock
    | MarkerBlock
    | UnknownBlock
)
