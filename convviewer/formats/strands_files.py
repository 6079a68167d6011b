"""Sessions of Strands Agents' FileSessionManager and S3SessionManager: one file per message.

    <session>/session.json
    <session>/agents/agent_<id>/agent.json
    <session>/agents/agent_<id>/messages/message_<n>.json
    <session>/multi_agents/multi_agent_<id>/multi_agent.json

The session folder may have any name. An agent's folder alone, or its messages alone, are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from convviewer.core.errors import JsonError, SourceError
from convviewer.core.json import Json, decode
from convviewer.core.thread import Agent, Message, Thread, Tier
from convviewer.formats.base import Found, Ignored, Refused, Unit
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.head import outline
from convviewer.formats.parts.refusals import expected, not_json
from convviewer.formats.parts.strands.file_merge import merge_sessions
from convviewer.formats.parts.strands.file_records import (
    agent_of,
    message_of,
    reduction_from_state,
    text_of,
)
from convviewer.formats.parts.strands.markers import note_missing
from convviewer.formats.parts.strands.multi_agent import read_multi_agent
from convviewer.formats.parts.strands.tiers import Reduction, note_gaps, note_offset, session_tiers
from convviewer.formats.parts.warning_log import WarningLog
from convviewer.formats.source import SourceFile

_MESSAGE_NAME: Final = re.compile(r"message_(\d{1,18})\.json", re.ASCII)
_CANONICAL_NAME: Final = re.compile(r"message_(0|[1-9]\d*)\.json", re.ASCII)
_RECORDS: Final = {
    "session.json": frozenset({"session_id", "session_type"}),
    "agent.json": frozenset({"agent_id", "conversation_manager_state"}),
    "multi_agent.json": frozenset({"id", "status", "current_task"}),
}


@dataclass(slots=True, kw_only=True)
class _AgentFiles:
    """The files of one agent: its record, and its messages by number, best name first."""

    folder: PurePosixPath
    record: SourceFile | None = None
    messages: dict[int, list[SourceFile]] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class _Layout:
    """The files of a session, told apart by name and place."""

    session: SourceFile | None = None
    agents: dict[PurePosixPath, _AgentFiles] = field(default_factory=dict)
    multi_agents: list[SourceFile] = field(default_factory=list)
    strays: list[Ignored] = field(default_factory=list)


class StrandsFiles:
    """A session folder is a unit; each agent, and each graph or swarm, is a thread."""

    name = "strands-files"
    label = "Strands file session"

    def sniff(self, head: bytes, path: PurePosixPath) -> int:
        names = outline(head).paths
        if path.name in _RECORDS:
            return 90 if names >= _RECORDS[path.name] else 0
        if not path.name.startswith("message_") or path.suffix != ".json":
            return 0
        if "message/role" in names or "message/content" in names:
            return 90
        in_place = path.parent.name == "messages" and _MESSAGE_NAME.fullmatch(path.name)
        return 20 if in_place else 0

    def folder_of(self, path: PurePosixPath) -> PurePosixPath | None:
        folder = path.parent
        if path.name == "session.json":
            return folder
        if path.name == "multi_agent.json":
            return _up(folder, "multi_agents")
        if folder.name == "messages":
            folder = folder.parent
        return _up(folder, "agents")

    def read(self, unit: Unit) -> Iterator[Found]:
        layout = _lay_out(unit)
        yield from layout.strays
        session: dict[str, Json] = {}
        if layout.session is not None:
            read = _read_record(layout.session)
            if isinstance(read, Refused):
                yield read
            else:
                session, _ = read
        session_id = text_of(session.get("session_id")) or unit.name.removeprefix("session_")
        for files in layout.agents.values():
            yield from _read_agent(files, session, session_id)
        for file in layout.multi_agents:
            yield _read_multi_agent(file, session, session_id)
        if layout.session and not layout.agents and not layout.multi_agents:
            yield Ignored(path=layout.session.path, reason="a session without agents")

    def merge(self, stored: Thread, incoming: Thread) -> Thread:
        """Join the messages by number, and derive the tiers anew from all of them."""
        return merge_sessions(stored, incoming)


FORMAT = StrandsFiles()


def _up(folder: PurePosixPath, container: str) -> PurePosixPath:
    """The session folder when `folder` stands in the session's `container`, else itself."""
    return folder.parent.parent if folder.parent.name == container else folder


def _lay_out(unit: Unit) -> _Layout:
    layout = _Layout()
    for file in unit.files:
        path = PurePosixPath(file.path)
        folder = path.parent.parent if path.parent.name == "messages" else path.parent
        number = _MESSAGE_NAME.fullmatch(path.name)
        if path.name == "session.json":
            layout.session = file
        elif path.name == "multi_agent.json":
            layout.multi_agents.append(file)
        elif path.name == "agent.json":
            _agent_at(layout, folder).record = file
        elif number:
            _agent_at(layout, folder).messages.setdefault(int(number[1]), []).append(file)
        else:
            layout.strays.append(Ignored(path=file.path, reason=_stray_reason(path)))
    return layout


def _agent_at(layout: _Layout, folder: PurePosixPath) -> _AgentFiles:
    return layout.agents.setdefault(folder, _AgentFiles(folder=folder))


def _stray_reason(path: PurePosixPath) -> str:
    if path.name.startswith("message_") and path.suffix == ".json":
        return "not a message of the session: its name is not message_<number>.json"
    if path.name.startswith("."):
        return "a hidden or temporary file"
    return "no part of a Strands file session"


def _read_record(file: SourceFile) -> tuple[dict[str, Json], bytes] | Refused:
    """The object in a file, and its bytes."""
    try:
        data = file.read()
        record = decode(data)
    except JsonError as error:
        return not_json(file.path, error)
    except SourceError as error:
        return Refused(path=error.path, pointer=error.pointer, reason=error.reason)
    return (record, data) if isinstance(record, dict) else expected(file.path, "", "an object")


def _read_agent(files: _AgentFiles, session: dict[str, Json], session_id: str) -> Iterator[Found]:
    log = WarningLog()
    messages: list[Message | None] = []
    for number in sorted(files.messages):
        message = _read_message(files.messages[number], number, log)
        if isinstance(message, Refused):
            yield message
        messages.append(message if isinstance(message, Message) else None)
    folder_id = files.folder.name.removeprefix("agent_")
    agent, reduction, times = Agent(id=folder_id), Reduction(), session
    if files.record is not None:
        found = _read_agent_record(files.record, folder_id, log)
        if isinstance(found, Refused):
            yield found
        else:
            agent, reduction, times = found
            note_offset(reduction, len(messages), agent.id, log, path=files.record.path)
    note_missing(filter(None, messages), log)
    note_gaps(sorted(files.messages), log, path=str(files.folder))
    if not any(messages) and files.record is None:
        return
    yield Thread(
        format=FORMAT.name,
        external_id=session_id,
        agent_id=agent.id,
        created_at=text_of(times.get("created_at")),
        updated_at=text_of(times.get("updated_at")),
        agent=agent,
        tiers=session_tiers(messages, reduction),
        facts=_facts(session),
        warnings=log.all(),
    )


def _read_message(files: list[SourceFile], number: int, log: WarningLog) -> Message | Refused:
    """The message of that number; of several files the one named as the SDK names it."""
    first, *others = sorted(files, key=_by_name) if len(files) > 1 else files
    for other in others:
        says = f"a second file for message {number}: {PurePosixPath(first.path).name} is shown"
        log.add("duplicate_message", says, path=other.path)
    read = _read_record(first)
    if isinstance(read, Refused):
        return read
    record, data = read
    message = message_of(record, data, number, Context(path=first.path, log=log))
    return message or expected(first.path, "/message", "a message object with role and content")


def _by_name(file: SourceFile) -> tuple[bool, str]:
    name = PurePosixPath(file.path).name
    return not _CANONICAL_NAME.fullmatch(name), name


def _read_agent_record(
    file: SourceFile, folder_id: str, log: WarningLog
) -> tuple[Agent, Reduction, dict[str, Json]] | Refused:
    read = _read_record(file)
    if isinstance(read, Refused):
        return read
    record, data = read
    agent_id = text_of(record.get("agent_id")) or folder_id
    reduction = reduction_from_state(record, data, Context(path=file.path, log=log))
    return agent_of(record, agent_id), reduction, record


def _read_multi_agent(
    file: SourceFile, session: dict[str, Json], session_id: str
) -> Thread | Refused:
    read = _read_record(file)
    if isinstance(read, Refused):
        return read
    state, _ = read
    log = WarningLog()
    folder = PurePosixPath(file.path).parent.name
    identifier = text_of(state.get("id")) or folder.removeprefix("multi_agent_")
    run = read_multi_agent(identifier, state, Context(path=file.path, log=log))
    return Thread(
        format=FORMAT.name,
        external_id=session_id,
        agent_id=identifier,
        title=identifier,
        status=run.status,
        created_at=text_of(session.get("created_at")),
        updated_at=text_of(session.get("updated_at")),
        multi_agent=run,
        tiers=(Tier(name="verbatim", kind="verbatim", messages=()),),
        facts=_facts(session),
        warnings=log.all(),
    )


def _facts(session: dict[str, Json]) -> Json:
    return {"session": session} if session else None
