"""Blocks as pages show them; `templates/blocks/<kind>.html` draws each kind.

`n` is the block's number in its message, for addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from convviewer.queries.marker_note import MarkerNote
from convviewer.queries.media import Figure
from convviewer.queries.payload import PayloadView
from convviewer.queries.tool_cards import ToolCard


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A long text, of which a page shows the start: `shown` of `total` characters."""

    shown: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """Words of the speaker."""

    kind: ClassVar[str] = "text"
    n: int
    text: str
    refusal: bool
    clip: Clip | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningBlock:
    """Folded; `redacted_bytes` where the provider encrypted it."""

    kind: ClassVar[str] = "reasoning"
    n: int
    text: str
    tokens: int
    signed: bool
    redacted_bytes: int | None
    clip: Clip | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBlock:
    """One tool call."""

    kind: ClassVar[str] = "call"
    n: int
    card: ToolCard


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelBlock:
    """Calls that one message made at once.

    `wall_ms` lies between the two messages' times, `summed_ms` adds up the calls' own; None where
    the record does not say.
    """

    kind: ClassVar[str] = "parallel"
    n: int
    cards: tuple[ToolCard, ...]
    failed: int
    wall_ms: float | None
    summed_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAbove:
    """A result that stands in the card of its call; `key` and `block` are the call's."""

    name: str
    key: str
    block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsBlock:
    """Results that are shown with their calls."""

    kind: ClassVar[str] = "results"
    n: int
    results: tuple[ShownAbove, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaBlock:
    """Neighbouring media."""

    kind: ClassVar[str] = "media"
    n: int
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """A source that a text cites; `place` says where in it."""

    number: int
    title: str
    url: str
    place: str
    quote: str

    @property
    def linked(self) -> bool:
        """Whether the address is one that a page may link to."""
        return self.url.startswith(("https://", "http://"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationsBlock:
    """Text that rests on sources."""

    kind: ClassVar[str] = "citations"
    n: int
    text: str
    sources: tuple[SourceItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardBlock:
    """Text handed to a guardrail."""

    kind: ClassVar[str] = "guard"
    n: int
    text: str
    qualifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePointBlock:
    """A prompt cache boundary."""

    kind: ClassVar[str] = "cache_point"
    n: int
    type: str
    ttl: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBlock:
    """An error that stands in place of content."""

    kind: ClassVar[str] = "error"
    n: int
    message: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedBlock:
    """Neighbouring tombstones; `original`: the fullest tier has the message."""

    kind: ClassVar[str] = "deleted"
    n: int
    count: int
    original: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FillerBlock:
    """What compression left of a message; `original`: the fullest tier has the message."""

    kind: ClassVar[str] = "filler"
    n: int
    original: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """A chip for the viewing context, which only the inspector shows."""

    kind: ClassVar[str] = "viewing_context"
    n: int
    summary: str
    unreadable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerBlock:
    """A note that a reduction left, with what it kept as its text."""

    kind: ClassVar[str] = "marker"
    n: int
    note: MarkerNote
    text: str
    clip: Clip | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownBlock:
    """A block no rule explains, raw."""

    kind: ClassVar[str] = "unknown"
    n: int
    reason: str
    payload: PayloadView


BlockView: TypeAlias = (
    TextBlock
    | ReasoningBlock
    | CallBlock
    | ParallelBlock
    | ResultsBlock
    | MediaBlock
    | CitationsBlock
    | GuardBlock
    | CachePointBlock
    | ErrorBlock
    | DeletedBlock
    | FillerBlock
    | ContextBlock
    | MarkerBlock
    | UnknownBlock
)
