"""The outline of a tier around the window that is shown, and the turns its messages stand in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from django.db.models import QuerySet

from convviewer.core.json import Json, decode
from convviewer.queries.compaction import Boundary
from convviewer.queries.tiers import TierView
from convviewer.queries.windows import Bounds
from convviewer.store import models

_TURNS_BEFORE: Final = 12
_TURNS_AFTER: Final = 25
_ITEMS_OF_TURN: Final = 40
_CUTS: Final = 40
_LAST_BLOCK: Final = 1_000_000
# A window holds at most 50 messages, each of which may open a turn; one more began before it.
_TURNS_IN_WINDOW: Final = 51


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """A turn; `number` counts from 1, `title` is "" for what stands before a user's first words."""

    number: int
    position: int
    key: str
    title: str
    messages: int
    calls: int
    failures: int
    tokens: int

    @property
    def failed_label(self) -> str:
        return f"{self.failures} failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """A line: a `turn`, a `call`, a `failure`, or a `compaction` with its change in tokens."""

    kind: str
    position: int
    key: str
    block: int
    title: str
    turn: TurnView | None = None
    items: tuple[OutlineEntry, ...] = ()
    current: bool = False
    change: float | None = None

    @property
    def name(self) -> str:
        """The title up to its cause: the tool's name."""
        return self.title.partition(": ")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A failure outside the window, for n and p."""

    key: str
    block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """Lines around the window; `earlier` and `later` are the keys of turns beyond them."""

    turns: tuple[TurnView, ...]
    entries: tuple[OutlineEntry, ...]
    earlier: str
    later: str
    previous_stop: Stop | None
    next_stop: Stop | None

    def turn_at(self, position: int) -> TurnView | None:
        """The turn that a message of the window stands in."""
        index = bisect_right([turn.position for turn in self.turns], position) - 1
        return self.turns[index] if index >= 0 else None


def load_outline(
    tier: TierView, bounds: Bounds, selected: int, boundaries: Mapping[int, Boundary]
) -> Outline:
    """Load the outline around the window; `selected` is the current message. Seven queries.

    `boundaries` are compaction points that only a comparison knows of.
    """
    rows = models.OutlineItem.objects.filter(tier_id=tier.pk)
    of_turns = rows.filter(kind="turn")
    limit = _TURNS_IN_WINDOW + _TURNS_BEFORE
    until = of_turns.filter(position__lte=bounds.last).order_by("-position")[:limit]
    turns = [_turn(row) for row in until][::-1]
    beyond = of_turns.filter(position__gt=bounds.last).order_by("position")[: _TURNS_AFTER + 1]
    later = [_turn(row) for row in beyond]
    first = max(0, bisect_right([turn.position for turn in turns], bounds.first) - 1)
    shown = (turns[max(0, first - _TURNS_BEFORE) :] + later)[: _TURNS_IN_WINDOW + _TURNS_AFTER]
    current = _current(turns, selected)
    within = rows.filter(turn=current.number - 1 if current else -1, position__gte=bounds.first)
    calls = within.filter(kind__in=("call", "failure")).order_by("position", "ordinal")
    cuts = rows.filter(kind="compaction", position__gte=shown[0].position if shown else 0)
    entries = [
        *(_turn_entry(turn, current, calls) for turn in shown),
        *(_entry(row) for row in cuts.order_by("position")[:_CUTS]),
        *_boundary_entries(tier, boundaries, shown[0].position if shown else 0),
    ]
    last_shown = shown[-1] if shown else None
    return Outline(
        turns=tuple(turns[first:]),
        entries=tuple(_until(sorted(entries, key=_place), later[_TURNS_AFTER:])),
        earlier=shown[0].key if shown and shown[0].number > 1 else "",
        later=last_shown.key if last_shown and len(later) > _TURNS_AFTER else "",
        previous_stop=_stop(rows.filter(position__lt=bounds.first).order_by("-position")),
        next_stop=_stop(rows.filter(position__gt=bounds.last).order_by("position")),
    )


def _current(turns: Sequence[TurnView], selected: int) -> TurnView | None:
    index = bisect_right([turn.position for turn in turns], selected) - 1
    return turns[index] if index >= 0 else None


def _turn_entry(
    turn: TurnView, current: TurnView | None, calls: QuerySet[models.OutlineItem]
) -> OutlineEntry:
    is_current = turn is current
    items = tuple(_entry(row) for row in calls[:_ITEMS_OF_TURN]) if is_current else ()
    return OutlineEntry(
        kind="turn",
        position=turn.position,
        key=turn.key,
        block=-1,
        title=turn.title,
        turn=turn,
        items=items,
        current=is_current,
    )


def _boundary_entries(
    tier: TierView, boundaries: Mapping[int, Boundary], first: int
) -> Iterator[OutlineEntry]:
    wanted = {position for position in boundaries if position >= first}
    places = models.Entry.objects.filter(tier_id=tier.pk, position__in={-1, *wanted})
    for position, key in places.values_list("position", "message__key"):
        yield OutlineEntry(
            kind="compaction",
            position=position,
            key=key,
            block=_LAST_BLOCK,
            title=f"{boundaries[position].messages} messages summarized",
            change=boundaries[position].change,
        )


def _until(entries: list[OutlineEntry], beyond: list[TurnView]) -> list[OutlineEntry]:
    if not beyond:
        return entries
    return [entry for entry in entries if entry.position < beyond[0].position]


def _place(entry: OutlineEntry) -> tuple[int, int]:
    return entry.position, entry.block


def _entry(row: models.OutlineItem) -> OutlineEntry:
    facts = _facts(row)
    return OutlineEntry(
        kind=row.kind,
        position=row.position,
        key=row.key,
        block=cast("int", facts["block"]),
        title=cast("str", facts["title"]),
    )


def _turn(row: models.OutlineItem) -> TurnView:
    facts = _facts(row)
    return TurnView(
        number=row.turn + 1,
        position=row.position,
        key=row.key,
        title=cast("str", facts["title"]),
        messages=cast("int", facts["messages"]),
        calls=cast("int", facts["calls"]),
        failures=cast("int", facts["failures"]),
        tokens=cast("int", facts["tokens"]),
    )


def _stop(rows: QuerySet[models.OutlineItem]) -> Stop | None:
    row = rows.filter(kind="failure").first()
    return Stop(key=row.key, block=cast("int", _facts(row)["block"])) if row else None


def _facts(row: models.OutlineItem) -> dict[str, Json]:
    return cast("dict[str, Json]", decode(row.facts))
