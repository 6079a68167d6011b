"""One level, or one slice, of a payload: what a client opens step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from convviewer.core import thread as core
from convviewer.core.errors import PointerError
from convviewer.core.json import Child, Kind, encode, level, replace_surrogates
from convviewer.queries.depth import is_deep
from convviewer.queries.messages import loaded_message
from convviewer.queries.missing import Missing
from convviewer.queries.payload_value import Value, value_of
from convviewer.queries.tier_lookup import tier_of
from convviewer.store.large import text_of_blob
from convviewer.store.load import load_blobs

CHILDREN: Final = 100
MOST_CHILDREN: Final = 1_000
CHARACTERS: Final = 65_536
MOST_CHARACTERS: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlace:
    """A block of a message, or with `part` one part of a tool result; numbers are from 0."""

    thread: str
    tier: str
    key: str
    block: int
    part: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Children of an array or object, or characters of a text, from `after` on.

    `limit` is capped at 1,000 children and 1,000,000 characters; None: 100 and 65,536.
    """

    after: int = 0
    limit: int | None = None

    @property
    def children(self) -> int:
        return min(self.limit or CHILDREN, MOST_CHILDREN)

    @property
    def characters(self) -> int:
        return min(self.limit or CHARACTERS, MOST_CHARACTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadLevel:
    """What stands at `path` (a JSON pointer).

    `size` counts all members, items or characters. `items` are the children asked for, each with
    its value where it is small, else null; `text` is the slice of a text, or a number's literal.
    `next` is the `after` of the following slice, null at the end.
    """

    path: str
    kind: Kind
    size: int
    items: tuple[Child, ...]
    text: str
    after: int
    next: int | None


def payload_level(place: BlockPlace, path: str, window: Window) -> PayloadLevel:
    """Open the payload at a pointer. Raises `Missing`, and `PointerError` for a bad pointer."""
    value = _value(place)
    if value.stored is None:
        return _level(encode(value.value), path, window)
    data = load_blobs([value.stored.sha256]).get(value.stored.sha256)
    if data is None:
        raise Missing(f"The value of block {place.block} is not stored")
    if value.stored.of == "text":
        return _slice(text_of_blob(data), path, window)
    return _level(data, path, window)


def _value(place: BlockPlace) -> Value:
    found = tier_of(place.thread, place.tier)
    message = loaded_message(found, place.key)
    if place.block >= len(message.blocks):
        raise Missing(
            f'Message "{place.key}" has no block {place.block}; it has {len(message.blocks)} blocks'
        )
    block = message.blocks[place.block]
    value = value_of(block, place.part)
    if value is None:
        raise Missing(_nothing(place, block))
    return value


def _nothing(place: BlockPlace, block: core.Block) -> str:
    what = f"Block {place.block}" if place.part is None else f"Part {place.part}"
    parts = len(block.parts) if isinstance(block, core.ToolResult) else 0
    hint = f"; name one of its {parts} parts, as in part=0" if parts and place.part is None else ""
    return f"{what} has no payload{hint}"


def _level(data: bytes | str, path: str, window: Window) -> PayloadLevel:
    here = level(data, path, after=window.after, limit=window.children)
    if here.kind == "string" and here.size > window.children:
        here = level(data, path, after=window.after, limit=window.characters)
    return PayloadLevel(
        path=path,
        kind=here.kind,
        size=here.size,
        items=tuple(_readable(child) for child in here.items),
        text=here.text,
        after=window.after,
        next=here.next,
    )


def _readable(child: Child) -> Child:
    return replace(child, value=None) if is_deep(child.value) else child


def _slice(text: str, path: str, window: Window) -> PayloadLevel:
    if path:
        raise PointerError(f"the payload is one text: there is nothing at {path!a}")
    end = window.after + window.characters
    return PayloadLevel(
        path="",
        kind="string",
        size=len(text),
        items=(),
        text=replace_surrogates(text[window.after : end]),
        after=window.after,
        next=end if end < len(text) else None,
    )
