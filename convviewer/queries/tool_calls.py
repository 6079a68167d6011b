"""Tool calls as paired when they were stored: those of a thread, and those of all threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from django.db.models import Q, QuerySet

from convviewer.analysis.pairing import Label, Pairing
from convviewer.core.thread import ResultStatus
from convviewer.queries.addresses import message_url
from convviewer.queries.cursors import number_cursor, numbers_of
from convviewer.queries.tier_lookup import tier_of
from convviewer.store import models

_OF_THREAD: Final = "calls"
_OF_ALL: Final = "all-calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilters:
    """What a call must be; several values of one filter are alternatives."""

    status: tuple[ResultStatus, ...] = ()
    tool: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfItem:
    """Where a half of a call stands: its message and the number of its block."""

    key: str
    block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallItem:
    """A tool use with its result, or the half that the record holds.

    `group` numbers the messages of a tier that make several calls at once, from 1; `error` is the
    cause of a failure in one line.
    """

    tool_use_id: str
    name: str
    status: ResultStatus
    runtime_ms: float | None
    use: HalfItem | None
    result: HalfItem | None
    pairing: Pairing
    labels: tuple[Label, ...]
    group: int | None
    error: str
    thread: str
    tier: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPage:
    """A page of calls, each where its first half stands."""

    items: tuple[CallItem, ...]
    next: str | None


def thread_calls(
    thread: str, tier: str, filters: CallFilters, *, after: str, limit: int
) -> CallPage:
    """Up to `limit` calls of a tier, the fullest one for ""; three queries.

    Raises `Missing` and `BadCursor`.
    """
    (last,) = numbers_of(after, _OF_THREAD, -1)
    found = tier_of(thread, tier)
    calls = _matching(filters).filter(tier_id=found.tier.pk, ordinal__gt=last)
    rows = list(calls.order_by("ordinal")[: limit + 1])
    shown = rows[:limit]
    return CallPage(
        items=tuple(_item(row) for row in shown),
        next=number_cursor(_OF_THREAD, shown[-1].ordinal) if len(rows) > limit else None,
    )


def all_calls(filters: CallFilters, *, after: str, limit: int) -> CallPage:
    """Up to `limit` calls of the fullest tier of every thread; one query. Raises `BadCursor`."""
    tier, ordinal = numbers_of(after, _OF_ALL, -1, -1)
    beyond = Q(tier_id__gt=tier) | Q(tier_id=tier, ordinal__gt=ordinal)
    calls = _matching(filters).filter(beyond, base=True, tier_id__gte=tier)
    rows = list(calls.order_by("tier_id", "ordinal")[: limit + 1])
    return CallPage(items=tuple(_item(row) for row in rows[:limit]), next=_next(rows, limit))


def _next(rows: Sequence[models.ToolCall], limit: int) -> str | None:
    if len(rows) <= limit:
        return None
    last = rows[limit - 1]
    return number_cursor(_OF_ALL, last.tier_id, last.ordinal)


def _matching(filters: CallFilters) -> QuerySet[models.ToolCall]:
    calls = models.ToolCall.objects.select_related("thread", "tier").only(
        *(field.name for field in models.ToolCall._meta.concrete_fields),
        "thread__public_id",
        "tier__name",
        "tier__base",
    )
    if filters.status:
        calls = calls.filter(status__in=filters.status)
    return calls.filter(name__in=filters.tool) if filters.tool else calls


def _item(row: models.ToolCall) -> CallItem:
    use = _half(row.use_key, row.use_block)
    result = _half(row.result_key, row.result_block)
    first = use or result
    thread = row.thread.public_id
    return CallItem(
        tool_use_id=row.tool_use_id,
        name=row.name,
        status=cast("ResultStatus", row.status),
        runtime_ms=row.runtime_ms,
        use=use,
        result=result,
        pairing=cast("Pairing", row.pairing),
        labels=cast("tuple[Label, ...]", tuple(row.labels.split(",")) if row.labels else ()),
        group=row.group,
        error=row.error,
        thread=thread,
        tier=row.tier.name,
        url=message_url(thread, first.key if first else "", "" if row.base else row.tier.name),
    )


def _half(key: str | None, block: int | None) -> HalfItem | None:
    return None if key is None or block is None else HalfItem(key=key, block=block)
