"""Contexts of model calls, on threads whose texts have known lengths: four bytes are a token."""

from __future__ import annotations

from dataclasses import replace

from convviewer.analysis.context import PARTS, CallContext, call_contexts
from convviewer.core.thread import (
    Agent,
    Block,
    Message,
    Reasoning,
    Text,
    Thread,
    Tier,
    ToolResult,
    ToolUse,
    Usage,
)


def message(key: str, role: str, *blocks: Block, **fields: object) -> Message:
    made = Message(
        key=key, number=int(key) if key.isdigit() else None, role=role, blocks=blocks, raw=b"{}"
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def words(tokens: int) -> Text:
    return Text(text="a" * 4 * tokens)


def result(tokens: int) -> ToolResult:
    text = "a" * 4 * tokens
    return ToolResult(tool_use_id="t", payload=text, payload_source="payload")


def thread(*tiers: Tier) -> Thread:
    return Thread(
        format="strands-snapshots",
        external_id="x",
        tiers=tiers,
        agent=Agent(system=(words(3),)),
    )


def verbatim(*messages: Message) -> Tier:
    return Tier(name="verbatim", kind="verbatim", messages=messages)


def parts(call: CallContext) -> dict[str, int]:
    return {name: size for name, size in zip(PARTS, call.parts, strict=True) if size}


TALK = (
    message("0", "user", words(10)),
    message("1", "assistant", Reasoning(text="a" * 8), ToolUse(id="t", name="aaaa", input="a" * 4)),
    message("2", "user", result(50)),
    message("3", "assistant", words(5)),
    message("4", "user", words(7)),
    message("5", "assistant", words(1)),
)


def test_without_stored_tiers_a_call_was_given_all_that_was_said() -> None:
    first, second, third = call_contexts(thread(verbatim(*TALK)))

    assert parts(first) == {"system": 3, "user": 10}
    assert parts(second) == {
        "system": 3,
        "user": 10,
        "reasoning": 2,
        "tool_input": 2,
        "tool_output": 50,
    }
    assert parts(third) == {**parts(second), "user": 17, "assistant": 5}
    assert {(call.tier, call.exact, call.compacted) for call in (first, second, third)} == {
        ("", False, False)
    }


def test_a_checkpoint_tells_what_the_next_call_saw() -> None:
    summary = message("s", "user", words(4), is_summary=True)
    checkpoint = Tier(name="checkpoint:1", kind="checkpoint", messages=(summary, TALK[3], TALK[4]))

    *_, last = call_contexts(thread(verbatim(*TALK), checkpoint))

    assert parts(last) == {"system": 3, "user": 7, "assistant": 5, "summary": 4}
    assert (last.tier, last.exact, last.compacted) == ("checkpoint:1", True, True)


def test_what_was_said_after_a_checkpoint_is_added_to_it() -> None:
    summary = message("s", "user", words(4), is_summary=True)
    checkpoint = Tier(name="checkpoint:1", kind="checkpoint", messages=(summary, TALK[3]))

    *_, last = call_contexts(thread(verbatim(*TALK), checkpoint))

    assert parts(last) == {"system": 3, "user": 7, "assistant": 5, "summary": 4}
    assert (last.tier, last.exact) == ("checkpoint:1", False)


def test_a_later_tier_says_nothing_of_an_earlier_call() -> None:
    summary = message("s", "user", words(4), is_summary=True)
    compressed = Tier(name="compressed", kind="compressed", messages=(summary, TALK[5]))

    calls = list(call_contexts(thread(verbatim(*TALK), compressed)))

    assert [call.tier for call in calls] == ["", "", ""]


def test_the_reported_prompt_is_the_size_and_its_drop_tells_of_a_compaction() -> None:
    sizes = (100, 900, 300)
    talk = [
        replace(item, usage=Usage(input=sizes[number // 2], output=1)) if number % 2 else item
        for number, item in enumerate(TALK)
    ]

    calls = list(call_contexts(thread(verbatim(*talk))))

    assert [call.size for call in calls] == [100, 900, 300]
    assert [call.compacted for call in calls] == [False, False, True]
    assert [call.estimated for call in calls] == [13, 67, 79]


def test_a_thread_without_messages_has_no_calls() -> None:
    assert list(call_contexts(thread())) == []
    assert list(call_contexts(thread(verbatim()))) == []
