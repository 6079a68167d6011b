"""Messages of a tier as the API gives them: pages, one, and the record's own JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from convviewer.core import thread as core
from convviewer.core.json import Json
from convviewer.queries.addresses import message_url
from convviewer.queries.cursors import number_cursor, numbers_of
from convviewer.queries.missing import Missing
from convviewer.queries.tier_lookup import TierOf, tier_of
from convviewer.queries.to_wire import Heads, stored_heads, wire_blocks
from convviewer.queries.usage import UsageItem, usage_item
from convviewer.queries.wire_blocks import BlockItem
from convviewer.store import models
from convviewer.store.load import load_message

_CURSOR: Final = "messages"
# A page ends early where its blocks weigh this much; values larger than 32 KB never come along.
_PAGE_BYTES: Final = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsItem:
    """Milliseconds as stored."""

    latency_ms: float | None
    time_to_first_byte_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageItem:
    """One message of a tier.

    `key` is stable, `number` is for people (null for an entry that compression made), `position`
    the place in the tier, from 0. Times are the record's own text. `tier` is the stored tier's
    name, also where it was asked for by an alias.
    """

    key: str
    number: int | None
    tier: str
    position: int
    role: str
    status: str
    created_at: str
    updated_at: str
    tracking_id: str
    redacted: bool
    is_summary: bool
    label: str
    author: str
    model: str
    stop_reason: str
    blocks: tuple[BlockItem, ...]
    usage: UsageItem | None
    metrics: MetricsItem | None
    custom: Json
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """A page of messages in the record's order; `next` is the following page's cursor."""

    items: tuple[MessageItem, ...]
    next: str | None


def message_page(thread: str, tier: str, *, after: str, limit: int) -> MessagePage:
    """Up to `limit` messages behind the cursor `after`, fewer where they are heavy; four queries.

    Raises `Missing`, and `BadCursor` when `after` is no cursor of a list of messages.
    """
    (last,) = numbers_of(after, _CURSOR, -1)
    found = tier_of(thread, tier)
    rows = list(_entries(found).filter(position__gt=last).order_by("position")[: limit + 1])
    shown = _affordable(rows[:limit])
    more = len(rows) > len(shown)
    return MessagePage(
        items=_items(found, shown),
        next=number_cursor(_CURSOR, shown[-1].position) if more and shown else None,
    )


def one_message(thread: str, tier: str, key: str) -> MessageItem:
    """The message of that key. Raises `Missing`."""
    found = tier_of(thread, tier)
    (item,) = _items(found, [_entry(found, key)])
    return item


def raw_message(thread: str, tier: str, key: str) -> bytes:
    """The record's own JSON, or what replaces a redacted message. Raises `Missing`."""
    found = tier_of(thread, tier)
    rows = models.Entry.objects.filter(tier_id=found.tier.pk, message__key=key)
    raw = rows.order_by("position").values_list("message__raw", flat=True).first()
    if raw is None:
        raise _no_message(found, key)
    return bytes(raw)


def loaded_message(found: TierOf, key: str) -> core.Message:
    """The message of that key with its large values clipped. Raises `Missing`."""
    return load_message(_entry(found, key).message)


def _entries(found: TierOf) -> QuerySet[models.Entry]:
    rows = models.Entry.objects.filter(tier_id=found.tier.pk).select_related("message")
    return rows.defer("message__raw", "message__original_raw")


def _entry(found: TierOf, key: str) -> models.Entry:
    entry = _entries(found).filter(message__key=key).order_by("position").first()
    if entry is None:
        raise _no_message(found, key)
    return entry


def _no_message(found: TierOf, key: str) -> Missing:
    tier = found.tier
    return Missing(f'Tier "{tier.name}" has no message "{key}"; it holds {tier.entries} messages')


def _affordable(rows: Sequence[models.Entry]) -> list[models.Entry]:
    """As many as a page may weigh, at least one."""
    chosen: list[models.Entry] = []
    size = 0
    for row in rows:
        size += len(row.message.blocks)
        if chosen and size > _PAGE_BYTES:
            break
        chosen.append(row)
    return chosen


def _items(found: TierOf, rows: Sequence[models.Entry]) -> tuple[MessageItem, ...]:
    messages = [load_message(row.message) for row in rows]
    heads = stored_heads(block for message in messages for block in message.blocks)
    return tuple(
        _item(found, row.position, message, heads)
        for row, message in zip(rows, messages, strict=True)
    )


def _item(found: TierOf, position: int, message: core.Message, heads: Heads) -> MessageItem:
    return MessageItem(
        key=message.key,
        number=message.number,
        tier=found.tier.name,
        position=position,
        role=message.role,
        status=message.status,
        created_at=message.created_at,
        updated_at=message.updated_at,
        tracking_id=message.tracking_id,
        redacted=message.redacted,
        is_summary=message.is_summary,
        label=message.label,
        author=message.author,
        model=message.model,
        stop_reason=message.stop_reason,
        blocks=wire_blocks(message.blocks, heads),
        usage=usage_item(message.usage) if message.usage else None,
        metrics=_metrics(message.metrics),
        custom=message.custom,
        url=message_url(found.thread, message.key, found.tier.param),
    )


def _metrics(metrics: core.Metrics | None) -> MetricsItem | None:
    if metrics is None:
        return None
    return MetricsItem(
        latency_ms=metrics.latency_ms, time_to_first_byte_ms=metrics.time_to_first_byte_ms
    )
