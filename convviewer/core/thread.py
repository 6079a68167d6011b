"""The values every layer shares: a thread, its tiers, messages and blocks.

Formats build them, analysis reads them, the store writes and loads them. They are plain data:
nothing here knows a stored format, a table or a page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from convviewer.core.json import Json

TierKind = Literal["verbatim", "compressed", "checkpoint", "variant"]
ResultStatus = Literal["success", "error", "declined", "unknown"]
PayloadSource = Literal["payload", "envelope", "output", "content", "none"]
MediaKind = Literal["image", "document", "audio", "video"]
Reduction = Literal["summarized", "truncated", "elided", "dropped", "offloaded"]
PathPart = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Where the store keeps a value that is too large for its message.

    `size` counts bytes of the stored form: JSON text for `json`, UTF-8 for `text`. `length` counts
    characters of a text, items of an array, members of an object. Only the store makes these; a
    block that carries one holds a clipped text, or no value, in the field itself.
    """

    sha256: str
    of: Literal["text", "json"]
    size: int
    length: int


# -- blocks ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words of the message's speaker. `refusal`: the model's own words for declining."""

    text: str
    refusal: bool = False
    stored: Stored | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """`redacted_bytes` is the size of reasoning the provider encrypted, which is never shown."""

    text: str = ""
    signature: str = ""
    redacted_bytes: int | None = None
    stored: Stored | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A call. `internal_keys` names input keys that the agent system added for itself.

    `input_note` says what is wrong with an input that could not be read as its format promises.
    """

    id: str
    name: str
    input: Json = None
    answered_by_server: bool | None = None
    internal_keys: tuple[str, ...] = ()
    input_note: str = ""
    stored: Stored | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonValue:
    """A JSON part of a tool result."""

    value: Json
    stored: Stored | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """Bytes or a place. `location` is text to show and is never opened.

    `data` is set by a format and None once stored; then `sha256` names the blob. Neither set:
    the bytes are not in the import. `text` is a document given as text instead of bytes.
    """

    kind: MediaKind
    format: str = ""
    name: str = ""
    media_type: str = ""
    size: int | None = None
    data: bytes | None = None
    sha256: str = ""
    location: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One source of a cited text; `location` as the format states it."""

    title: str = ""
    source_text: str = ""
    url: str = ""
    location: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """Generated text with the sources it rests on."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Text handed to a guardrail for checking."""

    text: str
    qualifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePoint:
    """A prompt cache boundary."""

    type: str = ""
    ttl: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """An error the agent system stored in place of content."""

    message: str
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """A tombstone: compression removed the block that stood here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """Compression removed all content; the message stays for its role and turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewingContext:
    """What the user was looking at. Never part of any text rendering.

    `unreadable` is the raw text of a marker that could not be parsed; `context` is then None.
    """

    context: Json = None
    unreadable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A note a reduction left in place of content: never the speaker's words.

    `text` is the whole placeholder as stored, preview or summary included. `refs` name stashed
    originals; `missing` are those of them that are not in the import.
    """

    reduction: Reduction
    text: str
    refs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    stored: Stored | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A block, or part, that no format rule explains; kept and shown raw."""

    raw: Json
    reason: str = ""
    stored: Stored | None = None


ResultPart = Text | JsonValue | Media | Marker | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool answered. Status `unknown`: the record has none.

    `payload` is the one value to show; None with `payload_source` "content" and several `parts`,
    or with "none". Parts keep the record's order. `payload_guessed` marks an {"items": [...]} that
    was unwrapped on a guess.
    """

    tool_use_id: str
    name: str = ""
    status: ResultStatus = "unknown"
    runtime_ms: float | None = None
    payload: Json = None
    payload_source: PayloadSource = "none"
    payload_guessed: bool = False
    parts: tuple[ResultPart, ...] = ()
    stored: Stored | None = None


Block = (
    Text
    | Reasoning
    | ToolUse
    | ToolResult
    | Media
    | Citations
    | Guard
    | CachePoint
    | Error
    | Deleted
    | Filler
    | ViewingContext
    | Marker
    | Unknown
)


# -- messages and tiers ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts as stored. None: the record has no such figure, which is not 0."""

    input: int | None = None
    output: int | None = None
    total: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Milliseconds as stored."""

    latency_ms: float | None = None
    time_to_first_byte_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a tier.

    `key` is what links use: unique in its tier and stable across imports. `number` is for people;
    None for an entry that compression made, which has no place in what happened. Times are the
    record's own text. `raw` is the record's own JSON, byte for byte; for a redacted message it is
    the replacement, and `original_raw` keeps what was replaced, served nowhere by default. `label`
    says what a made entry is ("summary by …"). The same object in two tiers is the same message,
    stored once.
    """

    key: str
    number: int | None
    role: str
    blocks: tuple[Block, ...]
    raw: bytes
    status: str = ""
    created_at: str = ""
    updated_at: str = ""
    tracking_id: str = ""
    author: str = ""
    label: str = ""
    model: str = ""
    stop_reason: str = ""
    redacted: bool = False
    is_summary: bool = False
    usage: Usage | None = None
    metrics: Metrics | None = None
    custom: Json = None
    original_raw: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Declared by the record: the entry at `entry` stands for these verbatim keys."""

    entry: int
    stands_for: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One version of the thread, messages in order.

    `removed_count` is a stored count of messages that the first summary replaced, or that a window
    cut off; it never says which. `aligned_by_number`: entries stand at the number of the message
    they came from.
    """

    name: str
    kind: TierKind
    messages: tuple[Message, ...]
    captured_at: str = ""
    strategy: str = ""
    removed_count: int | None = None
    aligned_by_number: bool = False
    links: tuple[Link, ...] = ()


# -- the thread ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who answered. `details` keeps the rest of what is recorded, by the record's names."""

    id: str = ""
    name: str = ""
    description: str = ""
    model: str = ""
    system: tuple[Block, ...] = ()
    tools: Json = None
    state: Json = None
    manager: str = ""
    details: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place inside a tier: message number and block number, from 0."""

    message: int
    block: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtask:
    """A step of a task."""

    title: str
    status: str = ""
    conclusion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A span of messages the agent system marked as one task."""

    title: str
    status: str = ""
    conclusion: str = ""
    start: Place | None = None
    end: Place | None = None
    subtasks: tuple[Subtask, ...] = ()
    raw: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Something the thread was to reach; `achieved_by` is a tool use id."""

    title: str
    status: str = ""
    achieved_by: str = ""
    raw: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One agent of a multi-agent run. `result` is its last answer, not its transcript."""

    id: str
    status: str = ""
    result: tuple[Block, ...] = ()
    usage: Usage | None = None
    runtime_ms: float | None = None
    raw: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiAgent:
    """State of a graph or swarm: nodes in execution order where that is recorded."""

    id: str
    kind: str = ""
    status: str = ""
    task: tuple[Block, ...] = ()
    nodes: tuple[Node, ...] = ()
    usage: Usage | None = None
    runtime_ms: float | None = None
    raw: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaced:
    """A stored original whose order and speaker are not recorded."""

    ref: str
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Warning:  # noqa: A001 - the field's word; nothing here raises warnings
    """Something a reader must know; codes are listed in interfaces.md."""

    code: str
    message: str
    path: str = ""
    pointer: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One conversation with all its tiers, verbatim first when there is one.

    `format` names the module that read it; threads are the same only within one format.
    `external_id` and `agent_id` are the record's own. `lookup_id` is what a stored thread is found
    by when `external_id` is a path: the file's base name. `facts` keeps thread-level values that
    have no field here, by the record's names, for the inspector and for export.
    """

    format: str
    external_id: str
    tiers: tuple[Tier, ...]
    agent_id: str = ""
    lookup_id: str = ""
    title: str = ""
    status: str = ""
    activity: str = ""
    created_at: str = ""
    updated_at: str = ""
    created_by: str = ""
    visibility: str = ""
    origin: str = ""
    forked_from: str = ""
    forked_at: int | None = None
    agent: Agent = field(default_factory=Agent)
    tasks: tuple[Task, ...] = ()
    goals: tuple[Goal, ...] = ()
    multi_agent: MultiAgent | None = None
    unplaced: tuple[Unplaced, ...] = ()
    facts: Json = None
    warnings: tuple[Warning, ...] = ()

    def tier(self, name: str) -> Tier | None:
        """The tier of that name; `compressed` answers as interfaces.md says, else None."""
        for tier in self.tiers:
            if tier.name == name:
                return tier
        if name != "compressed":
            return None
        variants = [tier for tier in self.tiers if tier.kind == "variant"]
        return variants[-1] if variants else self.tier("verbatim")
