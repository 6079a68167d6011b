"""Two imports of one agent's snapshots, in either order, as if all had been read at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from convviewer.core.json import Json, decode
from convviewer.core.thread import Message, Thread, Tier, TierKind
from convviewer.core.thread import Warning as ThreadWarning
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.strands.captures import Capture, CaptureKind, Entry, moment
from convviewer.formats.parts.strands.markers import markers_in
from convviewer.formats.parts.strands.rebuild import rebuild
from convviewer.formats.parts.strands.stash import original_of
from convviewer.formats.parts.warning_log import WarningLog, joined

_JUDGED_TOGETHER: Final = "stash_reference_missing"


def merge_snapshots(stored: Thread, incoming: Thread) -> Thread:
    """The thread of both; what is told of the agent is told by the later snapshot."""
    leading, other = _ranked(stored, incoming)
    if leading.multi_agent is not None:
        return leading
    log = WarningLog()
    pair = (stored, incoming)
    # Entries are read anew from their own JSON; what is odd in them was noted at first reading.
    captures = _distinct([*_captures(stored), *_captures(incoming)])
    originals = ((item.ref, original_of(item.block)) for t in pair for item in t.unplaced)
    stash = {ref: original for ref, original in originals if original is not None}
    rebuilt = rebuild(captures, stash, log, found_before=_found_refs(pair))
    kept = {item.ref: item for thread in pair for item in thread.unplaced}
    return replace(
        leading,
        created_at=_earlier(leading.created_at, other.created_at),
        tiers=rebuilt.tiers,
        unplaced=tuple(kept[item.ref] for item in rebuilt.unplaced),
        facts=facts_of(_app_data(leading), incomplete=rebuilt.incomplete),
        warnings=joined(_lasting(stored), _lasting(incoming), log.all()),
    )


def facts_of(app_data: Json, *, incomplete: bool) -> Json:
    """The thread's facts; `usage_incomplete` says that messages are known to be missing."""
    facts: dict[str, Json] = {}
    if app_data:
        facts["app_data"] = app_data
    if incomplete:
        facts["usage_incomplete"] = True
    return facts or None


def _app_data(thread: Thread) -> Json:
    return thread.facts.get("app_data") if isinstance(thread.facts, dict) else None


def _ranked(stored: Thread, incoming: Thread) -> tuple[Thread, Thread]:
    before, after = moment(stored.updated_at), moment(incoming.updated_at)
    if before is not None and (after is None or before > after):
        return stored, incoming
    return incoming, stored


def _earlier(one: str, other: str) -> str:
    times = {text: at for text in (one, other) if (at := moment(text)) is not None}
    return min(times, key=lambda text: times[text], default=one or other)


def _distinct(captures: list[Capture]) -> list[Capture]:
    checkpoints = {capture.id: capture for capture in captures if capture.kind == "checkpoint"}
    others = [capture for capture in captures if capture.kind != "checkpoint"]
    return [*others, *checkpoints.values()]


def _captures(thread: Thread) -> list[Capture]:
    """The snapshots that the tiers of a thread came from.

    Without a compressed tier the verbatim one is what the latest snapshot holds; what that says of
    its manager stands with the agent.
    """
    captures = [_capture(tier) for tier in thread.tiers]
    if any(capture.kind == "latest" for capture in captures):
        return captures
    details = thread.agent.details if isinstance(thread.agent.details, dict) else {}
    state = details.get("conversation_manager_state")
    removed = state.get("removed_message_count") if isinstance(state, dict) else None
    latest = replace(
        captures[0],
        kind="latest",
        manager=thread.agent.manager,
        removed_count=removed if isinstance(removed, int) else None,
    )
    return [latest, *captures[1:]]


def _capture(tier: Tier) -> Capture:
    kinds: dict[TierKind, CaptureKind] = {"compressed": "latest", "checkpoint": "checkpoint"}
    return Capture(
        kind=kinds.get(tier.kind, "verbatim"),
        id=tier.name.partition(":")[2],
        captured_at=tier.captured_at,
        entries=tuple(_entry(message) for message in tier.messages),
        manager=tier.strategy,
        removed_count=tier.removed_count,
    )


def _entry(message: Message) -> Entry:
    raw = message.raw if message.original_raw is None else message.original_raw
    record = decode(raw)
    return Entry(
        key=message.key,
        record=record if isinstance(record, dict) else {"content": [record]},
        raw=raw,
        context=Context(path="", log=WarningLog()),
        made=message.label,
    )


def _found_refs(threads: tuple[Thread, ...]) -> frozenset[str]:
    return frozenset(
        ref
        for thread in threads
        for tier in thread.tiers
        for message in tier.messages
        for marker in markers_in(message.blocks)
        for ref in marker.refs
        if ref not in marker.missing
    )


def _lasting(thread: Thread) -> tuple[ThreadWarning, ...]:
    return tuple(note for note in thread.warnings if note.code != _JUDGED_TOGETHER)
