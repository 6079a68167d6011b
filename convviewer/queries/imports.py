"""Imports that were asked for in the browser or by the API, and their reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from convviewer.core.json import decode
from convviewer.formats import all_formats
from convviewer.queries.missing import Missing
from convviewer.queries.threads import format_label
from convviewer.store import models

State = Literal["waiting", "running", "done", "failed", "interrupted"]
Result = Literal["refused", "ignored", "created", "updated", "unchanged"]
# "" shows every line.
Show = Literal["", "problems"]
RESULTS: tuple[Result, ...] = ("created", "updated", "unchanged", "ignored", "refused")
PAGE = 100
RECENT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRun:
    """One run: `done` of `total` files are read; `name` says what was sent.

    `report` is the report of interfaces.md as JSON text, "" while there is none.
    """

    id: str
    name: str
    state: State
    done: int
    total: int
    created_at: datetime
    report: str = ""

    @property
    def finished(self) -> bool:
        """Whether nothing more will change."""
        return self.state not in {"waiting", "running"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningLine:
    """What is odd about a thread that was read."""

    code: str
    message: str
    count: int
    path: str
    pointer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLine:
    """One thread or file of a report; `thread` is a thread's public id, else "".

    `name` is a thread's title or id, or a file's path; `why` what is known beyond the result.
    """

    result: Result
    name: str
    pointer: str = ""
    thread: str = ""
    format_label: str = ""
    agent_id: str = ""
    why: str = ""
    warnings: tuple[WarningLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultCount:
    """How many lines of a report ended so."""

    result: Result
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRunPage:
    """A run with a window of its report, problems first; `next` is the number to go on after."""

    run: ImportRun
    counts: tuple[ResultCount, ...]
    total: int
    problems: int
    show: Show
    lines: tuple[ReportLine, ...]
    after: int
    next: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPage:
    """The import page: what can be read, the last runs, and one run when it is asked for."""

    formats: tuple[str, ...]
    max_bytes: int
    recent: tuple[ImportRun, ...]
    run: ImportRunPage | None = None
    refusal: str = ""


def import_page(*, max_bytes: int, run: ImportRunPage | None, refusal: str = "") -> ImportPage:
    """The page around a run; `refusal` says why an upload was not taken."""
    rows = models.ImportRun.objects.order_by("-created_at", "-id").defer("report")[:RECENT]
    return ImportPage(
        formats=tuple(form.label for form in all_formats()),
        max_bytes=max_bytes,
        recent=tuple(_run(row, report="") for row in rows),
        run=run,
        refusal=refusal,
    )


def import_run(public_id: str) -> ImportRun:
    """The run and its whole report. Raises `Missing`."""
    row = models.ImportRun.objects.filter(public_id=public_id).first()
    if row is None:
        raise Missing("No such import")
    return _run(row, report=row.report)


def import_run_page(public_id: str, *, show: Show = "", after: int = 0) -> ImportRunPage:
    """The run and `PAGE` lines of its report, from number `after`. Raises `Missing`."""
    run = import_run(public_id)
    lines = list(_lines(run.report)) if run.report else []
    problems = [line for line in lines if line.warnings or line.result in {"refused", "ignored"}]
    shown = problems if show == "problems" else lines
    counts = Counter(line.result for line in lines)
    return ImportRunPage(
        run=run,
        counts=tuple(ResultCount(result=result, count=counts[result]) for result in RESULTS),
        total=len(lines),
        problems=len(problems),
        show=show,
        lines=tuple(shown[after : after + PAGE]),
        after=after,
        next=after + PAGE if len(shown) > after + PAGE else None,
    )


def _run(row: models.ImportRun, *, report: str) -> ImportRun:
    return ImportRun(
        id=row.public_id,
        name=row.message,
        state=cast("State", row.state),
        done=row.done,
        total=row.total,
        created_at=row.created_at,
        report=report,
    )


def _lines(report: str) -> Iterator[ReportLine]:
    """Refused, then threads with warnings, then ignored, then the other threads."""
    data = cast("dict[str, list[dict[str, Any]]]", decode(report))
    threads = [_thread(line) for line in data["threads"]]
    for line in data["refused"]:
        yield ReportLine(
            result="refused", name=line["path"], pointer=line["pointer"], why=line["reason"]
        )
    yield from (thread for thread in threads if thread.warnings)
    for line in data["ignored"]:
        yield ReportLine(result="ignored", name=line["path"], why=line["reason"])
    yield from (thread for thread in threads if not thread.warnings)


def _thread(line: Mapping[str, Any]) -> ReportLine:
    tiers = ", ".join(f"{tier['name']} {tier['messages']:,}" for tier in line["tiers"])
    return ReportLine(
        result=line["action"],
        name=line["title"] or line["external_id"] or line["id"],
        thread=line["id"],
        format_label=format_label(line["format"]),
        agent_id=line["agent_id"],
        why=f"messages: {tiers}" if tiers else "no message",
        warnings=tuple(WarningLine(**warning) for warning in line["warnings"]),
    )
