"""Strands file sessions, from the bytes of their files to threads."""

from __future__ import annotations

import json
import math
from pathlib import Path, PurePosixPath
from typing import Any

from convviewer.core.json import encode
from convviewer.core.thread import (
    JsonValue,
    Media,
    Reasoning,
    Text,
    Thread,
    Tier,
    ToolResult,
    ToolUse,
    Usage,
)
from convviewer.formats.base import Ignored, Refused
from convviewer.formats.source import SourceFile
from convviewer.formats.strands_files import FORMAT
from tests.formats.reading import in_memory, only_thread, read_files, read_tree, threads_of

CASES = Path(__file__).parents[1] / "data" / "cases"


def case(name: str) -> Path:
    return CASES / name / "input"


def texts(tier: Tier | None) -> list[str]:
    assert tier is not None
    return [
        block.text
        for message in tier.messages
        for block in message.blocks
        if isinstance(block, Text)
    ]


def tier_of(thread: Thread, name: str) -> Tier:
    tier = thread.tier(name)
    assert tier is not None
    return tier


def message_file(number: int, text: str, *, name: str = "", **more: Any) -> SourceFile:
    record = {
        "message": {"role": "user", "content": [{"text": text}]},
        "message_id": number,
        "redact_message": None,
        "created_at": f"2026-05-01T10:00:{number:02}+00:00",
        "updated_at": f"2026-05-01T10:00:{number:02}+00:00",
    }
    path = f"session_s/agents/agent_a/messages/{name or f'message_{number}.json'}"
    return in_memory(path, json.dumps(record | more, indent=2).encode())


def agent_file(**state: Any) -> SourceFile:
    record = {
        "agent_id": "a",
        "state": {"seats": 2},
        "conversation_manager_state": state,
        "_internal_state": {"model_state": {}},
        "created_at": "2026-05-01T10:00:00+00:00",
        "updated_at": "2026-05-01T11:00:00+00:00",
    }
    return in_memory("session_s/agents/agent_a/agent.json", json.dumps(record).encode())


def test_a_summary_stands_before_the_messages_from_the_stored_position_on() -> None:
    thread = only_thread(read_tree(FORMAT, case("01-pin-first-summary")))
    verbatim, compressed = thread.tiers
    assert (thread.external_id, thread.agent_id) == ("pin-sum", "pumps")
    assert [message.key for message in verbatim.messages] == [str(n) for n in range(12)]
    assert texts(verbatim)[0] == "Read pump A."
    assert [message.number for message in compressed.messages] == [None, *range(2, 12)]
    summary = compressed.messages[0]
    assert (summary.key, summary.is_summary) == ("summary", True)
    assert summary.label == "summary by SummarizingConversationManager"
    assert summary.usage is None
    assert (compressed.removed_count, compressed.strategy) == (2, "SummarizingConversationManager")
    assert thread.warnings == ()


def test_an_unchanged_message_is_the_same_object_in_both_tiers() -> None:
    verbatim, compressed = only_thread(read_tree(FORMAT, case("29-side-by-side-alignment"))).tiers
    assert len(verbatim.messages) == 12
    assert all(
        mine is theirs
        for mine, theirs in zip(verbatim.messages[6:], compressed.messages[1:], strict=True)
    )


def test_usage_is_that_of_the_stored_answers() -> None:
    thread = only_thread(read_tree(FORMAT, case("01-pin-first-summary")))
    usages = [message.usage for message in thread.tiers[0].messages if message.usage]
    assert [usage.total for usage in usages] == [120] * 6


def test_a_count_larger_than_the_session_leaves_nothing_and_is_reported_once() -> None:
    thread = only_thread(read_tree(FORMAT, case("03-removed-count-without-removal")))
    assert [(tier.name, len(tier.messages)) for tier in thread.tiers] == [
        ("verbatim", 16),
        ("compressed", 0),
    ]
    (warning,) = thread.warnings
    assert warning.code == "offset_exceeds_messages"
    assert warning.message == (
        'agent "p": removed_message_count 28 with no summary_message'
        " and larger than the 16 stored messages"
    )
    assert warning.path == "session_boom/agents/agent_p/agent.json"
    assert warning.pointer == "/conversation_manager_state/removed_message_count"


def test_a_count_without_its_summary_is_reported_under_a_manager_that_summarizes() -> None:
    files = [message_file(n, f"Message {n}") for n in range(4)]
    state = {"__name__": "SummarizingConversationManager", "removed_message_count": 2}
    thread = only_thread(read_files(FORMAT, [*files, agent_file(**state, summary_message=None)]))
    assert [warning.code for warning in thread.warnings] == ["offset_without_summary"]
    assert texts(thread.tier("compressed")) == ["Message 2", "Message 3"]


def test_a_sliding_window_needs_no_summary() -> None:
    files = [message_file(n, f"Message {n}") for n in range(4)]
    state = {"__name__": "SlidingWindowConversationManager", "removed_message_count": 2}
    thread = only_thread(read_files(FORMAT, [*files, agent_file(**state)]))
    assert thread.warnings == ()
    assert texts(thread.tier("compressed")) == ["Message 2", "Message 3"]


def test_without_a_reduction_there_is_one_tier_and_it_answers_as_compressed() -> None:
    files = [message_file(n, f"Message {n}") for n in range(2)]
    state = {"__name__": "NullConversationManager", "removed_message_count": 0}
    thread = only_thread(read_files(FORMAT, [*files, agent_file(**state)]))
    assert [tier.name for tier in thread.tiers] == ["verbatim"]
    assert thread.tier("compressed") is thread.tiers[0]


def test_the_agent_record_is_kept_by_its_own_names() -> None:
    state = {"__name__": "NullConversationManager", "removed_message_count": 0}
    thread = only_thread(read_files(FORMAT, [message_file(0, "Hello"), agent_file(**state)]))
    assert (thread.agent.id, thread.agent.manager) == ("a", "NullConversationManager")
    assert thread.agent.state == {"seats": 2}
    assert thread.agent.details == {
        "conversation_manager_state": state,
        "_internal_state": {"model_state": {}},
    }
    assert thread.created_at == "2026-05-01T10:00:00+00:00"
    assert thread.updated_at == "2026-05-01T11:00:00+00:00"


def test_bytes_become_media_and_redacted_reasoning_is_a_size() -> None:
    thread = only_thread(read_tree(FORMAT, case("17-media-bytes-in-messages")))
    asked, answered = thread.tiers[0].messages
    text, image, document = asked.blocks
    assert text == Text(text="What is in these?")
    assert isinstance(image, Media)
    assert (image.kind, image.format, image.media_type, image.size) == (
        "image",
        "png",
        "image/png",
        70,
    )
    assert image.data is not None
    assert image.data.startswith(b"\x89PNG")
    assert document == Media(
        kind="document",
        format="pdf",
        name="plan",
        media_type="application/pdf",
        size=16,
        data=b"%PDF-1.4\nfake\n\xff\xfe",
    )
    assert answered.blocks == (
        Reasoning(redacted_bytes=8),
        Text(text="A single pixel and a short file."),
    )


def test_a_redacted_result_shows_only_its_replacement() -> None:
    thread = only_thread(read_tree(FORMAT, case("21-redacted-tool-result")))
    asked, call, result, _ = thread.tiers[0].messages
    assert not asked.redacted
    assert any(isinstance(block, ToolUse) and block.id == "tooluse_pat" for block in call.blocks)
    (block,) = result.blocks
    assert isinstance(block, ToolResult)
    assert (block.tool_use_id, block.payload) == ("tooluse_pat", "[Tool result redacted.]")
    assert result.redacted
    assert b"CANARY-NAME" not in result.raw
    assert result.original_raw is not None
    assert b"CANARY-NAME" in result.original_raw
    assert "CANARY-NAME" not in repr([message.blocks for message in thread.tiers[0].messages])


def test_a_redaction_keeps_who_spoke_and_what_it_cost_but_no_words() -> None:
    said = {
        "role": "assistant",
        "content": [{"text": "secret"}],
        "tracking_id": "t-1",
        "metadata": {"usage": {"inputTokens": 5}, "custom": {"note": "secret"}},
    }
    file = message_file(0, "", message=said, redact_message={"content": [{"text": "[gone]"}]})
    (message,) = only_thread(read_files(FORMAT, [file])).tiers[0].messages
    assert (message.role, message.tracking_id, message.usage) == (
        "assistant",
        "t-1",
        Usage(input=5),
    )
    assert message.blocks == (Text(text="[gone]"),)
    assert b"secret" not in message.raw


def test_files_are_ordered_by_number_and_strays_are_named() -> None:
    found = read_tree(FORMAT, case("23-stray-files-and-order"))
    thread = only_thread(found)
    expected = [f"{word} {n}" for n in range(6) for word in ("Question", "Answer")]
    assert texts(thread.tiers[0]) == expected
    ignored = {Path(item.path).name for item in found if isinstance(item, Ignored)}
    assert ignored == {
        ".strands_k3jd82.tmp",
        "message_backup.json",
        ".DS_Store",
        "message_4 (1).json",
    }
    assert [(warning.code, warning.count) for warning in thread.warnings] == [
        ("duplicate_message", 1)
    ]
    assert thread.warnings[0].path.endswith("message_03.json")


def test_special_numbers_stay_apart_from_text() -> None:
    thread = only_thread(read_tree(FORMAT, case("25-nan-infinity-in-tool-json")))
    (result,) = (
        block
        for message in thread.tiers[0].messages
        for block in message.blocks
        if isinstance(block, ToolResult)
    )
    (part,) = result.parts
    assert isinstance(part, JsonValue)
    value = part.value
    assert isinstance(value, dict)
    assert isinstance(value["mean"], float)
    assert math.isnan(value["mean"])
    assert (value["max"], value["min"]) == (math.inf, -math.inf)
    assert value["label"] == "NaN"
    assert encode(result.payload) == encode(part.value)


def test_absent_cache_figures_are_absent() -> None:
    thread = only_thread(read_tree(FORMAT, case("27-bedrock-cache-usage-totals")))
    usages = [message.usage for message in thread.tiers[0].messages if message.usage]
    assert sum(usage.total or 0 for usage in usages) == 10116
    assert usages[-1].cache_read is None
    assert usages[-1].cache_write is None


def test_raw_is_the_file_byte_for_byte() -> None:
    file = message_file(0, "caf\u00e9 \u2028", extra={"kept": [1, 2.50]})
    (message,) = only_thread(read_files(FORMAT, [file])).tiers[0].messages
    assert message.raw == file.read()


def test_a_torn_file_is_refused_and_the_rest_goes_in_at_its_positions() -> None:
    files = [message_file(n, f"Message {n}") for n in range(4)]
    files[1] = in_memory(files[1].path, files[1].read()[:40])
    state = {"__name__": "SlidingWindowConversationManager", "removed_message_count": 2}
    found = read_files(FORMAT, [*files, agent_file(**state)])
    (refused,) = (item for item in found if isinstance(item, Refused))
    assert refused.path == files[1].path
    assert "character" in refused.reason
    thread = only_thread(found)
    assert texts(thread.tiers[0]) == ["Message 0", "Message 2", "Message 3"]
    assert texts(thread.tier("compressed")) == ["Message 2", "Message 3"]
    assert thread.warnings == ()


def test_a_torn_agent_record_still_gives_what_was_said() -> None:
    torn = in_memory("session_s/agents/agent_a/agent.json", b'{"agent_id": "a", "conv')
    found = read_files(FORMAT, [message_file(0, "Hello"), torn])
    assert [item.path for item in found if isinstance(item, Refused)] == [torn.path]
    thread = only_thread(found)
    assert (thread.external_id, thread.agent_id) == ("s", "a")
    assert texts(thread.tiers[0]) == ["Hello"]


def test_a_record_without_a_message_is_refused_with_its_pointer() -> None:
    found = read_files(FORMAT, [message_file(0, "Hello"), message_file(1, "", message="text")])
    (refused,) = (item for item in found if isinstance(item, Refused))
    assert (refused.path, refused.pointer) == (
        "session_s/agents/agent_a/messages/message_1.json",
        "/message",
    )


def test_missing_numbers_are_reported() -> None:
    files = [message_file(n, f"Message {n}") for n in (1, 2, 6)]
    thread = only_thread(read_files(FORMAT, files))
    assert [(w.code, w.message, w.count) for w in thread.warnings] == [
        ("message_gap", "message 0 is not in the import", 1),
        ("message_gap", "messages 3 to 5 are not in the import", 3),
    ]


def test_a_file_that_only_a_padded_name_holds_is_read() -> None:
    thread = only_thread(read_files(FORMAT, [message_file(0, "Hello", name="message_00.json")]))
    assert texts(thread.tiers[0]) == ["Hello"]
    assert thread.warnings == ()


def test_a_message_id_that_differs_from_the_name_is_reported() -> None:
    thread = only_thread(read_files(FORMAT, [message_file(0, "Hello", message_id=7)]))
    assert [warning.code for warning in thread.warnings] == ["id_disagreement"]
    assert thread.tiers[0].messages[0].number == 0


def test_any_folder_name_will_do_and_the_id_is_that_of_the_record() -> None:
    session = {"session_id": "real", "session_type": "AGENT", "created_at": "2026-01-01"}
    message = message_file(0, "Hello").read()
    found = read_files(
        FORMAT,
        [
            in_memory("old/run 7/session.json", json.dumps(session).encode()),
            in_memory("old/run 7/agents/agent_a/messages/message_0.json", message),
        ],
    )
    thread = only_thread(found)
    assert (thread.external_id, thread.agent_id) == ("real", "a")
    assert thread.facts == {"session": session}


def test_an_agent_folder_alone_is_read() -> None:
    record = agent_file(__name__="NullConversationManager", removed_message_count=0).read()
    found = read_files(
        FORMAT,
        [
            in_memory("agent.json", record),
            in_memory("messages/message_0.json", message_file(0, "Hello").read()),
        ],
        name="agent_a",
    )
    thread = only_thread(found)
    assert thread.agent_id == "a"
    assert texts(thread.tiers[0]) == ["Hello"]


def test_a_messages_folder_alone_is_read() -> None:
    files = [
        in_memory(f"message_{n}.json", message_file(n, f"Message {n}").read()) for n in range(3)
    ]
    thread = only_thread(read_files(FORMAT, files, name="messages"))
    assert texts(thread.tiers[0]) == ["Message 0", "Message 1", "Message 2"]


def test_agents_of_a_session_are_threads_of_their_own() -> None:
    second = in_memory(
        "session_s/agents/agent_b/messages/message_0.json", message_file(0, "From b").read()
    )
    threads = threads_of(read_files(FORMAT, [message_file(0, "From a"), second]))
    assert {(thread.external_id, thread.agent_id) for thread in threads} == {
        ("s", "a"),
        ("s", "b"),
    }


def test_a_graph_is_a_record_of_results_not_an_empty_session() -> None:
    found = read_tree(FORMAT, case("19-graph-session-no-agents"))
    thread = only_thread(found)
    assert len(found) == 1
    assert (thread.external_id, thread.agent_id, thread.title) == ("graph1", "review", "review")
    run = thread.multi_agent
    assert run is not None
    assert (run.kind, run.status, run.runtime_ms) == ("graph", "completed", 5)
    assert run.usage == Usage(input=200, output=40, total=240)
    assert [(node.id, node.status, node.result) for node in run.nodes] == [
        ("reader", "completed", (Text(text="The plan has 2 pages."),)),
        ("critic", "completed", (Text(text="Page 2 lacks a date."),)),
    ]
    task, plan = run.task
    assert task == Text(text="Review this plan.")
    assert isinstance(plan, Media)
    assert (plan.kind, plan.name, plan.size) == ("document", "plan", 13)
    assert [(tier.name, tier.messages) for tier in thread.tiers] == [("verbatim", ())]


def test_a_session_without_agents_is_ignored_with_a_reason() -> None:
    session = in_memory("session_s/session.json", b'{"session_id": "s", "session_type": "AGENT"}')
    (item,) = read_files(FORMAT, [session])
    assert item == Ignored(path="session_s/session.json", reason="a session without agents")


def test_files_of_other_formats_are_not_claimed() -> None:
    strangers = {
        "agent.json": b'{"agent_id": "a", "name": "weather"}',
        "session.json": b'{"cookie": "abc"}',
        "message_1.json": b'{"subject": "hello"}',
        "thread.json": b'{"thread_id": "t", "messages": []}',
    }
    scores = [FORMAT.sniff(head, PurePosixPath(name)) for name, head in strangers.items()]
    assert scores == [0, 0, 0, 0]
