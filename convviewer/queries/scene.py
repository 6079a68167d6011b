"""All that the blocks of one window need to know beside themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from convviewer.core import thread as core
from convviewer.queries.compaction import Compaction
from convviewer.queries.media import pictures_among
from convviewer.queries.payload import Look, Place
from convviewer.queries.tiers import TierView
from convviewer.store import models
from convviewer.store.load import load_blobs

# What a window reads of large payloads, to show their first rows; beyond it they wait to be asked.
_JSON_BYTES: Final = 8_000_000
_TEXT_BYTES: Final = 256_000

Spot = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """A message of the window; `nodes` is what the store reckons it costs to render."""

    position: int
    nodes: int
    message: core.Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The payload that the address asks to see in a certain way."""

    place: Place
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One window of a tier: messages by position, calls by the place of either half, blobs.

    `waits_at` is the position whose calls the thread waits for, None when it waits for none;
    `in_base` are keys of messages that the fullest tier holds too, when it is not this one.
    """

    thread: str
    tier: TierView
    messages: Mapping[int, core.Message]
    uses: Mapping[Spot, models.ToolCall]
    results: Mapping[Spot, models.ToolCall]
    waits_at: int | None = None
    in_base: frozenset[str] = frozenset()
    chosen: Chosen | None = None
    compaction: Compaction | None = None
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    pictures: frozenset[str] = frozenset()

    def has(self, position: int) -> bool:
        """Whether the window shows that position."""
        return position in self.messages

    def block_at(self, position: int | None, block: int | None) -> core.Block | None:
        """The block there; None outside the window."""
        message = None if position is None else self.messages.get(position)
        return message.blocks[block] if message and block is not None else None

    def data(self, stored: core.Stored | None) -> bytes | None:
        """The bytes of a stored value, where the window read them."""
        return self.blobs.get(stored.sha256) if stored else None

    def is_picture(self, sha256: str) -> bool:
        return sha256 in self.pictures

    def look_at(self, place: Place) -> Look:
        """How to show the payload there."""
        chosen = self.chosen
        return chosen.look if chosen and chosen.place == place else Look()


def calls_by_use(calls: Iterable[models.ToolCall]) -> dict[Spot, models.ToolCall]:
    """Calls by the place of their use."""
    return {
        (call.use_position, call.use_block): call
        for call in calls
        if call.use_position is not None and call.use_block is not None
    }


def calls_by_result(calls: Iterable[models.ToolCall]) -> dict[Spot, models.ToolCall]:
    """Calls by the place of their result."""
    return {
        (call.result_position, call.result_block): call
        for call in calls
        if call.result_position is not None and call.result_block is not None
    }


def load_previews(
    messages: Iterable[core.Message], asked: core.Stored | None = None
) -> tuple[dict[str, bytes], frozenset[str]]:
    """Read blobs for the first view of large payloads, and tell pictures by theirs; two queries.

    `asked` is read whatever its size.
    """
    wanted: dict[str, None] = {"": None} | ({asked.sha256: None} if asked else {})
    media: set[str] = set()
    left = _JSON_BYTES
    for item in (
        item for message in messages for block in message.blocks for item in _parts(block)
    ):
        if isinstance(item, core.Media):
            media.add(item.sha256)
        stored: core.Stored | None = getattr(item, "stored", None)
        if stored is None or stored.size > (left if stored.of == "json" else _TEXT_BYTES):
            continue
        left -= stored.size
        wanted[stored.sha256] = None
    return load_blobs(wanted), frozenset(pictures_among(media))


def _parts(block: core.Block) -> tuple[object, ...]:
    match block:
        case core.ToolResult():
            return (block, *block.parts)
        case core.Media() | core.Unknown():
            return (block,)
        case core.ToolUse():
            return (block,)
        case _:
            return ()
