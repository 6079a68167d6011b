"""Which tool result answers which tool use, over the whole thread."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from convviewer.analysis.failure_cause import error_line
from convviewer.core.thread import (
    Citations,
    Error,
    Guard,
    Media,
    Message,
    ResultStatus,
    Text,
    ToolResult,
    ToolUse,
    Warning,  # noqa: A004 - the import report's word; no Python warning is meant
)

Pairing = Literal["paired", "no_result", "no_call"]
Label = Literal["repeated_id", "late", "duplicate", "stale"]
Half = TypeVar("Half", ToolUse, ToolResult)

_IDS_NAMED: Final = 10
_UNKNOWN_NAME: Final = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """A block's place: its message by position and key, and its number there."""

    position: int
    key: str
    block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool use with its result, or the half of it that the record holds.

    `ordinal` counts the calls of the tier in order of their first half. `group` numbers, from 1,
    the messages that make several calls at once; None for a call made alone. `error` is the cause
    of a failure in one line. Labels: `repeated_id`, the id is used more than once; `late`, someone
    spoke between use and result; `duplicate`, every use of the id has its result already; `stale`,
    a use of the id that came later is the newer one.
    """

    ordinal: int
    tool_use_id: str
    name: str
    status: ResultStatus
    runtime_ms: float | None
    use: Ref | None
    result: Ref | None
    pairing: Pairing
    labels: tuple[Label, ...]
    group: int | None
    error: str

    @property
    def start(self) -> tuple[int, int]:
        """Position and block of the first half."""
        first = self.use or self.result
        return (first.position, first.block) if first else (0, 0)

    @property
    def failed(self) -> bool:
        return self.status == "error"


def pair_calls(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Pair each result with the first unpaired use of its id in the nearest earlier message.

    A use in the result's own message counts where no earlier message holds one. Linear in blocks.
    """
    uses, results, spoken = _halves(messages)
    use_of = _match(uses, results)
    context = _Context(
        use_counts=Counter(use.id for _, use in uses),
        groups=_groups(uses),
        spoken=spoken,
        first_use={use.id: ref for ref, use in reversed(uses)},
        newer_use=_newer_uses(uses),
    )
    halves: list[_Halves] = [
        (uses[use_of[i]] if i in use_of else None, results[i]) for i in range(len(results))
    ]
    answered = set(use_of.values())
    halves += [(use, None) for i, use in enumerate(uses) if i not in answered]
    halves.sort(key=_first_place)
    return tuple(
        _call(ordinal, use, result, context) for ordinal, (use, result) in enumerate(halves)
    )


def pairing_warnings(calls: Sequence[ToolCall]) -> tuple[Warning, ...]:
    """What the import report says about the calls: at most one line per kind, ids named.

    Each id that is used repeatedly has a line of its own, up to ten of them.
    """
    orphans = [c for c in calls if c.pairing == "no_call" and "duplicate" not in c.labels]
    duplicates = [call for call in calls if "duplicate" in call.labels]
    missing = [call for call in calls if call.pairing == "no_result"]
    warnings = [
        _warning("orphan_result", orphans, "tool results have no matching call"),
        _warning("result_missing", missing, "tool calls have no result"),
        _warning("duplicate_result", duplicates, "tool results repeat one that is paired already"),
    ]
    return tuple(warning for warning in warnings if warning) + tuple(_repeated_ids(calls))


# -- pairing ---------------------------------------------------------------------------------------

_WORDS: Final = frozenset((Text, Citations, Guard, Media, Error))
_PlacedUse = tuple[Ref, ToolUse]
_PlacedResult = tuple[Ref, ToolResult]
_Halves = tuple[_PlacedUse | None, _PlacedResult | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What the labels of one call need to know of all others.

    `spoken[p]` counts messages before position p that hold words; `groups` is by position;
    `newer_use` maps a use's place to the position of the next use of its id.
    """

    use_counts: Counter[str]
    groups: dict[int, int]
    spoken: list[int]
    first_use: dict[str, Ref]
    newer_use: dict[Ref, int]


def _halves(
    messages: Sequence[Message],
) -> tuple[list[_PlacedUse], list[_PlacedResult], list[int]]:
    """Return uses, results, and for each position how many messages before it hold words."""
    uses: list[_PlacedUse] = []
    results: list[_PlacedResult] = []
    spoken = [0]
    for position, message in enumerate(messages):
        words = False
        for number, block in enumerate(message.blocks):
            if type(block) in _WORDS:
                words = True
            elif isinstance(block, ToolUse):
                uses.append((Ref(position=position, key=message.key, block=number), block))
            elif isinstance(block, ToolResult):
                results.append((Ref(position=position, key=message.key, block=number), block))
        spoken.append(spoken[-1] + words)
    return uses, results, spoken


def _match(uses: Sequence[_PlacedUse], results: Sequence[_PlacedResult]) -> dict[int, int]:
    """Return the number of the use for each number of a result that has one."""
    # For each id, the messages with unpaired uses: position and the numbers of those uses.
    waiting: defaultdict[str, list[tuple[int, deque[int]]]] = defaultdict(list)
    found: dict[int, int] = {}
    next_use = 0
    for number, (ref, result) in enumerate(results):
        while next_use < len(uses) and _before(uses[next_use][0], ref):
            _wait(waiting[uses[next_use][1].id], uses[next_use][0].position, next_use)
            next_use += 1
        stack = waiting[result.tool_use_id]
        if not stack:
            continue
        at = -2 if stack[-1][0] == ref.position and len(stack) > 1 else -1
        found[number] = stack[at][1].popleft()
        if not stack[at][1]:
            del stack[at]
    return found


def _wait(stack: list[tuple[int, deque[int]]], position: int, use: int) -> None:
    if stack and stack[-1][0] == position:
        stack[-1][1].append(use)
    else:
        stack.append((position, deque([use])))


def _before(left: Ref, right: Ref) -> bool:
    return (left.position, left.block) < (right.position, right.block)


def _groups(uses: Sequence[_PlacedUse]) -> dict[int, int]:
    counts = Counter(ref.position for ref, _ in uses)
    parallel = sorted(position for position, count in counts.items() if count > 1)
    return {position: number for number, position in enumerate(parallel, start=1)}


def _newer_uses(uses: Sequence[_PlacedUse]) -> dict[Ref, int]:
    newer: dict[Ref, int] = {}
    seen: dict[str, int] = {}
    for ref, use in reversed(uses):
        if seen.get(use.id, ref.position) > ref.position:
            newer[ref] = seen[use.id]
        seen[use.id] = ref.position
    return newer


def _first_place(halves: _Halves) -> tuple[int, int]:
    first = halves[0] or halves[1]
    return (first[0].position, first[0].block) if first else (0, 0)


def _call(
    ordinal: int, use: _PlacedUse | None, result: _PlacedResult | None, context: _Context
) -> ToolCall:
    answer = result[1] if result else None
    tool_use_id = use[1].id if use else (answer.tool_use_id if answer else "")
    return ToolCall(
        ordinal=ordinal,
        tool_use_id=tool_use_id,
        name=(use and use[1].name) or (answer and answer.name) or _UNKNOWN_NAME,
        status=answer.status if answer else "unknown",
        runtime_ms=answer.runtime_ms if answer else None,
        use=use[0] if use else None,
        result=result[0] if result else None,
        pairing="no_result" if not result else "paired" if use else "no_call",
        labels=tuple(_labels(tool_use_id, use, result, context)),
        group=context.groups.get(use[0].position) if use else None,
        error=error_line(answer) if answer else "",
    )


def _labels(
    tool_use_id: str, use: _PlacedUse | None, result: _PlacedResult | None, context: _Context
) -> Iterator[Label]:
    if context.use_counts[tool_use_id] > 1:
        yield "repeated_id"
    if use and result:
        yield from _labels_of_pair(use[0], result[0], context)
    elif result and tool_use_id in context.first_use:
        answered = _before(context.first_use[tool_use_id], result[0])
        yield "duplicate" if answered else "stale"


def _labels_of_pair(use: Ref, result: Ref, context: _Context) -> Iterator[Label]:
    spoken = context.spoken
    if result.position > use.position and spoken[result.position] > spoken[use.position + 1]:
        yield "late"
    if context.newer_use.get(use, result.position) < result.position:
        yield "stale"


# -- warnings --------------------------------------------------------------------------------------


def _warning(code: str, calls: Sequence[ToolCall], what: str) -> Warning | None:
    if not calls:
        return None
    ids = _named(dict.fromkeys(call.tool_use_id for call in calls))
    return Warning(code=code, message=f"{len(calls)} {what}: {ids}", count=len(calls))


def _repeated_ids(calls: Sequence[ToolCall]) -> Iterator[Warning]:
    counts = Counter(call.tool_use_id for call in calls if call.use)
    repeated = [(tool_use_id, count) for tool_use_id, count in counts.items() if count > 1]
    for tool_use_id, count in repeated[:_IDS_NAMED]:
        yield Warning(
            code="repeated_tool_use_id",
            message=f'tool use id "{tool_use_id}" is used {count} times',
            count=count,
        )
    if rest := repeated[_IDS_NAMED:]:
        yield Warning(
            code="repeated_tool_use_id",
            message=f"{len(rest)} more tool use ids are used more than once",
            count=sum(count for _, count in rest),
        )


def _named(ids: Iterable[str]) -> str:
    names = list(ids)
    named = ", ".join(names[:_IDS_NAMED])
    return f"{named} and {len(names) - _IDS_NAMED} more" if len(names) > _IDS_NAMED else named
