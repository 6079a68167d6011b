"""Requests to the API, read as a strict client reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.test import Client

from convviewer.importing.importer import import_paths

CASES = Path(__file__).parents[1] / "data" / "cases"


def import_case(number: str) -> str:
    """Import the input of the case of that number; the id of its only thread."""
    (folder,) = CASES.glob(f"{number}-*")
    report = import_paths([folder / "input"])
    assert report.exit_code == 0
    (thread,) = {line.id for line in report.threads}
    return thread


def import_json(folder: Path, value: Any, name: str = "thread.json") -> str:
    """Import one file that holds the value; the id of its only thread."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    (line,) = import_paths([path]).threads
    return line.id


def get_bytes(client: Client, url: str, status: int = 200) -> bytes:
    """The body of an answer."""
    response = client.get(url)
    body = b"".join(response) if response.streaming else response.content
    assert response.status_code == status, body[:2000]
    assert response["X-Content-Type-Options"] == "nosniff"
    return body


def get(client: Client, url: str, status: int = 200) -> Any:
    """The JSON of an answer: valid UTF-8, and no bare NaN."""
    return strict(get_bytes(client, url, status).decode())


def get_all(client: Client, url: str, *, limit: int) -> list[Any]:
    """The items of all pages."""
    joined = "&" if "?" in url else "?"
    items: list[Any] = []
    after = ""
    while True:
        page = get(client, f"{url}{joined}limit={limit}&after={after}")
        assert len(page["items"]) <= limit
        items += page["items"]
        if page["next"] is None:
            return items
        after = page["next"]


def messages(client: Client, thread: str, tier: str = "verbatim") -> list[Any]:
    """The messages of a tier."""
    return get_all(client, f"/api/threads/{thread}/tiers/{tier}/messages", limit=200)


def strict(text: str) -> Any:
    """What a strict parser makes of the text; a special number, or half a character, fails."""
    value = json.loads(text, parse_constant=_refuse)
    text.encode()
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")
