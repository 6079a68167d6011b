"""The tiers of a thread, derived from every snapshot of it that is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from convviewer.core.json import Json
from convviewer.core.thread import Block, Marker, Message, Tier, ToolResult, Unplaced
from convviewer.formats.parts.strands.captures import (
    Capture,
    Entry,
    in_time,
    is_reduced,
    is_removal_note,
    marker_in_result,
    marker_of,
)
from convviewer.formats.parts.strands.markers import markers_in, note_missing
from convviewer.formats.parts.strands.message import read_message
from convviewer.formats.parts.strands.stash import last_answers, leftovers, originals_in, restored
from convviewer.formats.parts.strands.union import Union, is_replaced, unite
from convviewer.formats.parts.warning_log import WarningLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """`incomplete`: messages were said that no snapshot in the import holds."""

    tiers: tuple[Tier, ...]
    unplaced: tuple[Unplaced, ...]
    incomplete: bool


def rebuild(
    captures: Sequence[Capture],
    stash: Mapping[str, Json],
    log: WarningLog,
    *,
    found_before: frozenset[str] = frozenset(),
) -> Rebuilt:
    """Verbatim, compressed and one tier per checkpoint, the same for any order of `captures`.

    `found_before` names stashed originals that an earlier import had; they stand in the verbatim
    capture now.
    """
    stored = [capture for capture in in_time(captures) if capture.kind != "verbatim"]
    newest = stored[-1]
    union = unite(captures)
    stash = originals_in(stash)
    last = last_answers(union.said)
    said = tuple(restored(entry, stash, last) for entry in union.said)
    builder = _Builder(
        numbers={entry.key: number for number, entry in enumerate(said)},
        union=union,
        last=last,
        found=found_before | frozenset(stash) | _settled(captures, said),
    )
    verbatim = Tier(
        name="verbatim",
        kind="verbatim",
        messages=builder.messages(said),
        captured_at=newest.captured_at,
    )
    compressed = builder.tier("compressed", newest)
    checkpoints = [
        builder.tier(f"checkpoint:{capture.id}", capture)
        for capture in stored
        if capture.kind == "checkpoint"
    ]
    is_compressed = _stored_forms(compressed) != _stored_forms(verbatim) or any(
        _has_markers(*message.blocks) for message in verbatim.messages
    )
    note_missing(builder.made.values(), log)
    left = leftovers(stash, _all_entries(captures, said))
    if left.unused:
        says = "stash entries that differ from the stored message are not used and not shown"
        log.add("stash_entry_unused", says, count=left.unused)
    return Rebuilt(
        tiers=(verbatim, *([compressed] if is_compressed else []), *checkpoints),
        unplaced=left.unplaced,
        incomplete=bool(left.unplaced) or _lacks_messages(said, newest, union),
    )


@dataclass(slots=True, kw_only=True)
class _Builder:
    """Makes each message once, however many tiers hold it."""

    numbers: dict[str, int]
    union: Union
    last: Mapping[str, str]
    found: frozenset[str]
    made: dict[tuple[str, bytes], Message] = field(default_factory=dict)

    def tier(self, name: str, capture: Capture) -> Tier:
        return Tier(
            name=name,
            kind="checkpoint" if name.startswith("checkpoint:") else "compressed",
            messages=self.messages(capture.entries),
            captured_at=capture.captured_at,
            strategy=capture.manager,
            removed_count=capture.removed_count or None,
        )

    def messages(self, entries: Iterable[Entry]) -> tuple[Message, ...]:
        return tuple(self._message(entry) for entry in entries)

    def _message(self, entry: Entry) -> Message:
        known = self.made.get((entry.key, entry.raw))
        if known is None:
            known = self._redacted(entry) if is_replaced(entry, self.union) else self._new(entry)
            self.made[entry.key, entry.raw] = known
        return known

    def _new(self, entry: Entry) -> Message:
        number = self.numbers.get(entry.key)
        message = read_message(
            entry.record, entry.context, key=entry.key, number=number, raw=entry.raw
        )
        label = self.union.made.get(entry.key, "")
        return replace(
            message,
            blocks=tuple(self._block(block, entry.key) for block in message.blocks),
            is_summary=label.startswith("summary") or (number is None and _is_summary(message)),
            label=label,
        )

    def _redacted(self, entry: Entry) -> Message:
        """A later capture holds other words: only they are shown here too."""
        shown = self._new(self.union.superseded[entry.key])
        return replace(shown, redacted=True, original_raw=entry.raw)

    def _block(self, block: Block, key: str) -> Block:
        match block:
            case Marker():
                return self._noted(block, self.found)
            case ToolResult(tool_use_id=answered, parts=parts) if _has_markers(block):
                # The stash kept the original of a later result under the same name.
                found = self.found if self.last.get(answered, key) == key else frozenset()
                noted = tuple(
                    self._noted(part, found) if isinstance(part, Marker) else part for part in parts
                )
                return replace(block, parts=noted)
            case _:
                return block

    @staticmethod
    def _noted(marker: Marker, found: frozenset[str]) -> Marker:
        return replace(marker, missing=tuple(ref for ref in marker.refs if ref not in found))


def _is_summary(message: Message) -> bool:
    """Whether an entry that compression put there says something, or only notes a removal."""
    return all(
        not isinstance(block, Marker) or block.reduction == "summarized" for block in message.blocks
    )


def _stored_forms(tier: Tier) -> list[tuple[str, bytes]]:
    return [(message.key, message.raw) for message in tier.messages]


def _has_markers(*blocks: Block) -> bool:
    return next(markers_in(blocks), None) is not None


def _settled(captures: Sequence[Capture], said: Sequence[Entry]) -> frozenset[str]:
    """The stash keys whose originals a snapshot from before the placeholder holds."""
    whole = {
        entry.key
        for entry in said
        if not any(is_reduced(block, entry.role) for block in entry.content)
    }
    return frozenset(
        ref
        for capture in captures
        for entry in capture.entries
        if entry.key in whole
        for block in entry.content
        for marker in [marker_of(block, entry.role) or marker_in_result(block)]
        if marker is not None
        for ref in marker.refs
    )


def _all_entries(captures: Sequence[Capture], said: Sequence[Entry]) -> Iterator[Entry]:
    for capture in captures:
        yield from capture.entries
    yield from said


def _lacks_messages(said: Sequence[Entry], newest: Capture, union: Union) -> bool:
    """Whether something tells of messages that no snapshot holds.

    A note on removed messages stays in the verbatim only where nothing is known from before it.
    The stored count counts failed summaries too, so under a manager that summarizes it needs one.
    """
    if any(is_removal_note(block, entry.role) for entry in said for block in entry.content):
        return True
    held = {entry.key for entry in newest.entries}
    removed = sum(entry.key not in held for entry in said)
    summarized = "Summariz" not in newest.manager or bool(union.made)
    return summarized and (newest.removed_count or 0) > removed
