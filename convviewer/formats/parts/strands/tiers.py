"""The two tiers of a Strands file session: what was said, and what a restored agent holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from convviewer.core.thread import Message, Tier
from convviewer.formats.parts.warning_log import WarningLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """What the conversation manager's stored state says it did.

    `removed_count` counts messages from the start of the list by position, not by number; the SDK
    skips that many and puts `summary` first. `captured_at` is the time of that state.
    """

    manager: str = ""
    removed_count: int = 0
    summary: Message | None = None
    captured_at: str = ""


def session_tiers(messages: Sequence[Message | None], reduction: Reduction) -> tuple[Tier, ...]:
    """Verbatim, and the compressed tier where the state records a reduction.

    `messages` come in order; None stands for one that could not be read and still counts as a
    position. The compressed tier equals what the SDK restores before it repairs tool pairs.
    """
    verbatim = Tier(name="verbatim", kind="verbatim", messages=_readable(messages))
    if reduction.summary is None and reduction.removed_count <= 0:
        return (verbatim,)
    summary = () if reduction.summary is None else (reduction.summary,)
    compressed = Tier(
        name="compressed",
        kind="compressed",
        messages=summary + _readable(messages[max(reduction.removed_count, 0) :]),
        captured_at=reduction.captured_at,
        strategy=reduction.manager,
        removed_count=reduction.removed_count,
    )
    return verbatim, compressed


def reduction_of(compressed: Tier | None, *, manager: str) -> Reduction:
    """The reduction that led to a compressed tier made by `session_tiers`."""
    if compressed is None:
        return Reduction(manager=manager)
    first = compressed.messages[:1]
    return Reduction(
        manager=manager,
        removed_count=compressed.removed_count or 0,
        summary=first[0] if first and first[0].is_summary else None,
        captured_at=compressed.captured_at,
    )


def note_offset(
    reduction: Reduction, stored: int, agent_id: str, log: WarningLog, path: str = ""
) -> None:
    """Warn when the stored count cannot be what was removed; one warning says all of it."""
    removed = reduction.removed_count
    summarizes = "Summariz" in reduction.manager
    unsummarized = removed > 0 and summarizes and reduction.summary is None
    if not unsummarized and removed <= stored:
        return
    says = [
        f'agent "{agent_id}": removed_message_count {removed}',
        "with no summary_message" if unsummarized else "",
        f"{'and ' if unsummarized else ''}larger than the {stored} stored messages"
        if removed > stored
        else "",
    ]
    log.add(
        "offset_exceeds_messages" if removed > stored else "offset_without_summary",
        " ".join(part for part in says if part),
        path=path,
        pointer="/conversation_manager_state/removed_message_count",
    )


def note_gaps(numbers: Sequence[int], log: WarningLog, path: str = "") -> None:
    """Warn of numbers that no file holds, below the highest one. `numbers` ascend."""
    for before, after in pairwise([-1, *numbers]):
        missing = after - before - 1
        if missing == 1:
            log.add("message_gap", f"message {after - 1} is not in the import", path=path)
        elif missing:
            span = f"messages {before + 1} to {after - 1} are not in the import"
            log.add("message_gap", span, path=path, count=missing)


def _readable(messages: Sequence[Message | None]) -> tuple[Message, ...]:
    return tuple(message for message in messages if message is not None)
