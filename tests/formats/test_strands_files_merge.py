"""Parts of a Strands file session, imported one after the other."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.thread import Text, Thread
from convviewer.formats.source import SourceFile
from convviewer.formats.strands_files import FORMAT
from tests.formats.reading import in_memory, only_thread, read_files

SUMMARY = {"role": "user", "content": [{"text": "In short."}], "tracking_id": "s"}


def message_file(number: int, *, hour: int = 10, **fields: Any) -> SourceFile:
    time = f"2026-05-01T{hour}:00:00+00:00"
    record = {
        "message": {"role": "user", "content": [{"text": f"Message {number}"}]},
        "message_id": number,
        "redact_message": None,
        "created_at": time,
        "updated_at": time,
    }
    path = f"session_s/agents/agent_a/messages/message_{number}.json"
    return in_memory(path, json.dumps(record | fields).encode())


def agent_file(removed: int, *, summary: Any = None, hour: int = 10) -> SourceFile:
    manager = "SummarizingConversationManager" if summary else "SlidingWindowConversationManager"
    state = {"__name__": manager, "removed_message_count": removed, "summary_message": summary}
    record = {
        "agent_id": "a",
        "state": {},
        "conversation_manager_state": state,
        "created_at": "2026-05-01T09:00:00+00:00",
        "updated_at": f"2026-05-01T{hour}:00:00+00:00",
    }
    return in_memory("session_s/agents/agent_a/agent.json", json.dumps(record).encode())


def read(*files: SourceFile) -> Thread:
    return only_thread(read_files(FORMAT, list(files)))


@given(data=st.data(), removed=st.integers(0, 12), summarized=st.booleans())
def test_importing_parts_in_any_order_equals_importing_all_at_once(
    data: st.DataObject, removed: int, *, summarized: bool
) -> None:
    numbers = data.draw(st.lists(st.integers(0, 9), min_size=1, unique=True))
    agent = agent_file(removed, summary=SUMMARY if summarized else None)
    files = [*(message_file(number) for number in numbers), agent]
    shuffled = data.draw(st.permutations(files))
    cut = data.draw(st.integers(1, len(files)))
    parts = [part for part in (shuffled[:cut], shuffled[cut:]) if part]
    merged = reduce(FORMAT.merge, [read(*part) for part in parts])
    whole = read(*files)
    assert merged.tiers == whole.tiers
    assert merged.agent == whole.agent
    assert [(w.code, w.message, w.count) for w in merged.warnings] == [
        (w.code, w.message, w.count) for w in whole.warnings
    ]


def test_the_later_reading_of_a_message_stands() -> None:
    edited = {"role": "user", "content": [{"text": "Edited"}]}
    before, after = read(message_file(0)), read(message_file(0, hour=11, message=edited))
    for merged in (FORMAT.merge(before, after), FORMAT.merge(after, before)):
        assert merged.tiers[0].messages[0].blocks == (Text(text="Edited"),)


def test_an_older_copy_does_not_undo_a_redaction() -> None:
    gone = {"role": "user", "content": [{"text": "[gone]"}]}
    redacted, copy = read(message_file(0, redact_message=gone)), read(message_file(0, hour=11))
    for merged in (FORMAT.merge(redacted, copy), FORMAT.merge(copy, redacted)):
        assert merged.tiers[0].messages[0].blocks == (Text(text="[gone]"),)


def test_a_session_that_was_compressed_since_takes_the_later_state() -> None:
    files = [message_file(number) for number in range(6)]
    before, after = read(*files, agent_file(0)), read(*files, agent_file(4, hour=11))
    for merged in (FORMAT.merge(before, after), FORMAT.merge(after, before)):
        assert merged.updated_at == "2026-05-01T11:00:00+00:00"
        compressed = merged.tier("compressed")
        assert compressed is not None
        assert [message.number for message in compressed.messages] == [4, 5]
