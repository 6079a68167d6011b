"""Two readings of one Strands file session, in either order, as if all had been read at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from convviewer.core.thread import Message, Thread
from convviewer.core.thread import Warning as ThreadWarning
from convviewer.formats.parts.strands.tiers import (
    note_gaps,
    note_offset,
    reduction_of,
    session_tiers,
)
from convviewer.formats.parts.warning_log import WarningLog, joined

_JUDGED_TOGETHER: Final = frozenset(
    {"message_gap", "offset_exceeds_messages", "offset_without_summary"}
)


def merge_sessions(stored: Thread, incoming: Thread) -> Thread:
    """The thread of both. Of two readings of a message or an agent the later one stands.

    A redaction is never undone by an older copy. Whether messages are missing, and where the
    stored count leads, is judged on all of them together.
    """
    by_number = dict(_numbered(stored))
    for number, message in _numbered(incoming):
        by_number[number] = _standing(by_number.get(number), message)
    numbers = sorted(by_number)
    leading, other = _ranked(stored, incoming)
    compressed = next((tier for tier in leading.tiers if tier.kind == "compressed"), None)
    reduction = reduction_of(compressed, manager=leading.agent.manager)
    log = WarningLog()
    note_offset(reduction, len(numbers), leading.agent_id, log)
    note_gaps(numbers, log)
    return replace(
        leading,
        tiers=session_tiers([by_number[number] for number in numbers], reduction),
        multi_agent=leading.multi_agent or other.multi_agent,
        facts=leading.facts or other.facts,
        warnings=joined(_lasting(stored), _lasting(incoming), log.all()),
    )


def _numbered(thread: Thread) -> Iterable[tuple[int, Message]]:
    verbatim = thread.tier("verbatim")
    for message in verbatim.messages if verbatim else ():
        if message.number is not None:
            yield message.number, message


def _standing(stored: Message | None, incoming: Message) -> Message:
    if stored is None or incoming.redacted:
        return incoming
    if stored.redacted or stored.updated_at > incoming.updated_at:
        return stored
    return incoming


def _ranked(stored: Thread, incoming: Thread) -> tuple[Thread, Thread]:
    """The reading with the later agent record first; one without such a record knows less."""
    stored_known, incoming_known = (
        (thread.agent.details is not None, thread.updated_at) for thread in (stored, incoming)
    )
    return (stored, incoming) if stored_known > incoming_known else (incoming, stored)


def _lasting(thread: Thread) -> tuple[ThreadWarning, ...]:
    return tuple(note for note in thread.warnings if note.code not in _JUDGED_TOGETHER)
