"""The SDKs as oracles: what they said, held and restored beside the sessions they wrote."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.types.session import encode_bytes_values

from convviewer.core.json import Json, decode
from convviewer.core.thread import Thread, Tier
from convviewer.formats import strands_files, strands_snapshots
from convviewer.formats.base import Format
from tests.fixtures.clock import fixed_sdk_sources
from tests.fixtures.lab import begin, converse, file_manager, restored
from tests.fixtures.model import ScriptedModel
from tests.fixtures.oracle_talks import pump_talk
from tests.formats.reading import only_thread, read_tree

SESSIONS = sorted((Path(__file__).parents[1] / "data" / "sdk").iterdir())


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.name)
def test_the_compressed_tier_is_what_a_fresh_agent_holds_before_repair(session: Path) -> None:
    assert said_in(read(session).tier("compressed")) == bare(
        expected(session)["restored_before_repair"]
    )


@pytest.mark.parametrize(
    "session",
    [path for path in SESSIONS if json.loads((path / "expected.json").read_text())["complete"]],
    ids=lambda path: path.name,
)
def test_the_verbatim_tier_is_what_was_said(session: Path) -> None:
    said = bare(expected(session)["said"])
    if "redacted" in session.name:
        said[2] = {"role": "user", "content": [{"text": "[User input redacted.]"}]}
    assert said_in(read(session).tier("verbatim")) == said


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.name)
def test_usage_adds_up_to_the_agents_own_count(session: Path) -> None:
    thread, totals = read(session), expected(session)["usage"]
    if not expected(session)["complete"]:
        assert isinstance(thread.facts, dict)
        assert thread.facts["usage_incomplete"] is True
        return
    usages = [message.usage for message in thread.tiers[0].messages if message.usage]
    assert sum(usage.input or 0 for usage in usages) == totals["inputTokens"]
    assert sum(usage.output or 0 for usage in usages) == totals["outputTokens"]
    assert sum(usage.total or 0 for usage in usages) == totals["totalTokens"]


@pytest.mark.parametrize(
    "session", [path for path in SESSIONS if "redacted" in path.name], ids=lambda path: path.name
)
def test_a_redacted_text_is_in_nothing_that_is_shown(session: Path) -> None:
    thread = read(session)
    shown = [
        (message.blocks, message.raw, message.custom)
        for tier in thread.tiers
        for message in tier.messages
    ]
    rest = (thread.unplaced, thread.facts, thread.agent, thread.warnings, thread.title)
    assert "CANARY-ORCHID" not in repr((shown, rest))


def test_a_session_written_now_reads_as_a_fresh_agent_restores_it(tmp_path: Path) -> None:
    def manager() -> SummarizingConversationManager:
        return SummarizingConversationManager(summary_ratio=0.5, preserve_recent_messages=4)

    with fixed_sdk_sources():
        begin(datetime(2026, 5, 1, tzinfo=UTC), seed="live")
        run = converse(
            pump_talk(),
            manager=file_manager(tmp_path, "live"),
            model=ScriptedModel(summaries=["Pumps were read."]),
            conversation_manager=manager(),
        )
        run.agent.conversation_manager.reduce_context(run.agent)
        assert run.agent._session_manager is not None
        run.agent._session_manager.sync_agent(run.agent)
        before, _ = restored(file_manager(tmp_path, "live"), conversation_manager=manager())
    thread = only_thread(read_tree(strands_files.FORMAT, tmp_path))
    assert said_in(thread.tier("verbatim")) == bare(run.said)
    assert said_in(thread.tier("compressed")) == bare(before)
    assert len(before) < len(run.said)


def read(session: Path) -> Thread:
    form: Format = (
        strands_files.FORMAT if session.name.startswith("file-") else strands_snapshots.FORMAT
    )
    return only_thread(read_tree(form, session / "input"))


def expected(session: Path) -> Any:
    return json.loads((session / "expected.json").read_text())


def said_in(tier: Tier | None) -> list[Json]:
    assert tier is not None
    records = []
    for message in tier.messages:
        record = decode(message.raw)
        assert isinstance(record, dict)
        records.append(record.get("message", record))
    return bare(records)


def bare(messages: Any) -> list[Json]:
    """Role and content only, bytes as base64: ids and metadata are the SDK's own business."""
    return [
        {"role": message["role"], "content": _unwrapped(message["content"])}
        for message in encode_bytes_values(messages)
    ]


def _unwrapped(value: Any) -> Any:
    if isinstance(value, dict) and value.get("__bytes_encoded__") is True:
        return value["data"]
    if isinstance(value, dict):
        return {key: _unwrapped(item) for key, item in value.items()}
    return [_unwrapped(item) for item in value] if isinstance(value, list) else value
