"""Imports that run behind a request: one at a time, in the order they were asked for."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from secrets import token_hex
from threading import Lock, Thread
from time import monotonic

from django.db import DatabaseError, connection

from convviewer.core.json import Json
from convviewer.importing.importer import import_paths
from convviewer.importing.report import ImportReport, RefusedLine
from convviewer.importing.uploads import FILES, Upload, uploads_folder
from convviewer.store.runs import (
    Finished,
    begin_run,
    create_run,
    finish_run,
    interrupt_runs,
    note_progress,
)
from convviewer.store.units import forget_root

NOTE_EVERY_SECONDS = 0.5

_one_at_a_time = Lock()


def start_import(upload: Upload) -> str:
    """Import the files in the background and remove them then; returns the run's public id."""
    public_id = token_hex(8)
    create_run(public_id, upload.name)
    shutil.move(upload.folder, uploads_folder() / public_id)
    _in_background(public_id)
    return public_id


def mark_interrupted_runs() -> None:
    """Say of each run that an earlier server left unfinished that it was cut off."""
    for public_id in interrupt_runs():
        shutil.rmtree(uploads_folder() / public_id, ignore_errors=True)


def _in_background(public_id: str) -> None:
    # A daemon: a server that is told to stop does not wait, and every thread is stored whole.
    Thread(target=_take_turn, args=(public_id,), name=f"import-{public_id}", daemon=True).start()


def _take_turn(public_id: str) -> None:
    with _one_at_a_time:
        try:
            run_import(public_id)
        finally:
            connection.close()


def run_import(public_id: str) -> None:
    """Read the run's files into the store and note what came of it."""
    folder = uploads_folder() / public_id
    state: Finished = "failed"
    report: dict[str, Json] | None = None
    try:
        begin_run(public_id)
        sources = _sources(folder)
        report = import_paths(sources, progress=_Noted(public_id)).as_json()
        for source in sources:
            forget_root(str(source))
        state = "done"
    except (DatabaseError, OSError) as error:
        report = _failure(error).as_json()
    finally:
        # An error that nobody foresaw ends here too, and goes on to the log.
        finish_run(public_id, state, report)
        shutil.rmtree(folder, ignore_errors=True)


def _sources(folder: Path) -> list[Path]:
    """What would be named on a command line: the folder of files, and each zip that lies in it."""
    files = folder / FILES
    zips: list[Path] = []
    for path in sorted(files.iterdir()):
        if path.is_file() and path.suffix.lower() == ".zip" and zipfile.is_zipfile(path):
            # A zip is no file of the folder beside it.
            apart = folder / "zips" / str(len(zips))
            apart.mkdir(parents=True)
            zips.append(path.rename(apart / path.name))
    return [files, *zips] if any(files.iterdir()) else zips


def _failure(error: Exception) -> ImportReport:
    reason = f"the import stopped ({error}); what was read before is in, import the files again"
    return ImportReport(refused=[RefusedLine(path="all files", pointer="", reason=reason)])


class _Noted:
    """Progress that a page can poll, written down twice a second."""

    def __init__(self, public_id: str) -> None:
        self._public_id = public_id
        self._done = self._total = 0
        self._noted_at = 0.0

    def begin(self, total_bytes: int, total_files: int) -> None:
        """Add one more source's files."""
        self._total += total_files
        self._note()

    def advance(self, done_bytes: int, done_files: int) -> None:
        """Move on."""
        self._done += done_files
        if monotonic() - self._noted_at >= NOTE_EVERY_SECONDS or self._done >= self._total:
            self._note()

    def _note(self) -> None:
        self._noted_at = monotonic()
        note_progress(self._public_id, done=self._done, total=self._total)
