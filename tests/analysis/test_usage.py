"""Stored usage: one cache rule, each call once, absent figures stay absent."""

from __future__ import annotations

import pytest

from convviewer.analysis.usage import UsageReading, reading, totals, usage_warnings
from convviewer.core.thread import Usage
from tests.analysis.build import assistant, user


def test_cached_tokens_beside_the_input_are_counted_once() -> None:
    messages = [
        user("1"),
        assistant(
            "One.",
            usage=Usage(input=12, output=30, total=5042, cache_read=0, cache_write=5000),
        ),
        user("2"),
        assistant(
            "Two.",
            usage=Usage(input=15, output=40, total=5055, cache_read=5000, cache_write=0),
        ),
        user("3"),
        assistant("Three.", usage=Usage(input=9, output=10, total=19)),
    ]

    result = totals(messages)

    assert result.tokens == UsageReading(
        input=36,
        input_uncached=36,
        cache_read=5000,
        cache_write=5000,
        output=80,
        prompt=10036,
        total=10116,
        mismatch=False,
    )
    assert (result.calls, result.unreported) == (3, 0)
    assert usage_warnings(messages) == ()


def test_cached_tokens_inside_the_input_are_taken_out_of_the_uncached_part() -> None:
    usage = Usage(input=1000, output=50, total=1050, cache_read=800)

    assert reading(usage) == UsageReading(
        input=1000, input_uncached=200, cache_read=800, output=50, prompt=1000, total=1050
    )


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(), UsageReading()),
        (Usage(output=0), UsageReading(output=0)),
        (Usage(input=5), UsageReading(input=5, input_uncached=5, prompt=5)),
        (
            Usage(input=5, output=2, cache_read=3),
            UsageReading(input=5, input_uncached=5, cache_read=3, output=2, prompt=8),
        ),
    ],
)
def test_a_missing_figure_is_absent_and_not_zero(usage: Usage, expected: UsageReading) -> None:
    assert reading(usage) == expected


def test_a_total_that_fits_no_rule_is_kept_and_warned_of() -> None:
    odd = Usage(input=10, output=5, total=99, cache_read=4)
    messages = [user("1"), assistant("One.", key="m1", usage=odd)]

    (warning,) = usage_warnings(messages)

    assert totals(messages).tokens.total == 99
    assert (warning.code, warning.count) == ("usage_mismatch", 1)
    assert "m1" in warning.message


def test_calls_without_stored_usage_are_counted_as_unreported() -> None:
    result = totals([user("1"), assistant("One."), user("2"), assistant("Two.", usage=Usage())])

    assert (result.calls, result.unreported, result.tokens) == (2, 1, UsageReading())
