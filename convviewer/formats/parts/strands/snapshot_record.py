"""One snapshot file of either Strands SDK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from convviewer.core.errors import JsonError, SourceError
from convviewer.core.json import Json, decode
from convviewer.core.thread import Agent
from convviewer.formats.base import Refused
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.refusals import expected, not_json
from convviewer.formats.parts.slices import items, members
from convviewer.formats.parts.strands.captures import Capture, Entry, key_of, keyed
from convviewer.formats.parts.strands.message import system_blocks
from convviewer.formats.parts.warning_log import WarningLog
from convviewer.formats.source import SourceFile

# Told by fields of their own; the npm SDK writes the second names.
_TOLD_ELSEWHERE: Final = frozenset({"messages", "state", "system_prompt", "systemPrompt", "stash"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A snapshot file, decoded: `data` is what it captured, `app_data` what its owner added."""

    path: str
    scope: str
    created_at: str
    data: dict[str, Json]
    app_data: Json
    capture: Capture
    context: Context

    @property
    def inline_stash(self) -> dict[str, Json]:
        """Stashed originals that the snapshot brings along, by their keys."""
        return _object(_object(self.data.get("stash")).get("entries"))


def read_snapshot(
    file: SourceFile, *, kind: Literal["checkpoint", "latest"], identifier: str, log: WarningLog
) -> Snapshot | Refused:
    """The snapshot in a file; `identifier` is that of an immutable one."""
    try:
        text = file.read()
        record = decode(text)
    except JsonError as error:
        return not_json(file.path, error)
    except SourceError as error:
        return Refused(path=error.path, pointer=error.pointer, reason=error.reason)
    if not isinstance(record, dict) or not isinstance(data := record.get("data"), dict):
        return expected(file.path, "/data", "a snapshot with an object data")
    if not isinstance(data.get("messages", []), list):
        return expected(file.path, "/data/messages", "a list of messages")
    context = Context(path=file.path, log=log)
    created_at = _string(record.get("created_at", record.get("createdAt")))
    manager = _object(data.get("conversation_manager_state"))
    removed = manager.get("removed_message_count")
    return Snapshot(
        path=file.path,
        scope=_string(record.get("scope")),
        created_at=created_at,
        data=data,
        app_data=record.get("app_data", record.get("appData")),
        context=context,
        capture=Capture(
            kind=kind,
            id=identifier,
            captured_at=created_at,
            entries=_entries(text, data, manager, context),
            manager=_string(manager.get("__name__")),
            removed_count=removed if isinstance(removed, int) else None,
        ),
    )


def agent_of(snapshot: Snapshot, agent_id: str) -> Agent:
    """The agent as captured; the summary is left out, for it is a message of a tier."""
    data = snapshot.data
    details = {name: value for name, value in data.items() if name not in _TOLD_ELSEWHERE}
    manager = _object(data.get("conversation_manager_state"))
    if manager:
        details["conversation_manager_state"] = {
            name: value for name, value in manager.items() if name != "summary_message"
        }
    stash = _object(data.get("stash"))
    if stash:
        details["stash"] = {name: value for name, value in stash.items() if name != "entries"}
    prompt = "systemPrompt" if "systemPrompt" in data else "system_prompt"
    return Agent(
        id=agent_id,
        system=system_blocks(data.get(prompt), snapshot.context.at("data", prompt)),
        state=data.get("state"),
        manager=_string(manager.get("__name__")),
        details=details,
    )


def _entries(
    text: bytes, data: dict[str, Json], manager: dict[str, Json], context: Context
) -> tuple[Entry, ...]:
    messages = data.get("messages")
    if not isinstance(messages, list) or not messages:
        return ()
    inside = (members(text) or {})["data"]
    raw = items((members(inside) or {})["messages"]) or []
    records = [
        (_record(item), bytes(slice_), context.at("data", "messages", index))
        for index, (item, slice_) in enumerate(zip(messages, raw, strict=True))
    ]
    made: dict[str, str] = {}
    summary = manager.get("summary_message")
    if isinstance(summary, dict):
        by = _string(manager.get("__name__"))
        made[key_of(summary)] = f"summary by {by}" if by else "summary"
    return keyed(records, made)


def _record(item: Json) -> dict[str, Json]:
    """A message, or what stands in the place of one, as a message that shows it raw."""
    return item if isinstance(item, dict) else {"content": [item]}


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _string(value: Json) -> str:
    return value if isinstance(value, str) else ""
