"""What every page of a thread shows above its content."""

from __future__ import annotations

from dataclasses import dataclass

from convviewer.core import thread as core
from convviewer.core.text import cut, one_line
from convviewer.formats import all_formats
from convviewer.queries.missing import Alternative, Missing
from convviewer.queries.tiers import TierView, compressed_tier, find_tier, load_tiers
from convviewer.store import models
from convviewer.store.load import load_head
from convviewer.store.rows import column_text

_TITLE = 120
_SHORT = 24
_TIERS_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A stored status, with the tone and the icon that pages give it."""

    label: str
    tone: str = "calm"
    icon: str = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedId:
    """An id of the record."""

    label: str
    value: str

    @property
    def short(self) -> str:
        return cut(self.value, _SHORT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """Where a thread came from; `thread` is "" when that thread is not stored here."""

    external_id: str
    at: int | None
    thread: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadHead:
    """What the head says; counters are those of the fullest tier.

    `tier` is the one shown, None for a thread without messages; `compressed` the one that Compare
    shows beside the verbatim tier, None where nothing was compressed.
    """

    pk: int
    id: str
    title: str
    format: str
    status: Status | None
    agent: str
    ids: tuple[NamedId, ...]
    origin: str
    visibility: str
    fork: Fork | None
    created_at: str
    updated_at: str
    messages: int
    turns: int
    tool_calls: int
    failures: int
    declined: int
    tokens: int
    tiers: tuple[TierView, ...]
    tier: TierView | None
    compressed: TierView | None

    @property
    def comparable(self) -> bool:
        return len(self.tiers) > 1

    @property
    def shown_tiers(self) -> tuple[TierView, ...]:
        """The first few tiers, and in any case the one shown and the compressed one."""
        named = {tier.pk for tier in (self.tier, self.compressed) if tier}
        first = {tier.pk for tier in self.tiers[:_TIERS_SHOWN]}
        return tuple(tier for tier in self.tiers if tier.pk in first | named)

    @property
    def hidden_tiers(self) -> tuple[TierView, ...]:
        shown = {tier.pk for tier in self.shown_tiers}
        return tuple(tier for tier in self.tiers if tier.pk not in shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenThread:
    """A thread being shown: its row, its thread-level values, and its head."""

    row: models.Thread
    values: core.Thread
    head: ThreadHead


def open_thread(public_id: str, tier_name: str = "") -> OpenThread:
    """Load a thread's head; three queries.

    `tier` of a thread without messages is None. Raises Missing for an unknown thread or tier.
    """
    row = models.Thread.objects.filter(public_id=public_id).first()
    if row is None:
        raise Missing(
            f'No thread "{public_id}" is stored here',
            (Alternative(label="All threads", thread=""),),
        )
    tiers = load_tiers(row)
    tier = find_tier(tiers, tier_name, public_id) if tiers or tier_name else None
    values = load_head(row)
    return OpenThread(row=row, values=values, head=_head(row, values, tiers, tier))


def shown_tier(opened: OpenThread) -> TierView:
    """The tier that is shown. Raises Missing for a thread without messages."""
    if opened.head.tier is None:
        raise Missing(
            "This thread has no messages",
            (Alternative(label="The thread", thread=opened.head.id),),
        )
    return opened.head.tier


def _head(
    row: models.Thread,
    values: core.Thread,
    tiers: tuple[TierView, ...],
    tier: TierView | None,
) -> ThreadHead:
    return ThreadHead(
        pk=row.id,
        id=row.public_id,
        title=_title(row),
        format=_format_label(row.format),
        status=status_of(row.status),
        agent=row.agent_name or row.agent_id,
        ids=_ids(row),
        origin=values.origin,
        visibility=values.visibility,
        fork=_fork(row, values),
        created_at=row.created_at,
        updated_at=row.updated_at,
        messages=row.messages,
        turns=row.turns,
        tool_calls=row.tool_calls,
        failures=row.failures,
        declined=row.declined,
        tokens=row.tokens,
        tiers=tiers,
        tier=tier,
        compressed=compressed_tier(tiers),
    )


def _title(row: models.Thread) -> str:
    for text in (row.title, row.first_text, row.external_id):
        if title := one_line(text, _TITLE):
            return title
    return "Untitled thread"


def _ids(row: models.Thread) -> tuple[NamedId, ...]:
    named = (
        NamedId(label="thread", value=row.external_id),
        NamedId(label="agent", value=row.agent_id),
    )
    return tuple(item for item in named if item.value)


def _format_label(name: str) -> str:
    return next((form.label for form in all_formats() if form.name == name), name)


def _fork(row: models.Thread, values: core.Thread) -> Fork | None:
    # Ids are looked for as columns hold them.
    lookup_id = column_text(values.forked_from)
    source = models.Thread.objects.filter(format=row.format, lookup_id=lookup_id)
    ids = list(source.exclude(lookup_id="").values_list("public_id", flat=True)[:2])
    if not values.forked_from:
        return None
    return Fork(
        external_id=values.forked_from,
        at=values.forked_at,
        thread=ids[0] if len(ids) == 1 else "",
    )


def status_of(status: str) -> Status | None:
    """A stored status as pages show it; None for none."""
    if not status:
        return None
    tone, icon = _STATUSES.get(status, ("calm", "info"))
    return Status(label=status.replace("_", " "), tone=tone, icon=icon)


_STATUSES = {
    "not_started": ("calm", "pending"),
    "user_turn": ("calm", "user"),
    "roboto_turn": ("active", "agent"),
    "client_tool_turn": ("active", "wait"),
    "generating": ("active", "active"),
    "executing": ("active", "active"),
    "pending": ("calm", "pending"),
    "interrupted": ("warn", "declined"),
    "cancelled": ("warn", "declined"),
    "goals_failed": ("err", "goal"),
    "goals_achieved": ("ok", "goal"),
    "failed": ("err", "error"),
    "completed": ("ok", "ok"),
}
