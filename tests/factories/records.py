"""Roboto records, and the import that brings them into the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from convviewer.importing.importer import import_paths

Record = dict[str, Any]


def record(thread_id: str, text: str = "Hello", **fields: Any) -> Record:
    """A record of one message, in which a person says the text."""
    return {
        "thread_id": thread_id,
        "created": "2026-11-01T09:00:00Z",
        "org_id": "og_1",
        "status": "user_turn",
        "messages": [_message("user", {"text": text})],
        **fields,
    }


def with_calls(made: Record, *calls: tuple[str, str]) -> Record:
    """The record with these calls at its end: names of tools, and how each ended."""
    for number, (tool, status) in enumerate(calls):
        name = {"tool_name": tool, "tool_use_id": f"tu_{number}"}
        use = {"content_type": "tool_use", "input": {}, **name}
        result = {"content_type": "tool_result", "status": status, "runtime_ms": 5, **name}
        made["messages"] += [_message("assistant", use), _message("roboto", result)]
    return made


def with_words(made: Record, count: int) -> Record:
    """The record with so many answers at its end."""
    made["messages"] += [_message("assistant", {"text": f"Answer {n}"}) for n in range(count)]
    return made


def import_records(folder: Path, *records: Record) -> None:
    """Write each record to a file of its own below the folder, and import the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, made in enumerate(records):
        (folder / f"{number:04d}-{made['thread_id']}.json").write_text(json.dumps(made))
    report = import_paths([folder])
    assert not report.refused, report.refused
    assert len(report.threads) == len(records)


def import_compressed(folder: Path, thread_id: str, *, answers: int = 40) -> None:
    """A thread of an original and a variant in which every answer was deleted."""
    words = "The joint at the wrist moved by four degrees. " * 8
    original = record(thread_id)
    original["messages"] += [_message("assistant", {"text": words}) for _ in range(answers)]
    filler = _message("assistant", {"content_type": "compression_filler"})
    variant = {**original, "messages": [*original["messages"][:1], *[filler] * answers]}
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in (("original", original), ("variant", variant)):
        (folder / f"{thread_id}-{name}.json").write_text(json.dumps(made))
    import_paths([folder])


def _message(role: str, block: dict[str, Any]) -> dict[str, Any]:
    when = "2026-11-01T09:00:00Z"
    return {"role": role, "status": "completed", "created": when, "content": [block]}
