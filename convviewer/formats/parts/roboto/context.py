"""Viewing context in its legacy form: a message of the system that is `<ctx>{json}</ctx>`.

The context belongs to the adjacent user message, so it becomes a block there. The marker message
stays in its place without that block: it keeps its number and its raw JSON, and has no text.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from convviewer.core.errors import JsonError
from convviewer.core.json import decode
from convviewer.core.thread import Block, Message, Text, ViewingContext
from convviewer.formats.parts.blocks import Context

UNREADABLE: Final = "viewing context that is not a JSON object"
_ROLE: Final = "roboto"
_OPEN, _CLOSE = "<ctx>", "</ctx>"


def place_contexts(messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
    """Return the messages with each legacy viewing context on the user message beside it.

    That is the message before the marker, else the one after, other markers aside; where neither
    is a user's, the context stays on the marker message. `context` is where the messages stand.
    """
    places = [place for place, message in enumerate(messages) if _is_marker(message)]
    placed = list(messages)
    for place in places:
        contexts = tuple(map(_read_marker, filter(_is_marker_text, placed[place].blocks)))
        if any(block.unreadable for block in contexts):
            context.at(place).note("unreadable_context", UNREADABLE)
        others = tuple(block for block in placed[place].blocks if not _is_marker_text(block))
        placed[place] = replace(placed[place], blocks=others)
        owner = _owner(messages, place, places)
        placed[owner] = replace(placed[owner], blocks=(*placed[owner].blocks, *contexts))
    return tuple(placed)


def _is_marker(message: Message) -> bool:
    return message.role == _ROLE and any(map(_is_marker_text, message.blocks))


def _is_marker_text(block: Block) -> bool:
    return isinstance(block, Text) and block.text.lstrip().startswith(_OPEN)


def _read_marker(block: Block) -> ViewingContext:
    """Return the context of a marker text, the JSON of which may hold the closing mark itself.

    What begins like a marker and cannot be read as one is unreadable context, not text: it may
    hold what no text rendering may show.
    """
    stored = block.text if isinstance(block, Text) else ""
    text = stored.strip()
    try:
        context = decode(text.removeprefix(_OPEN).removesuffix(_CLOSE))
    except JsonError:
        return ViewingContext(unreadable=stored)
    if not isinstance(context, dict) or not text.endswith(_CLOSE):
        return ViewingContext(unreadable=stored)
    return ViewingContext(context=context)


def _owner(messages: Sequence[Message], place: int, markers: Collection[int]) -> int:
    for places in (range(place - 1, -1, -1), range(place + 1, len(messages))):
        neighbour = next((other for other in places if other not in markers), place)
        if messages[neighbour].role == "user":
            return neighbour
    return place
