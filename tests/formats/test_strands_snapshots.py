"""Strands snapshot sessions, from the bytes of their files to threads."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from convviewer.core.thread import (
    CachePoint,
    Error,
    JsonValue,
    Marker,
    Message,
    Text,
    Thread,
    Tier,
    ToolResult,
    Unplaced,
    Usage,
)
from convviewer.formats.base import Ignored, Refused
from convviewer.formats.source import SourceFile
from convviewer.formats.strands_snapshots import FORMAT
from tests.formats.reading import in_memory, only_thread, read_files, read_tree
from tests.formats.strands_history import FOLDER, History, snapshot

CASES = Path(__file__).parents[1] / "data" / "cases"
LATEST = f"session/s/{FOLDER}/snapshots/snapshot_latest.json"
EARLY = "01a22e1c-b0b7-76b4-bcdd-2aab5bb05b55"


def case(name: str) -> Thread:
    return only_thread(read_tree(FORMAT, CASES / name / "input"))


def texts(tier: Tier | None) -> list[str]:
    assert tier is not None
    return [
        block.text
        for message in tier.messages
        for block in message.blocks
        if isinstance(block, Text)
    ]


def user(text: str, tracking_id: str = "u-1") -> dict[str, Any]:
    return {"role": "user", "content": [{"text": text}], "tracking_id": tracking_id}


def answered(tool_use_id: str, tracking_id: str, *parts: dict[str, Any]) -> dict[str, Any]:
    result = {"toolUseId": tool_use_id, "status": "success", "content": list(parts)}
    return {"role": "user", "content": [{"toolResult": result}], "tracking_id": tracking_id}


def latest(*messages: dict[str, Any], **fields: Any) -> SourceFile:
    return in_memory(LATEST, snapshot(list(messages), **fields))


def checkpoint(*messages: dict[str, Any], identifier: str = EARLY) -> SourceFile:
    path = f"session/s/{FOLDER}/snapshots/immutable_history/snapshot_{identifier}.json"
    return in_memory(path, snapshot(list(messages), created_at="2026-05-01T09:00:00Z"))


def inline(**entries: dict[str, Any]) -> dict[str, Any]:
    return {"location": "inline", "entries": entries}


def first_result(message: Message) -> ToolResult:
    (block,) = message.blocks
    assert isinstance(block, ToolResult)
    return block


def test_checkpoints_and_latest_are_one_thread() -> None:
    thread = case("05-snapshot-checkpoints-one-conversation")
    assert (thread.external_id, thread.agent_id) == ("ckpt", "p")
    verbatim, compressed, first, second = thread.tiers
    assert texts(verbatim) == [
        f"{word} {number}" for number in range(1, 6) for word in ("Question", "Answer")
    ]
    assert [message.number for message in compressed.messages] == [None, *range(4, 10)]
    summary = compressed.messages[0]
    assert summary.is_summary
    assert summary.label == "summary by SummarizingConversationManager"
    assert (first.name, second.name) == (
        "checkpoint:01a22e1c-b0b7-76b4-bcdd-2aab5bb05b55",
        "checkpoint:01a22e1c-b0c3-76e8-8fcf-d394ae0bad22",
    )
    assert (len(first.messages), len(second.messages)) == (4, 8)
    usages = [message.usage for message in verbatim.messages if message.usage]
    assert sum(usage.input or 0 for usage in usages) == 500
    assert sum(usage.output or 0 for usage in usages) == 100
    assert thread.facts is None
    assert thread.warnings == ()


def test_an_unchanged_message_is_the_same_object_in_every_tier() -> None:
    thread = case("05-snapshot-checkpoints-one-conversation")
    verbatim, compressed, first, second = thread.tiers
    assert verbatim.messages[0] is first.messages[0] is second.messages[0]
    assert verbatim.messages[4] is compressed.messages[1]


def test_keys_are_short_stable_and_unique() -> None:
    keys = [m.key for m in case("05-snapshot-checkpoints-one-conversation").tiers[0].messages]
    assert len(set(keys)) == 10
    assert all(len(key) == 12 for key in keys)
    again = [m.key for m in case("05-snapshot-checkpoints-one-conversation").tiers[0].messages]
    assert again == keys


def test_a_lost_original_is_missing_and_named_once() -> None:
    thread = case("07-stash-lost-placeholder")
    (warning,) = thread.warnings
    assert warning.code == "stash_reference_missing"
    assert "tooluse_tbl1_0" in warning.message
    for name in ("verbatim", "compressed"):
        tier = thread.tier(name)
        assert tier is not None
        result = first_result(tier.messages[2])
        (marker,) = result.parts
        assert isinstance(marker, Marker)
        assert (marker.reduction, marker.missing) == ("truncated", ("tooluse_tbl1_0",))
        assert result.payload is None


def test_what_a_stash_kept_of_a_redacted_message_goes_nowhere() -> None:
    thread = case("09-stash-keeps-redacted-text")
    assert "4711-ZEBRA" not in repr(thread)
    assert thread.tiers[0].messages[0].blocks == (Text(text="[User input redacted.]"),)
    assert [(warning.code, warning.count) for warning in thread.warnings] == [
        ("stash_entry_unused", 1)
    ]
    assert thread.unplaced == ()


def test_a_note_inside_an_answer_is_a_marker_and_originals_without_a_place_are_listed() -> None:
    thread = case("11-offload-marker-in-answer")
    for name in ("verbatim", "compressed"):
        tier = thread.tier(name)
        assert tier is not None
        assert len(tier.messages) == 6
        answer, marker = tier.messages[1].blocks
        assert answer == Text(text="Answer 4. Details follow here.")
        assert isinstance(marker, Marker)
        assert marker.reduction == "summarized"
        assert marker.text == "[Summarized: 2 messages, ~27 tokens]\n\nPumps 1 to 3 were fine."
    assert [tier.name for tier in thread.tiers] == ["verbatim", "compressed"]
    assert len(thread.unplaced) == 8
    assert Unplaced(ref="tooluse_p2_0", block=Text(text="probe 2: 12 bar")) in thread.unplaced
    assert thread.facts == {"usage_incomplete": True}
    assert thread.warnings == ()


def test_a_placeholder_is_filled_from_the_stash_inside_the_snapshot() -> None:
    held = answered("t1", "u-2", {"text": "[Dropped] [refs: t1_0, t1_1]"})
    stash = inline(t1_0={"text": "row 1"}, t1_1={"json": {"rows": 2}})
    thread = only_thread(read_files(FORMAT, [latest(user("Go"), held, stash=stash)]))
    verbatim, compressed = thread.tiers
    result = first_result(verbatim.messages[1])
    assert result.parts == (Text(text="row 1"), JsonValue(value={"rows": 2}))
    (marker,) = first_result(compressed.messages[1]).parts
    assert isinstance(marker, Marker)
    assert (marker.refs, marker.missing) == (("t1_0", "t1_1"), ())
    assert verbatim.messages[1].key == compressed.messages[1].key
    assert json.loads(verbatim.messages[1].raw)["content"][0]["toolResult"]["content"] == [
        {"text": "row 1"},
        {"json": {"rows": 2}},
    ]
    assert thread.warnings == ()


@pytest.mark.parametrize(
    ("snapshots", "stash"),
    [
        ("session/s", "context/s"),
        ("backup/2026/session/s", "backup/2026/context/s"),
        ("s", "context/s"),
    ],
)
def test_the_stash_beside_the_session_is_found(snapshots: str, stash: str) -> None:
    history = History()
    history.turn()
    history.drop(2)
    history.save(checkpoint=False)
    files = [
        in_memory(file.path.replace("session/s", snapshots, 1), file.read())
        for file in history.snapshots()
    ] + [
        in_memory(file.path.replace("context/s", stash, 1), file.read())
        for file in history.stash_files()
    ]
    thread = only_thread(read_files(FORMAT, files))
    assert (thread.external_id, thread.agent_id) == ("s", "a")
    assert len(first_result(thread.tiers[0].messages[2]).parts) == 2
    assert thread.warnings == ()


def test_a_stash_without_its_snapshots_is_not_read() -> None:
    history = History()
    history.turn()
    found = read_files(FORMAT, history.stash_files())
    assert len(found) == len(history.stash)
    assert all(isinstance(item, Ignored) and "import both" in item.reason for item in found)


def test_a_torn_stash_entry_is_refused_and_its_original_missing() -> None:
    held = answered("t1", "u-2", {"text": "[Dropped] [ref: t1_0]"})
    torn = in_memory(f"context/s/{FOLDER}/t1_0", b'{"text": "row')
    found = read_files(FORMAT, [latest(held), torn])
    assert [item.path for item in found if isinstance(item, Refused)] == [torn.path]
    assert [warning.code for warning in only_thread(found).warnings] == ["stash_reference_missing"]


def test_a_torn_checkpoint_is_refused_and_the_rest_goes_in() -> None:
    torn = in_memory(checkpoint(user("Hello")).path, b'{"scope": "agent", "data"')
    found = read_files(FORMAT, [latest(user("Hello")), torn])
    assert [item.path for item in found if isinstance(item, Refused)] == [torn.path]
    assert texts(only_thread(found).tiers[0]) == ["Hello"]


def test_an_original_that_a_checkpoint_holds_needs_no_stash() -> None:
    early = answered("t1", "u-2", {"text": "row " * 400})
    cut = "row...\n\n... [truncated: 1200 chars removed] ...\n\n...row"
    files = [latest(answered("t1", "u-2", {"text": cut})), checkpoint(early)]
    verbatim, compressed, _ = only_thread(read_files(FORMAT, files)).tiers
    assert first_result(verbatim.messages[0]).payload == "row " * 400
    (marker,) = first_result(compressed.messages[0]).parts
    assert isinstance(marker, Marker)
    assert marker.reduction == "truncated"


def test_words_that_were_redacted_later_are_not_shown_in_an_older_checkpoint() -> None:
    files = [
        latest(user("[User input redacted.]"), user("More", "u-2")),
        checkpoint(user("The code is ZEBRA")),
    ]
    thread = only_thread(read_files(FORMAT, files))
    older = thread.tiers[-1].messages[0]
    assert older.blocks == (Text(text="[User input redacted.]"),)
    assert older.redacted
    assert older.original_raw is not None
    assert b"ZEBRA" in older.original_raw
    shown = [(m.blocks, m.raw) for tier in thread.tiers for m in tier.messages]
    assert "ZEBRA" not in repr(shown)
    merged = FORMAT.merge(thread, thread)
    assert merged.tiers == thread.tiers


def test_an_entry_that_is_a_placeholder_itself_is_no_original() -> None:
    text = "[Dropped] [ref: t1_0]"
    stash = inline(t1_0={"text": text})
    file = latest(answered("t1", "u-2", {"text": text}), stash=stash)
    thread = only_thread(read_files(FORMAT, [file]))
    (marker,) = first_result(thread.tiers[0].messages[0]).parts
    assert isinstance(marker, Marker)
    assert marker.missing == ("t1_0",)


def test_a_repeated_id_is_not_filled_with_the_answer_to_another_call() -> None:
    first = answered("search", "u-2", {"text": "[Dropped] [ref: search_0]"})
    second = answered("search", "u-4", {"text": "[Dropped] [ref: search_0]"})
    stash = inline(search_0={"text": "the second answer"})
    thread = only_thread(read_files(FORMAT, [latest(first, second, stash=stash)]))
    earlier, later = thread.tiers[0].messages
    (marker,) = first_result(earlier).parts
    assert isinstance(marker, Marker)
    assert marker.missing == ("search_0",)
    assert first_result(later).payload == "the second answer"


def test_a_summary_that_nothing_declares_is_told_by_its_place() -> None:
    talk = [user(f"Message {number}", f"u-{number}") for number in range(4)]
    files = [latest(user("In short", "s-1"), *talk[2:], manager="", summary=None)]
    verbatim, compressed, _ = only_thread(read_files(FORMAT, [*files, checkpoint(*talk)])).tiers
    assert texts(verbatim) == [f"Message {number}" for number in range(4)]
    summary = compressed.messages[0]
    assert (summary.number, summary.is_summary, summary.label) == (
        None,
        True,
        "added by compression",
    )


def test_messages_without_an_id_are_known_by_what_they_say() -> None:
    talk = [{"role": "user", "content": [{"text": "yes"}]} for _ in range(3)]
    thread = only_thread(read_files(FORMAT, [latest(*talk), checkpoint(*talk[:2])]))
    assert texts(thread.tiers[0]) == ["yes", "yes", "yes"]
    keys = [message.key for message in thread.tiers[0].messages]
    assert keys == [keys[0], f"{keys[0]}-2", f"{keys[0]}-3"]


def test_raw_is_the_messages_own_bytes() -> None:
    spaced = b'{ "role":"user",  "content":[ {"text":"caf\xc3\xa9 \\u00e9"} ],"tracking_id":"u"}'
    result = b'{"toolResult": {"toolUseId": "t", "content": [{"json": NaN}]}}'
    nan = b'{"role": "user", "content": [' + result + b"]}"
    head, tail = snapshot([]).split(b'"messages": []')
    file = in_memory(LATEST, head + b'"messages": [' + spaced + b", " + nan + b"]" + tail)
    thread = only_thread(read_files(FORMAT, [file]))
    assert [message.raw for message in thread.tiers[0].messages] == [spaced, nan]


@pytest.mark.parametrize("value", ["NaN", "[" * 5000 + "]" * 5000])
def test_unusual_json_in_a_checkpoint_and_in_the_latest_is_the_same(value: str) -> None:
    held = answered("t1", "u-2", {"json": "HERE"})
    files = [
        in_memory(file.path, file.read().replace(b'"HERE"', value.encode()))
        for file in (latest(held, user("More", "u-3")), checkpoint(held))
    ]
    thread = only_thread(read_files(FORMAT, files))
    verbatim, older = thread.tiers
    assert len(verbatim.messages) == 2
    assert older.messages[0] is verbatim.messages[0]
    assert not older.messages[0].redacted
    assert FORMAT.merge(thread, thread).tiers[1].messages[0].raw == older.messages[0].raw


def test_system_prompt_state_and_the_rest_go_to_the_agent() -> None:
    prompt = [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}]
    file = latest(
        user("Hello"),
        system_prompt=prompt,
        state={"seats": 2},
        interrupt_state={"activated": False},
    )
    agent = only_thread(read_files(FORMAT, [file])).agent
    assert agent.system == (Text(text="Be brief."), CachePoint(type="default"))
    assert (agent.id, agent.state) == ("a", {"seats": 2})
    assert agent.manager == "SummarizingConversationManager"
    assert agent.details == {
        "conversation_manager_state": {
            "__name__": "SummarizingConversationManager",
            "removed_message_count": 0,
        },
        "interrupt_state": {"activated": False},
    }


def test_a_snapshot_of_the_npm_sdk_is_read() -> None:
    record = {
        "scope": "agent",
        "schemaVersion": "1.0",
        "createdAt": "2026-05-01T10:00:00.000Z",
        "data": {
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"text": "Hi"}],
                    "trackingId": "m-1",
                    "metadata": {"usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}},
                }
            ],
            "state": {},
            "systemPrompt": "Be brief.",
            "modelState": {},
        },
        "appData": {"owner": "desk"},
    }
    file = in_memory("s/scopes/agent/a/snapshots/snapshot_latest.json", json.dumps(record).encode())
    thread = only_thread(read_files(FORMAT, [file]))
    (message,) = thread.tiers[0].messages
    assert (message.tracking_id, message.usage) == ("m-1", Usage(input=3, output=4, total=7))
    assert thread.agent.system == (Text(text="Be brief."),)
    assert thread.updated_at == "2026-05-01T10:00:00.000Z"
    assert thread.facts == {"app_data": {"owner": "desk"}}


def test_a_loose_snapshot_has_its_path_as_id() -> None:
    for path in ("downloads/state.json", "downloads/snapshot_latest.json"):
        thread = only_thread(read_files(FORMAT, [in_memory(path, snapshot([user("Hello")]))]))
        assert (thread.external_id, thread.agent_id) == (path, "")
        assert thread.lookup_id == PurePosixPath(path).name
        assert texts(thread.tiers[0]) == ["Hello"]


def test_a_session_folder_alone_has_the_imports_name() -> None:
    file = in_memory(f"{FOLDER}/snapshots/snapshot_latest.json", snapshot([user("Hello")]))
    thread = only_thread(read_files(FORMAT, [file], name="s"))
    assert (thread.external_id, thread.agent_id) == ("s", "a")


def multi_agent(state: dict[str, Any], **names: Any) -> Thread:
    record = {
        "scope": "multiAgent",
        "created_at": "2026-05-01T10:00:00Z",
        "schema_version": "1.0",
        "data": {"state": state, **names},
    }
    path = "session/s/scopes/multiAgent/review/snapshots/snapshot_latest.json"
    return only_thread(read_files(FORMAT, [in_memory(path, json.dumps(record).encode())]))


def test_a_swarm_lists_its_nodes_in_the_order_they_ran() -> None:
    answer = {"role": "assistant", "content": [{"text": "Done"}]}
    thread = multi_agent(
        {
            "type": "swarm",
            "status": "failed",
            "node_history": ["b", "a", "b"],
            "node_results": {
                "a": {"status": "failed", "result": {"type": "exception", "message": "No tool"}},
                "b": {"status": "completed", "result": {"type": "agent_result", "message": answer}},
            },
            "next_nodes_to_execute": ["c"],
            "current_task": "Review",
        },
        orchestrator_id="review",
    )
    run = thread.multi_agent
    assert run is not None
    assert (thread.agent_id, thread.title, thread.status) == ("review", "review", "failed")
    assert [(node.id, node.status, node.result) for node in run.nodes] == [
        ("b", "completed", (Text(text="Done"),)),
        ("a", "failed", (Error(message="No tool"),)),
        ("c", "pending", ()),
    ]
    assert run.task == (Text(text="Review"),)
    assert FORMAT.merge(thread, thread) == thread


def test_a_graph_of_the_npm_sdk_is_read() -> None:
    thread = multi_agent(
        {
            "startTime": 1,
            "steps": 2,
            "results": [
                {
                    "type": "nodeResult",
                    "nodeId": "b",
                    "status": "COMPLETED",
                    "duration": 12,
                    "content": [{"text": "Done"}],
                    "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
                },
                {
                    "type": "nodeResult",
                    "nodeId": "a",
                    "status": "FAILED",
                    "duration": 1,
                    "content": [],
                    "error": {"name": "TypeError", "message": "No tool"},
                },
            ],
            "app": {},
            "nodes": {
                "a": {"status": "FAILED", "results": []},
                "b": {"status": "COMPLETED", "results": []},
                "c": {"status": "PENDING", "results": []},
            },
        },
        orchestratorId="review",
    )
    run = thread.multi_agent
    assert run is not None
    assert [(node.id, node.status, node.result, node.runtime_ms) for node in run.nodes] == [
        ("b", "COMPLETED", (Text(text="Done"),), 12),
        ("a", "FAILED", (Error(message="No tool", code="TypeError"),), 1),
        ("c", "PENDING", (), None),
    ]
    assert run.nodes[0].usage == Usage(input=1, output=2, total=3)


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("snapshot_1.json", b'{"name": "a picture"}'),
        ("thread.json", b'{"thread_id": "t", "messages": []}'),
        ("context/s/notes.txt", b"hello"),
        ("scopes/agent/a/readme", b"{}"),
    ],
)
def test_files_of_other_formats_are_not_claimed(path: str, head: bytes) -> None:
    assert FORMAT.sniff(head, PurePosixPath(path)) == 0
