"""How a tier reads: its turns, its outline, and the words of one message."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Final, Literal

from convviewer.analysis.markers import removed_messages
from convviewer.analysis.pairing import ToolCall
from convviewer.core.text import count, one_line
from convviewer.core.thread import (
    Block,
    Citations,
    Error,
    Guard,
    Marker,
    Media,
    Message,
    Text,
)

OutlineKind = Literal["turn", "call", "failure", "compaction"]

_MAX_TITLE: Final = 120
# The kinds of block that may stand in an outline by themselves.
_NOTED: Final = frozenset({Error, Marker})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Messages `start` up to, not including, `end`: the user's words and what came of them.

    What stands before the first words of a user is a turn without a title. `tokens` are estimated.
    """

    ordinal: int
    start: int
    end: int
    key: str
    title: str
    calls: int
    failures: int
    tokens: int

    @property
    def messages(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineItem:
    """One entry: the place it leads to, and the turn it stands in. `call` is a call's ordinal."""

    kind: OutlineKind
    position: int
    key: str
    block: int
    title: str
    turn: int
    call: int | None = None


def turns(
    messages: Sequence[Message], calls: Sequence[ToolCall], tokens: Sequence[int]
) -> tuple[Turn, ...]:
    """Split a tier into turns; a call counts where its first half stands.

    `tokens` are the estimates of the messages, one each.
    """
    opening = [position for position, message in enumerate(messages) if opens_turn(message)]
    starts = opening if opening[:1] == [0] or not messages else [0, *opening]
    untitled = len(starts) - len(opening)
    call_starts = [call.start[0] for call in calls]
    failure_starts = [call.start[0] for call in calls if call.failed]
    return tuple(
        Turn(
            ordinal=ordinal,
            start=start,
            end=end,
            key=messages[start].key,
            title="" if ordinal < untitled else title_of(messages[start]),
            calls=_count_within(call_starts, start, end),
            failures=_count_within(failure_starts, start, end),
            tokens=sum(tokens[start:end]),
        )
        for ordinal, (start, end) in enumerate(pairwise([*starts, len(messages)]))
    )


def outline(
    messages: Sequence[Message], calls: Sequence[ToolCall], turns: Sequence[Turn]
) -> tuple[OutlineItem, ...]:
    """Return turns, calls, failures and compaction points in the order they stand in.

    A failed call is a failure, not a call; so is an error that stands in a message.
    """
    starts = [turn.start for turn in turns]
    items = [*_turn_items(turns), *_call_items(messages, calls, starts)]
    for position, message in enumerate(messages):
        if message.is_summary or not _NOTED.isdisjoint(map(type, message.blocks)):
            items += _message_items(message, position, turn=bisect_right(starts, position) - 1)
    return tuple(sorted(items, key=attrgetter("position", "block")))


def opens_turn(message: Message) -> bool:
    """Say whether a message holds words, or media, of a user; a made entry never does."""
    if message.role != "user" or message.is_summary or message.label:
        return False
    return any(isinstance(block, Media) or _words(block).strip() for block in message.blocks)


def title_of(message: Message) -> str:
    """Return the first line that is not blank, at most 120 characters, else a medium's name."""
    first_line = dialogue_text(message).lstrip().partition("\n")[0]
    if title := one_line(first_line, _MAX_TITLE):
        return title
    media = (block for block in message.blocks if isinstance(block, Media))
    return next((medium.name or medium.kind for medium in media), "")


def dialogue_text(message: Message) -> str:
    """Return what the speaker said, blocks parted by a blank line.

    Text, refusals, cited and guarded text, and errors. Reasoning, tool calls, viewing context and
    notes that a reduction left are no words of the speaker.
    """
    return "\n\n".join(words for block in message.blocks if (words := _words(block)))


def _words(block: Block) -> str:
    match block:
        case Text() | Citations() | Guard():
            return block.text
        case Error():
            return f"{block.code}: {block.message}" if block.code else block.message
        case _:
            return ""


def _count_within(positions: Sequence[int], start: int, end: int) -> int:
    return bisect_right(positions, end - 1) - bisect_right(positions, start - 1)


def _turn_items(turns: Sequence[Turn]) -> Iterator[OutlineItem]:
    for turn in turns:
        yield OutlineItem(
            kind="turn",
            position=turn.start,
            key=turn.key,
            block=-1,  # before every block of its message
            title=turn.title,
            turn=turn.ordinal,
        )


def _call_items(
    messages: Sequence[Message], calls: Sequence[ToolCall], starts: Sequence[int]
) -> Iterator[OutlineItem]:
    for call in calls:
        position, block = call.start
        yield OutlineItem(
            kind="failure" if call.failed else "call",
            position=position,
            key=messages[position].key,
            block=block,
            title=f"{call.name}: {call.error}" if call.error else call.name,
            turn=bisect_right(starts, position) - 1,
            call=call.ordinal,
        )


def _message_items(message: Message, position: int, *, turn: int) -> Iterator[OutlineItem]:
    def item(kind: OutlineKind, block: int, title: str) -> OutlineItem:
        return OutlineItem(
            kind=kind, position=position, key=message.key, block=block, title=title, turn=turn
        )

    if message.is_summary:
        yield item("compaction", 0, message.label or title_of(message))
    for number, block in enumerate(message.blocks):
        if isinstance(block, Error):
            yield item("failure", number, _words(block))
        elif removed := removed_messages(block):
            yield item("compaction", number, f"{count(removed, 'message')} replaced")
