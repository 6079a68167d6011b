"""Exports for models: Strands messages come back as they were, Converse takes every request."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session  # type: ignore[import-untyped]
import pytest
from botocore.validate import ParamValidator  # type: ignore[import-untyped]

from convviewer.core import thread as core
from convviewer.core.thread import Media, Message, Text, Thread, ToolResult, ToolUse
from convviewer.formats import all_formats, strands_messages
from convviewer.formats.base import Unit
from convviewer.formats.source import open_source
from tests.factories.sources import read_thread
from tests.formats.test_writers import message, thread_of, written

SAMPLES = Path(strands_messages.__file__).parents[1] / "samples"
BYTES = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
STRANDS_BYTES = {"__bytes_encoded__": True, "data": BYTES}
USAGE = {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7, "cacheReadInputTokens": 0}

MESSAGES: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": [
            {"text": "Why?"},
            {"image": {"format": "png", "source": {"bytes": STRANDS_BYTES}}},
            {
                "document": {
                    "format": "pdf",
                    "name": "plan",
                    "source": {"location": {"type": "s3", "uri": "s3://bucket/plan.pdf"}},
                }
            },
            {"guardContent": {"text": {"text": "Why?", "qualifiers": ["query"]}}},
            {"cachePoint": {"type": "default", "ttl": "5m"}},
        ],
        "tracking_id": "tr_0",
        "metadata": {"custom": {"pinned": True}},
    },
    {
        "role": "assistant",
        "content": [
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
            {"reasoningContent": {"redactedContent": STRANDS_BYTES}},
            {"text": "Let me look."},
            {"toolUse": {"toolUseId": "a", "name": "look", "input": {"$ref": 2**70}}},
            {"toolUse": {"toolUseId": "b", "name": "look", "input": [1, None]}},
        ],
        "metadata": {"usage": USAGE, "metrics": {"latencyMs": 250, "timeToFirstByteMs": 9.5}},
    },
    {
        "role": "user",
        "content": [
            {
                "toolResult": {
                    "toolUseId": "a",
                    "content": [
                        {"text": "part"},
                        {"json": {"k": 1}},
                        {"json": None},
                        {"image": {"format": "png", "source": {"bytes": STRANDS_BYTES}}},
                    ],
                    "status": "success",
                }
            },
            {"toolResult": {"toolUseId": "b", "content": [], "status": "error"}},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {
                "citationsContent": {
                    "content": [{"text": "Page 12 says so."}],
                    "citations": [
                        {
                            "title": "Manual",
                            "sourceContent": [{"text": "the valve"}],
                            "location": {"documentPage": {"documentIndex": 0, "start": 12}},
                        }
                    ],
                }
            },
            {"hologram": {"depth": 3}},
        ],
    },
    {"role": "assistant", "content": []},
]


def read(messages: Any) -> Thread:
    return read_thread(strands_messages.FORMAT, messages)


def told(thread: Thread) -> list[tuple[Any, ...]]:
    """What the messages of the first tier say, and what is measured of them."""
    return [
        (m.role, m.blocks, m.tracking_id, m.usage, m.metrics, m.custom)
        for m in thread.tiers[0].messages
    ]


def converse(thread: Thread) -> Any:
    return json.loads(written("converse", thread), parse_constant=pytest.fail)


def strands(thread: Thread) -> Any:
    return json.loads(written("strands", thread), parse_constant=pytest.fail)


@cache
def converse_shape() -> Any:
    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    return service.operation_model("Converse").input_shape


def refusals_of_bedrock(request: Any) -> str:
    """What the AWS SDK has against a request; it checks every member by the service's model."""
    report: str = (
        ParamValidator().validate({"modelId": "m", **request}, converse_shape()).generate_report()
    )
    return report


# -- Strands ---------------------------------------------------------------------------------------


def test_strands_messages_are_written_as_they_were_read():
    assert strands(read(MESSAGES)) == MESSAGES


def test_an_export_as_strands_messages_is_read_back_equal():
    thread = read(MESSAGES)

    assert told(read(strands(thread))) == told(thread)


def sample_threads() -> list[Thread]:
    """Every thread of the samples, as its own format reads it."""
    formats = {found.name: found for found in all_formats()}
    threads = []
    for folder, name in [
        ("strands", "strands-files"),
        ("snapshots", "strands-snapshots"),
        ("typescript", "strands-snapshots"),
        ("messages", "strands-messages"),
        ("converse", "strands-messages"),
        ("roboto", "roboto-thread"),
        ("bundles", "bundle"),
    ]:
        source = open_source(SAMPLES / folder)
        whole = Unit(folder="", name=folder, files=source.files)
        threads += [found for found in formats[name].read(whole) if isinstance(found, Thread)]
    return [thread for thread in threads if thread.tiers]


def content_of(message: Message) -> list[Any]:
    """The blocks; of a marker its text, for which originals there are is no part of a message."""
    return [
        (block.tool_use_id, block.status, [_text_of_marker(part) for part in block.parts])
        if isinstance(block, ToolResult)
        else _text_of_marker(block)
        for block in message.blocks
    ]


def _text_of_marker(block: Any) -> Any:
    return block.text if isinstance(block, core.Marker) else block


def test_every_strands_thread_of_the_samples_is_read_back_equal_from_its_export():
    threads = [thread for thread in sample_threads() if thread.format.startswith("strands")]
    for thread in threads:
        said = [replace(m, original_raw=None) for m in thread.tiers[0].messages]

        again = read(strands(thread_of(*said))).tiers[0].messages

        assert [content_of(m) for m in again] == [content_of(m) for m in said]
        assert [m.tracking_id for m in again] == [m.tracking_id for m in said]
        assert [(m.usage, m.metrics) for m in again] == [(m.usage, m.metrics) for m in said]
    assert len(threads) > 25


def test_special_numbers_are_written_in_the_wire_form():
    use = ToolUse(id="a", name="t", input={"x": float("nan"), "y": "NaN", "$z": float("-inf")})
    other = ToolUse(id="b", name="t", input={"$schema": "x"})

    first, second = strands(
        thread_of(message(use, role="assistant"), message(other, role="assistant", number=1))
    )

    assert first["content"][0]["toolUse"]["input"] == {
        "x": {"$number": "NaN"},
        "y": "NaN",
        "$$z": {"$number": "-Infinity"},
    }
    assert second["content"][0]["toolUse"]["input"] == {"$schema": "x"}


def test_a_thread_without_messages_is_an_empty_list():
    assert strands(thread_of()) == []


# -- Converse --------------------------------------------------------------------------------------


def test_a_converse_request_says_what_bedrock_says():
    source = {"bytes": BYTES}

    content = [m["content"] for m in converse(read(MESSAGES))["messages"]]

    assert content[0][1:3] == [
        {"image": {"format": "png", "source": source}},
        {
            "document": {
                "format": "pdf",
                "name": "plan",
                "source": {"s3Location": {"uri": "s3://bucket/plan.pdf"}},
            }
        },
    ]
    assert content[1][1] == {"reasoningContent": {"redactedContent": BYTES}}
    assert content[2][0]["toolResult"]["content"][3] == {
        "image": {"format": "png", "source": source}
    }
    assert content[3][1] == {"text": '{"hologram":{"depth":3}}'}


def test_system_and_tools_are_in_the_request_where_they_are_recorded():
    tools = {"tools": [{"toolSpec": {"name": "t", "inputSchema": {"json": {"$ref": "#/x"}}}}]}
    request = {
        "messages": [{"role": "user", "content": [{"text": "Hello"}]}],
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "toolConfig": tools,
    }

    assert converse(read(request)) == request
    assert set(converse(thread_of(message(Text(text="Hello"))))) == {"messages"}


def test_roboto_messages_take_turns_as_user_and_assistant():
    thread = thread_of(
        message(Text(text="Why?")),
        message(core.ViewingContext(context={"a": 1}), role="roboto", number=1),
        message(Text(text=" \n"), ToolUse(id="a", name="t"), role="assistant", number=2),
        message(
            ToolResult(tool_use_id="a", status="declined", payload=[1], payload_source="payload"),
            ToolResult(tool_use_id="b", payload=7, payload_source="payload"),
            ToolResult(tool_use_id="c", payload="seven", payload_source="payload"),
            role="roboto",
            number=3,
        ),
        message(Text(text="Go on."), number=4),
        message(core.Deleted(), role="assistant", number=5),
        message(core.Filler(), core.Error(message="No.", code="E1"), role="assistant", number=6),
    )

    def answer(name: str, content: Any, **status: str) -> Any:
        return {"toolResult": {"toolUseId": name, "content": [content], **status}}

    assert converse(thread) == {
        "messages": [
            {"role": "user", "content": [{"text": "Why?"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "a", "name": "t", "input": None}}],
            },
            {
                "role": "user",
                "content": [
                    answer("a", {"json": {"items": [1]}}, status="error"),
                    answer("b", {"text": "7"}),
                    answer("c", {"text": "seven"}),
                    {"text": "Go on."},
                ],
            },
            {
                "role": "assistant",
                "content": [{"text": "<Deleted in compression>"}, {"text": "E1: No."}],
            },
        ]
    }


def test_media_without_bytes_is_told_in_words():
    lost = Media(kind="image", name="pump", format="png", size=1200)
    placed = Media(kind="video", format="mp4", location="https://a.example/film.mp4")

    (turn,) = converse(thread_of(message(lost, placed)))["messages"]

    assert turn["content"] == [
        {"text": "[image, pump, png, 1.2 KB]"},
        {"text": "[video, mp4, https://a.example/film.mp4]"},
    ]


def test_a_place_that_the_npm_sdk_cites_is_said_as_bedrock_says_it():
    place: Any = {"type": "documentPage", "documentIndex": 0, "start": 12, "end": 13}
    cited = core.Citations(text="So.", citations=(core.Citation(location=place),))
    thread = thread_of(message(cited, role="assistant"))

    citation = converse(thread)["messages"][0]["content"][0]["citationsContent"]["citations"][0]

    assert citation == {"location": {"documentPage": {"documentIndex": 0, "start": 12, "end": 13}}}


def test_the_aws_sdk_takes_the_request_of_every_sample():
    threads = sample_threads()

    refused = {t.external_id: refusals_of_bedrock(converse(t)) for t in threads}

    assert len(threads) > 30
    assert {name: reason for name, reason in refused.items() if reason} == {}
