"""A tier as people read it: a title, facts, and a section for each message, in order.

Viewing context has no place in it; everything else has, whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from convviewer.core.text import count, one_line
from convviewer.core.thread import Message, MultiAgent, Thread, ToolUse
from convviewer.formats.writers.base import messages_of
from convviewer.formats.writers.parts.pieces import Piece, pieces_of

_TITLE_LENGTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A message, the system prompt or an agent's answer; `title` is one line."""

    title: str
    pieces: tuple[Piece, ...]


def title_of(thread: Thread) -> str:
    """One line that names the thread."""
    return one_line(thread.title, _TITLE_LENGTH) or one_line(thread.external_id, _TITLE_LENGTH)


def facts_of(thread: Thread) -> list[tuple[str, str]]:
    """What is known of the thread, as names with one line each."""
    agent = thread.agent.name or thread.agent.id or thread.agent_id
    facts = [
        ("Thread", thread.external_id),
        ("Format", thread.format),
        ("Agent", agent),
        ("Model", thread.agent.model),
        ("Status", thread.status),
        ("Created", thread.created_at),
        ("Updated", thread.updated_at),
        ("Forked from", thread.forked_from),
        *(("Goal", _with_status(goal.title, goal.status)) for goal in thread.goals),
        *(("Task", _with_status(task.title, task.status)) for task in thread.tasks),
        *(
            ("Tier", f"{tier.name}, {count(len(tier.messages), 'message')}")
            for tier in thread.tiers
        ),
    ]
    return [(name, line) for name, value in facts if (line := one_line(value, _TITLE_LENGTH))]


def sections_of(thread: Thread) -> Iterator[Section]:
    """The sections that have something to show."""
    for section in _sections(thread):
        if section.pieces:
            yield section


def _sections(thread: Thread) -> Iterator[Section]:
    yield Section(title="System prompt", pieces=pieces_of(thread.agent.system, {}))
    if thread.multi_agent is not None:
        yield from _agents(thread.multi_agent)
    messages = messages_of(thread)
    names = {
        block.id: block.name
        for message in messages
        for block in message.blocks
        if isinstance(block, ToolUse)
    }
    for message in messages:
        yield _section(message, names)


def _agents(run: MultiAgent) -> Iterator[Section]:
    task = _with_status(f"Task of the {run.kind or 'multi-agent'} run {run.id}", run.status)
    yield Section(title=one_line(task, _TITLE_LENGTH), pieces=pieces_of(run.task, {}))
    for node in run.nodes:
        title = _with_status(f"Last answer of {node.id}", node.status)
        yield Section(title=one_line(title, _TITLE_LENGTH), pieces=pieces_of(node.result, {}))


def _section(message: Message, names: Mapping[str, str]) -> Section:
    parts = [
        "" if message.number is None else f"#{message.number}",
        message.label or message.role,
        message.created_at,
        "" if message.status == "completed" else message.status,
        _redaction(message),
    ]
    title = " · ".join(part for part in parts if part)
    return Section(title=one_line(title, _TITLE_LENGTH), pieces=pieces_of(message.blocks, names))


def _redaction(message: Message) -> str:
    if not message.redacted:
        return ""
    return "redacted" if message.original_raw is None else "redacted, shown as it was before"


def _with_status(title: str, status: str) -> str:
    return f"{title} ({status})" if status else title
