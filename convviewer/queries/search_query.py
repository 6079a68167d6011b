"""What a search asks for: terms, phrases and filters, read from one line of text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, get_args

from convviewer.analysis.searchable import Place
from convviewer.core.errors import ConvviewerError
from convviewer.core.folding import fold
from convviewer.queries.dates import BadDate, since_moment

LONGEST_QUERY: Final = 1_000
MOST_TERMS: Final = 20
STATUSES: Final = ("success", "error", "declined", "unknown")
PLACES: Final[tuple[str, ...]] = get_args(Place)

# A filter or a term, each perhaps taken away, perhaps quoted; quotes elsewhere are plain letters.
_ITEM: Final = re.compile(
    r"(?P<minus>-(?=[^\s-]))?(?:(?P<name>[a-z]+):)?"
    r'(?:"(?P<phrase>[^"]*)"(?!\S)|(?P<word>\S*))',
    re.IGNORECASE,
)


class BadQuery(ConvviewerError):
    """A query that cannot be understood; says why and what to write instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A query as understood. `terms` and `without` are folded.

    All terms stand in one message, none of `without` does. `tool`, `status` and `places` choose the
    blocks that are looked at, the other filters choose messages. Several values of one filter are
    alternatives. `since` is inclusive.
    """

    terms: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    tier: tuple[str, ...] = ()
    thread: tuple[str, ...] = ()
    since: datetime | None = None
    chips: tuple[QueryChip, ...] = field(default=(), compare=False)

    @property
    def of_calls(self) -> bool:
        """Whether only blocks of certain tool calls are looked at."""
        return bool(self.tool or self.status)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.terms and not self.of_messages

    @property
    def of_messages(self) -> bool:
        """Whether a filter chooses messages, which a database can start from."""
        chosen = (self.tool, self.status, self.agent, self.role, self.tier, self.thread)
        return any(chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryChip:
    """One filter of the query; `rest` is the query without it."""

    name: str
    value: str
    rest: str


def parse_query(text: str) -> SearchQuery:
    """Read a query. Raises `BadQuery`."""
    if len(text) > LONGEST_QUERY:
        raise BadQuery(
            f"A query has at most {LONGEST_QUERY:,} characters, this one {len(text):,}; "
            "search for a part of it that is easy to tell from other text"
        )
    query = SearchQuery()
    for item in _ITEM.finditer(text):
        if item.group():
            query = _with_item(query, item, text)
    if len(query.terms) + len(query.without) > MOST_TERMS:
        raise BadQuery(
            f"A query has at most {MOST_TERMS} terms; put quotes around words that belong together"
        )
    if query.empty and (query.without or query.places or query.since):
        raise BadQuery("Add what to look for: “-”, in: and since: only take away")
    return query


def _with_item(query: SearchQuery, item: re.Match[str], text: str) -> SearchQuery:
    name = (item["name"] or "").lower()
    if name in _READERS:
        return _with_filter(query, item, name, text)
    _refuse_open_quote(item)
    phrase = item["phrase"]
    written = item.group().removeprefix(item["minus"] or "")
    term = fold(phrase if phrase is not None and not item["name"] else written)
    if phrase is None:
        term = term.strip()
    if not term.strip():
        return query
    if item["minus"]:
        return replace(query, without=_added(query.without, term))
    return replace(query, terms=_added(query.terms, term))


def _with_filter(query: SearchQuery, item: re.Match[str], name: str, text: str) -> SearchQuery:
    _refuse_open_quote(item)
    value = (item["phrase"] if item["phrase"] is not None else item["word"]).strip()
    if not value:
        raise BadQuery(f"“{name}:” needs a value right behind the colon, as in {_EXAMPLES[name]}")
    if item["minus"]:
        raise BadQuery(f"A filter cannot be taken away; leave out “-{name}:{value}”")
    rest = " ".join(f"{text[: item.start()]} {text[item.end() :]}".split())
    chip = QueryChip(name=name, value=value, rest=rest)
    return replace(_READERS[name](query, value), chips=(*query.chips, chip))


def _refuse_open_quote(item: re.Match[str]) -> None:
    word = item["word"] or ""
    if word.startswith('"') and word.count('"') % 2:
        raise BadQuery(
            f"The quote before “{word[1:41]}” is not closed in front of a blank or the end; "
            "close it there, or leave it out"
        )


def _added(values: tuple[str, ...], value: str) -> tuple[str, ...]:
    return values if value in values else (*values, value)


def _with_since(query: SearchQuery, value: str) -> SearchQuery:
    try:
        return replace(query, since=since_moment(value))
    except BadDate as error:
        raise BadQuery(f"“since:” {error}") from error


def _with_status(query: SearchQuery, value: str) -> SearchQuery:
    return replace(query, status=_added(query.status, _choice("status", value, STATUSES)))


def _with_place(query: SearchQuery, value: str) -> SearchQuery:
    return replace(query, places=_added(query.places, _choice("in", value, PLACES)))


def _choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    found = value.lower()
    if found not in choices:
        raise BadQuery(f"“{name}:” knows {', '.join(choices)}; not “{value[:40]}”")
    return found


def _with_tool(query: SearchQuery, value: str) -> SearchQuery:
    return replace(query, tool=_added(query.tool, value))


def _with_agent(query: SearchQuery, value: str) -> SearchQuery:
    return replace(query, agent=_added(query.agent, value))


def _with_role(query: SearchQuery, value: str) -> SearchQuery:
    return replace(query, role=_added(query.role, value))


def _with_tier(query: SearchQuery, value: str) -> SearchQuery:
    return replace(query, tier=_added(query.tier, value))


def _with_thread(query: SearchQuery, value: str) -> SearchQuery:
    return replace(query, thread=_added(query.thread, value))


_READERS: Final[dict[str, Callable[[SearchQuery, str], SearchQuery]]] = {
    "tool": _with_tool,
    "status": _with_status,
    "agent": _with_agent,
    "role": _with_role,
    "in": _with_place,
    "tier": _with_tier,
    "since": _with_since,
    "thread": _with_thread,
}
_EXAMPLES: Final = {
    "tool": "tool:read_log",
    "status": "status:error",
    "agent": "agent:orders",
    "role": "role:user",
    "in": "in:tool_output",
    "tier": "tier:compressed",
    "since": "since:2026-11-30",
    "thread": "thread: and its id",
}
