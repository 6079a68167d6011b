"""What was said, put together from snapshots that each hold a part of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from convviewer.core.json import Json, content_hash, encode
from convviewer.formats.parts.strands.captures import (
    Capture,
    Entry,
    equal,
    in_time,
    is_reduced,
    is_removal_note,
)

_ADDED = "added by compression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """The messages that were said, in order, and the keys of entries that were not, labelled.

    `superseded` holds, for keys whose words were replaced later on, the entry that replaced them:
    a guardrail redacts a message that an older snapshot may still hold.
    """

    said: tuple[Entry, ...]
    made: dict[str, str]
    superseded: dict[str, Entry]


def unite(captures: Sequence[Capture]) -> Union:
    """Join captures on their keys. The order in which they are given does not matter.

    What is said is only ever added at the end: an entry that first shows up before known ones was
    put there by compression. Of a message the latest words count, except where a later capture
    holds a placeholder for them.
    """
    timeline = in_time(captures)
    order, made = _order(timeline)
    versions: dict[str, list[Entry]] = defaultdict(list)
    for capture in timeline:
        for entry in capture.entries:
            versions[entry.key].append(entry)
    extras = _Extras(timeline=timeline)
    said = tuple(_fold(versions[key], extras) for key in order)
    superseded = {
        key: versions[key][-1]
        for key in order
        if any(_is_replaced_by(entry, versions[key][-1]) for entry in versions[key][:-1])
    }
    return Union(said=said, made=made, superseded=superseded)


def is_replaced(entry: Entry, union: Union) -> bool:
    """Whether other words stand in a later capture for those of this entry."""
    latest = union.superseded.get(entry.key)
    return latest is not None and _is_replaced_by(entry, latest)


def _order(timeline: Sequence[Capture]) -> tuple[list[str], dict[str, str]]:
    order: dict[str, None] = {}
    made: dict[str, str] = {}
    for capture in timeline:
        if capture.kind != "verbatim":
            _extend(order, made, capture)
    for capture in timeline:
        if capture.kind == "verbatim":
            order = _insert(order, made, capture)
    return [key for key in order if key not in made], made


def _extend(order: dict[str, None], made: dict[str, str], capture: Capture) -> None:
    known = [index for index, entry in enumerate(capture.entries) if entry.key in order]
    last_known = known[-1] if known else -1
    for index, entry in enumerate(capture.entries):
        label = entry.made or _made_of_notes(entry)
        if not label and entry.key not in order and index < last_known:
            label = _ADDED
        if label:
            made.setdefault(entry.key, label)
        else:
            order.setdefault(entry.key)


def _insert(order: dict[str, None], made: dict[str, str], capture: Capture) -> dict[str, None]:
    """Put what only an earlier import knew before the next message that is known."""
    before: dict[str, list[str]] = defaultdict(list)
    waiting: list[str] = []
    for entry in capture.entries:
        if entry.key in order:
            before[entry.key] = waiting
            waiting = []
        elif entry.key not in made:
            waiting.append(entry.key)
    joined = [name for key in order for name in (*before[key], key)]
    return dict.fromkeys([*joined, *waiting])


def _made_of_notes(entry: Entry) -> str:
    """The label of an entry that is nothing but notes on removed messages."""
    notes = entry.content and all(is_removal_note(block, entry.role) for block in entry.content)
    return _ADDED if notes else ""


def _is_replaced_by(entry: Entry, later: Entry) -> bool:
    if entry.role != "user" or entry.raw == later.raw:
        return False
    if len(later.content) < len(entry.content):
        return True
    return any(
        not is_reduced(mine, "user") and not is_reduced(theirs, "user") and not equal(mine, theirs)
        for mine, theirs in zip(entry.content, later.content, strict=False)
    )


@dataclass(slots=True, kw_only=True)
class _Extras:
    """Tells which blocks at the end of a merged message belong to another message.

    When compression merges two messages, the later one loses its id but not its blocks.
    """

    timeline: Sequence[Capture]
    _hashes: dict[str, set[str]] = field(default_factory=dict)

    def is_anothers(self, block: Json, key: str) -> bool:
        if not self._hashes:
            for capture in self.timeline:
                for entry in capture.entries:
                    self._note(entry)
        return bool(self._hashes.get(content_hash(block), set()) - {key})

    def _note(self, entry: Entry) -> None:
        for block in entry.content:
            self._hashes.setdefault(content_hash(block), set()).add(entry.key)


def _fold(versions: Sequence[Entry], extras: _Extras) -> Entry:
    folded = versions[0]
    for later in versions[1:]:
        if later.raw != folded.raw:
            folded = _joined(folded, later, extras)
    return folded


def _joined(earlier: Entry, later: Entry, extras: _Extras) -> Entry:
    content = _content(earlier, later, extras)
    metadata = _metadata(earlier.record, later.record)
    for entry in (earlier, later):
        same_metadata = equal(entry.record.get("metadata"), metadata)
        if same_metadata and equal(entry.content, content):
            return entry
    record: dict[str, Json] = {**later.record, "content": content}
    if metadata is not None:
        record["metadata"] = metadata
    return replace(later, record=record, raw=encode(record).encode("ascii"))


def _content(earlier: Entry, later: Entry, extras: _Extras) -> list[Json]:
    if len(later.content) < len(earlier.content):
        return later.content
    role = later.role
    pairs = zip(earlier.content, later.content, strict=False)
    same = [mine if is_reduced(theirs, role) else theirs for mine, theirs in pairs]
    added = [
        block
        for block in later.content[len(earlier.content) :]
        if not is_removal_note(block, role) and not extras.is_anothers(block, later.key)
    ]
    return same + added


def _metadata(earlier: dict[str, Json], later: dict[str, Json]) -> Json:
    """Both; merged messages lose their counts and keep at most their pin."""
    mine, theirs = earlier.get("metadata"), later.get("metadata")
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return {**mine, **theirs}
    return mine if theirs is None else theirs
