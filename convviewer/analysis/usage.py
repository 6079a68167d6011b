"""What the record says was used, read by one rule for all providers.

Where input + output equals total, cached tokens are inside the input; otherwise they come on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from convviewer.core.thread import (
    Message,
    Usage,
    Warning,  # noqa: A004 - the import report's word; no Python warning is meant
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReading:
    """Tokens of one model call, or of several added up. None: the record holds no such figure.

    `input` is as stored, and so is `total`. `prompt` is all input, cached or not; `input_uncached`
    its part that no cache served or took. `mismatch`: the stored total fits neither reading of the
    cache.
    """

    input: int | None = None
    input_uncached: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    prompt: int | None = None
    total: int | None = None
    mismatch: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTotals:
    """Stored figures added up over `calls` model calls, `unreported` of which hold none."""

    tokens: UsageReading
    calls: int
    unreported: int


def reading(usage: Usage) -> UsageReading:
    """Return the figures of one model call; a figure that cannot be told is None, never 0."""
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    inside = usage.total is not None and usage.total == _plus(usage.input, usage.output)
    # Without a total nothing says where cached tokens count; then they come on top of the input.
    prompt = usage.input if inside else _plus(usage.input, cached)
    uncached = usage.input
    if inside and usage.input is not None:
        uncached = max(0, usage.input - cached)
    expected = _plus(prompt, usage.output)
    return UsageReading(
        input=usage.input,
        input_uncached=uncached,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        output=usage.output,
        prompt=prompt,
        total=usage.total,
        mismatch=None not in (usage.total, expected) and usage.total != expected,
    )


def totals(messages: Iterable[Message]) -> UsageTotals:
    """Add up the messages of one tier: each message of an assistant is one model call.

    A made entry (a summary) repeats no call; its usage, where stored, is its own and counts.
    """
    calls = [message for message in messages if message.role == "assistant" or message.usage]
    readings = [reading(message.usage) for message in calls if message.usage]
    return UsageTotals(
        tokens=add(readings), calls=len(calls), unreported=len(calls) - len(readings)
    )


def add(readings: Sequence[UsageReading]) -> UsageReading:
    """Return the sums; a figure that no reading holds stays None."""
    return UsageReading(
        input=_sum(item.input for item in readings),
        input_uncached=_sum(item.input_uncached for item in readings),
        cache_read=_sum(item.cache_read for item in readings),
        cache_write=_sum(item.cache_write for item in readings),
        output=_sum(item.output for item in readings),
        prompt=_sum(item.prompt for item in readings),
        total=_sum(item.total for item in readings),
        mismatch=any(item.mismatch for item in readings),
    )


def usage_warnings(messages: Iterable[Message]) -> tuple[Warning, ...]:
    """Return one `usage_mismatch` warning that counts the calls and names the first of them."""
    wrong = [m for m in messages if m.usage and reading(m.usage).mismatch]
    if not wrong:
        return ()
    text = f"stored total differs from input, cache and output in {len(wrong)} messages"
    return (
        Warning(
            code="usage_mismatch",
            message=f"{text}, first in message {wrong[0].key}",
            count=len(wrong),
        ),
    )


def _plus(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _sum(figures: Iterable[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None
