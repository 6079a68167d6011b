"""Reads a path into the store."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Protocol, cast

from convviewer.core.errors import SourceError
from convviewer.core.json import Json
from convviewer.formats.base import Ignored, Refused
from convviewer.formats.source import Source, SourceFile, open_source
from convviewer.importing.readers import readers
from convviewer.importing.reading import Reading
from convviewer.importing.report import (
    IgnoredLine,
    ImportReport,
    RefusedLine,
    ThreadLine,
    TierLine,
    thread_line,
)
from convviewer.importing.units import NOT_A_THREAD, Claim, Claims, claim_files, digest
from convviewer.store.ingest import Ingest, Written
from convviewer.store.prepare import Prepared
from convviewer.store.units import (
    KnownUnit,
    forget_units,
    known_units,
    missing_threads,
    remember_units,
)


class Progress(Protocol):
    """Told how many of the import's bytes are done."""

    def begin(self, total_bytes: int, total_files: int) -> None: ...

    def advance(self, done_bytes: int, done_files: int) -> None: ...


class Silent:
    """Progress that nobody watches."""

    def begin(self, total_bytes: int, total_files: int) -> None:
        """Nothing to show."""

    def advance(self, done_bytes: int, done_files: int) -> None:
        """Nothing to show."""


def import_paths(paths: Iterable[Path], progress: Progress | None = None) -> ImportReport:
    """Import each file, folder or zip; what cannot be read is in the report, never raised."""
    report = ImportReport()
    started = perf_counter()
    for path in paths:
        try:
            source = open_source(path)
        except SourceError as error:
            report.refused.append(_refused(error))
            continue
        with _collector_off():
            _Import(source, report, progress or Silent()).run()
    report.seconds = perf_counter() - started
    return report


@contextmanager
def _collector_off() -> Iterator[None]:
    """Core values form no cycles; without this, each collection would walk all of a batch."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(slots=True, kw_only=True)
class _UnitOutcome:
    """What came of one unit so far; `waiting` counts its threads that are not written yet."""

    folder: str | None
    files: tuple[SourceFile, ...]
    threads: list[ThreadLine] = field(default_factory=list)
    ignored: list[IgnoredLine] = field(default_factory=list)
    refused: list[RefusedLine] = field(default_factory=list)
    waiting: int = 0
    read: bool = False

    def known(self) -> KnownUnit:
        lines = ImportReport(threads=self.threads, ignored=self.ignored, refused=self.refused)
        outcome = lines.as_json()
        del outcome["totals"]
        return KnownUnit(
            folder=self.folder,
            digest=digest(self.files),
            members=tuple(file.path for file in self.files),
            outcome=outcome,
        )


class _Import:
    """One run over one source."""

    def __init__(self, source: Source, report: ImportReport, progress: Progress) -> None:
        self._source = source
        self._report = report
        self._progress = progress
        self._ingest = Ingest()
        self._units: list[_UnitOutcome] = []
        self._queue: list[_UnitOutcome] = []

    def run(self) -> None:
        """Skip what is unchanged, read the rest."""
        files = self._source.files
        total = sum(file.size for file in files)
        self._report.bytes += total
        self._progress.begin(total, len(files))
        for path, reason in self._source.passed_over:
            self._report.ignored.append(IgnoredLine(path=path, reason=reason))
        changed = self._skip_unchanged()
        with readers(self._source, changed) as reading:
            found = claim_files(self._source, changed)
            self._report.refused.extend(_refused_line(item) for item in found.refused)
            self._note_strays(found.strays)
            for claim, readings in reading.read(found.claims):
                self._take_all(claim, readings)
            self._flush()

    def _skip_unchanged(self) -> list[SourceFile]:
        """Report the units that did not change; the other files are to be read."""
        files = {file.path: file for file in self._source.files}
        known = known_units(self._source.root)
        if not known:
            return list(self._source.files)
        owned = {path for unit in known for path in unit.members}
        fresh = claim_files(self._source, [files[path] for path in files if path not in owned])
        same = [unit for unit in known if _unchanged(unit, files, fresh)]
        gone = missing_threads({str(line["id"]) for unit in same for line in _lines(unit)})
        same = [unit for unit in same if not any(str(ln["id"]) in gone for ln in _lines(unit))]
        kept = {unit.pk for unit in same}
        forget_units([pk for unit in known if (pk := unit.pk) is not None and pk not in kept])
        for unit in same:
            self._repeat(unit)
        done = {path for unit in same for path in unit.members}
        self._progress.advance(sum(files[path].size for path in done), len(done))
        return [file for path, file in files.items() if path not in done]

    def _repeat(self, unit: KnownUnit) -> None:
        outcome = cast("dict[str, list[dict[str, Json]]]", unit.outcome)
        self._report.threads.extend(thread_line(line, "unchanged") for line in outcome["threads"])
        self._report.ignored.extend(
            IgnoredLine(path=str(line["path"]), reason=str(line["reason"]))
            for line in outcome["ignored"]
        )
        self._report.refused.extend(
            RefusedLine(
                path=str(line["path"]), pointer=str(line["pointer"]), reason=str(line["reason"])
            )
            for line in outcome["refused"]
        )

    def _note_strays(self, strays: tuple[SourceFile, ...]) -> None:
        if not strays:
            return
        unit = _UnitOutcome(folder=None, files=strays, read=True)
        unit.ignored = [IgnoredLine(path=file.path, reason=NOT_A_THREAD) for file in strays]
        self._units.append(unit)
        self._progress.advance(sum(file.size for file in strays), len(strays))

    def _take_all(self, claim: Claim, readings: Iterable[Reading]) -> None:
        files = claim.unit.files
        unit = _UnitOutcome(folder=claim.folder, files=files)
        self._units.append(unit)
        for found in readings:
            self._take(unit, claim, found)
        unit.read = True
        self._progress.advance(sum(file.size for file in files), len(files))
        if self._ingest.full:
            self._flush()

    def _take(self, unit: _UnitOutcome, claim: Claim, found: Reading) -> None:
        match found:
            case Prepared():
                self._ingest.add(found, claim.format.merge)
                self._queue.append(unit)
                unit.waiting += 1
                if self._ingest.full:
                    self._flush()
            case Ignored():
                unit.ignored.append(IgnoredLine(path=found.path, reason=found.reason))
            case Refused():
                unit.refused.append(_refused_line(found))

    def _flush(self) -> None:
        self._ingest.flush(self._settle)

    def _settle(self, written: list[Written]) -> None:
        """Inside the transaction: note what came of the threads, and of the units that are done."""
        for unit, result in zip(self._queue, written, strict=True):
            unit.threads.append(_line(result))
            unit.waiting -= 1
        self._queue.clear()
        done = [unit for unit in self._units if unit.read and not unit.waiting]
        self._units = [unit for unit in self._units if not unit.read or unit.waiting]
        remember_units(self._source.root, [unit.known() for unit in done])
        for unit in done:
            self._report.threads.extend(unit.threads)
            self._report.ignored.extend(unit.ignored)
            self._report.refused.extend(unit.refused)


def _unchanged(unit: KnownUnit, files: dict[str, SourceFile], fresh: Claims) -> bool:
    """Whether the unit's files are as they were, and no new file may belong to them."""
    members = [files[path] for path in unit.members if path in files]
    if len(members) != len(unit.members) or digest(members) != unit.digest:
        return False
    if unit.folder is None:
        # What belonged to nothing may belong to a thread that has arrived.
        return not (fresh.claims and not _lines(unit))
    below = f"{unit.folder}/" if unit.folder else ""
    if any(file.path.startswith(below) for file in fresh.strays):
        return False
    return not any(
        claim.folder == unit.folder or file.path.startswith(below)
        for claim in fresh.claims
        for file in claim.unit.files
    )


def _lines(unit: KnownUnit) -> list[dict[str, Json]]:
    return cast("list[dict[str, Json]]", unit.outcome["threads"])


def _line(result: Written) -> ThreadLine:
    thread = result.thread
    return ThreadLine(
        id=result.public_id,
        external_id=thread.external_id,
        format=thread.format,
        agent_id=thread.agent_id,
        title=thread.title,
        action=result.action,
        tiers=tuple(
            TierLine(name=tier.name, kind=tier.kind, messages=len(tier.members))
            for tier in thread.tiers
        ),
        warnings=result.warnings,
        messages=len(thread.tiers[0].members) if thread.tiers else 0,
        blocks=thread.blocks,
    )


def _refused(error: SourceError) -> RefusedLine:
    return RefusedLine(path=error.path, pointer=error.pointer, reason=error.reason)


def _refused_line(item: Refused) -> RefusedLine:
    return RefusedLine(path=item.path, pointer=item.pointer, reason=item.reason)
