"""Exports that people read: Markdown, plain text and HTML hold everything but viewing context."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from convviewer.core import thread as core
from convviewer.core.thread import Media, Message, Text, Thread, Tier, ToolResult, ToolUse
from convviewer.formats.writers import all_writers, write

READABLE = ["markdown", "text", "html"]
ONE_TIER = [*READABLE, "converse", "strands"]


def message(*blocks: core.Block, role: str = "user", number: int = 0, **fields: Any) -> Message:
    given = {"key": str(number), "number": number, "raw": b"{}", **fields}
    return Message(role=role, blocks=blocks, **given)


def thread_of(*messages: Message, **fields: Any) -> Thread:
    tier = Tier(name="verbatim", kind="verbatim", messages=messages)
    return Thread(format="strands-files", external_id="s1", tiers=(tier,), **fields)


def written(form: str, thread: Thread) -> str:
    return "".join(write(all_writers()[form], thread))


def test_the_forms_are_found_in_their_folder():
    assert set(all_writers()) == {"bundle", *ONE_TIER}


@pytest.mark.parametrize("form", ONE_TIER)
def test_viewing_context_is_in_no_form_but_a_bundle(form: str):
    context = core.ViewingContext(context={"dataset_ids": ["ds_SEEN"]})
    broken = core.ViewingContext(unreadable="<ctx>ds_SEEN")
    thread = thread_of(
        message(Text(text="Why?"), context, broken),
        message(context, role="roboto", number=1),
        message(Text(text="Because."), role="assistant", number=2),
    )

    text = written(form, thread)

    assert "ds_SEEN" not in text
    assert text.index("Why?") < text.index("Because.")
    assert "roboto" not in text
    assert written("bundle", thread).count("ds_SEEN") == 3


def test_words_stand_in_markdown_and_text_as_they_were_typed():
    words = "  # Not a title\r\n\n\t&lt;b&gt; &amp; <b>bold</b> user\u202etxt.exe\u202c *x*  \n\n"
    thread = thread_of(message(Text(text=words)))

    assert f"## #0 · user\n\n{words}" in written("markdown", thread)
    assert f"--- #0 · user ---\n\n{words}" in written("text", thread)


def test_a_call_and_its_result_are_told_with_name_input_and_answer():
    use = ToolUse(id="tu_1", name="query_`logs`", input={"since": [1, 2], "müll": None})
    result = ToolResult(
        tool_use_id="tu_1",
        status="error",
        runtime_ms=1200,
        payload="no such `table`",
        payload_source="payload",
    )
    thread = thread_of(message(use, role="assistant"), message(result, role="roboto", number=1))

    assert written("markdown", thread).endswith(
        "\n## #0 · assistant\n"
        "\n**Tool call** `` query_`logs` (tu_1) ``\n\n"
        '```json\n{\n  "since": [\n    1,\n    2\n  ],\n  "müll": null\n}\n```\n'
        "\n## #1 · roboto\n"
        "\n**Tool result** `` query_`logs` (tu_1) error 1,200 ms ``\n\n"
        "```text\nno such `table`\n```\n"
    )
    assert "Tool result query_`logs` (tu_1) error 1,200 ms\n" in written("text", thread)


@pytest.mark.parametrize("form", ["markdown", "text"])
def test_a_fence_is_longer_than_any_run_of_backticks_inside(form: str):
    payload = "```json\n{}\n```\n`````"
    result = ToolResult(tool_use_id="a", payload=payload, payload_source="payload")

    text = written(form, thread_of(message(result)))

    assert f"\n``````text\n{payload}\n``````\n" in text


@pytest.mark.parametrize(
    ("words", "fence"),
    [
        ("see\n```python\nx = 1", "```"),
        ("see\r\n  ~~~~\r\n```\r\nx", "~~~~"),
        ("````\n```\nx", "````"),
        ("```\n``` not the end\nx", "```"),
        ("```\nx\n````", ""),
        ("```x``` is a code span", ""),
        ("no fence, `code`", ""),
    ],
)
def test_a_fence_that_a_speaker_left_open_does_not_swallow_what_follows(words: str, fence: str):
    thread = thread_of(message(Text(text=words)), message(Text(text="next"), number=1))

    end = f"\n{fence}" if fence else ""
    assert f"\n{words}{end}\n\n## #1 · user\n" in written("markdown", thread)


@pytest.mark.parametrize("form", ["markdown", "text"])
def test_special_numbers_and_long_integers_are_all_there(form: str):
    payload: Any = {"mean": float("nan"), "max": float("inf"), "min": float("-inf"), "s": "NaN"}
    payload |= {"n": 123456789012345678901234567890, "e": 1e-7, "items": ["x" * 100_000]}
    result = ToolResult(tool_use_id="a", payload=payload, payload_source="payload")

    found = re.search(r"```json\n(.*?)\n```", written(form, thread_of(message(result))), re.DOTALL)

    assert found is not None
    again = json.loads(found[1])
    assert again.pop("mean") != payload.pop("mean")
    assert again == payload
    assert '"mean": NaN,\n  "max": Infinity,\n  "min": -Infinity,\n  "s": "NaN"' in found[1]


@pytest.mark.parametrize("form", ONE_TIER)
def test_a_value_of_five_thousand_levels_is_written_whole(form: str):
    payload: Any = 7
    for _ in range(5000):
        payload = [payload]
    use = ToolUse(id="a", name="dig", input=payload)

    assert "[" * 5000 + "7" + "]" * 5000 in written(form, thread_of(message(use)))


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("html", 'half <span class="ctl">U+D83D</span>'),
        *((form, "half \ufffd") for form in ("markdown", "text", "converse", "strands", "bundle")),
    ],
)
def test_an_export_is_valid_unicode(form: str, shown: str):
    use = ToolUse(id="\ud800", name="a", input={"half \ud83d": "\udc00"})
    thread = thread_of(message(Text(text="half \ud83d"), use, role="assistant"), title="t \udfff")

    text = written(form, thread)

    assert shown in text
    assert text.encode("utf-8").decode("utf-8") == text


def test_what_is_no_ones_words_is_told_as_a_note():
    blocks: list[core.Block] = [
        core.Marker(reduction="summarized", text="[Summarized: 2 messages, ~9 tokens]\n\nA fire."),
        core.Deleted(),
        core.Filler(),
        core.CachePoint(type="default"),
        core.Error(message="No answer.", code="timeout"),
        core.Reasoning(redacted_bytes=1200),
        Media(kind="document", name="plan.pdf", format="pdf", size=13),
        Media(kind="video", format="mp4", location="s3://bucket/film.mp4"),
        ToolResult(tool_use_id="a", status="declined"),
    ]

    text = written("markdown", thread_of(message(*blocks)))

    assert text.partition("## #0 · user\n")[2] == (
        "\n> [Summarized: 2 messages, ~9 tokens]\n> \n> A fire.\n"
        "\n> Deleted by compression\n"
        "\n> All content deleted by compression\n"
        "\n> Cache point default\n"
        "\n> Error timeout: No answer.\n"
        "\n> Encrypted reasoning, 1.2 KB\n"
        "\n> document plan.pdf pdf 13 B\n"
        "\n> video mp4 s3://bucket/film.mp4\n"
        "\n> Tool result (a) declined: no content\n"
    )


@pytest.mark.parametrize("form", READABLE)
def test_every_other_kind_of_block_is_there_with_all_it_says(form: str):
    cited = core.Citation(title="Field notes", source_text="lines 3 to 9", url="https://a.example/")
    placed = core.Citation(title="Manual", location={"documentPage": {"start": 12}})
    blocks: list[core.Block] = [
        core.Reasoning(text="THOUGHT"),
        core.Citations(text="CITED", citations=(cited, placed)),
        core.Guard(text="GUARDED", qualifiers=("grounding_source",)),
        core.Unknown(raw={"hologram": "UNKNOWN"}, reason="block of keys hologram"),
        Text(text="REFUSAL", refusal=True),
        Media(kind="document", name="notes", format="txt", text="DOCUMENT"),
        ToolUse(id="u", name="t", input={}, input_note="read from raw_request"),
        ToolResult(
            tool_use_id="u",
            payload_source="content",
            parts=(
                Text(text="PART"),
                core.JsonValue(value={"json": "PART2"}),
                Media(kind="image", format="png", size=8),
                core.Marker(reduction="offloaded", text="[Offloaded: ~9 tokens]"),
                core.Unknown(raw=["PART5"], reason="part"),
            ),
        ),
    ]

    text = written(form, thread_of(message(*blocks, role="assistant")))

    said = ["THOUGHT", "CITED", "Field notes", "https://a.example/", "lines 3 to 9", "Manual"]
    said += ["12", "grounding_source", "GUARDED", "hologram", "UNKNOWN", "declined", "REFUSAL"]
    said += ["notes txt", "DOCUMENT", "read from raw_request", "PART", "PART2", "image png 8 B"]
    said += ["[Offloaded: ~9 tokens]", "PART5"]
    places = [text.index(word) for word in said]
    assert places == sorted(places)


@pytest.mark.parametrize("form", READABLE)
def test_the_head_names_the_thread_its_agent_and_its_tier(form: str):
    goal = core.Goal(title="Find the cause", status="achieved")
    task = core.Task(title="Read the logs", status="done")
    thread = thread_of(
        message(Text(text="a"), created_at="2026-11-01T09:00:00Z", label="summary by X"),
        title="Pump 7\nstops",
        status="user_turn",
        agent=core.Agent(name="Ops", model="m-1", system=(Text(text="Be brief."),)),
        goals=(goal,),
        tasks=(task,),
    )

    text = written(form, thread)

    for line in ("Pump 7 stops", "s1", "Ops", "m-1", "user_turn", "Find the cause (achieved)"):
        assert line in text
    for line in ("Read the logs (done)", "verbatim, 1 message", "System prompt", "Be brief."):
        assert line in text
    assert "#0 · summary by X · 2026-11-01T09:00:00Z" in text


@pytest.mark.parametrize("form", READABLE)
def test_a_run_of_several_agents_without_messages_is_told_by_its_answers(form: str):
    node = core.Node(id="critic", status="completed", result=(Text(text="Page 2 lacks a date."),))
    run = core.MultiAgent(id="review", kind="graph", task=(Text(text="Review."),), nodes=(node,))

    text = written(form, replace(thread_of(), tiers=(), multi_agent=run))

    assert "Task of the graph run review" in text
    assert text.index("Review.") < text.index("Last answer of critic (completed)")
    assert text.index("critic") < text.index("Page 2 lacks a date.")


@pytest.mark.parametrize("form", ONE_TIER)
def test_what_a_redaction_replaced_is_told_only_where_the_message_carries_it(form: str):
    said = {"role": "user", "content": [{"text": "my pin is 4711"}]}
    record = {"message": said, "redact_message": {"role": "user", "content": []}}
    for original in (said, record):
        redacted = message(Text(text="[redacted]"), redacted=True)
        carrying = replace(redacted, original_raw=json.dumps(original).encode())

        without, with_it = written(form, thread_of(redacted)), written(form, thread_of(carrying))

        assert "4711" not in without
        assert "[redacted]" in without
        assert "my pin is 4711" in with_it
        assert "[redacted]" not in with_it
