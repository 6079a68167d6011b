"""Stored messages to the texts that can be searched in them, and to the rows that keep those."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from django.db.models.functions import Substr

from convviewer.analysis.searchable import (
    HEAD_BYTES,
    Place,
    SearchableText,
    stored_values,
    texts_of,
)
from convviewer.core.folding import fold
from convviewer.core.json import Json, decode, encode
from convviewer.store import models
from convviewer.store.load import load_message
from convviewer.store.search import engine

# What can be searched of one message, beside the limit of each block.
MESSAGE_LIMIT: Final = 1024 * 1024
_NAMES_PER_QUERY: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One block's text, as the index keeps it (`Engine.stored`)."""

    block: int
    place: Place
    clipped: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageText:
    """What can be searched of a message, block by block."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The column `text`."""
        return "\n".join(part.text for part in self.parts)

    @property
    def clipped(self) -> int:
        """The column `clipped`."""
        return sum(part.clipped for part in self.parts)

    def parts_json(self) -> str:
        """The column `parts`."""
        return encode([[part.block, part.place, part.clipped] for part in self.parts])


def search_text(texts: Sequence[SearchableText]) -> MessageText:
    """The texts folded, cut where the message becomes too long."""
    parts: list[Part] = []
    left = MESSAGE_LIMIT
    for item in texts:
        text = fold(item.text)
        parts.append(
            Part(
                block=item.block,
                place=item.place,
                clipped=item.clipped or len(text) > left,
                text=engine().stored(text[:left]),
            )
        )
        left = max(0, left - len(text))
    return MessageText(parts=tuple(parts))


def load_search_texts(messages: Iterable[int]) -> dict[int, MessageText]:
    """What the index holds of these messages."""
    rows = models.SearchText.objects.filter(message__in=messages)
    return {
        message: _loaded(parts, text)
        for message, parts, text in rows.values_list("message_id", "parts", "text")
    }


def load_texts(rows: Sequence[models.Message]) -> list[list[SearchableText]]:
    """What can be searched in each of the messages; one query more for all large values."""
    messages = [load_message(row) for row in rows]
    heads = _load_heads({value.sha256 for message in messages for value in stored_values(message)})
    return [list(texts_of(message, heads)) for message in messages]


def _loaded(parts: str, text: str) -> MessageText:
    heads = cast("list[list[Json]]", decode(parts))
    return MessageText(
        parts=tuple(
            Part(
                block=cast("int", block),
                place=cast("Place", place),
                clipped=bool(clipped),
                text=folded,
            )
            for (block, place, clipped), folded in zip(heads, text.split("\n"), strict=True)
        )
    )


def _load_heads(names: Iterable[str]) -> dict[str, bytes]:
    """The first bytes of blobs, by hash."""
    wanted = sorted(names) or [""]
    found: dict[str, bytes] = {}
    for start in range(0, len(wanted), _NAMES_PER_QUERY):
        part = wanted[start : start + _NAMES_PER_QUERY]
        rows = models.Blob.objects.filter(sha256__in=part)
        heads = rows.values_list("sha256", Substr("data", 1, HEAD_BYTES))
        found.update((name, bytes(head)) for name, head in heads)
    return found
