"""Content blocks of Strands Agents and Bedrock Converse: one block in, one block out."""

from __future__ import annotations

from typing import Any

import pytest

from convviewer.core.thread import (
    Block,
    CachePoint,
    Citation,
    Citations,
    Guard,
    JsonValue,
    Media,
    Reasoning,
    Text,
    ToolResult,
    ToolUse,
    Unknown,
)
from convviewer.core.thread import Warning as ThreadWarning
from convviewer.formats.parts.blocks import Context, parse_message_content
from convviewer.formats.parts.warning_log import WarningLog

PNG = "iVBORw0KGgo="


def parse(content: Any, role: str = "user") -> tuple[tuple[Block, ...], tuple[ThreadWarning, ...]]:
    log = WarningLog()
    context = Context(path="m.json", pointer="/content", role=role, log=log)
    return parse_message_content(content, context), log.all()


def block(stored: Any) -> Block:
    blocks, warnings = parse([stored])
    assert warnings == ()
    (found,) = blocks
    return found


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({"text": "hi"}, Text(text="hi")),
        (
            {"toolUse": {"toolUseId": "t", "name": "n", "input": [1]}},
            ToolUse(id="t", name="n", input=[1]),
        ),
        (
            {"reasoningContent": {"reasoningText": {"text": "why", "signature": "s"}}},
            Reasoning(text="why", signature="s"),
        ),
        ({"reasoning": {"text": "why", "signature": "s"}}, Reasoning(text="why", signature="s")),
        ({"reasoning": {"redactedContent": "AAFvcGFxdWU="}}, Reasoning(redacted_bytes=8)),
        ({"cachePoint": {"type": "default", "ttl": "1h"}}, CachePoint(type="default", ttl="1h")),
        ({"cachePoint": {"cacheType": "default"}}, CachePoint(type="default")),
        (
            {"guardContent": {"text": {"text": "is it so", "qualifiers": ["query"]}}},
            Guard(text="is it so", qualifiers=("query",)),
        ),
        (
            {"image": {"format": "png", "source": {"bytes": PNG}}},
            Media(
                kind="image",
                format="png",
                media_type="image/png",
                size=8,
                data=b"\x89PNG\r\n\x1a\n",
            ),
        ),
        (
            {
                "video": {
                    "format": "mp4",
                    "source": {"location": {"type": "s3", "uri": "s3://b/k", "bucketOwner": "1"}},
                }
            },
            Media(kind="video", format="mp4", media_type="video/mp4", location="s3://b/k"),
        ),
        (
            {"document": {"format": "txt", "name": "n", "source": {"text": "all of it"}}},
            Media(
                kind="document", format="txt", name="n", media_type="text/plain", text="all of it"
            ),
        ),
        (
            {
                "audio": {
                    "format": "mp3",
                    "source": {"bytes": {"__bytes_encoded__": True, "data": ""}},
                }
            },
            Media(kind="audio", format="mp3", media_type="audio/mpeg", size=0, data=b""),
        ),
    ],
)
def test_a_block_is_read_by_its_key(stored: Any, expected: Block) -> None:
    assert block(stored) == expected


@pytest.mark.parametrize("key", ["citationsContent", "citations"])
def test_citations_keep_their_sources(key: str) -> None:
    stored = {
        "content": [{"text": "Rain."}],
        "citations": [
            {
                "title": "Report",
                "location": {"web": {"url": "https://example.org/r", "domain": "example.org"}},
                "sourceContent": [{"text": "It will rain."}],
            },
            {"title": "Plan", "location": {"documentPage": {"documentIndex": 0, "start": 2}}},
        ],
    }
    assert block({key: stored}) == Citations(
        text="Rain.",
        citations=(
            Citation(
                title="Report",
                source_text="It will rain.",
                url="https://example.org/r",
                location={"web": {"url": "https://example.org/r", "domain": "example.org"}},
            ),
            Citation(title="Plan", location={"documentPage": {"documentIndex": 0, "start": 2}}),
        ),
    )


@pytest.mark.parametrize(
    "stored",
    [
        {"holographic": {"text": "hi"}},
        {"text": "hi", "image": {}},
        {},
        "bare text",
        7,
        None,
        {"guardContent2": None},
    ],
)
def test_what_no_rule_explains_is_kept_raw(stored: Any) -> None:
    blocks, warnings = parse([{"text": "before"}, stored])
    assert blocks[0] == Text(text="before")
    assert isinstance(blocks[1], Unknown)
    assert blocks[1].raw == stored
    assert [(w.code, w.path, w.pointer) for w in warnings] == [
        ("unknown_block", "m.json", "/content/1")
    ]


@pytest.mark.parametrize(
    "stored",
    [
        {"text": 7},
        {"toolUse": {"name": "no id"}},
        {"toolResult": "text"},
        {"image": {"format": "png", "source": {"bytes": "not base64!"}}},
        {"image": {"format": "png"}},
        {"reasoningContent": {"redactedContent": "?"}},
        {"guardContent": {"image": {}}},
        {"citationsContent": []},
    ],
)
def test_a_known_block_with_the_wrong_inside_is_kept_raw(stored: Any) -> None:
    (found,), (warning,) = parse([stored])
    assert isinstance(found, Unknown)
    assert found.raw == stored
    assert warning.code == "bad_block"


def test_more_keys_beside_the_blocks_own_are_reported() -> None:
    (found,), (warning,) = parse([{"text": "hi", "annotations": [1]}])
    assert found == Text(text="hi")
    assert (warning.code, warning.pointer) == ("bad_block", "/content/0")


def test_keys_that_are_null_say_nothing() -> None:
    assert block({"text": "hi", "toolUse": None}) == Text(text="hi")


def test_plain_text_is_one_block_and_is_reported() -> None:
    blocks, warnings = parse("hello")
    assert blocks == (Text(text="hello"),)
    assert [(warning.code, warning.count) for warning in warnings] == [("bad_block", 1)]


def test_content_that_is_absent_gives_no_block_and_is_reported() -> None:
    blocks, warnings = parse(None)
    assert blocks == ()
    assert [warning.code for warning in warnings] == ["bad_block"]


def test_equal_warnings_are_counted_from_the_first_place() -> None:
    _, (warning,) = parse([{"newer": 1}, {"text": "x"}, {"newer": 2}])
    assert (warning.count, warning.pointer) == (2, "/content/0")


def result(**fields: Any) -> ToolResult:
    found = block({"toolResult": {"toolUseId": "t", **fields}})
    assert isinstance(found, ToolResult)
    return found


def test_the_only_part_of_a_result_is_its_payload() -> None:
    assert result(status="success", content=[{"text": "ok"}]) == ToolResult(
        tool_use_id="t",
        status="success",
        payload="ok",
        payload_source="content",
        parts=(Text(text="ok"),),
    )
    assert result(status="error", content=[{"json": [1, 2]}]).payload == [1, 2]


def test_several_parts_of_a_result_keep_their_order_and_make_no_payload() -> None:
    found = result(
        content=[
            {"text": "one"},
            {"json": {"k": 1}},
            {"image": {"format": "png", "source": {"bytes": PNG}}},
            {"text": "two"},
        ]
    )
    assert (found.status, found.payload, found.payload_source) == ("unknown", None, "content")
    assert [type(part) for part in found.parts] == [Text, JsonValue, Media, Text]


def test_a_result_without_content_has_no_payload() -> None:
    assert result(status="success") == ToolResult(tool_use_id="t", status="success")


def test_a_null_in_a_result_is_a_value() -> None:
    found = result(content=[{"json": None}])
    assert found.parts == (JsonValue(value=None),)
    assert found.payload_source == "content"


def test_an_unknown_part_of_a_result_is_kept_raw() -> None:
    stored = {"toolResult": {"toolUseId": "t", "content": [{"hologram": 1}]}}
    (found,), (warning,) = parse([stored])
    assert isinstance(found, ToolResult)
    (part,) = found.parts
    assert isinstance(part, Unknown)
    assert part.raw == {"hologram": 1}
    assert warning.pointer == "/content/0/toolResult/content/0"
