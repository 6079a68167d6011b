"""A thread and one of its tiers by name, without reading any message."""

from __future__ import annotations

from dataclasses import dataclass

from convviewer.queries.missing import Missing
from convviewer.queries.tiers import TierView, load_tiers, named_tier
from convviewer.store import models


@dataclass(frozen=True, slots=True, kw_only=True)
class TierOf:
    """A tier of a thread; `thread` is the public id."""

    row: models.Thread
    thread: str
    tier: TierView


def thread_row(thread: str) -> models.Thread:
    """The thread's row without its long columns; one query. Raises `Missing`."""
    row = models.Thread.objects.filter(public_id=thread).defer("facts").first()
    if row is None:
        raise Missing(f'There is no thread "{thread}"; GET /api/threads lists them')
    return row


def tier_of(thread: str, name: str) -> TierOf:
    """The named tier, the fullest one for ""; two queries. Raises `Missing`, naming what there is.

    `compressed` means the latest that a model would see (interfaces.md, Tiers).
    """
    row = thread_row(thread)
    tiers = load_tiers(row)
    tier = named_tier(tiers, name)
    if tier is None:
        names = ", ".join(item.name for item in tiers) or "none"
        raise Missing(f'Thread "{thread}" has no tier "{name}"; its tiers: {names}')
    return TierOf(row=row, thread=thread, tier=tier)
