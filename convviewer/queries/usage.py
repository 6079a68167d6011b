"""What a thread used: each model call, and the totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from django.db.models import Q

from convviewer.analysis.usage import UsageReading, reading
from convviewer.core import thread as core
from convviewer.core.json import Json, decode
from convviewer.queries.addresses import message_url
from convviewer.queries.cursors import number_cursor, numbers_of
from convviewer.queries.tier_lookup import TierOf, tier_of
from convviewer.store import models
from convviewer.store.codec import unpack
from convviewer.store.load import load_head

_CURSOR: Final = "usage"
# How the store writes a message's facts: only one that has a figure has this name in it.
_HAS_USAGE: Final = '"usage":'
_READ: Final = ("position", "message__key", "message__role", "message__facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageItem:
    """Tokens as stored; null where the record has no such figure.

    `prompt` is all input by the cache rule: where input + output is the total, cached tokens are
    inside the input, else they come on top. `input_uncached` is its part that no cache served.
    """

    input: int | None
    output: int | None
    total: int | None
    cache_read: int | None
    cache_write: int | None
    prompt: int | None
    input_uncached: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTotals:
    """Stored figures added up over `calls` model calls, `unreported` of which hold none.

    `incomplete`: there were earlier calls whose messages are not in the record.
    """

    usage: UsageItem
    calls: int
    unreported: int
    incomplete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One model call; `usage` is null where the record reports none."""

    key: str
    position: int
    role: str
    model: str
    usage: UsageItem | None
    latency_ms: float | None
    time_to_first_byte_ms: float | None
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsagePage:
    """A page of model calls in order, and the totals of the whole thread."""

    items: tuple[ModelCall, ...]
    totals: UsageTotals
    next: str | None


def usage_page(thread: str, *, after: str, limit: int) -> UsagePage:
    """Up to `limit` model calls of the fullest tier behind the cursor; three queries.

    Raises `Missing` and `BadCursor`.
    """
    (last,) = numbers_of(after, _CURSOR, -1)
    found = tier_of(thread, "")
    calls = Q(message__role="assistant") | Q(message__facts__contains=_HAS_USAGE)
    entries = models.Entry.objects.filter(calls, tier_id=found.tier.pk, position__gt=last)
    rows = list(entries.order_by("position").values_list(*_READ)[: limit + 1])
    shown = rows[:limit]
    return UsagePage(
        items=tuple(_call(found, *row) for row in shown),
        totals=stored_totals(found.row, load_head(found.row).facts),
        next=number_cursor(_CURSOR, shown[-1][0]) if len(rows) > limit else None,
    )


def stored_totals(row: models.Thread, facts: Json) -> UsageTotals:
    """The totals that were added up when the thread was stored; `facts` are the thread's."""
    stored = cast("dict[str, Any]", decode(row.usage or "{}"))
    tokens = cast("Mapping[str, Any]", stored.get("tokens", {}))
    return UsageTotals(
        usage=_from_reading(UsageReading(**tokens)),
        calls=stored.get("calls", 0),
        unreported=stored.get("unreported", 0),
        incomplete=isinstance(facts, dict) and facts.get("usage_incomplete") is True,
    )


def usage_item(usage: core.Usage) -> UsageItem:
    """The figures of one model call."""
    return _from_reading(reading(usage))


def _from_reading(tokens: UsageReading) -> UsageItem:
    return UsageItem(
        input=tokens.input,
        output=tokens.output,
        total=tokens.total,
        cache_read=tokens.cache_read,
        cache_write=tokens.cache_write,
        prompt=tokens.prompt,
        input_uncached=tokens.input_uncached,
    )


def _call(found: TierOf, position: int, key: str, role: str, stored: str) -> ModelCall:
    facts = cast("dict[str, Json]", decode(stored))
    usage, metrics = facts.get("usage"), unpack(core.Metrics, facts.get("metrics", {}))
    return ModelCall(
        key=key,
        position=position,
        role=role,
        model=cast("str", facts.get("model", "")),
        usage=None if usage is None else usage_item(unpack(core.Usage, usage)),
        latency_ms=metrics.latency_ms,
        time_to_first_byte_ms=metrics.time_to_first_byte_ms,
        url=message_url(found.thread, key, found.tier.param),
    )
