"""What the threads of a list could be narrowed to, and how many each choice would leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from convviewer.queries.threads import (
    ThreadFilters,
    format_label,
    matching,
    without_choices,
)
from convviewer.store import models

# Choices are counted over so many of the latest threads, so that rows never wait for them.
COUNTED_THREADS = 2_000
MOST_CHOICES = 12

FacetName = Literal["problems", "compression", "format", "agent", "status", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A value of the URL parameter `name`; `count` threads would be left with it."""

    name: str
    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """One group of choices; `more` is how many rarer ones are left out."""

    name: FacetName
    choices: tuple[Choice, ...]
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """All groups; `capped`: counted over the latest `COUNTED_THREADS` threads alone."""

    groups: tuple[Facet, ...]
    capped: bool


class _Row(NamedTuple):
    id: int
    format: str
    agent: str
    agent_id: str
    status: str
    failures: int
    compressed: bool
    introduced: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thread:
    """A counted thread: its values by facet, and the chosen facets that leave it out."""

    values: Mapping[str, set[str]]
    failed: set[str]


def list_facets(filters: ThreadFilters) -> Facets:
    """Each choice is counted with the other facets' choices applied."""
    rows = matching(without_choices(filters)).order_by("-sort_at", "-id").values_list(
        "id", "format", "agent_name", "agent_id", "status", "failures", "compressed", "introduced"
    )  # fmt: skip
    found = [_Row(*row) for row in rows[: COUNTED_THREADS + 1]]
    counted = found[:COUNTED_THREADS]
    tools = _tools([row.id for row in counted])
    wanted = _wanted(filters)
    threads = [_thread(row, tools.get(row.id, set()), wanted) for row in counted]
    return Facets(groups=tuple(_groups(threads, filters)), capped=len(found) > COUNTED_THREADS)


def _tools(threads: list[int]) -> Mapping[int, set[str]]:
    found: dict[int, set[str]] = {}
    if not threads:
        return found
    calls = models.ToolCall.objects.filter(base=True, thread__in=threads).order_by()
    for thread, name in calls.values_list("thread", "name").distinct():
        found.setdefault(thread, set()).add(name)
    return found


def _wanted(filters: ThreadFilters) -> Mapping[str, set[str]]:
    """The chosen values of each facet; an empty set asks for nothing."""
    return {
        "format": set(filters.format),
        "agent": set(filters.agent),
        "status": set(filters.status),
        "tool": set(filters.tool),
        "has_errors": _flag_value(filters.has_errors),
        "compressed": _flag_value(filters.compressed),
        "introduced": _flag_value(filters.introduced),
    }


def _thread(row: _Row, tools: set[str], wanted: Mapping[str, set[str]]) -> _Thread:
    values = {
        "format": {row.format},
        "agent": {row.agent} - {""},
        "status": {row.status} - {""},
        "tool": tools,
        "has_errors": _flag_value(row.failures > 0),
        "compressed": _flag_value(row.compressed),
        "introduced": _flag_value(bool(row.introduced)),
    }
    # An agent is found by its id as well, but counted by its name.
    found_by = {**values, "agent": values["agent"] | {row.agent_id}}
    failed = {name for name, asked in wanted.items() if asked and not asked & found_by[name]}
    return _Thread(values=values, failed=failed)


def _groups(threads: Sequence[_Thread], filters: ThreadFilters) -> Iterator[Facet]:
    """The facets in the order of the page; one with nothing to choose is left out."""
    yield Facet(
        name="problems",
        choices=(_flag(threads, "has_errors", "has failures", filters.has_errors),),
    )
    yield Facet(
        name="compression",
        choices=(
            _flag(threads, "compressed", "compressed", filters.compressed),
            _flag(threads, "introduced", "introduced facts", filters.introduced),
        ),
    )
    yield from _named(threads, "format", filters.format)
    yield from _named(threads, "agent", filters.agent)
    yield from _named(threads, "status", filters.status)
    yield from _named(threads, "tool", filters.tool)


def _flag(threads: Sequence[_Thread], name: str, label: str, asked: bool | None) -> Choice:
    return Choice(
        name=name,
        value="true",
        label=label,
        count=sum("true" in thread.values[name] for thread in _left_by(threads, name)),
        chosen=asked is True,
    )


def _named(threads: Sequence[_Thread], name: FacetName, chosen: tuple[str, ...]) -> Iterator[Facet]:
    counts = Counter(value for thread in _left_by(threads, name) for value in thread.values[name])
    for value in chosen:
        counts.setdefault(value, 0)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [pair for at, pair in enumerate(ranked) if at < MOST_CHOICES or pair[0] in chosen]
    if not shown:
        return
    choices = tuple(
        Choice(
            name=name,
            value=value,
            label=_label(name, value),
            count=count,
            chosen=value in chosen,
        )
        for value, count in shown
    )
    yield Facet(name=name, choices=choices, more=len(ranked) - len(shown))


def _left_by(threads: Sequence[_Thread], name: str) -> Iterator[_Thread]:
    """The threads that every facet but this one leaves."""
    return (thread for thread in threads if thread.failed <= {name})


def _flag_value(flag: bool | None) -> set[str]:
    return set() if flag is None else {"true" if flag else "false"}


def _label(name: FacetName, value: str) -> str:
    match name:
        case "format":
            return format_label(value)
        case "status":
            return value.replace("_", " ")
        case _:
            return value
