"""What snapshots of one agent hold, and the records of it that compression shortened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from convviewer.core.json import Json, content_hash, encode
from convviewer.core.thread import Marker
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.strands.markers import is_removal, read_marker, read_result_marker
from convviewer.formats.parts.strands.message import tracking_id_of

KEY_LENGTH = 12

CaptureKind = Literal["verbatim", "checkpoint", "latest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A message as one capture holds it.

    `key` names the same message in every capture. `made` says what an entry is that compression
    made ("summary by …"); "" for what was said, as far as this capture knows.
    """

    key: str
    record: dict[str, Json]
    raw: bytes
    context: Context
    made: str = ""

    @property
    def content(self) -> list[Json]:
        """The blocks of the record; none when it has no list of them."""
        content = self.record.get("content")
        return content if isinstance(content, list) else []

    @property
    def role(self) -> str:
        """Who speaks."""
        role = self.record.get("role")
        return role if isinstance(role, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """The messages of an agent at one time.

    kind "verbatim" is no stored snapshot but the outcome of an earlier import. `id` is that of an
    immutable snapshot, `manager` and `removed_count` are those of its conversation manager.
    """

    kind: CaptureKind
    captured_at: str
    entries: tuple[Entry, ...]
    id: str = ""
    manager: str = ""
    removed_count: int | None = None


def in_time(captures: Sequence[Capture]) -> list[Capture]:
    """From oldest to newest; of equal times the verbatim first and the latest last."""
    return sorted(captures, key=_time)


def _time(capture: Capture) -> tuple[datetime, int, str]:
    rank = {"verbatim": 0, "checkpoint": 1, "latest": 2}[capture.kind]
    return moment(capture.captured_at) or _moment_of_uuid7(capture.id), rank, capture.id


def moment(text: str) -> datetime | None:
    """The time of an ISO 8601 text; without a zone it is UTC. None when it is no such text."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _moment_of_uuid7(identifier: str) -> datetime:
    """A UUIDv7 starts with its milliseconds since 1970; the first moment for anything else."""
    digits = identifier.replace("-", "")[:12]
    try:
        return datetime.fromtimestamp(int(digits, 16) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def keyed(
    records: Sequence[tuple[dict[str, Json], bytes, Context]], made: dict[str, str]
) -> tuple[Entry, ...]:
    """The entries of a capture, in order. `made` labels keys of messages that were not said.

    A key comes from the tracking id, else from role and content; what repeats gets a suffix.
    """
    met: dict[str, int] = {}
    entries = []
    for record, raw, context in records:
        key = key_of(record)
        met[key] = met.get(key, 0) + 1
        label = made.get(key, "")
        if met[key] > 1:
            key = f"{key}-{met[key]}"
        entries.append(Entry(key=key, record=record, raw=raw, context=context, made=label))
    return tuple(entries)


def key_of(record: dict[str, Json]) -> str:
    """A short name for a message that stays the same wherever and however it is stored."""
    identity: Json = tracking_id_of(record) or [record.get("role"), record.get("content")]
    return content_hash(identity)[:KEY_LENGTH]


def equal(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON: NaN equals itself, and any depth will do."""
    try:
        return one == other or encode(one) == encode(other)
    except RecursionError:
        return encode(one) == encode(other)


def marker_of(block: Json, role: str) -> Marker | None:
    """The reduction marker that a text block is."""
    text = block.get("text") if isinstance(block, dict) else None
    return read_marker(text, role=role) if isinstance(text, str) else None


def marker_in_result(block: Json) -> Marker | None:
    """The first reduction marker among the parts of a tool result."""
    for part in result_parts(block):
        text = part.get("text") if isinstance(part, dict) else None
        marker = read_result_marker(text) if isinstance(text, str) else None
        if marker is not None:
            return marker
    return None


def result_parts(block: Json) -> list[Json]:
    """The parts of a tool result block; none for any other block."""
    result = block.get("toolResult") if isinstance(block, dict) else None
    parts = result.get("content") if isinstance(result, dict) else None
    return parts if isinstance(parts, list) else []


def tool_use_id_of(block: Json) -> str:
    """The id of the call that a tool result block answers; "" for any other block."""
    result = block.get("toolResult") if isinstance(block, dict) else None
    identifier = result.get("toolUseId") if isinstance(result, dict) else None
    return identifier if isinstance(identifier, str) else ""


def is_reduced(block: Json, role: str) -> bool:
    """Whether a placeholder stands in this block for content that was there before."""
    return marker_of(block, role) is not None or marker_in_result(block) is not None


def is_removal_note(block: Json, role: str) -> bool:
    """Whether the block stands for whole messages that were taken out around it."""
    marker = marker_of(block, role)
    return marker is not None and is_removal(marker)
