"""Roboto content blocks, and the SDK as the judge of what a tool result holds."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from convviewer.core.thread import (
    Block,
    Deleted,
    Error,
    Filler,
    JsonValue,
    Media,
    Text,
    ToolResult,
    ToolUse,
    Unknown,
    ViewingContext,
)
from convviewer.formats.parts.roboto.blocks import Problem, read_block
from tests.factories.roboto_sdk import (
    AgentClientContextEntry,
    AgentContent,
    AgentErrorContent,
    AgentTextContent,
    AgentToolResultContent,
    AgentToolUseContent,
)

PNG = base64.b64encode(b"\x89PNG").decode()
SEARCH: dict[str, Any] = {"tool_name": "search", "tool_use_id": "tu_1"}
USE = SEARCH | {"content_type": "tool_use"}
RESULT = SEARCH | {"content_type": "tool_result"}
IMAGE = {"image": {"format": "png", "source": {"bytes": PNG}}}
IMAGE_READ = Media(kind="image", format="png", media_type="image/png", size=4, data=b"\x89PNG")


def read(raw: Any) -> Block:
    """The block, which must be without problems."""
    problems: list[Problem] = []
    block = read_block(raw, problems)
    assert problems == []
    return block


def read_result(**fields: Any) -> ToolResult:
    block = read(RESULT | fields)
    assert isinstance(block, ToolResult)
    return block


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"text": "hi"}, Text(text="hi")),
        ({"content_type": "text", "text": ""}, Text(text="")),
        ({"content_type": None, "text": "hi"}, Text(text="hi")),
        (
            {"content_type": "error", "error_message": "stopped", "error_code": "x.y"},
            Error(message="stopped", code="x.y"),
        ),
        ({"content_type": "error", "error_message": "stopped"}, Error(message="stopped")),
        ({"content_type": "deleted"}, Deleted()),
        ({"content_type": "compression_filler"}, Filler()),
        (
            {"content_type": "client_context", "context": {"dataset_ids": ["ds_1"], "new": 1}},
            ViewingContext(context={"dataset_ids": ["ds_1"], "new": 1}),
        ),
    ],
)
def test_each_content_type_becomes_its_block(raw: Any, expected: Block):
    assert read(raw) == expected


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"content_type": "video_call", "text": "not words"}, "content_type 'video_call'"),
        ({"content_type": ["text"], "text": "x"}, "content_type ['text']"),
        ({}, "no content_type"),
        ({"answer": 42}, "no content_type"),
    ],
)
def test_what_no_rule_explains_is_kept_raw_and_reported(raw: Any, reason: str):
    problems: list[Problem] = []

    assert read_block(raw, problems) == Unknown(raw=raw, reason=reason)
    (problem,) = problems
    assert problem.code == "unknown_block"


@pytest.mark.parametrize(
    "raw",
    [
        "text",
        None,
        {"text": None},
        USE | {"tool_use_id": 5},
        {"content_type": "tool_use", "tool_use_id": "tu_1"},
        {"content_type": "tool_result", "tool_name": "search"},
        {"content_type": "error", "error_message": ["x"]},
    ],
)
def test_a_known_block_with_wrong_parts_is_kept_raw_and_reported(raw: Any):
    problems: list[Problem] = []

    block = read_block(raw, problems)

    assert isinstance(block, Unknown)
    assert block.raw == raw
    assert [problem.code for problem in problems] == ["bad_block"]


def test_viewing_context_that_cannot_be_read_is_never_shown_as_an_unknown_block():
    problems: list[Problem] = []

    block = read_block({"content_type": "client_context", "context": ["ds_SECRET"]}, problems)

    assert block == ViewingContext(unreadable='["ds_SECRET"]')
    assert [problem.code for problem in problems] == ["unreadable_context"]


def test_a_tool_use_marks_the_keys_that_the_agent_system_added():
    given_input: Any = {"q": "outage", "_compression_intent": "keep the hit count"}

    block = read(USE | {"input": given_input, "answered_by_server": True})

    assert block == ToolUse(
        id="tu_1",
        name="search",
        input=given_input,
        answered_by_server=True,
        internal_keys=("_compression_intent",),
    )


@pytest.mark.parametrize(
    ("request_body", "expected"),
    [
        ({"toolUse": {"toolUseId": "tu_1", "input": {"q": 1}}}, {"q": 1}),
        ({"q": 1}, {"q": 1}),
    ],
)
def test_a_tool_use_without_parsed_input_shows_its_raw_request(request_body: Any, expected: Any):
    block = read(USE | {"input": None, "raw_request": request_body})

    assert block == ToolUse(
        id="tu_1", name="search", input=expected, input_note="read from raw_request"
    )


def test_a_call_without_any_input_has_none():
    assert read(USE) == ToolUse(id="tu_1", name="search")


# -- results ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["success", "error", "declined"])
def test_a_result_has_the_status_and_the_runtime_of_its_record(status: str):
    result = read_result(status=status, runtime_ms=12, payload="done")

    assert (result.status, result.runtime_ms, result.name) == (status, 12, "search")


def test_a_result_of_a_status_that_nobody_knows_is_kept_and_reported():
    problems: list[Problem] = []

    block = read_block(RESULT | {"status": "lost", "runtime_ms": "12", "payload": "x"}, problems)

    assert block == ToolResult(
        tool_use_id="tu_1", name="search", payload="x", payload_source="payload"
    )
    assert [problem.code for problem in problems] == ["bad_block", "bad_block"]


@pytest.mark.parametrize("payload", ["", {}, [], "text", {"items": [1]}, [1, 2]])
def test_a_payload_counts_as_present_whatever_its_length(payload: Any):
    envelope = {"toolResult": {"content": [{"text": "legacy"}]}}

    result = read_result(payload=payload, raw_response=envelope)

    assert result.payload == payload
    assert (result.payload_source, result.payload_guessed) == ("payload", False)


@pytest.mark.parametrize(
    ("raw_response", "payload", "source", "guessed"),
    [
        (None, None, "none", False),
        ({}, None, "none", False),
        ({"rows": 3}, {"rows": 3}, "output", False),
        ({"toolResult": {"content": [{"text": "a"}]}}, "a", "envelope", False),
        ({"toolResult": {"content": [{"json": {"items": [1, 2]}}]}}, [1, 2], "envelope", True),
        ({"toolResult": {"content": [{"json": {"items": []}}]}}, [], "envelope", True),
        (
            {"toolResult": {"content": [{"json": {"items": [1], "next": 2}}]}},
            {"items": [1], "next": 2},
            "envelope",
            False,
        ),
        (
            {"toolResult": {"content": [{"json": {"items": "x"}}]}},
            {"items": "x"},
            "envelope",
            False,
        ),
        ({"toolResult": {"content": [{"text": 5}, {"text": "b"}]}}, "b", "envelope", False),
    ],
)
def test_a_result_without_payload_is_resolved_from_its_envelope(
    raw_response: Any, payload: Any, source: str, guessed: bool
):
    result = read_result(raw_response=raw_response)

    assert result.payload == payload
    assert (result.payload_source, result.payload_guessed) == (source, guessed)


@pytest.mark.parametrize(
    "raw_response",
    [
        {"toolResult": None},
        {"toolResult": "text"},
        {"toolResult": {"content": "text"}},
        {"toolResult": {}},
    ],
)
def test_a_malformed_envelope_gives_no_payload_and_stays_in_sight(raw_response: Any):
    result = read_result(raw_response=raw_response)

    assert (result.payload, result.payload_source) == (None, "none")
    assert result.parts == (Unknown(raw=raw_response, reason="malformed response envelope"),)


def test_what_stands_beside_the_payload_in_an_envelope_is_kept_in_order():
    content = [IMAGE, {"text": "see"}, {"text": "more"}, {"json": 5}, {"strange": 1}]

    result = read_result(raw_response={"toolResult": {"content": content}})

    assert result.payload == "see"
    assert result.parts == (
        IMAGE_READ,
        Text(text="more"),
        JsonValue(value=5),
        Unknown(raw={"strange": 1}, reason="strange part of a tool result"),
    )


def test_a_json_block_that_is_no_payload_decides_for_none_and_is_kept():
    content = [{"json": 5}, {"text": "never reached"}]

    result = read_result(raw_response={"toolResult": {"content": content}})

    assert (result.payload, result.payload_source) == (None, "none")
    assert result.parts == (JsonValue(value=5), Text(text="never reached"))


def test_pictures_beside_a_payload_are_kept_and_its_repeated_words_are_not():
    envelope = {"toolResult": {"content": [{"text": "a plot"}, IMAGE]}}

    result = read_result(payload="a plot", raw_response=envelope)

    assert result.parts == (IMAGE_READ,)


# -- the SDK as the judge --------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(["items", "json", "text", "toolResult", "content"])
            | st.text(max_size=3),
            children,
            max_size=3,
        )
    ),
    max_leaves=8,
)
ENVELOPE_BLOCKS = (
    st.builds(lambda value: {"json": value}, VALUES)
    | st.builds(lambda value: {"json": {"items": value}}, VALUES)
    | st.builds(lambda value: {"text": value}, SCALARS)
    | st.builds(lambda value, text: {"text": text, "json": value}, VALUES, SCALARS)
    | st.just(IMAGE)
    | VALUES
)
ENVELOPES = (
    st.builds(
        lambda content: {"toolResult": {"content": content}},
        st.lists(ENVELOPE_BLOCKS, max_size=4) | VALUES,
    )
    | st.builds(lambda value: {"toolResult": value}, VALUES)
    | st.dictionaries(st.text(max_size=4), VALUES, max_size=3)
    | st.none()
)
PAYLOADS = st.none() | VALUES.filter(lambda value: isinstance(value, str | list | dict))


@given(payload=PAYLOADS, raw_response=ENVELOPES)
def test_payloads_are_resolved_exactly_as_the_sdk_does(payload: Any, raw_response: Any):
    fields = RESULT | {"runtime_ms": 1, "status": "success"}
    judge = AgentToolResultContent.model_validate(
        fields | {"payload": payload, "raw_response": raw_response}
    )

    result = read_result(payload=payload, raw_response=raw_response, runtime_ms=1, status="success")

    assert result.payload == judge.resolve_payload()
    assert (result.payload_source == "none") == (judge.resolve_payload() is None)


@pytest.mark.parametrize(
    ("raw", "model", "kind"),
    [
        ({"text": "x"}, AgentTextContent, Text),
        ({"tool_name": "a", "tool_use_id": "b", "input": {}}, AgentToolUseContent, ToolUse),
        (
            {"tool_name": "a", "tool_use_id": "b", "runtime_ms": 1, "status": "error"},
            AgentToolResultContent,
            ToolResult,
        ),
        ({"error_message": "x"}, AgentErrorContent, Error),
        ({"context": {"dataset_ids": ["ds_1"]}}, AgentClientContextEntry, ViewingContext),
    ],
)
def test_a_block_without_content_type_is_what_the_sdk_takes_it_for(
    raw: Any, model: type, kind: type
):
    assert isinstance(TypeAdapter[Any](AgentContent).validate_python(raw), model)
    assert isinstance(read(raw), kind)
