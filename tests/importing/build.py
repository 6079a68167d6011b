"""Input trees for the import tests, and what the store holds afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from convviewer.importing.importer import import_paths
from convviewer.importing.report import ImportReport
from convviewer.store import models
from convviewer.store.load import load_thread

DATA = Path(__file__).parents[1] / "data"
CASES = DATA / "cases"
SDK = DATA / "sdk"


def case(name: str) -> Path:
    """The input folder of the case whose name starts so."""
    (folder,) = CASES.glob(f"{name}-*")
    return folder / "input"


def run(*paths: Path) -> ImportReport:
    """Import the paths."""
    return import_paths(paths)


def record(thread_id: str, *texts: str, **fields: Any) -> dict[str, Any]:
    """A Roboto record whose messages say the texts, user first."""
    return {
        "thread_id": thread_id,
        "created": "2026-11-01T09:00:00Z",
        "created_by": "a@example.com",
        "org_id": "og_1",
        "status": "user_turn",
        "title": f"Thread {thread_id}",
        "messages": [
            {
                "role": "assistant" if number % 2 else "user",
                "status": "completed",
                "created": f"2026-11-01T09:00:{number:02d}Z",
                "content": [{"text": text}],
            }
            for number, text in enumerate(texts)
        ],
        **fields,
    }


def write(path: Path, value: Any) -> Path:
    """Write JSON, making the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def stored() -> dict[str, Any]:
    """Every stored thread by its address, as core values."""
    return {row.public_id: load_thread(row) for row in models.Thread.objects.all()}
