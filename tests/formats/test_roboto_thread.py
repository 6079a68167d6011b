"""Roboto records: ids, tiers, thread-level fields, exact bytes, and files that cannot be read."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

import pytest

from convviewer.core.json import encode
from convviewer.core.thread import (
    Agent,
    Deleted,
    Filler,
    Goal,
    Place,
    Subtask,
    Task,
    Text,
    Thread,
    ToolResult,
    ToolUse,
    Unknown,
)
from convviewer.formats.base import merge_tiers
from convviewer.formats.roboto_thread import FORMAT
from tests.factories.sources import as_bytes, read_refusal, read_thread

HELLO = {
    "role": "user",
    "status": "completed",
    "created": "2026-03-01T09:00:00Z",
    "content": [{"text": "hi"}],
}


def record(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {
        "created": "2026-03-01T09:00:00Z",
        "created_by": "someone@example.com",
        "org_id": "og_demo",
        "continuation_token": "ct1",
        "status": "user_turn",
        "title": "Demo thread",
        "messages": list(messages) or [HELLO],
    } | ({"thread_id": "at_demo01"} | fields)


def without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


def message(role: str, *content: Any) -> dict[str, Any]:
    return HELLO | {"role": role, "content": list(content)}


def codes(thread: Thread) -> list[tuple[str, str, int]]:
    return [(warning.code, warning.pointer, warning.count) for warning in thread.warnings]


# -- ids and thread-level fields -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ({"thread_id": "at_new"}, "at_new"),
        ({"session_id": "at_old"}, "at_old"),
        ({"chat_id": "at_older"}, "at_older"),
        ({"chat_id": "at_new", "session_id": "at_new", "thread_id": "at_new"}, "at_new"),
        ({"thread_id": None, "chat_id": "at_older"}, "at_older"),
    ],
)
def test_every_spelling_of_the_id_is_read(ids: dict[str, Any], expected: str):
    thread = read_thread(FORMAT, without(record(), "thread_id") | ids)

    assert thread.external_id == expected
    assert thread.lookup_id == ""
    assert thread.warnings == ()


def test_ids_that_disagree_give_one_warning_that_names_both():
    values = without(record(), "thread_id") | {"session_id": "at_s", "chat_id": "at_c"}

    thread = read_thread(FORMAT, values)

    assert thread.external_id == "at_s"
    (warning,) = thread.warnings
    assert (warning.code, warning.pointer, warning.count) == ("id_disagreement", "/chat_id", 1)
    assert warning.message == "chat_id at_c differs from session_id at_s, which is used"
    assert thread.facts == {"org_id": "og_demo", "continuation_token": "ct1", "chat_id": "at_c"}


def test_a_record_without_any_id_is_named_by_its_place():
    thread = read_thread(FORMAT, without(record(), "thread_id"), "old/export.json")

    assert (thread.external_id, thread.lookup_id) == ("old/export.json", "export.json")


@pytest.mark.parametrize("name", ["forked_from_thread_id", "forked_from_session_id"])
def test_both_spellings_of_the_fork_source_are_read(name: str):
    values = record(**{name: "at_src", "forked_from_message_sequence_num": 4})

    thread = read_thread(FORMAT, values)

    assert (thread.forked_from, thread.forked_at) == ("at_src", 4)


def test_thread_level_fields_are_read_and_the_rest_is_kept_under_its_names():
    thread = read_thread(
        FORMAT,
        record(
            activity="Summarizing older messages",
            visibility="org",
            origin="slack",
            model_profile="advanced",
            created_from_agent_id="ag_1",
            created_from_trigger_id="tr_1",
            created_by_principal="invocation:iv_1",
            pinned_at=None,
            something_new={"deep": [1]},
        ),
    )

    assert thread.format == "roboto-thread"
    assert thread.title == "Demo thread"
    assert thread.status == "user_turn"
    assert thread.activity == "Summarizing older messages"
    assert (thread.visibility, thread.origin) == ("org", "slack")
    assert thread.created_at == "2026-03-01T09:00:00Z"
    assert thread.created_by == "someone@example.com"
    assert thread.agent == Agent(id="ag_1", model="advanced")
    assert thread.facts == {
        "org_id": "og_demo",
        "continuation_token": "ct1",
        "created_from_trigger_id": "tr_1",
        "created_by_principal": "invocation:iv_1",
        "something_new": {"deep": [1]},
    }


def test_goals_and_tasks_are_read():
    goal: Any = {
        "goal_type": "dataset_summary",
        "goal_data": {"dataset_id": "ds_1"},
        "status": "achieved",
        "achieve_tool_use_id": "tu_9",
    }
    task: Any = {
        "task_id": 1,
        "title": "Find the outage",
        "status": "completed",
        "conclusion": "3 outages",
        "start": {"message_sequence_num": 1, "content_sequence_num": 0},
        "end": {"message_sequence_num": 7, "content_sequence_num": 2},
        "subtasks": [{"title": "read the log", "status": "done"}],
    }

    thread = read_thread(FORMAT, record(goals=[goal, "odd"], tasks=[task, {"title": 5}]))

    assert thread.goals == (
        Goal(title="dataset_summary", status="achieved", achieved_by="tu_9", raw=goal),
        Goal(title="", raw="odd"),
    )
    assert thread.tasks == (
        Task(
            title="Find the outage",
            status="completed",
            conclusion="3 outages",
            start=Place(message=1, block=0),
            end=Place(message=7, block=2),
            subtasks=(Subtask(title="read the log", status="done"),),
            raw=task,
        ),
        Task(title="", raw={"title": 5}),
    )


# -- messages --------------------------------------------------------------------------------------


def test_messages_keep_the_order_of_the_record_whatever_their_times():
    later_first = [
        message("user", {"text": "Question"}) | {"created": "2026-03-01T09:00:09Z"},
        message("assistant", {"text": "Answer"}) | {"created": "2026-03-01T09:00:01Z"},
    ]

    (tier,) = read_thread(FORMAT, record(*later_first)).tiers

    assert [(m.key, m.number, m.role) for m in tier.messages] == [
        ("0", 0, "user"),
        ("1", 1, "assistant"),
    ]
    assert [m.created_at for m in tier.messages] == ["2026-03-01T09:00:09Z", "2026-03-01T09:00:01Z"]
    assert {m.status for m in tier.messages} == {"completed"}


@pytest.mark.parametrize(
    "text",
    [
        rb'{"role":"user", "content" : [ {"text":"a","text":"\u0062"} ] }',
        rb'{"role": "user", "content": [{"text": "half \ud83d here"}]}',
        rb'{"role": "user", "content": [{"text": "x"}], "x": [NaN, -Infinity, 1e999]}',
        b'{"role": "user", "content": [{"text": "x"}], "x": "brackets ]}, \\" \\\\"}',
        b'{"role": "user", "content": [{"text": "bad \xff byte"}]}',
    ],
)
def test_the_original_json_of_each_message_is_kept_byte_for_byte(text: bytes):
    data = b'{"thread_id": "at_1", "org_id": "o", "messages": [ 1 ,\n' + text + b' , {"role":"x"}]}'

    (tier,) = read_thread(FORMAT, data).tiers

    assert [m.raw for m in tier.messages] == [b"1", text, b'{"role":"x"}']


def test_lone_surrogates_are_kept_as_they_are():
    first = message("user", {"text": "A broken half \ud835 and a whole \U0001d54f."})
    second = message(
        "roboto",
        {
            "content_type": "tool_result",
            "tool_name": "head",
            "tool_use_id": "tu_1",
            "payload": {"line": "cut \ud83d end", "tail": "\udc88 raw", "good": "\U0001f600"},
        },
    )

    (tier,) = read_thread(FORMAT, record(first, second)).tiers

    assert tier.messages[0].blocks == (Text(text="A broken half \ud835 and a whole \U0001d54f."),)
    (result,) = tier.messages[1].blocks
    assert isinstance(result, ToolResult)
    assert result.payload == second["content"][0]["payload"]


def test_integers_keep_every_digit():
    numbers = [107505301260286111, -(2**63), 2**53 + 1, 2**64 - 1, 123456789012345678901234567890]
    use = {"content_type": "tool_use", "tool_name": "ids", "tool_use_id": "tu_1"}

    (tier,) = read_thread(
        FORMAT, record(message("assistant", use | {"input": {"n": numbers}}))
    ).tiers

    (block,) = tier.messages[0].blocks
    assert isinstance(block, ToolUse)
    assert block.input == {"n": numbers}


def test_a_payload_of_five_thousand_levels_is_read():
    deep = '{"a":' * 5000 + '"BOTTOM"' + "}" * 5000
    text = (
        '{"thread_id": "at_1", "org_id": "o", "messages": [{"role": "roboto", "content": '
        '[{"content_type": "tool_result", "tool_name": "deep", "tool_use_id": "tu_1", '
        f'"payload": {deep}}}]}}, {{"role": "assistant", "content": [{{"text": "ok"}}]}}]}}'
    )

    (tier,) = read_thread(FORMAT, text.encode()).tiers

    (result,) = tier.messages[0].blocks
    assert isinstance(result, ToolResult)
    assert encode(result.payload) == deep
    assert tier.messages[1].blocks == (Text(text="ok"),)


def test_messages_that_are_not_what_they_should_be_are_kept_and_named():
    thread = read_thread(
        FORMAT,
        record(
            "not a message",
            message("user") | {"content": "plain words"},
            message("user") | {"content": {"text": "an object"}},
            {"role": "user"},
            message("user", "no block", {"text": 5}, {}),
        ),
    )

    blocks = [m.blocks for m in thread.tiers[0].messages]
    assert blocks == [
        (Unknown(raw="not a message", reason="a message is an object"),),
        (Text(text="plain words"),),
        (Unknown(raw={"text": "an object"}, reason="content is not a list of blocks"),),
        (),
        (
            Unknown(raw="no block", reason="a block is an object"),
            Unknown(raw={"text": 5}, reason="text is not text"),
            Unknown(raw={}, reason="no content_type"),
        ),
    ]
    assert codes(thread) == [
        ("bad_block", "/messages/0", 1),
        ("bad_block", "/messages/1/content", 3),
        ("bad_block", "/messages/4/content/0", 1),
        ("bad_block", "/messages/4/content/1", 1),
        ("unknown_block", "/messages/4/content/2", 1),
    ]


# -- tiers -----------------------------------------------------------------------------------------

ORIGINAL = record(
    message("user", {"text": "Find the outage."}),
    message("assistant", {"text": "Searching."}, {"text": "More."}),
    message("roboto", {"text": "3 hits"}),
)
COMPRESSED = record(
    message("user", {"text": "Find the outage."}),
    message("assistant", {"content_type": "deleted"}, {"content_type": "deleted"}),
    message("roboto", {"content_type": "compression_filler"}),
    title="Title of the variant",
)


def test_a_record_with_stand_ins_is_a_compressed_variant_without_verbatim_tier():
    thread = read_thread(FORMAT, COMPRESSED)

    (tier,) = thread.tiers
    assert (tier.name, tier.kind, tier.aligned_by_number) == ("deleted", "variant", True)
    assert [m.blocks for m in tier.messages[1:]] == [(Deleted(), Deleted()), (Filler(),)]
    assert thread.tier("verbatim") is None
    assert thread.tier("compressed") == tier
    assert thread.warnings == ()


@pytest.mark.parametrize("original_first", [True, False])
def test_original_and_variant_become_tiers_of_one_thread_in_either_order(original_first: bool):
    original, variant = read_thread(FORMAT, ORIGINAL), read_thread(FORMAT, COMPRESSED)
    stored, incoming = (original, variant) if original_first else (variant, original)

    merged = FORMAT.merge(stored, incoming)

    assert merged.tiers == (*original.tiers, *variant.tiers)
    assert merged.title == "Demo thread"


def test_merging_again_changes_nothing_and_keeps_the_warnings_of_both_files_once():
    original = read_thread(FORMAT, ORIGINAL | {"chat_id": "at_other"}, "original.json")
    odd = {**COMPRESSED, "messages": [*COMPRESSED["messages"], message("user", {"new": 1})]}
    variant = read_thread(FORMAT, odd, "compressed.json")

    merged = FORMAT.merge(original, variant)

    assert sorted(warning.code for warning in merged.warnings) == [
        "id_disagreement",
        "unknown_block",
    ]
    again = FORMAT.merge(merged, original)
    assert again.tiers == merged.tiers
    assert set(again.warnings) == set(merged.warnings)


def test_a_newer_export_of_the_same_tier_replaces_the_stored_one():
    stored = read_thread(FORMAT, ORIGINAL)
    newer = read_thread(FORMAT, {**ORIGINAL, "title": "Renamed", "messages": [HELLO]})

    assert FORMAT.merge(stored, newer) == newer
    assert merge_tiers(stored, newer) == newer


# -- tool details ----------------------------------------------------------------------------------


def test_a_tool_detail_file_is_a_thread_of_its_two_halves():
    use = {
        "content_type": "tool_use",
        "tool_name": "query",
        "tool_use_id": "tu_1",
        "input": {"q": 1},
    }
    result = {
        "content_type": "tool_result",
        "tool_name": "query",
        "tool_use_id": "tu_1",
        "runtime_ms": 12,
        "status": "error",
        "payload": "no such table",
    }

    thread = read_thread(FORMAT, {"tool_use": use, "tool_result": result}, "details/tu_1.json")

    assert (thread.external_id, thread.lookup_id) == ("details/tu_1.json", "tu_1.json")
    assert thread.title == "query"
    (tier,) = thread.tiers
    assert [(m.key, m.role) for m in tier.messages] == [("0", "assistant"), ("1", "roboto")]
    assert tier.messages[0].blocks == (ToolUse(id="tu_1", name="query", input={"q": 1}),)
    assert tier.messages[1].blocks == (
        ToolResult(
            tool_use_id="tu_1",
            name="query",
            status="error",
            runtime_ms=12,
            payload="no such table",
            payload_source="payload",
        ),
    )
    assert tier.messages[1].raw == json.dumps(result).encode()


# -- sniffing and refusals -------------------------------------------------------------------------


def test_records_are_recognised_by_what_they_hold_wherever_it_stands():
    long_text = message("user", {"text": "x" * 200_000})
    id_at_the_end = record(long_text)
    all_at_the_end = {"messages": [HELLO, long_text], **without(record(), "messages")}
    half = {"tool_name": "query", "tool_use_id": "tu_1"}

    assert FORMAT.sniff(head(record()), PurePosixPath("a.json")) == 95
    assert FORMAT.sniff(head(id_at_the_end), PurePosixPath("a")) == 85
    assert FORMAT.sniff(head(all_at_the_end), PurePosixPath("a.json")) == 70
    assert FORMAT.sniff(head({"tool_use": half, "tool_result": half}), PurePosixPath("a")) == 95


@pytest.mark.parametrize(
    "other",
    [
        [{"role": "user", "content": [{"text": "hi"}]}],
        {"messages": [{"role": "user", "content": [{"text": "hi"}]}], "system": "x"},
        {"convviewer": 1, "thread": record(), "tiers": []},
        {"session_id": "s", "session_type": "AGENT", "created_at": "x", "updated_at": "x"},
        {"message": {"role": "user", "content": []}, "message_id": 0, "created_at": "x"},
        {"name": "package", "version": "1.0.0"},
        b"plain text with thread_id and messages",
        b"",
    ],
)
def test_files_of_other_kinds_are_not_claimed(other: Any):
    assert FORMAT.sniff(head(other), PurePosixPath("thread.json")) == 0


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_torn_record_is_refused_with_the_place_of_the_damage(cut: float):
    data = as_bytes(record(HELLO, HELLO))
    torn = data[: int(len(data) * cut)]

    refusal = read_refusal(FORMAT, torn, "torn.json")

    assert refusal.path == "torn.json"
    assert refusal.reason.startswith("not valid JSON at character ")
    assert refusal.reason.endswith("copy or export the file again")


@pytest.mark.parametrize("messages", [None, {"0": HELLO}, "text", 5])
def test_a_record_without_a_list_of_messages_is_refused(messages: Any):
    refusal = read_refusal(FORMAT, record() | {"messages": messages})

    assert refusal.pointer == "/messages"
    assert refusal.reason == "expected a list of messages; export the thread again"


def head(value: Any) -> bytes:
    return as_bytes(value)[: 64 * 1024]
