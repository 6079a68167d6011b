"""What an import says of itself (interfaces.md, Commands)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast

from convviewer.core.json import Json
from convviewer.core.thread import Warning  # noqa: A004 - the report's own word

Action = Literal["created", "updated", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierLine:
    """One tier of a reported thread."""

    name: str
    kind: str
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLine:
    """One thread that was read; `blocks` are those of its fullest tier."""

    id: str
    external_id: str
    format: str
    agent_id: str
    title: str
    action: Action
    tiers: tuple[TierLine, ...]
    warnings: tuple[Warning, ...]
    messages: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredLine:
    """A file that holds no part of a thread."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedLine:
    """Something that could not be read."""

    path: str
    pointer: str
    reason: str


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """Grows while an import runs."""

    threads: list[ThreadLine] = field(default_factory=list)
    ignored: list[IgnoredLine] = field(default_factory=list)
    refused: list[RefusedLine] = field(default_factory=list)
    bytes: int = 0
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """0: everything was read; 1: something was refused; 2: nothing could be read."""
        if not self.threads:
            return 2
        return 1 if self.refused else 0

    def count(self, action: Action) -> int:
        """How many threads ended so."""
        return sum(thread.action == action for thread in self.threads)

    def warning_counts(self) -> Mapping[str, int]:
        """Warnings by code."""
        counts: Counter[str] = Counter()
        for thread in self.threads:
            for warning in thread.warnings:
                counts[warning.code] += warning.count
        return counts

    def as_json(self) -> dict[str, Json]:
        """The report's JSON."""
        return {
            "threads": _plain(self.threads),
            "ignored": _plain(self.ignored),
            "refused": _plain(self.refused),
            "totals": {
                "created": self.count("created"),
                "updated": self.count("updated"),
                "unchanged": self.count("unchanged"),
                "messages": sum(thread.messages for thread in self.threads),
                "blocks": sum(thread.blocks for thread in self.threads),
                "warnings": sum(self.warning_counts().values()),
                "ignored": len(self.ignored),
                "refused": len(self.refused),
                "bytes": self.bytes,
                "seconds": round(self.seconds, 3),
            },
        }


def thread_line(data: Mapping[str, Json], action: Action) -> ThreadLine:
    """The line that `as_json` wrote, with another action."""
    values = cast("dict[str, Any]", dict(data))
    return ThreadLine(
        **{
            **values,
            "action": action,
            "tiers": tuple(TierLine(**tier) for tier in values["tiers"]),
            "warnings": tuple(Warning(**warning) for warning in values["warnings"]),
        }
    )


def _plain(lines: Iterable[Any]) -> list[Json]:
    return [_as_object(line) for line in lines]


def _as_object(line: Any) -> Json:
    """As `asdict` does, but for leaves that need no copy."""
    values = {item.name: getattr(line, item.name) for item in fields(line)}
    return {
        name: _plain(value) if isinstance(value, tuple) else value for name, value in values.items()
    }
