"""A conversation as a context manager shortens it, written in the form of the Strands SDK."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from convviewer.formats.source import SourceFile
from tests.formats.reading import in_memory

FOLDER = "scopes/agent/a"


@dataclass(slots=True, kw_only=True)
class History:
    """What was said, what the agent holds of it now, and every file that was written."""

    said: list[dict[str, Any]] = field(default_factory=list)
    held: list[dict[str, Any]] = field(default_factory=list)
    stash: dict[str, Any] = field(default_factory=dict)
    checkpoints: list[SourceFile] = field(default_factory=list)
    latest: SourceFile | None = None
    overwritten: list[SourceFile] = field(default_factory=list)
    summary: dict[str, Any] | None = None
    removed: int = 0
    moment: int = 0

    def say(self, role: str, *content: dict[str, Any]) -> None:
        number = len(self.said)
        message: dict[str, Any] = {
            "role": role,
            "content": list(content),
            "tracking_id": str(UUID(int=number + 1)),
        }
        if role == "assistant":
            message["metadata"] = {
                "usage": {"inputTokens": 10, "outputTokens": number, "totalTokens": 10 + number}
            }
        self.said.append(copy.deepcopy(message))
        self.held.append(message)
        for index, block in enumerate(content):
            if "text" in block:
                self.stash[f"{message['tracking_id']}_{index}"] = copy.deepcopy(block)
            if "toolResult" in block:
                for part, stored in enumerate(block["toolResult"]["content"]):
                    key = f"{block['toolResult']['toolUseId']}_{part}"
                    self.stash[key] = copy.deepcopy(stored)

    def turn(self) -> None:
        """A question, a call, its result and an answer."""
        number = len(self.said)
        use = {"toolUseId": f"use{number}", "name": "probe", "input": {"n": number}}
        parts = [{"text": f"row {number} " * 40}, {"json": {"n": number}}]
        result = {"toolUseId": f"use{number}", "status": "success", "content": parts}
        self.say("user", {"text": f"Question {number}"})
        self.say("assistant", {"toolUse": use})
        self.say("user", {"toolResult": result})
        self.say("assistant", {"text": f"Answer {number}"})

    def drop(self, index: int) -> None:
        """Replace a text or a tool result by the placeholder that names its original."""
        message = self.held[index % len(self.held)] if self.held else {"content": []}
        for number, block in enumerate(message["content"]):
            if "text" in block and not block["text"].startswith("["):
                ref = f"{message.get('tracking_id')}_{number}"
                message["content"][number] = {"text": f"[Dropped] [ref: {ref}]"}
            if "toolResult" in block and len(block["toolResult"]["content"]) == 2:
                use = block["toolResult"]["toolUseId"]
                block["toolResult"]["content"] = [{"text": f"[Dropped] [refs: {use}_0, {use}_1]"}]

    def summarize(self, count: int) -> None:
        """Put a summary in place of the first messages, as SummarizingConversationManager does."""
        count = min(count, len(self.held) - 1)
        if count < 2:
            return
        gone, self.held = self.held[:count], self.held[count:]
        self.removed += count - (self.summary is not None)
        self.summary = {
            "role": "user",
            "content": [{"text": f"{len(gone)} messages were summed up."}],
            "tracking_id": str(UUID(int=10**6 + self.removed)),
        }
        self.held.insert(0, self.summary)

    def cut(self, count: int) -> None:
        """Forget the first messages, as a sliding window does."""
        count = min(count, len(self.held) - 1)
        self.held = self.held[max(count, 0) :]
        self.removed += max(count, 0)

    def save(self, *, checkpoint: bool) -> None:
        """Write the latest snapshot, and the same as a checkpoint."""
        self.moment += 1
        data = snapshot(
            self.held,
            created_at=f"2026-05-01T10:00:{self.moment:02}.000000Z",
            summary=self.summary,
            removed=self.removed,
        )
        if self.latest is not None:
            self.overwritten.append(self.latest)
        self.latest = in_memory(f"session/s/{FOLDER}/snapshots/snapshot_latest.json", data)
        if checkpoint:
            identifier = f"01a22e1c-b0b7-76b4-bcdd-{self.moment:012}"
            name = f"session/s/{FOLDER}/snapshots/immutable_history/snapshot_{identifier}.json"
            self.checkpoints.append(in_memory(name, data))

    def stash_files(self) -> list[SourceFile]:
        return [
            in_memory(f"context/s/{FOLDER}/{key}", json.dumps(value).encode())
            for key, value in self.stash.items()
        ]

    def snapshots(self) -> list[SourceFile]:
        assert self.latest is not None
        return [*self.checkpoints, self.latest]


def snapshot(
    messages: list[dict[str, Any]],
    *,
    created_at: str = "2026-05-01T10:00:00.000000Z",
    summary: dict[str, Any] | None = None,
    removed: int = 0,
    manager: str = "SummarizingConversationManager",
    **data: Any,
) -> bytes:
    """The bytes of a snapshot of the Python SDK."""
    state = {"summary_message": summary, "__name__": manager, "removed_message_count": removed}
    record = {
        "scope": "agent",
        "schema_version": "1.0",
        "created_at": created_at,
        "data": {"messages": messages, "state": {}, "conversation_manager_state": state} | data,
        "app_data": {},
    }
    return json.dumps(record, ensure_ascii=False).encode()
