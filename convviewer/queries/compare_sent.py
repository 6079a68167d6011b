"""What an agent system changes in a compressed tier when it hands it to the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import Q

from convviewer.queries.scene import Spot
from convviewer.store import models

# The SDK's own words for a call whose result is gone.
INTERRUPTED: Final = "Tool was interrupted."
# What repairs its tool calls when a session is restored.
_REPAIRED: Final = "strands-files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repairs:
    """Blocks of results that are left out, and calls that get a result that says so."""

    left_out: frozenset[Spot] = frozenset()
    interrupted: Mapping[Spot, str] = field(default_factory=dict)


def load_repairs(thread: models.Thread, tier: int, positions: Sequence[range]) -> Repairs:
    """What a restore changes at the positions of a tier; one query, none for other formats.

    A result stays when it stands in the message right after its call; a call gets a result unless
    it stands in the last message, whose answer may yet come.
    """
    if thread.format != _REPAIRED or not positions:
        return Repairs()
    calls = list(models.ToolCall.objects.filter(_near(positions), tier_id=tier))
    last = models.Tier.objects.values_list("entries", flat=True).get(pk=tier) - 1
    return Repairs(
        left_out=frozenset(_left_out(calls)),
        interrupted={
            (call.use_position, call.use_block): call.tool_use_id
            for call in calls
            if call.use_position is not None and call.use_block is not None
            if call.use_position < last and not _follows(call)
        },
    )


def _near(positions: Sequence[range]) -> Q:
    near = Q()
    for span in positions:
        inside = (span.start, span.stop - 1)
        near |= Q(use_position__range=inside) | Q(result_position__range=inside)
    return near


def _left_out(calls: Iterable[models.ToolCall]) -> Iterable[Spot]:
    for call in calls:
        at, block = call.result_position, call.result_block
        if at is not None and block is not None and not _follows(call):
            yield at, block


def _follows(call: models.ToolCall) -> bool:
    use, result = call.use_position, call.result_position
    return use is not None and result is not None and result == use + 1
