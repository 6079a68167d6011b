"""The reading page as tests ask for it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from django.test import Client

from convviewer.importing.importer import import_paths

CASES = Path(__file__).parent.parent / "data" / "cases"
SAMPLES = Path(__file__).parent.parent.parent / "convviewer" / "samples"


def import_case(slug: str) -> list[str]:
    """Import a recorded case and return the public ids of its threads."""
    report = import_paths([CASES / slug / "input"])
    assert not report.refused, report.refused
    return [thread.id for thread in report.threads]


def import_sample(path: str) -> str:
    """Import one sample thread and return its public id."""
    report = import_paths([SAMPLES / path])
    assert not report.refused, report.refused
    return report.threads[0].id


def import_strands(folder: Path, *messages: dict[str, Any]) -> str:
    """Import a loose array of Strands messages and return its public id."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "messages.json").write_text(json.dumps(list(messages)))
    report = import_paths([folder / "messages.json"])
    assert not report.refused, report.refused
    return report.threads[0].id


def import_roboto(folder: Path, *contents: tuple[str, list[dict[str, Any]]], **fields: Any) -> str:
    """Import a Roboto record of (role, blocks) messages and return its public id."""
    messages = [
        {
            "role": role,
            "status": "completed",
            "created": f"2026-11-01T09:00:{number % 60:02}Z",
            "content": blocks,
        }
        for number, (role, blocks) in enumerate(contents)
    ]
    record = {
        "thread_id": "at_reading",
        "created": "2026-11-01T09:00:00Z",
        "org_id": "og_1",
        "status": "user_turn",
        "messages": messages,
        **fields,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "thread.json").write_text(json.dumps(record))
    report = import_paths([folder / "thread.json"])
    assert not report.refused, report.refused
    return report.threads[0].id


def text(*words: str) -> dict[str, Any]:
    """A Strands message of a user."""
    return {"role": "user", "content": [{"text": word} for word in words]}


def answer(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A Strands message of the assistant."""
    return {"role": "assistant", "content": list(blocks)}


def html_of(client: Client, url: str, status: int = 200, **headers: Any) -> str:
    """The body of a response."""
    response = client.get(url, **headers)
    assert response.status_code == status, response.content[:2000]
    return response.content.decode()


def message_html(html: str, key: str) -> str:
    """The article of one message."""
    found = re.search(
        rf'<article class="msg[^"]*" id="m-{re.escape(key)}".*?</article>', html, re.DOTALL
    )
    assert found, f"no message {key}"
    return found[0]


def words(html: str) -> str:
    """The text of some HTML, as a reader sees it, blanks joined."""
    bare = re.sub(r"<(?:script|style)\b.*?</(?:script|style)>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def content(html: str) -> str:
    """The exact text of some HTML: tags out, references resolved, nothing added."""
    return unescape(re.sub(r"<[^>]+>", "", html))


def keys(html: str) -> list[str]:
    """The keys of the messages that a page or a window shows, in order."""
    return re.findall(r'<article class="msg[^"]*" id="m-([^"]*)"', html)


def turns(count: int, status: str = "success") -> list[tuple[str, list[dict[str, Any]]]]:
    """Turns of four Roboto messages each: question, call, result with a table, answer."""
    made: list[tuple[str, list[dict[str, Any]]]] = []
    for turn in range(count):
        name = {"tool_name": "read_topics", "tool_use_id": f"tu_{turn}"}
        rows = [{"topic": f"/lidar_{row}", "messages": 17000 + row} for row in range(6)]
        made += [
            ("user", [{"text": f"Check robot {turn}."}]),
            ("assistant", [{"content_type": "tool_use", "input": {"robot": turn}, **name}]),
            (
                "roboto",
                [
                    {
                        "content_type": "tool_result",
                        "status": status,
                        "runtime_ms": 5,
                        "payload": rows,
                        **name,
                    }
                ],
            ),
            ("assistant", [{"text": f"Robot {turn} is **well**."}]),
        ]
    return made
