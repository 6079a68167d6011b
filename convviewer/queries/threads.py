"""The list of threads: filters, order, pages. Reads counters and short texts, never a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db.models import F, OrderBy, Q, QuerySet
from django.db.models.functions import Substr
from django.utils.dateparse import parse_datetime

from convviewer.core.text import cut
from convviewer.formats import all_formats
from convviewer.queries.paging import BadCursor, Value, decode_cursor, encode_cursor
from convviewer.store import models

Sort = Literal[
    "updated", "-updated",
    "created", "-created",
    "messages", "-messages",
    "failures", "-failures",
    "tokens", "-tokens",
    "saved", "-saved",
]  # fmt: skip
DEFAULT_SORT: Sort = "-updated"
PAGE = 50
MOST = 200
# Counting stops here: a list never waits for its count.
COUNT_CAP = 10_000
LONGEST_TEXT = 300

_COLUMNS = {
    "updated": "sort_at",
    "created": "created_at",
    "messages": "messages",
    "failures": "failures",
    "tokens": "tokens",
    "saved": "saved",
}
_NULLABLE = {"saved"}

_AS_STORED = (
    "external_id", "format", "agent_id", "agent_name", "status", "created_at", "updated_at",
    "messages", "turns", "blocks", "tool_calls", "failures", "declined",
    "tokens", "tokens_after", "saved", "compressed", "lost", "introduced",
)  # fmt: skip
_READ = ("id", "public_id", "sort_at", *_AS_STORED)
# A cut falls between characters; the last one may be long.
_SHORT = {
    "short_title": Substr("title", 1, LONGEST_TEXT + 64),
    "short_text": Substr("first_text", 1, LONGEST_TEXT + 64),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFilters:
    """What a thread must be; several values of one filter are alternatives.

    `agent` is an agent's name or id. `since` (inclusive) and `until` (exclusive) bound the last
    known change.
    """

    q: str = ""
    format: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()
    has_errors: bool | None = None
    compressed: bool | None = None
    introduced: bool | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRow:
    """One tier of a listed thread."""

    name: str
    kind: str
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRow:
    """One listed thread; counters are those of its fullest tier, tokens are estimated.

    `title` and `first_text` are cut. `changed_at` is the last known change, or the time of the
    import where the record knows of none (`changed_at_known`). `saved` is a share of `tokens`.
    """

    id: str
    external_id: str
    format: str
    format_label: str
    agent_id: str
    agent_name: str
    title: str
    first_text: str
    status: str
    created_at: str
    updated_at: str
    changed_at: datetime
    changed_at_known: bool
    messages: int
    turns: int
    blocks: int
    tool_calls: int
    failures: int
    declined: int
    tokens: int
    tokens_after: int | None
    saved: float | None
    compressed: bool
    lost: int | None
    introduced: int | None
    tiers: tuple[TierRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPage:
    """A page of threads; `next` is the cursor of the following page, None at the end."""

    items: tuple[ThreadRow, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """How many threads match; `capped`: at least so many."""

    count: int
    capped: bool


def list_threads(
    filters: ThreadFilters, sort: Sort = DEFAULT_SORT, after: str = "", limit: int = PAGE
) -> ThreadPage:
    """A page of matching threads. Raises `BadCursor` when `after` is no cursor of this order."""
    rows = matching(filters)
    if after:
        rows = rows.filter(_beyond(sort, *_place(sort, after)))
    limit = min(max(limit, 1), MOST)
    found = list(rows.order_by(*_order(sort)).values(*_READ, **_SHORT)[: limit + 1])
    items, more = found[:limit], found[limit:]
    tiers = _tiers([row["id"] for row in items])
    return ThreadPage(
        items=tuple(_row(row, tiers.get(row["id"], ())) for row in items),
        next=_cursor(sort, items[-1]) if more else None,
    )


def count_threads(filters: ThreadFilters) -> Total:
    """How many threads match, counted up to `COUNT_CAP`."""
    count = matching(filters).order_by()[: COUNT_CAP + 1].count()
    return Total(count=min(count, COUNT_CAP), capped=count > COUNT_CAP)


def any_thread() -> bool:
    """Whether anything was ever imported."""
    return models.Thread.objects.exists()


def matching(filters: ThreadFilters) -> QuerySet[models.Thread]:
    """The threads that pass, in no order; for other queries."""
    rows = models.Thread.objects.filter(_chosen(filters), _dated(filters))
    if filters.q:
        rows = rows.filter(_mentions(filters.q))
    if filters.tool:
        calls = models.ToolCall.objects.filter(base=True, name__in=filters.tool)
        rows = rows.filter(pk__in=calls.values("thread"))
    return rows


def format_label(name: str) -> str:
    """A format's name for people; its own where the format is gone."""
    return {form.name: form.label for form in all_formats()}.get(name, name)


def without_choices(filters: ThreadFilters) -> ThreadFilters:
    """The filters that no facet sets: text and dates."""
    return ThreadFilters(q=filters.q, since=filters.since, until=filters.until)


def _chosen(filters: ThreadFilters) -> Q:
    chosen = Q()
    if filters.format:
        chosen &= Q(format__in=filters.format)
    if filters.agent:
        chosen &= Q(agent_name__in=filters.agent) | Q(agent_id__in=filters.agent)
    if filters.status:
        chosen &= Q(status__in=filters.status)
    if filters.has_errors is not None:
        chosen &= Q(failures__gt=0) if filters.has_errors else Q(failures=0)
    if filters.compressed is not None:
        chosen &= Q(compressed=filters.compressed)
    if filters.introduced is not None:
        some = Q(introduced__gt=0)
        chosen &= some if filters.introduced else Q(introduced=0) | Q(introduced=None)
    return chosen


def _dated(filters: ThreadFilters) -> Q:
    dated = Q()
    if filters.since is not None:
        dated &= Q(sort_at__gte=filters.since)
    if filters.until is not None:
        dated &= Q(sort_at__lt=filters.until)
    return dated


def _mentions(text: str) -> Q:
    # Ours are random letters: a part of one means nothing.
    found = Q(public_id__istartswith=text)
    for column in ("title", "first_text", "external_id", "agent_id", "agent_name"):
        found |= Q(**{f"{column}__icontains": text})
    return found


def _order(sort: Sort) -> tuple[OrderBy, OrderBy]:
    column = _COLUMNS[sort.lstrip("-")]
    # What has no figure comes last either way. Elsewhere the word would keep PostgreSQL from its
    # index.
    last = {"nulls_last": True} if column in _NULLABLE else {}
    if sort.startswith("-"):
        return F(column).desc(**last), F("id").desc()
    return F(column).asc(**last), F("id").asc()


def _cursor(sort: Sort, last: Mapping[str, Any]) -> str:
    value = last[_COLUMNS[sort.lstrip("-")]]
    if isinstance(value, datetime):
        value = value.astimezone(UTC).isoformat()
    return encode_cursor((sort, value, last["id"]))


def _place(sort: Sort, after: str) -> tuple[Value | datetime, int]:
    """The sort value and the id of the last row that was shown."""
    values = decode_cursor(after)
    if len(values) != 3 or values[0] != sort or not isinstance(values[2], int):  # noqa: PLR2004
        raise BadCursor
    return _sort_value(sort, values[1]), values[2]


def _sort_value(sort: Sort, value: Value) -> Value | datetime:
    match sort.lstrip("-"):
        case "updated":
            return _moment(value)
        case "created" if isinstance(value, str):
            return value
        case "saved" if value is None or isinstance(value, int | float):
            return value
        case "messages" | "failures" | "tokens" if isinstance(value, int):
            return value
        case _:
            raise BadCursor


def _moment(value: Value) -> datetime:
    try:
        moment = parse_datetime(value) if isinstance(value, str) else None
    except ValueError as error:
        raise BadCursor from error
    if moment is None or moment.tzinfo is None:
        raise BadCursor
    return moment


def _beyond(sort: Sort, value: Value | datetime, pk: int) -> Q:
    column = _COLUMNS[sort.lstrip("-")]
    further = "lt" if sort.startswith("-") else "gt"
    if value is None:
        return Q(**{f"{column}__isnull": True, f"id__{further}": pk})
    past = Q(**{f"{column}__{further}": value}) | Q(**{column: value, f"id__{further}": pk})
    if column in _NULLABLE:
        return past | Q(**{f"{column}__isnull": True})
    # Says nothing new, but is what a database can start from in its index.
    return Q(**{f"{column}__{further}e": value}) & past


def _tiers(threads: Sequence[int]) -> Mapping[int, tuple[TierRow, ...]]:
    rows = models.Tier.objects.filter(thread__in=threads).order_by("thread", "ordinal")
    found: dict[int, tuple[TierRow, ...]] = {}
    for thread, name, kind, entries in rows.values_list("thread", "name", "kind", "entries"):
        tier = TierRow(name=name, kind=kind, messages=entries)
        found[thread] = (*found.get(thread, ()), tier)
    return found


def _row(row: Mapping[str, Any], tiers: tuple[TierRow, ...]) -> ThreadRow:
    return ThreadRow(
        id=row["public_id"],
        format_label=format_label(row["format"]),
        title=cut(row["short_title"], LONGEST_TEXT),
        first_text=cut(row["short_text"], LONGEST_TEXT),
        changed_at=row["sort_at"],
        changed_at_known=bool(row["updated_at"] or row["created_at"]),
        tiers=tiers,
        **{name: row[name] for name in _AS_STORED},
    )
