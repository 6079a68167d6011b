"""Stored sessions of the same kinds as the recorded cases, with other data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WHEN = "2026-11-01T09:00:00+00:00"


def user(*blocks: Any) -> dict[str, Any]:
    """A Strands message of a user; a string is a text block."""
    return {"role": "user", "content": [_block(block) for block in blocks]}


def assistant(*blocks: Any, usage: dict[str, int] | None = None) -> dict[str, Any]:
    """A Strands message of the assistant."""
    message: dict[str, Any] = {"role": "assistant", "content": [_block(b) for b in blocks]}
    if usage is not None:
        message["metadata"] = {"usage": usage, "metrics": {"latencyMs": 250}}
    return message


def tool_use(use_id: str, name: str = "read", **arguments: Any) -> dict[str, Any]:
    """A call."""
    return {"toolUse": {"toolUseId": use_id, "name": name, "input": arguments}}


def tool_result(use_id: str, *content: Any, status: str = "success") -> dict[str, Any]:
    """A result; a string is a text part."""
    parts = [{"text": part} if isinstance(part, str) else part for part in content]
    return {"toolResult": {"toolUseId": use_id, "status": status, "content": parts}}


def usage(given: int, made: int, total: int, **cache: int) -> dict[str, int]:
    """Token figures as Bedrock writes them."""
    return {"inputTokens": given, "outputTokens": made, "totalTokens": total, **cache}


def _block(block: Any) -> Any:
    return {"text": block} if isinstance(block, str) else block


def write_array(folder: Path, *messages: dict[str, Any]) -> Path:
    """A loose array of messages."""
    return _write(folder / "messages.json", list(messages))


def write_session(  # noqa: PLR0913 - each part of a session has a default
    folder: Path,
    messages: Sequence[dict[str, Any]],
    *,
    name: str = "s1",
    agent: str = "a1",
    manager: dict[str, Any] | None = None,
    redacted: dict[int, Any] | None = None,
) -> Path:
    """A file session; `redacted` gives the replacement of some messages. Returns its folder."""
    root = folder / f"session_{name}"
    times = {"created_at": WHEN, "updated_at": WHEN}
    _write(root / "session.json", {"session_id": name, "session_type": "AGENT", **times})
    home = root / "agents" / f"agent_{agent}"
    state = manager or {"__name__": "NullConversationManager", "removed_message_count": 0}
    _write(
        home / "agent.json",
        {"agent_id": agent, "state": {}, "conversation_manager_state": state, **times},
    )
    for number, message in enumerate(messages):
        record = {
            "message": {**message, "tracking_id": f"track-{agent}-{number}"},
            "message_id": number,
            "redact_message": (redacted or {}).get(number),
            **times,
        }
        _write(home / "messages" / f"message_{number}.json", record)
    return root


def summarising(removed: int, summary: str | None) -> dict[str, Any]:
    """The state of a summarising manager."""
    message = user(summary) if summary is not None else None
    return {
        "__name__": "SummarizingConversationManager",
        "summary_message": message,
        "removed_message_count": removed,
    }


def write_snapshot(  # noqa: PLR0913 - each part of a session has a default
    folder: Path,
    messages: Sequence[dict[str, Any]],
    *,
    name: str = "s1",
    agent: str = "a1",
    stash: dict[str, Any] | None = None,
    checkpoints: Sequence[Sequence[dict[str, Any]]] = (),
) -> Path:
    """A snapshot session; `stash` holds inline entries by key."""
    root = folder / "session" / name / "scopes" / "agent" / agent / "snapshots"
    inline = {"stash": {"location": "inline", "entries": stash}} if stash is not None else {}
    _write(root / "snapshot_latest.json", _snapshot(messages, inline))
    for number, held in enumerate(checkpoints):
        path = f"snapshot_01a22e1c-b0{number:02x}-76b4-bcdd-2aab5bb05b55.json"
        _write(root / "immutable_history" / path, _snapshot(held, {}))
    return folder


def _snapshot(messages: Sequence[dict[str, Any]], more: dict[str, Any]) -> dict[str, Any]:
    data = {
        "messages": list(messages),
        "state": {},
        "conversation_manager_state": {
            "__name__": "NullConversationManager",
            "removed_message_count": 0,
        },
        "system_prompt": None,
        **more,
    }
    return {
        "scope": "agent",
        "schema_version": "1.0",
        "created_at": WHEN,
        "data": data,
        "app_data": {},
    }


def tracked(tracking_id: str, message: dict[str, Any]) -> dict[str, Any]:
    """The message with the id that snapshots join on."""
    return {**message, "tracking_id": tracking_id}


def record(thread_id: str, *messages: tuple[str, Any], **fields: Any) -> dict[str, Any]:
    """A Roboto record of (role, blocks) messages; a string is one text block."""
    return {
        "thread_id": thread_id,
        "created": "2026-03-01T09:00:00Z",
        "created_by": "someone@example.com",
        "org_id": "og_1",
        "status": "user_turn",
        "title": f"Thread {thread_id}",
        "continuation_token": "ct1",
        "messages": [
            {
                "role": role,
                "status": "completed",
                "created": f"2026-03-01T09:{number // 60:02}:{number % 60:02}Z",
                "content": [{"text": blocks}] if isinstance(blocks, str) else blocks,
            }
            for number, (role, blocks) in enumerate(messages)
        ],
        **fields,
    }


def roboto_use(use_id: str, name: str = "query", **arguments: Any) -> dict[str, Any]:
    """A Roboto call."""
    return {
        "content_type": "tool_use",
        "tool_name": name,
        "tool_use_id": use_id,
        "input": arguments,
    }


def roboto_result(
    use_id: str, payload: Any, name: str = "query", status: str = "success"
) -> dict[str, Any]:
    """A Roboto result."""
    return {
        "content_type": "tool_result",
        "tool_name": name,
        "tool_use_id": use_id,
        "runtime_ms": 12,
        "status": status,
        "payload": payload,
    }


def with_payload(thread_id: str, payload: Any) -> dict[str, Any]:
    """A record whose message 2 is the result with that payload."""
    return record(
        thread_id,
        ("user", "go"),
        ("assistant", [roboto_use("tu_1")]),
        ("roboto", [roboto_result("tu_1", payload)]),
        ("assistant", "Done."),
    )


def write_record(folder: Path, value: Any, name: str = "thread.json") -> Path:
    """One record in a file; a string goes in as it is."""
    return _write(folder / name, value)


def _write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path
