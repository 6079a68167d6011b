"""The inspector: everything the record says of one message beside its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models.functions import Length

from convviewer.analysis.usage import UsageReading, reading
from convviewer.core import thread as core
from convviewer.core.json import Json
from convviewer.payloads import shape_for
from convviewer.payloads.shapes import Shape
from convviewer.queries.block_views import context_summary
from convviewer.queries.thread_head import OpenThread, ThreadHead, open_thread, shown_tier
from convviewer.queries.tiers import TierView
from convviewer.queries.windows import find_position
from convviewer.store import models
from convviewer.store.load import load_message

_HELD_TIERS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Milliseconds as stored; `streaming_ms` is what lies behind the first byte."""

    latency_ms: float | None
    first_byte_ms: float | None
    streaming_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextView:
    """A viewing context; `unreadable` is the raw text of one that is no JSON."""

    n: int
    summary: str
    shape: Shape | None
    unreadable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBy:
    """A tier that holds a message of this key, the same one or another version of it."""

    tier: TierView
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of the message in another tier."""

    outcome: str
    row: int
    tier: TierView


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspector:
    """`previous` and `next` are the neighbours' keys. `raw_size` counts bytes."""

    head: ThreadHead
    tier: TierView
    key: str
    number: int | None
    role: str
    speaker: str
    status: str
    label: str
    tracking_id: str
    created_at: str
    updated_at: str
    model: str
    stop_reason: str
    redacted: bool
    pinned: bool
    tokens: int
    usage: UsageReading | None
    timing: Timing | None
    custom: Shape | None
    contexts: tuple[ContextView, ...]
    held_by: tuple[HeldBy, ...]
    fates: tuple[Fate, ...]
    raw_size: int
    previous: str
    next: str

    @property
    def name(self) -> str:
        return f"#{self.number}" if self.number is not None else self.key


def inspector_at(thread: str, tier_name: str, key: str) -> Inspector:
    """The inspector of one message. Raises Missing."""
    opened = open_thread(thread, tier_name)
    tier = shown_tier(opened)
    return load_inspector(opened, tier, find_position(opened.row, tier, key, thread))


def load_inspector(opened: OpenThread, tier: TierView, position: int) -> Inspector:
    """The inspector of the message at a position of the tier; three queries."""
    near = list(
        models.Entry.objects.filter(
            tier_id=tier.pk, position__gte=position - 1, position__lte=position + 1
        )
        .order_by("position")
        .select_related("message")
        .defer("message__raw", "message__original_raw")
        .annotate(raw_size=Length("message__raw"))
    )
    entry = next(one for one in near if one.position == position)
    keys = {one.position: one.message.key for one in near}
    message = load_message(entry.message)
    return Inspector(
        head=opened.head,
        tier=tier,
        key=message.key,
        number=message.number,
        role=message.role,
        speaker=message.author or message.label or message.role.capitalize(),
        status=message.status,
        label=message.label,
        tracking_id=message.tracking_id,
        created_at=message.created_at,
        updated_at=message.updated_at if message.updated_at != message.created_at else "",
        model=message.model,
        stop_reason=message.stop_reason,
        redacted=message.redacted,
        pinned=isinstance(message.custom, dict) and message.custom.get("pinned") is True,
        tokens=entry.message.tokens,
        usage=reading(message.usage) if message.usage else None,
        timing=_timing(message.metrics),
        custom=None if message.custom is None else _shape(message.custom),
        contexts=tuple(_contexts(message)),
        held_by=_held_by(opened, entry),
        fates=_fates(opened.head, tier, position),
        raw_size=entry.raw_size,
        previous=keys.get(position - 1, ""),
        next=keys.get(position + 1, ""),
    )


def _timing(metrics: core.Metrics | None) -> Timing | None:
    if metrics is None:
        return None
    latency, first = metrics.latency_ms, metrics.time_to_first_byte_ms
    streaming = None
    if latency is not None and first is not None and latency >= first:
        streaming = latency - first
    return Timing(latency_ms=latency, first_byte_ms=first, streaming_ms=streaming)


def _shape(value: Json) -> Shape:
    return shape_for(value, "pairs" if isinstance(value, dict) else "tree")


def _contexts(message: core.Message) -> list[ContextView]:
    return [
        ContextView(
            n=n,
            summary=context_summary(block.context),
            shape=None if block.context is None else _shape(block.context),
            unreadable=block.unreadable,
        )
        for n, block in enumerate(message.blocks)
        if isinstance(block, core.ViewingContext)
    ]


def _held_by(opened: OpenThread, entry: models.Entry) -> tuple[HeldBy, ...]:
    entries = models.Entry.objects.filter(
        tier__thread=opened.row, message__thread=opened.row, message__key=entry.message.key
    )
    found = dict(entries.values_list("tier_id", "message_id")[:_HELD_TIERS])
    return tuple(
        HeldBy(tier=tier, same=found[tier.pk] == entry.message_id)
        for tier in opened.head.tiers
        if tier.pk in found
    )


def _fates(head: ThreadHead, tier: TierView, position: int) -> tuple[Fate, ...]:
    """The message's row in the default comparison, where it stands on the left of it."""
    other = head.compressed
    rows = models.ComparisonRow.objects.filter(
        comparison__left_id=tier.pk,
        comparison__right_id=other.pk if other else tier.pk,
        left_from__lte=position,
    )
    row = rows.order_by("-left_from").first()
    # Rows tile the left tier, so the last one to start at or before the position holds it.
    return (
        ()
        if row is None or other is None
        else (Fate(outcome=row.outcome, row=row.row, tier=other),)
    )
