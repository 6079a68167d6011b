"""Input for the benchmarks: Roboto records of words, calls and results, the same at each run."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_WORDS = (
    *("order", "pump", "lidar", "frame", "recorder", "status"),
    *("value", "check", "refund", "parcel", "gateway", "node"),
)
_TOOLS = ("lookup_order", "read_log", "query_dataset", "find_gaps")
_BLOCK = 500
_LARGE_ROWS = 4_000


def write_records(folder: Path, *, files: int, messages: int) -> int:
    """Write `files` records of `messages` messages each; returns their bytes.

    Blocks are about 500 bytes; one record in fifty holds a result of 4,000 rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    size = 0
    for number in range(files):
        source = random.Random(number)  # noqa: S311 - the same input at each run
        data = json.dumps(_record(number, messages, source)).encode()
        (folder / f"at_{number:06d}.json").write_bytes(data)
        size += len(data)
    return size


def _record(number: int, messages: int, source: random.Random) -> dict[str, Any]:
    turns = _messages(number, source)
    return {
        "thread_id": f"at_bench{number:06d}",
        "created": "2026-11-01T00:00:00Z",
        "created_by": "bench@example.com",
        "org_id": "og_bench",
        "status": "user_turn",
        "title": f"Thread {number}",
        "messages": [next(turns) for _ in range(messages)],
    }


def _messages(number: int, source: random.Random) -> Iterator[dict[str, Any]]:
    """A question, a call, its result, an answer; over and over."""
    turn = 0
    while True:
        use = f"tooluse_{number}_{turn}"
        tool = source.choice(_TOOLS)
        yield _message("user", turn, {"text": _text(source, _BLOCK)})
        call = {
            "content_type": "tool_use",
            "tool_name": tool,
            "tool_use_id": use,
            "input": {"query": _text(source, 60), "limit": turn},
        }
        yield _message("assistant", turn, {"text": _text(source, _BLOCK)}, call)
        large = number % 50 == 0 and turn == 3  # noqa: PLR2004 - one large payload in fifty records
        result = {
            "content_type": "tool_result",
            "tool_name": tool,
            "tool_use_id": use,
            "runtime_ms": source.randint(5, 4000),
            "status": "error" if source.random() < 0.1 else "success",  # noqa: PLR2004 - one in ten
            "payload": {"rows": _rows(source, _LARGE_ROWS if large else 8)},
        }
        yield _message("roboto", turn, result)
        yield _message("assistant", turn, {"text": _text(source, _BLOCK)})
        turn += 1


def _message(role: str, turn: int, *content: dict[str, Any]) -> dict[str, Any]:
    created = f"2026-11-{1 + turn % 28:02d}T10:{turn % 60:02d}:00Z"
    return {"role": role, "status": "completed", "created": created, "content": list(content)}


def _rows(source: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {"id": number, "name": _text(source, 20), "value": round(source.random(), 6)}
        for number in range(count)
    ]


def _text(source: random.Random, length: int) -> str:
    words: list[str] = []
    while length > 0:
        words.append(source.choice(_WORDS))
        length -= len(words[-1]) + 1
    return " ".join(words)
