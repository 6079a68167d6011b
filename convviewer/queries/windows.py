"""Windows of a tier: keyset cuts by position, bounded by what they cost to render."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from convviewer.queries.missing import Alternative, Missing
from convviewer.queries.tiers import TierView
from convviewer.store import models
from convviewer.store.weight import MESSAGE_BYTES, MESSAGE_NODES

MESSAGES: Final = 50
BYTES: Final = 200_000
NODES: Final = 2_200
# A permalink shows a little of what came before its message.
_BEFORE: Final = 8
_SHARE_BEFORE: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """Where a window lies: behind `after`, in front of `before`, `around` a position; or on top."""

    after: int | None = None
    before: int | None = None
    around: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Positions `first` to `last`; `entries` is the length of the tier."""

    first: int
    last: int
    entries: int

    @property
    def has_previous(self) -> bool:
        return self.first > 0

    @property
    def has_next(self) -> bool:
        return self.last < self.entries - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weight:
    position: int
    nodes: int
    bytes: int


def find_position(thread: models.Thread, tier: TierView, key: str, public_id: str) -> int:
    """Where the message of that key stands in the tier. Raises Missing, naming other tiers."""
    places = models.Entry.objects.filter(message__thread=thread, message__key=key)
    found = dict(places.values_list("tier_id", "position"))
    if tier.pk not in found:
        names = models.Tier.objects.filter(id__in=found).order_by("ordinal")[:10]
        others = [(row.name, row.base) for row in names]
        raise Missing(
            f'The {tier.label.lower()} tier has no message "{key}"',
            (
                *(
                    Alternative(
                        label=f"Message {key}, {name} tier",
                        thread=public_id,
                        tier="" if base else name,
                        key=key,
                    )
                    for name, base in others
                ),
                Alternative(label="The thread", thread=public_id, tier=tier.param),
            ),
        )
    return found[tier.pk]


def window_bounds(tier: TierView, at: At) -> tuple[Bounds, list[models.ToolCall]]:
    """Choose the window, and load the calls that have a half in it; two queries.

    It never parts a call from a result that stands in the very next message, unless it would be
    left without any message.
    """
    weights = _weights(tier, at)
    chosen = _cut(weights, at)
    bounds = Bounds(
        first=chosen[0].position if chosen else 0,
        last=chosen[-1].position if chosen else -1,
        entries=tier.entries,
    )
    calls = _calls(tier, bounds)
    bounds = _unparted(bounds, calls, at)
    return bounds, [call for call in calls if _touches(call, bounds)]


def _weights(tier: TierView, at: At) -> list[_Weight]:
    entries = models.Entry.objects.filter(tier_id=tier.pk)
    if at.before is not None:
        rows = entries.filter(position__lt=at.before).order_by("-position")
        taken = MESSAGES
    elif at.around is not None:
        rows = entries.filter(position__gte=at.around - _BEFORE).order_by("position")
        taken = MESSAGES + _BEFORE
    else:
        start = -1 if at.after is None else at.after
        rows = entries.filter(position__gt=start).order_by("position")
        taken = MESSAGES
    figures = rows.values_list("position", "message__nodes", "message__size")[:taken]
    return [
        _Weight(position=position, nodes=nodes + MESSAGE_NODES, bytes=size + MESSAGE_BYTES)
        for position, nodes, size in figures
    ]


def _cut(weights: list[_Weight], at: At) -> list[_Weight]:
    if at.before is not None:
        return _fitting(weights)[::-1]
    if at.around is None:
        return _fitting(weights)
    earlier = [weight for weight in weights if weight.position < at.around]
    before = _fitting(earlier[::-1], share=_SHARE_BEFORE, at_least=0)[::-1]
    rest = [weight for weight in weights if weight.position >= at.around]
    return _fitting(before + rest, at_least=len(before) + 1)


def _fitting(weights: Iterable[_Weight], *, share: float = 1.0, at_least: int = 1) -> list[_Weight]:
    chosen: list[_Weight] = []
    nodes = size = 0
    for weight in weights:
        nodes += weight.nodes
        size += weight.bytes
        fits = nodes <= NODES * share and size <= BYTES * share and len(chosen) < MESSAGES
        if not fits and len(chosen) >= at_least:
            break
        chosen.append(weight)
    return chosen


def _calls(tier: TierView, bounds: Bounds) -> list[models.ToolCall]:
    span = (bounds.first, bounds.last)
    halves = Q(use_position__range=span) | Q(result_position__range=span)
    return list(models.ToolCall.objects.filter(halves, tier_id=tier.pk).order_by("ordinal"))


def _unparted(bounds: Bounds, calls: list[models.ToolCall], at: At) -> Bounds:
    if bounds.first >= bounds.last:
        return bounds
    edges = {(call.use_position, call.result_position) for call in calls}
    # Only the edge that the window chose itself may move; the asked-for message stays.
    first, last = bounds.first, bounds.last
    chose_first = at.before is not None or (at.around is not None and first != at.around)
    chose_last = at.before is None and last != at.around
    return Bounds(
        first=first + (chose_first and (first - 1, first) in edges),
        last=last - (chose_last and (last, last + 1) in edges),
        entries=bounds.entries,
    )


def _touches(call: models.ToolCall, bounds: Bounds) -> bool:
    places = (call.use_position, call.result_position)
    return any(place is not None and bounds.first <= place <= bounds.last for place in places)
