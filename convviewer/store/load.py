"""Stored rows back to core values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast, get_type_hints

from convviewer.core import thread as core
from convviewer.core.json import Json, decode
from convviewer.store import models
from convviewer.store.codec import load_blocks, unpack
from convviewer.store.large import blob_names, restore
from convviewer.store.prepare import Prepared
from convviewer.store.rows import MESSAGE_FACTS, MessageRow

_FACT_TYPES = {name: get_type_hints(core.Message)[name] for name in MESSAGE_FACTS}
# One query's worth of blob names: SQLite bounds the parameters of a statement.
_NAMES_PER_QUERY = 10_000


def load_thread(thread: models.Thread) -> core.Thread:
    """The whole thread as its format, or a merge, made it; large values and media included."""
    rows = models.Message.objects.filter(thread=thread).order_by("id")
    messages = _whole_rows(rows, original=True)
    tiers = models.Tier.objects.filter(thread=thread).order_by("ordinal")
    loaded = tuple(_tier(tier, messages) for tier in tiers)
    unplaced = models.Unplaced.objects.filter(thread=thread).order_by("ordinal")
    items = [(item.ref, unpack(core.Block, decode(item.block))) for item in unplaced]
    head = load_head(thread)
    wanted = {name for _, block in items for name in blob_names(block)} | _head_blobs(head)
    blobs = load_blobs(wanted)
    return replace(
        _restored_head(head, blobs),
        tiers=loaded,
        unplaced=tuple(core.Unplaced(ref=ref, block=restore(block, blobs)) for ref, block in items),
    )


def rebuild(thread: Prepared) -> core.Thread:
    """The thread that was prepared: what `load_thread` would give had it been written."""
    blobs = {name: blob.data for name, blob in thread.blobs.items()}
    messages = [
        _restored(_message(row, row.raw, row.original_raw), blobs) for row in thread.messages
    ]
    return replace(
        _restored_head(_head(thread.head), blobs),
        warnings=thread.warnings,
        tiers=tuple(
            _filled_tier(tier.facts, [messages[at] for at in tier.members]) for tier in thread.tiers
        ),
        unplaced=tuple(_unplaced(ref, block, blobs) for ref, block in thread.unplaced),
    )


def load_head(thread: models.Thread) -> core.Thread:
    """The thread-level values alone: no tier, no message, media by hash."""
    return replace(_head(thread.facts), warnings=load_warnings(thread))


def load_warnings(thread: models.Thread) -> tuple[core.Warning, ...]:
    """What the import that last wrote the thread had to say of it."""
    warnings: tuple[core.Warning, ...] = unpack(
        tuple[core.Warning, ...], decode(thread.warnings or "[]")
    )
    return warnings


def load_tiers(tiers: Sequence[models.Tier]) -> list[core.Tier]:
    """Some tiers of one thread, whole; what several of them hold is one message."""
    entries = models.Entry.objects.filter(tier__in=tiers)
    rows = models.Message.objects.filter(pk__in=entries.values("message_id"))
    loaded = _whole_rows(rows.defer("original_raw").order_by("id"))
    return [_tier(tier, loaded) for tier in tiers]


def load_message(row: models.Message, *, original: bool = False) -> core.Message:
    """A message as stored: large values clipped, media by hash.

    `original` adds what a redaction replaced; only an explicit export asks for it.
    """
    raw = bytes(row.raw) if "raw" not in row.get_deferred_fields() else b""
    return _message(row, raw, bytes(row.original_raw) if original and row.original_raw else None)


def whole_messages(messages: Iterable[core.Message]) -> list[core.Message]:
    """Loaded messages with their large values and media put back."""
    loaded = list(messages)
    blobs = load_blobs({n for m in loaded for block in m.blocks for n in blob_names(block)})
    if not blobs:
        return loaded
    return [_restored(message, blobs) for message in loaded]


def load_blobs(names: Iterable[str]) -> dict[str, bytes]:
    """Bytes by hash."""
    wanted = sorted(names)
    found: dict[str, bytes] = {}
    for start in range(0, len(wanted), _NAMES_PER_QUERY):
        part = wanted[start : start + _NAMES_PER_QUERY]
        rows = models.Blob.objects.filter(sha256__in=part).values_list("sha256", "data")
        found.update((name, bytes(data)) for name, data in rows)
    return found


def _whole_rows(
    found: Iterable[models.Message], *, original: bool = False
) -> dict[int, core.Message]:
    rows = list(found)
    messages = whole_messages(load_message(row, original=original) for row in rows)
    return {row.id: message for row, message in zip(rows, messages, strict=True)}


def _tier(tier: models.Tier, messages: Mapping[int, core.Message]) -> core.Tier:
    entries = models.Entry.objects.filter(tier=tier).order_by("position")
    return _filled_tier(
        tier.facts, [messages[pk] for pk in entries.values_list("message_id", flat=True)]
    )


# -- stored texts ----------------------------------------------------------------------------------


def _message(
    row: models.Message | MessageRow, raw: bytes, original_raw: bytes | None
) -> core.Message:
    facts = cast("dict[str, Json]", decode(row.facts))
    known = {name: unpack(_FACT_TYPES[name], value) for name, value in facts.items()}
    return core.Message(
        key=row.key,
        number=row.number,
        role=row.role,
        tracking_id=row.tracking_id,
        blocks=load_blocks(row.blocks),
        raw=raw,
        original_raw=original_raw,
        **known,
    )


def _restored(message: core.Message, blobs: Mapping[str, bytes]) -> core.Message:
    return replace(message, blocks=tuple(restore(block, blobs) for block in message.blocks))


def _filled_tier(facts: str, messages: Sequence[core.Message]) -> core.Tier:
    packed = cast("dict[str, Json]", decode(facts))
    bare: core.Tier = unpack(core.Tier, {**packed, "messages": []})
    return replace(bare, messages=tuple(messages))


def _unplaced(ref: str, block: str, blobs: Mapping[str, bytes]) -> core.Unplaced:
    return core.Unplaced(ref=ref, block=restore(unpack(core.Block, decode(block)), blobs))


def _head(facts: str) -> core.Thread:
    packed = cast("dict[str, Json]", decode(facts))
    head: core.Thread = unpack(core.Thread, {"tiers": [], **packed})
    return head


def _head_blocks(head: core.Thread) -> list[core.Block]:
    multi = head.multi_agent
    results = [block for node in multi.nodes for block in node.result] if multi else []
    return [*head.agent.system, *(multi.task if multi else ()), *results]


def _head_blobs(head: core.Thread) -> set[str]:
    return {name for block in _head_blocks(head) for name in blob_names(block)}


def _restored_head(head: core.Thread, blobs: Mapping[str, bytes]) -> core.Thread:
    def whole(blocks: tuple[core.Block, ...]) -> tuple[core.Block, ...]:
        return tuple(restore(block, blobs) for block in blocks)

    multi = head.multi_agent
    if multi is not None:
        nodes = tuple(replace(node, result=whole(node.result)) for node in multi.nodes)
        multi = replace(multi, task=whole(multi.task), nodes=nodes)
    return replace(
        head, agent=replace(head.agent, system=whole(head.agent.system)), multi_agent=multi
    )
