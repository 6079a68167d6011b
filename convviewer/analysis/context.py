"""How large the context of each model call was, and what it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from convviewer.analysis.tokens import estimate_block, estimate_blocks
from convviewer.analysis.usage import reading
from convviewer.core.thread import (
    Block,
    Marker,
    Message,
    Reasoning,
    Thread,
    Tier,
    ToolResult,
    ToolUse,
)

VERSION: Final = 1

PARTS: Final = (
    *("system", "user", "assistant", "reasoning"),
    *("tool_input", "tool_output", "summary"),
)
# Estimated tokens by part, in the order of PARTS.
Composition: TypeAlias = tuple[int, ...]

# A prompt this much smaller than the one before it tells of a compaction in between.
_DROP: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What one model call was given: everything up to its answer at `position`.

    `reported` is the prompt as the record counts it. `tier` names the stored tier that the estimate
    starts from, "" for none; `exact`: the model saw that tier as it is, nothing was added since.
    `compacted`: the context shrank since the call before.
    """

    position: int
    key: str
    parts: Composition
    reported: int | None
    tier: str
    exact: bool
    compacted: bool

    @property
    def estimated(self) -> int:
        return sum(self.parts)

    @property
    def size(self) -> int:
        """As reported, else estimated."""
        return self.estimated if self.reported is None else self.reported


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """A stored tier: the context right after the message at `position`."""

    position: int
    tier: str
    parts: Composition


def call_contexts(thread: Thread) -> Iterator[CallContext]:
    """Yield the context of each model call of the fullest tier, in order.

    Between stored tiers the context is what the last of them held and all that was said since;
    before the first of them, all that was said.
    """
    if not thread.tiers:
        return
    messages = thread.tiers[0].messages
    sums = _running(messages)
    states = _states(thread, messages)
    system = (estimate_blocks(thread.agent.system), *_NOTHING[1:])
    before: CallContext | None = None
    at = 0
    for position, message in enumerate(messages):
        if message.role != "assistant" or message.is_summary:
            continue
        while at < len(states) and states[at].position < position:
            at += 1
        state = states[at - 1] if at else _State(position=-1, tier="", parts=_NOTHING)
        since = _less(sums[position], sums[state.position + 1])
        call = CallContext(
            position=position,
            key=message.key,
            parts=_more(system, _more(state.parts, since)),
            reported=reading(message.usage).prompt if message.usage else None,
            tier=state.tier,
            exact=bool(state.tier) and state.position == position - 1,
            compacted=False,
        )
        yield _marked(call, before)
        before = call


def composition_of(messages: Sequence[Message]) -> Composition:
    """What messages are made of."""
    return _running(messages)[-1]


_NOTHING: Final[Composition] = (0,) * len(PARTS)
_PLACE: Final[Mapping[str, int]] = {name: number for number, name in enumerate(PARTS)}


def _marked(call: CallContext, before: CallContext | None) -> CallContext:
    if before is None:
        return call
    if call.reported is not None and before.reported is not None:
        shrank = call.reported < before.reported * _DROP
    else:
        shrank = call.estimated < before.estimated
    return CallContext(
        position=call.position,
        key=call.key,
        parts=call.parts,
        reported=call.reported,
        tier=call.tier,
        exact=call.exact,
        compacted=shrank,
    )


def _states(thread: Thread, messages: Sequence[Message]) -> list[_State]:
    """Stored tiers by the last message of the fullest tier that they hold."""
    place = {_identity(message): position for position, message in enumerate(messages)}
    found = []
    for tier in thread.tiers[1:]:
        position = _last_place(tier, place)
        if tier.kind in {"checkpoint", "compressed"} and position is not None:
            parts = composition_of(tier.messages)
            found.append(_State(position=position, tier=tier.name, parts=parts))
    # Of two tiers after the same message the smaller is the later.
    found.sort(key=lambda state: (state.position, -sum(state.parts)))
    return found


def _last_place(tier: Tier, place: Mapping[str, int]) -> int | None:
    places = (place.get(_identity(message)) for message in reversed(tier.messages))
    return next((position for position in places if position is not None), None)


def _identity(message: Message) -> str:
    return message.tracking_id or message.key


def _running(messages: Sequence[Message]) -> list[Composition]:
    """Sums over the messages before each position; one more than there are messages."""
    sums = [_NOTHING]
    current = list(_NOTHING)
    for message in messages:
        for block in message.blocks:
            current[_PLACE[_part_of(block, message)]] += estimate_block(block)
        sums.append(tuple(current))
    return sums


def _part_of(block: Block, message: Message) -> str:
    match block:
        case ToolUse():
            return "tool_input"
        case ToolResult():
            return "tool_output"
        case Reasoning():
            return "reasoning"
        case Marker() if block.reduction == "summarized":
            return "summary"
        case _ if message.is_summary:
            return "summary"
        case _:
            return _SPEAKERS.get(message.role, "user")


_SPEAKERS: Final = {"assistant": "assistant", "system": "system"}


def _more(left: Composition, right: Composition) -> Composition:
    return tuple(a + b for a, b in zip(left, right, strict=True))


def _less(left: Composition, right: Composition) -> Composition:
    return tuple(a - b for a, b in zip(left, right, strict=True))
