"""Tool calls: which result answers which use, and what is said of the rest."""

from __future__ import annotations

import pytest

from convviewer.analysis.pairing import ToolCall, pair_calls, pairing_warnings
from convviewer.core.thread import Message, ToolResult
from tests.analysis.build import assistant, result, use, user


def pairs(calls: tuple[ToolCall, ...]) -> list[tuple[int | None, int | None, str]]:
    """Positions of use and result, and the pairing."""
    return [
        (
            call.use.position if call.use else None,
            call.result.position if call.result else None,
            call.pairing,
        )
        for call in calls
    ]


def test_repeated_ids_pair_in_block_order_within_the_nearest_message() -> None:
    messages = [
        user("Search twice."),
        assistant(use("search", value={"q": "first"}), use("search", value={"q": "second"})),
        user(result("search", "result for first"), result("search", "result for second")),
        assistant(use("search", value={"q": "third"})),
        user(result("search", "result for third")),
    ]

    calls = pair_calls(messages)

    assert [(c.use and (c.use.position, c.use.block)) for c in calls] == [(1, 0), (1, 1), (3, 0)]
    assert [(c.result and (c.result.position, c.result.block)) for c in calls] == [
        (2, 0),
        (2, 1),
        (4, 0),
    ]
    assert [c.labels for c in calls] == [("repeated_id",)] * 3
    assert [c.group for c in calls] == [1, 1, None]
    assert [(w.code, w.count, w.message) for w in pairing_warnings(calls)] == [
        ("repeated_tool_use_id", 3, 'tool use id "search" is used 3 times')
    ]


def test_results_without_a_call_are_orphans_that_keep_their_status() -> None:
    messages = [
        user(result("tooluse_gone0", "left over"), "And now the weather, please."),
        assistant("Sunny."),
        user("Thanks."),
        user(result("tooluse_gone1", "timeout after 30 s", status="error")),
        assistant("The lookup timed out."),
    ]

    calls = pair_calls(messages)

    assert pairs(calls) == [(None, 0, "no_call"), (None, 3, "no_call")]
    assert [(c.name, c.status, c.error) for c in calls] == [
        ("unknown", "success", ""),
        ("unknown", "error", "timeout after 30 s"),
    ]
    (warning,) = pairing_warnings(calls)
    assert (warning.code, warning.count) == ("orphan_result", 2)
    assert "tooluse_gone0, tooluse_gone1" in warning.message


@pytest.mark.parametrize(
    ("messages", "expected", "labels"),
    [
        pytest.param(
            [assistant(use("a")), user("Never mind."), assistant("Fine."), user(result("a"))],
            [(0, 3, "paired")],
            [("late",)],
            id="someone speaks between use and result",
        ),
        pytest.param(
            [assistant(use("a"), use("b")), user(result("a")), user(result("b"))],
            [(0, 1, "paired"), (0, 2, "paired")],
            [(), ()],
            id="parallel results in messages of their own are not late",
        ),
        pytest.param(
            [assistant(use("a")), user(result("a")), user(result("a"))],
            [(0, 1, "paired"), (None, 2, "no_call")],
            [(), ("duplicate",)],
            id="a second result of one use",
        ),
        pytest.param(
            [user(result("a")), assistant(use("a")), user(result("a"))],
            [(None, 0, "no_call"), (1, 2, "paired")],
            [("stale",), ()],
            id="a result older than the use of its id",
        ),
        pytest.param(
            [assistant(use("a")), assistant(use("a")), user(result("a")), user(result("a"))],
            [(0, 3, "paired"), (1, 2, "paired")],
            [("repeated_id", "stale"), ("repeated_id",)],
            id="the nearest use is answered first",
        ),
        pytest.param(
            [assistant(use("a"), result("a"), "Found it.")],
            [(0, 0, "paired")],
            [()],
            id="a server-side result in the message of its use",
        ),
        pytest.param(
            [assistant(use("a")), user("Hello?")],
            [(0, None, "no_result")],
            [()],
            id="no result at all",
        ),
    ],
)
def test_every_half_is_placed_and_labelled(
    messages: list[Message],
    expected: list[tuple[int | None, int | None, str]],
    labels: list[tuple[str, ...]],
) -> None:
    calls = pair_calls(messages)

    assert pairs(calls) == expected
    assert [call.labels for call in calls] == labels
    assert [call.ordinal for call in calls] == list(range(len(expected)))


def test_the_name_comes_from_the_use_then_from_the_result() -> None:
    messages = [
        assistant(use("a", name="lookup")),
        user(result("a", name="other"), result("b", name="probe")),
    ]

    assert [call.name for call in pair_calls(messages)] == ["lookup", "probe"]


def test_missing_and_duplicate_results_are_counted_apart() -> None:
    messages = [assistant(use("a"), use("b")), user(result("a"), result("a"))]

    warnings = pairing_warnings(pair_calls(messages))

    assert {(w.code, w.count) for w in warnings} == {("result_missing", 1), ("duplicate_result", 1)}


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (
            result("a", 'Traceback (most recent call last):\n  File "x", line 1\nKeyError: 7\n'),
            "",
        ),
        (
            result(
                "a",
                'It failed.\nTraceback (most recent call last):\n  File "x", line 1\n    go()\n'
                "KeyError: 7\nsee the log",
                status="error",
            ),
            "KeyError: 7",
        ),
        (ToolResult(tool_use_id="a", status="error", payload={"error": {"message": "no"}}), "no"),
        (ToolResult(tool_use_id="a", status="error", payload={"code": 7}), '{"code":7}'),
        (result("a", "\n\n  timeout\nmore", status="error"), "timeout"),
        (result("a", "x" * 400, status="error"), "x" * 299 + "…"),
        (ToolResult(tool_use_id="a", status="error"), ""),
    ],
)
def test_the_cause_of_a_failure_is_one_line(answer: ToolResult, cause: str) -> None:
    (call,) = pair_calls([user(answer)])

    assert call.error == cause
