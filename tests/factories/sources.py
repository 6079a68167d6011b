"""Files of an import that exist in memory only."""

from __future__ import annotations

import json
from typing import Any

from convviewer.core.thread import Thread
from convviewer.formats.base import Format, Found, Refused, Unit
from convviewer.formats.source import HEAD_BYTES, SourceFile


def source_file(data: bytes, path: str = "thread.json") -> SourceFile:
    return SourceFile(
        path=path,
        short_path=path,
        size=len(data),
        stamp=str(hash(data)),
        opener=lambda: data,
        head_opener=lambda: data[:HEAD_BYTES],
    )


def unit(*files: SourceFile) -> Unit:
    return Unit(folder="", name="import", files=files)


def as_bytes(value: Any) -> bytes:
    """JSON as a source writes it; bytes stay as they are."""
    return value if isinstance(value, bytes) else json.dumps(value).encode("ascii")


def read_found(stored_format: Format, value: Any, path: str = "thread.json") -> Found:
    """The one thing that a file holds."""
    (found,) = stored_format.read(unit(source_file(as_bytes(value), path)))
    return found


def read_thread(stored_format: Format, value: Any, path: str = "thread.json") -> Thread:
    found = read_found(stored_format, value, path)
    assert isinstance(found, Thread)
    return found


def read_refusal(stored_format: Format, value: Any, path: str = "thread.json") -> Refused:
    found = read_found(stored_format, value, path)
    assert isinstance(found, Refused)
    return found
