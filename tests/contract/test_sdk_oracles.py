"""What the SDKs said, held and counted, against what is stored and served."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from strands.types.session import encode_bytes_values

from tests.cases.seen import Seen
from tests.contract.library import SESSIONS, Library, stored_library

COMPLETE = [
    path for path in SESSIONS if json.loads((path / "expected.json").read_text())["complete"]
]


@pytest.fixture(scope="module")
def library(django_db_setup: None, django_db_blocker: Any) -> Iterator[Library]:
    yield from stored_library(django_db_blocker, tuple(path / "input" for path in SESSIONS))


def session_param(*sessions: Path) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("session", sessions, ids=lambda path: path.name)


def see_session(library: Library, session: Path) -> Seen:
    (thread,) = library.of(session / "input")
    return Seen(client=Client(), id=thread)


def expected(session: Path) -> Any:
    return json.loads((session / "expected.json").read_text())


def raw_messages(thread: Seen, tier: str) -> list[Any]:
    """Role and content of each message, from its own JSON over the API."""
    found = []
    for message in thread.messages(tier):
        record = thread.api(f"/tiers/{tier}/messages/{message['key']}/raw")
        found.append(bare(record.get("message", record)))
    return found


def bare(message: Any) -> Any:
    """Role and content alone: ids and metadata are the SDK's own business."""
    plain: Any = encode_bytes_values(message)
    return {"role": plain["role"], "content": _unwrapped(plain["content"])}


def _unwrapped(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get("__bytes_encoded__") is True or value.get("$__bytes_encoded__") is True:
            return value.get("data")
        return {key: _unwrapped(item) for key, item in value.items()}
    return [_unwrapped(item) for item in value] if isinstance(value, list) else value


@session_param(*SESSIONS)
def test_the_compressed_tier_is_what_the_sdk_restores(library: Library, session: Path) -> None:
    thread = see_session(library, session)

    restored = expected(session)["restored_before_repair"]

    assert raw_messages(thread, "compressed") == [bare(message) for message in restored]


@session_param(*COMPLETE)
def test_the_verbatim_tier_is_what_was_said(library: Library, session: Path) -> None:
    thread = see_session(library, session)

    said = [bare(message) for message in expected(session)["said"]]
    if "redacted" in session.name:
        said[2] = {"role": "user", "content": [{"text": "[User input redacted.]"}]}

    assert raw_messages(thread, "verbatim") == said


@session_param(*SESSIONS)
def test_usage_is_the_agents_own_count_or_said_to_be_incomplete(
    library: Library, session: Path
) -> None:
    totals = see_session(library, session).api("/usage")["totals"]

    if session not in COMPLETE:
        assert totals["incomplete"] is True
        return
    counted = expected(session)["usage"]
    assert totals["incomplete"] is False
    assert (totals["usage"]["input"], totals["usage"]["output"], totals["usage"]["total"]) == (
        counted["inputTokens"],
        counted["outputTokens"],
        counted["totalTokens"],
    )


@session_param(*SESSIONS)
def test_each_checkpoint_is_a_tier_of_its_own_messages(library: Library, session: Path) -> None:
    thread = see_session(library, session)
    tiers = {tier["name"]: tier["messages"] for tier in thread.api()["tiers"]}

    stored = {
        f"checkpoint:{path.stem.removeprefix('snapshot_')}": json.loads(path.read_text())
        for path in session.rglob("immutable_history/snapshot_*.json")
    }

    assert {name for name in tiers if name.startswith("checkpoint:")} == set(stored)
    for name, snapshot in stored.items():
        held = [bare(message) for message in snapshot["data"]["messages"]]
        assert raw_messages(thread, name) == held


@session_param(*(path for path in SESSIONS if "redacted" in path.name))
def test_what_was_redacted_is_in_no_answer(library: Library, session: Path) -> None:
    thread = see_session(library, session)

    for tier in thread.api()["tiers"]:
        assert "CANARY-ORCHID" not in json.dumps(thread.messages(tier["name"]))
        assert "CANARY-ORCHID" not in json.dumps(raw_messages(thread, tier["name"]))
    assert "CANARY-ORCHID" not in thread.page().content
