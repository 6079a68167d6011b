"""The filters of a search that choose messages, and the blocks of tool calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, cast

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet
from django.utils.dateparse import parse_datetime

from convviewer.core.json import Json, decode
from convviewer.formats import all_formats
from convviewer.queries.search_query import SearchQuery
from convviewer.store import models
from convviewer.store.search import Span

# A message's id and the number of a block in it.
Spot = tuple[int, int]

_NO_IDS: Final = Span(first=0, end=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A message that may hold hits: the fullest tier that has it, and where it stands there."""

    message: int
    thread: str
    title: str
    key: str
    number: int | None
    role: str
    tier: str
    base: bool
    tier_id: int
    position: int


def chosen_messages(query: SearchQuery) -> QuerySet[models.Message]:
    """The messages that pass every filter but `since`."""
    rows = models.Message.objects.filter(_equal("role", query.role))
    agent = _equal("thread__agent_name", query.agent) | _equal("thread__agent_id", query.agent)
    rows = rows.filter(agent)
    if query.thread:
        rows = rows.filter(thread__in=named_threads(query.thread).values("pk"))
    if query.tier:
        held = models.Entry.objects.filter(_tiers(query.tier), message=OuterRef("pk"))
        rows = rows.filter(Exists(held))
    if query.of_calls:
        rows = rows.filter(Exists(_entries_of_calls(query)))
    return rows


def id_span(query: SearchQuery, end: int) -> Span:
    """Ids that can pass: those of the threads that are asked for, below `end`."""
    if not query.thread:
        return Span(first=0, end=end)
    ids = models.Message.objects.filter(thread__in=named_threads(query.thread).values("pk"))
    found = ids.aggregate(first=Min("id"), last=Max("id"))
    if found["first"] is None:
        return _NO_IDS
    return Span(first=found["first"], end=min(end, found["last"] + 1))


def named_threads(names: Sequence[str]) -> QuerySet[models.Thread]:
    """Threads by their address or the record's own id; several agents may share one."""
    formats = [known.name for known in all_formats()]
    # Of an id that is a path, the base name is what is indexed.
    lookups = {part for name in names for part in (name, name.rpartition("/")[2])}
    own = Q(external_id__in=names) | Q(lookup_id__in=names)
    return models.Thread.objects.filter(
        Q(public_id__in=names) | Q(own, format__in=formats, lookup_id__in=lookups)
    )


def find_places(query: SearchQuery, ids: Collection[int]) -> dict[int, Found]:
    """Those of the messages that pass the filters, with their place."""
    rows = chosen_messages(query).filter(pk__in=ids)
    if query.since is not None:
        rows = rows.filter(pk__in=_since(ids, query.since))
    entries = (
        models.Entry.objects.filter(message__in=rows.values("pk"))
        .filter(_tiers(query.tier) if query.tier else Q())
        .order_by("tier__ordinal")
        .values_list(
            "message_id", "tier__thread__public_id", "tier__thread__title",
            "tier__thread__first_text", "message__key", "message__number", "message__role",
            "tier__name", "tier__base", "tier_id", "position",
        )
    )  # fmt: skip
    places: dict[int, Found] = {}
    for message, thread, title, first, key, number, role, tier, base, tier_id, position in entries:
        found = Found(
            message=message,
            thread=thread,
            title=title or first,
            key=key,
            number=number,
            role=role,
            tier=tier,
            base=base,
            tier_id=tier_id,
            position=position,
        )
        places.setdefault(message, found)
    return places


def blocks_of_calls(query: SearchQuery, places: Mapping[int, Found]) -> dict[int, set[int]]:
    """By message, the blocks of calls and results that the filters ask for."""
    at = {(place.tier_id, place.position): place.message for place in places.values()}
    tiers = {tier for tier, _ in at}
    positions = {position for _, position in at}
    halves = Q(use_position__in=positions) | Q(result_position__in=positions)
    calls = models.ToolCall.objects.filter(_calls(query), halves, tier__in=tiers)
    blocks: dict[int, set[int]] = {}
    for call in calls:
        for position, block in (
            (call.use_position, call.use_block),
            (call.result_position, call.result_block),
        ):
            message = None if position is None else at.get((call.tier_id, position))
            if message is not None and block is not None:
                blocks.setdefault(message, set()).add(block)
    return blocks


def cards_of_results(places: Iterable[Found]) -> dict[Spot, tuple[str, int]]:
    """By message and block of a result, key and block of the call that shows it."""
    at = {(found.tier_id, found.position): found.message for found in places}
    calls = models.ToolCall.objects.filter(
        tier__in={tier for tier, _ in at},
        result_position__in={position for _, position in at},
        use_key__isnull=False,
    )
    cards: dict[Spot, tuple[str, int]] = {}
    for call in calls:
        message = at.get((call.tier_id, call.result_position or 0))
        if message is not None:
            cards[message, call.result_block or 0] = (call.use_key or "", call.use_block or 0)
    return cards


def _equal(column: str, values: Sequence[str]) -> Q:
    """Equal to one of the values, letter case aside; no value lets everything pass."""
    found = Q()
    for value in values:
        found |= Q(**{f"{column}__iexact": value})
    return found


def _tiers(names: Sequence[str]) -> Q:
    """Tiers by name or kind; `compressed` means variants too, as everywhere."""
    found = _equal("tier__name", names) | _equal("tier__kind", names)
    if any(name.lower() == "compressed" for name in names):
        found |= Q(tier__kind="variant")
    return found


def _calls(query: SearchQuery) -> Q:
    return _equal("name", query.tool) & (Q(status__in=query.status) if query.status else Q())


def _entries_of_calls(query: SearchQuery) -> QuerySet[models.Entry]:
    calls = models.ToolCall.objects.filter(_calls(query), tier=OuterRef("tier"))
    used = calls.filter(use_position=OuterRef("position"))
    answered = calls.filter(result_position=OuterRef("position"))
    entries = models.Entry.objects.filter(message=OuterRef("pk"))
    return entries.filter(Exists(used) | Exists(answered))


def _since(ids: Collection[int], since: datetime) -> list[int]:
    """Messages written since then; where a message has no time, its thread changed since."""
    rows = models.Message.objects.filter(pk__in=ids)
    dated = rows.values_list("pk", "facts", "thread__sort_at")
    return [pk for pk, facts, changed in dated if (_written(facts) or changed) >= since]


def _written(facts: str) -> datetime | None:
    values = cast("dict[str, Json]", decode(facts))
    try:
        moment = parse_datetime(str(values.get("created_at", "")))
    except ValueError:
        return None
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
