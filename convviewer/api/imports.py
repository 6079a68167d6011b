"""Imports over HTTP: send files, ask how far they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import HttpRequest, HttpResponse
from ninja import Router

from convviewer.api.answers import json_answer
from convviewer.api.params import Text
from convviewer.core.json import Json, decode
from convviewer.importing.runs import start_import
from convviewer.importing.uploads import receive_upload
from convviewer.queries.imports import State, import_run

router = Router(tags=["imports"])

_FILES: Final = {"type": "array", "items": {"type": "string", "format": "binary"}}
# The body is streamed to disk by us, so ninja must not read it and cannot describe it.
_UPLOAD: Final = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": {"type": "object", "properties": {"files[]": _FILES}}}
        },
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedImport:
    """A run that waits for its turn; `url` says how far it is."""

    id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressItem:
    """Files that are read, of those that were found so far."""

    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportItem:
    """One run. `report` is that of `import_threads --json`, null until the run is over."""

    id: str
    name: str
    state: State
    progress: ProgressItem
    created_at: datetime
    report: Json


@router.post("/import", response={202: StartedImport}, openapi_extra=_UPLOAD)
def start(request: HttpRequest) -> HttpResponse:
    """Import the files of a multipart form, in the background."""
    run = start_import(receive_upload(request))
    return json_answer(StartedImport(id=run, url=f"/api/imports/{run}"), status=202)


@router.get("/imports/{run}", response=ImportItem)
def progress(request: HttpRequest, run: Text) -> HttpResponse:
    """Say how far a run is, with its report once it is over."""
    found = import_run(run)
    return json_answer(
        ImportItem(
            id=found.id,
            name=found.name,
            state=found.state,
            progress=ProgressItem(done=found.done, total=found.total),
            created_at=found.created_at,
            report=decode(found.report) if found.report else None,
        )
    )
