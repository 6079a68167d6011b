"""Loose Strands and Converse messages in every shape they are stored in."""

from __future__ import annotations

import base64
import json
from pathlib import PurePosixPath
from typing import Any

import pytest
from strands.agent.agent_result import AgentResult
from strands.telemetry.metrics import EventLoopMetrics

from convviewer.core.thread import (
    Agent,
    CachePoint,
    JsonValue,
    Media,
    Message,
    Metrics,
    Text,
    Thread,
    ToolResult,
    ToolUse,
    Unknown,
    Usage,
)
from convviewer.formats.strands_messages import FORMAT
from tests.factories.sources import as_bytes, read_refusal, read_thread

HELLO = {"role": "user", "content": [{"text": "hi"}]}
ANSWER = {"role": "assistant", "content": [{"text": "hello"}]}
USE = {"toolUse": {"toolUseId": "search", "name": "search", "input": {"q": "first"}}}
TOOL = {"toolSpec": {"inputSchema": {"json": {"properties": {"q": {"type": "string"}}}}}}
USAGE = {"inputTokens": 10, "outputTokens": 4, "totalTokens": 14, "cacheReadInputTokens": 6}


def messages_of(thread: Thread) -> tuple[Message, ...]:
    (tier,) = thread.tiers
    assert (tier.name, tier.kind) == ("verbatim", "verbatim")
    return tier.messages


def result(identifier: str, **fields: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": identifier, **fields}}


# -- shapes of files -------------------------------------------------------------------------------


def test_an_array_of_messages_is_a_thread_named_by_its_path():
    thread = read_thread(FORMAT, [HELLO, ANSWER], "dumps/monday/messages.json")

    assert thread.format == "strands-messages"
    assert thread.external_id == "dumps/monday/messages.json"
    assert thread.lookup_id == "messages.json"
    first, second = messages_of(thread)
    assert (first.key, first.number, first.role, first.blocks) == (
        "0",
        0,
        "user",
        (Text(text="hi"),),
    )
    assert (second.key, second.role, second.raw) == ("1", "assistant", as_bytes(ANSWER))
    assert thread.tier("compressed") == thread.tier("verbatim")


def test_a_converse_request_tells_of_system_tools_and_model():
    tools: Any = {"tools": [{"toolSpec": {"name": "search"}}]}
    request = {
        "modelId": "example.model-v1",
        "messages": [HELLO],
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "toolConfig": tools,
        "inferenceConfig": {"maxTokens": 100},
    }

    thread = read_thread(FORMAT, request)

    assert thread.agent == Agent(
        model="example.model-v1",
        system=(Text(text="Be brief."), CachePoint(type="default")),
        tools=tools,
    )
    assert thread.facts == {"inferenceConfig": {"maxTokens": 100}}
    assert messages_of(thread)[0].blocks == (Text(text="hi"),)


def test_a_converse_response_is_one_message_with_what_the_call_cost():
    response = {
        "output": {"message": ANSWER},
        "stopReason": "end_turn",
        "usage": USAGE,
        "metrics": {"latencyMs": 812},
        "ResponseMetadata": {"HTTPStatusCode": 200},
    }

    thread = read_thread(FORMAT, response)

    (message,) = messages_of(thread)
    assert message.blocks == (Text(text="hello"),)
    assert message.stop_reason == "end_turn"
    assert message.usage == Usage(input=10, output=4, total=14, cache_read=6)
    assert message.metrics == Metrics(latency_ms=812)
    assert message.raw == as_bytes(ANSWER)
    assert thread.facts == {"ResponseMetadata": {"HTTPStatusCode": 200}}


def test_a_result_as_the_sdk_stores_it_is_one_message():
    stored = AgentResult(
        stop_reason="max_tokens",
        message={"role": "assistant", "content": [{"text": "cut"}]},
        metrics=EventLoopMetrics(),
        state={},
    ).to_dict()

    thread = read_thread(FORMAT, stored)

    (message,) = messages_of(thread)
    assert (message.blocks, message.stop_reason) == ((Text(text="cut"),), "max_tokens")
    assert FORMAT.sniff(as_bytes(stored), PurePosixPath("result.json")) == 75


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n\r\n"])
def test_a_message_a_line_is_read_line_by_line(end: bytes):
    thread = read_thread(FORMAT, as_bytes(HELLO) + b"\r\n\n" + as_bytes(ANSWER) + end)

    assert [message.raw for message in messages_of(thread)] == [as_bytes(HELLO), as_bytes(ANSWER)]
    assert thread.warnings == ()


def test_a_damaged_line_is_kept_and_named_and_the_others_are_read():
    thread = read_thread(FORMAT, as_bytes(HELLO) + b'\n{"role": "assis', "chat.jsonl")

    first, second = messages_of(thread)
    assert first.blocks == (Text(text="hi"),)
    (block,) = second.blocks
    assert isinstance(block, Unknown)
    assert block.raw == '{"role": "assis'
    (warning,) = thread.warnings
    assert (warning.code, warning.path, warning.pointer) == ("damaged_row", "chat.jsonl", "/1")


def test_one_message_alone_is_a_thread():
    (message,) = messages_of(read_thread(FORMAT, HELLO))

    assert (message.role, message.blocks, message.raw) == (
        "user",
        (Text(text="hi"),),
        as_bytes(HELLO),
    )


# -- messages --------------------------------------------------------------------------------------


def test_tool_results_are_read_in_every_shape_and_deviations_counted():
    picture = {"image": {"format": "png", "source": {"bytes": base64.b64encode(b"png").decode()}}}
    parts = [{"text": "part 1"}, {"json": {"k": 1}}, picture, {"text": "part 2"}]
    answers = [
        result("a", content=parts),
        result("b", content=[{"json": [1, 2, 3]}], status="success"),
        result("c", content=[{"json": "just a string"}], status="error"),
        result("d", content="bare string", status="success"),
        result("e", status="success"),
    ]

    thread = read_thread(
        FORMAT,
        [{"role": "user", "content": answers}, {"role": "assistant", "content": "plain string"}],
    )

    results, last = messages_of(thread)
    assert results.blocks == (
        ToolResult(
            tool_use_id="a",
            status="unknown",
            payload_source="content",
            parts=(
                Text(text="part 1"),
                JsonValue(value={"k": 1}),
                Media(kind="image", format="png", media_type="image/png", size=3, data=b"png"),
                Text(text="part 2"),
            ),
        ),
        ToolResult(
            tool_use_id="b",
            status="success",
            payload=[1, 2, 3],
            payload_source="content",
            parts=(JsonValue(value=[1, 2, 3]),),
        ),
        ToolResult(
            tool_use_id="c",
            status="error",
            payload="just a string",
            payload_source="content",
            parts=(JsonValue(value="just a string"),),
        ),
        ToolResult(
            tool_use_id="d",
            status="success",
            payload="bare string",
            payload_source="content",
            parts=(Text(text="bare string"),),
        ),
        ToolResult(tool_use_id="e", status="success"),
    )
    assert last.blocks == (Text(text="plain string"),)
    assert sum(w.count for w in thread.warnings if w.code == "bad_block") == 2
    assert {w.code for w in thread.warnings} == {"bad_block"}


def test_results_without_their_call_and_repeated_ids_stay_in_place():
    thread = read_thread(
        FORMAT,
        [
            {"role": "user", "content": [result("gone"), {"text": "And the weather?"}]},
            {"role": "assistant", "content": [USE, USE]},
        ],
    )

    first, second = messages_of(thread)
    assert first.blocks == (ToolResult(tool_use_id="gone"), Text(text="And the weather?"))
    assert second.blocks == (ToolUse(id="search", name="search", input={"q": "first"}),) * 2
    assert thread.warnings == ()


def test_entries_that_are_no_messages_are_kept_and_named():
    thread = read_thread(FORMAT, [HELLO, "stray", {"content": [{"text": "nobody"}]}])

    _, stray, nobody = messages_of(thread)
    assert stray.blocks == (
        Unknown(raw="stray", reason="a message is an object with role and content"),
    )
    assert (nobody.role, nobody.blocks) == ("", (Text(text="nobody"),))
    assert [(w.code, w.pointer) for w in thread.warnings] == [
        ("bad_block", "/1"),
        ("bad_block", "/2"),
    ]


def test_metadata_of_a_message_is_read():
    metadata = {"usage": USAGE, "metrics": {"timeToFirstByteMs": 90}, "custom": {"pinned": True}}
    stored = ANSWER | {"tracking_id": "tr_1", "metadata": metadata}

    (message,) = messages_of(read_thread(FORMAT, [stored]))

    assert message.tracking_id == "tr_1"
    assert message.usage == Usage(input=10, output=4, total=14, cache_read=6)
    assert message.metrics == Metrics(time_to_first_byte_ms=90)
    assert message.custom == {"pinned": True}


def test_special_numbers_are_kept():
    answer = b'{"toolResult":{"toolUseId":"a","content":[{"json":-Infinity}]}}'
    text = b'[{"role":"user","content":[' + answer + b"]}]"

    (message,) = messages_of(read_thread(FORMAT, text))

    (block,) = message.blocks
    assert isinstance(block, ToolResult)
    assert block.payload == float("-inf")
    assert message.raw == text[1:-1]


# -- sniffing and refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([HELLO, ANSWER], 75),
        ([{"content": [{"text": "hi"}], "role": "user"}], 75),
        ([HELLO, {"role": "assistant", "content": [USE]}], 90),
        ([{"role": "user", "content": "plain"}], 40),
        ({"messages": [HELLO], "system": "Be brief."}, 75),
        ({"toolConfig": {"tools": [TOOL] * 50}, "messages": [HELLO]}, 75),
        ({"output": {"message": ANSWER}, "usage": USAGE}, 75),
        (HELLO, 75),
        (as_bytes(HELLO) + b"\n" + as_bytes(ANSWER), 75),
        (json.dumps([HELLO] * 3, indent=2).encode(), 75),
    ],
)
def test_messages_are_recognised_by_what_they_hold(value: Any, expected: int):
    assert FORMAT.sniff(as_bytes(value)[:65536], PurePosixPath("any.name")) == expected


@pytest.mark.parametrize(
    "other",
    [
        [],
        {},
        [1, 2],
        {"name": "package", "version": "1.0.0", "messages": "none"},
        [{"role": "admin", "content": "everything"}],
        [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "tool_calls": [], "content": None},
        ],
        [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        {"convviewer": 1, "thread": {}, "tiers": [{"messages": [HELLO]}]},
        {"thread_id": "a", "messages": [HELLO | {"status": "completed", "created": "x"}]},
        {"message": HELLO, "message_id": 0, "created_at": "x"},
        {"data": {"messages": [HELLO]}, "scope": "agent"},
        {"type": "user", "message": {"role": "user", "content": "hi"}, "uuid": "u"},
        b"role user content",
        b"",
    ],
)
def test_files_of_other_kinds_are_not_claimed(other: Any):
    assert FORMAT.sniff(as_bytes(other), PurePosixPath("messages.json")) == 0


def test_a_torn_array_is_refused_with_the_place_of_the_damage():
    refusal = read_refusal(FORMAT, as_bytes([HELLO, ANSWER])[:-20], "torn.json")

    assert (refusal.path, refusal.pointer) == ("torn.json", "")
    assert refusal.reason.startswith("not valid JSON at character ")


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"messages": {"0": HELLO}}, "/messages"),
        ({"output": {"text": "hello"}}, "/messages"),
        (b'"text"', ""),
    ],
)
def test_what_holds_no_messages_is_refused_with_its_pointer(value: Any, pointer: str):
    assert read_refusal(FORMAT, value).pointer == pointer
