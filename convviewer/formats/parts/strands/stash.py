"""Originals that a context manager stashed before it shortened them.

The stash holds every text as first typed, also what a guardrail redacted later. So an original is
put back only where a placeholder names it; what remains is listed only when its message is nowhere
in the import, and otherwise never leaves this module.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count, takewhile

from convviewer.core.json import Json, encode
from convviewer.core.thread import (
    Block,
    JsonValue,
    Marker,
    Text,
    ToolResult,
    Unknown,
    Unplaced,
)
from convviewer.formats.parts.blocks import Context, parse_message_content
from convviewer.formats.parts.strands.captures import (
    Entry,
    equal,
    marker_in_result,
    marker_of,
    result_parts,
    tool_use_id_of,
)
from convviewer.formats.parts.strands.markers import read_result_marker
from convviewer.formats.parts.strands.message import tracking_id_of
from convviewer.formats.parts.warning_log import WarningLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftovers:
    """Stash entries no message took: those to list, and how many must not be shown."""

    unplaced: tuple[Unplaced, ...]
    unused: int


def originals_in(stash: Mapping[str, Json]) -> dict[str, Json]:
    """The stash without entries that are the placeholder for themselves.

    After a restore without its stash, the SDK stashes the placeholders it then holds.
    """
    return {ref: entry for ref, entry in stash.items() if _is_original(ref, entry)}


def last_answers(entries: Iterable[Entry]) -> dict[str, str]:
    """By tool use id, the key of the last message with a result for it.

    Some providers use the tool's name as id. The stash then keeps the last result under that name,
    so that the placeholder of an earlier one names an original that is not its own.
    """
    return {
        tool_use_id_of(block): entry.key
        for entry in entries
        for block in entry.content
        if tool_use_id_of(block)
    }


def restored(entry: Entry, stash: Mapping[str, Json], last: Mapping[str, str]) -> Entry:
    """The entry with every placeholder whose original is in the stash replaced by it.

    `last` is that of `last_answers`.
    """
    content = [
        block
        if last.get(tool_use_id_of(block), entry.key) != entry.key
        else _restored_block(block, entry.role, stash)
        for block in entry.content
    ]
    if all(new is old for new, old in zip(content, entry.content, strict=True)):
        return entry
    record: dict[str, Json] = {**entry.record, "content": content}
    return replace(entry, record=record, raw=encode(record).encode("ascii"))


def leftovers(stash: Mapping[str, Json], entries: Iterable[Entry]) -> Leftovers:
    """What remains of the stash beside all versions of all messages that are known."""
    held = _held(entries)
    unplaced: list[Unplaced] = []
    unused = 0
    for ref in sorted(stash):
        owner = _owner(ref, held)
        if owner is None:
            unplaced.append(Unplaced(ref=ref, block=block_of(ref, stash[ref])))
        elif not any(_same(stash[ref], block) for block in held[owner]):
            unused += 1
    return Leftovers(unplaced=tuple(unplaced), unused=unused)


def _owner(ref: str, held: Mapping[str, list[Json]]) -> str | None:
    """The known message or result that a key belongs to; None when it may be listed.

    A key that does not end in a number is none the SDK makes: any known id it starts with owns it.
    """
    owner, _, number = ref.rpartition("_")
    while owner:
        if owner in held:
            return owner
        if number.isdecimal():
            return None
        owner, _, _ = owner.rpartition("_")
    return None


def block_of(ref: str, original: Json) -> Block:
    """A stashed original as a block to show; a part that only tool results have is in one."""
    if isinstance(original, dict) and set(original) == {"json"}:
        value = original["json"]
        return ToolResult(
            tool_use_id=ref.rpartition("_")[0],
            payload=value,
            payload_source="content",
            parts=(JsonValue(value=value),),
        )
    context = Context(path="", log=WarningLog())
    (block,) = parse_message_content([original], context)
    return Text(text=block.text) if isinstance(block, Marker) else block


def original_of(block: Block) -> Json:
    """What `block_of` made the block from; None where that is not known any more."""
    match block:
        case Text(text=text, stored=None):
            return {"text": text}
        case ToolResult(payload=payload, stored=None, parts=(JsonValue(stored=None),)):
            return {"json": payload}
        case Unknown(raw=raw, stored=None):
            return raw
        case _:
            return None


def _restored_block(block: Json, role: str, stash: Mapping[str, Json]) -> Json:
    if not isinstance(block, dict):
        return block
    marker = marker_of(block, role)
    if marker is not None:
        originals = _originals(marker, stash)
        return originals[0] if len(originals) == len(marker.refs) == 1 else block
    marker = marker_in_result(block)
    result = block.get("toolResult")
    if marker is None or not isinstance(result, dict):
        return block
    named = replace(marker, refs=_with_siblings(marker.refs, tool_use_id_of(block), stash))
    originals = _originals(named, stash)
    if not originals:
        return block
    complete = len(originals) == len(named.refs)
    placeholder: list[Json] = [] if complete else [{"text": marker.text}]
    return {"toolResult": {**result, "content": placeholder + originals}}


def _with_siblings(
    refs: tuple[str, ...], tool_use_id: str, stash: Mapping[str, Json]
) -> tuple[str, ...]:
    """The keys of every part of a result whose first part the placeholder names.

    A result that was shortened twice names as many parts as the first placeholder had left.
    """
    if refs[:1] != (f"{tool_use_id}_0",):
        return refs
    names = (f"{tool_use_id}_{number}" for number in count(len(refs)))
    return refs + tuple(takewhile(stash.__contains__, names))


def _originals(marker: Marker, stash: Mapping[str, Json]) -> list[Json]:
    return [stash[ref] for ref in marker.refs if ref in stash]


def _is_original(ref: str, entry: Json) -> bool:
    text = entry.get("text") if isinstance(entry, dict) else None
    marker = read_result_marker(text) if isinstance(text, str) else None
    return marker is None or ref not in marker.refs


def _held(entries: Iterable[Entry]) -> dict[str, list[Json]]:
    """The blocks and result parts of every message by the name their stash keys start with."""
    held: dict[str, list[Json]] = defaultdict(list)
    for entry in entries:
        tracking_id = tracking_id_of(entry.record)
        for block in entry.content:
            held[tracking_id].append(block)
            held[tool_use_id_of(block)].extend(result_parts(block))
    return held


def _same(original: Json, block: Json) -> bool:
    """Whether both hold the same; a stash writes bytes as base64 without the wrapper."""
    return equal(_unwrapped(original), _unwrapped(block))


def _unwrapped(block: Json) -> Json:
    if not isinstance(block, dict):
        return block
    for kind, value in block.items():
        source = value.get("source") if isinstance(value, dict) else None
        data = source.get("bytes") if isinstance(source, dict) else None
        if isinstance(value, dict) and isinstance(data, dict):
            return {kind: {**value, "source": {"bytes": data.get("data")}}}
    return block
