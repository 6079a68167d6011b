"""Rows of imports asked for in the browser or by the API."""

from __future__ import annotations

from typing import Literal

from django.utils import timezone

from convviewer.core.json import Json, encode
from convviewer.store import models

# `interrupted`: the server ended before the run did.
Finished = Literal["done", "failed", "interrupted"]


def create_run(public_id: str, name: str) -> None:
    """Note a run that waits for its turn; `name` says what is imported."""
    models.ImportRun.objects.create(
        public_id=public_id, state="waiting", message=name, created_at=timezone.now()
    )


def begin_run(public_id: str) -> None:
    """It is this run's turn."""
    models.ImportRun.objects.filter(public_id=public_id).update(state="running")


def note_progress(public_id: str, *, done: int, total: int) -> None:
    """So many of its files are read."""
    models.ImportRun.objects.filter(public_id=public_id).update(done=done, total=total)


def finish_run(public_id: str, state: Finished, report: dict[str, Json] | None) -> None:
    """The run is over; without a report nobody knows what it did."""
    text = "" if report is None else encode(report)
    models.ImportRun.objects.filter(public_id=public_id).update(state=state, report=text)


def interrupt_runs() -> list[str]:
    """Mark what an earlier server left unfinished; returns the ids."""
    left = models.ImportRun.objects.filter(state__in=("waiting", "running"))
    ids = list(left.values_list("public_id", flat=True))
    models.ImportRun.objects.filter(public_id__in=ids).update(state="interrupted")
    return ids
