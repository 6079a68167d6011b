"""The records of a Strands file session: one message, one agent."""

from __future__ import annotations

from dataclasses import replace

from convviewer.core.json import Json, encode
from convviewer.core.thread import Agent, Message
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.slices import members
from convviewer.formats.parts.strands.message import read_message
from convviewer.formats.parts.strands.tiers import Reduction


def message_of(
    record: dict[str, Json], data: bytes, number: int, context: Context
) -> Message | None:
    """The message of a message file with the bytes `data`; None when the record holds none.

    Of a redacted one only the replacement goes into blocks and `raw`; its bytes are kept apart.
    """
    said = record.get("message")
    if not isinstance(said, dict):
        return None
    if record.get("message_id", number) != number:
        context.note("id_disagreement", "message_id differs from the number in the file's name")
    replacement = _replacement(record.get("redact_message"), said)
    shown = said if replacement is None else replacement
    raw = data
    if replacement is not None:
        raw = encode({**record, "message": replacement}).encode("ascii")
    message = read_message(
        shown,
        context.at("message" if replacement is None else "redact_message"),
        key=str(number),
        number=number,
        raw=raw,
    )
    return replace(
        message,
        created_at=text_of(record.get("created_at")),
        updated_at=text_of(record.get("updated_at")),
        redacted=replacement is not None,
        original_raw=None if replacement is None else data,
    )


def agent_of(record: dict[str, Json], agent_id: str) -> Agent:
    """The agent of an agent.json; the summary is left out, for it is a message of a tier."""
    manager = _object(record.get("conversation_manager_state"))
    details: dict[str, Json] = {
        name: value
        for name, value in record.items()
        if name not in {"agent_id", "state", "created_at", "updated_at"}
    }
    if manager:
        details["conversation_manager_state"] = {
            name: value for name, value in manager.items() if name != "summary_message"
        }
    return Agent(
        id=agent_id,
        state=record.get("state"),
        manager=text_of(manager.get("__name__")),
        details=details,
    )


def reduction_from_state(record: dict[str, Json], data: bytes, context: Context) -> Reduction:
    """What the manager's state in an agent.json with the bytes `data` says was removed."""
    state = _object(record.get("conversation_manager_state"))
    manager = text_of(state.get("__name__"))
    removed = state.get("removed_message_count")
    summary = state.get("summary_message")
    return Reduction(
        manager=manager,
        removed_count=removed if isinstance(removed, int) else 0,
        summary=_summary(summary, data, manager, context) if isinstance(summary, dict) else None,
        captured_at=text_of(record.get("updated_at")),
    )


def text_of(value: Json) -> str:
    """The value where it is text, else ""."""
    return value if isinstance(value, str) else ""


def _summary(record: dict[str, Json], data: bytes, manager: str, context: Context) -> Message:
    message = read_message(
        record,
        context.at("conversation_manager_state", "summary_message"),
        key="summary",
        number=None,
        raw=_member(data, "conversation_manager_state", "summary_message"),
    )
    by = f" by {manager}" if manager else ""
    return replace(message, is_summary=True, label=f"summary{by}")


def _member(data: bytes, *names: str) -> bytes:
    """The bytes of a member that is known to be there."""
    for name in names:
        data = bytes((members(data) or {})[name])
    return data


def _replacement(redacted: Json, said: dict[str, Json]) -> dict[str, Json] | None:
    """What stands in for a redacted message; None when it is not redacted.

    It says less than a message may need: who spoke and the ids and counts come from the original,
    none of its words.
    """
    if redacted is None:
        return None
    replacement = redacted if isinstance(redacted, dict) else {"content": redacted}
    kept: dict[str, Json] = {name: said[name] for name in ("role", "tracking_id") if name in said}
    counts: dict[str, Json] = {
        name: value
        for name, value in _object(said.get("metadata")).items()
        if name in {"usage", "metrics"}
    }
    if counts:
        kept["metadata"] = counts
    return kept | replacement


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
