"""Threads made searchable, and what the API finds in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.test import Client

from convviewer.importing.importer import import_paths
from convviewer.importing.indexer import index_now

CASES = Path(__file__).parents[1] / "data" / "cases"

Block = dict[str, Any]


def use(tool: str, value: Any, *, call: str = "tu_1") -> Block:
    """A Roboto tool use."""
    return {"content_type": "tool_use", "tool_name": tool, "tool_use_id": call, "input": value}


def result(payload: Any, *, call: str = "tu_1", status: str = "success") -> Block:
    """A Roboto tool result."""
    return {
        "content_type": "tool_result",
        "tool_name": "",
        "tool_use_id": call,
        "runtime_ms": 5,
        "status": status,
        "payload": payload,
    }


def thread(thread_id: str, *contents: str | Block | list[Block], **fields: Any) -> dict[str, Any]:
    """A Roboto record with a message for each content: words, one block or several."""
    return {
        "thread_id": thread_id,
        "created": "2026-11-01T09:00:00Z",
        "created_by": "a@example.com",
        "org_id": "og_1",
        "status": "user_turn",
        "messages": [
            {
                "role": _role(number, content),
                "status": "completed",
                "created": f"2026-11-{number + 1:02d}T09:00:00Z",
                "content": _content(content),
            }
            for number, content in enumerate(contents)
        ],
        **fields,
    }


def store(folder: Path, *records: dict[str, Any]) -> None:
    """Import the records without indexing them; those with the same id replace one another."""
    for record in records:
        path = folder / f"{record['thread_id']}.json"
        path.write_text(json.dumps(record))
    import_paths([folder])


def index() -> int:
    """Index everything; returns how many messages that were."""
    counts: list[int] = []
    assert index_now(counts.append)
    return sum(counts)


def make_searchable(folder: Path, *records: dict[str, Any]) -> None:
    """Import and index."""
    store(folder, *records)
    index()


def import_case(number: str) -> None:
    """Import and index the input of a recorded fault case."""
    (folder,) = CASES.glob(f"{number}-*")
    import_paths([folder / "input"])
    index()


def answer(q: str, **params: Any) -> dict[str, Any]:
    """The API's whole answer."""
    response = Client().get("/api/search", {"q": q, **params})
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found


def keys(q: str, **params: Any) -> list[str]:
    """The keys of the messages found, in order."""
    return [item["key"] for item in answer(q, **params)["items"]]


def _role(number: int, content: str | Block | list[Block]) -> str:
    if isinstance(content, dict) and content.get("content_type") == "tool_result":
        return "roboto"
    return "assistant" if number % 2 else "user"


def _content(content: str | Block | list[Block]) -> list[Block]:
    if isinstance(content, str):
        return [{"text": content}]
    return content if isinstance(content, list) else [content]
