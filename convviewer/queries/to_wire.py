"""Core blocks to the blocks of the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from django.db.models import BinaryField
from django.db.models.functions import Substr

from convviewer.core import thread as core
from convviewer.core.json import Json, encoded_size
from convviewer.payloads import classify
from convviewer.queries import wire_blocks as wire
from convviewer.queries.addresses import blob_url
from convviewer.queries.cut_json import start_of
from convviewer.queries.depth import is_deep
from convviewer.store import models

# A stored value is classified by its start, so that no page reads large values whole.
_HEAD_BYTES: Final = 16_384

Heads = Mapping[str, bytes]


def stored_heads(blocks: Iterable[core.Block]) -> Heads:
    """The first bytes of each large JSON payload among the blocks; one query, none without any."""
    names = {
        block.stored.sha256
        for block in blocks
        if isinstance(block, core.ToolResult) and block.stored and block.stored.of == "json"
    }
    if not names:
        return {}
    rows = models.Blob.objects.filter(sha256__in=names)
    head = Substr("data", 1, _HEAD_BYTES, output_field=BinaryField())
    return {name: bytes(start) for name, start in rows.values_list("sha256", head)}


def wire_block(block: core.Block, heads: Heads) -> wire.BlockItem:
    """The block; `heads` are what `stored_heads` gave for it."""
    match block:
        case core.ToolResult():
            return _tool_result(block, heads)
        case core.Text() | core.Media() | core.Marker() | core.Unknown():
            return _shared(block)
        case core.Reasoning() | core.ToolUse():
            return _said_by_model(block)
        case core.Citations() | core.Guard() | core.ViewingContext():
            return _around_the_words(block)
        case core.CachePoint() | core.Error() | core.Deleted() | core.Filler():
            return _left_by_system(block)


def wire_blocks(blocks: Iterable[core.Block], heads: Heads) -> tuple[wire.BlockItem, ...]:
    """The blocks in order."""
    return tuple(wire_block(block, heads) for block in blocks)


def _shared(
    block: core.Text | core.Media | core.Marker | core.Unknown,
) -> wire.TextBlock | wire.MediaBlock | wire.MarkerBlock | wire.UnknownBlock:
    """What may stand in a message and in a tool result."""
    match block:
        case core.Text():
            return wire.TextBlock(
                text=block.text, refusal=block.refusal, truncated_bytes=_cut_off(block.stored)
            )
        case core.Marker():
            return wire.MarkerBlock(
                reduction=block.reduction,
                text=block.text,
                refs=block.refs,
                missing=block.missing,
                truncated_bytes=_cut_off(block.stored),
            )
        case core.Unknown():
            raw, left_out = _carried(block.raw, block.stored)
            return wire.UnknownBlock(raw=raw, reason=block.reason, truncated_bytes=left_out)
        case core.Media():
            return wire.MediaBlock(
                kind=block.kind,
                format=block.format,
                name=block.name,
                media_type=block.media_type,
                size=block.size,
                blob_url=blob_url(block.sha256) if block.sha256 else None,
                location=block.location,
                text=block.text,
            )


def _said_by_model(
    block: core.Reasoning | core.ToolUse,
) -> wire.ReasoningBlock | wire.ToolUseBlock:
    match block:
        case core.Reasoning():
            return wire.ReasoningBlock(
                text=block.text,
                signature=block.signature,
                redacted_bytes=block.redacted_bytes,
                truncated_bytes=_cut_off(block.stored),
            )
        case core.ToolUse():
            given, left_out = _carried(block.input, block.stored)
            return wire.ToolUseBlock(
                id=block.id,
                name=block.name,
                input=given,
                answered_by_server=block.answered_by_server,
                internal_keys=block.internal_keys,
                input_note=block.input_note,
                truncated_bytes=left_out,
            )


def _around_the_words(
    block: core.Citations | core.Guard | core.ViewingContext,
) -> wire.CitationsBlock | wire.GuardBlock | wire.ViewingContextBlock:
    match block:
        case core.Citations():
            cited = (
                wire.CitationItem(
                    title=item.title,
                    source_text=item.source_text,
                    url=item.url,
                    location=item.location,
                )
                for item in block.citations
            )
            return wire.CitationsBlock(text=block.text, citations=tuple(cited))
        case core.Guard():
            return wire.GuardBlock(text=block.text, qualifiers=block.qualifiers)
        case core.ViewingContext():
            context, left_out = _carried(block.context, None)
            return wire.ViewingContextBlock(
                context=context, unreadable=block.unreadable, truncated_bytes=left_out
            )


def _left_by_system(
    block: core.CachePoint | core.Error | core.Deleted | core.Filler,
) -> wire.CachePointBlock | wire.ErrorBlock | wire.DeletedBlock | wire.FillerBlock:
    match block:
        case core.CachePoint():
            return wire.CachePointBlock(type=block.type, ttl=block.ttl)
        case core.Error():
            return wire.ErrorBlock(message=block.message, code=block.code)
        case core.Deleted():
            return wire.DeletedBlock()
        case core.Filler():
            return wire.FillerBlock()


def _tool_result(block: core.ToolResult, heads: Heads) -> wire.ToolResultBlock:
    payload, left_out = _carried(block.payload, block.stored)
    return wire.ToolResultBlock(
        tool_use_id=block.tool_use_id,
        name=block.name,
        status=block.status,
        runtime_ms=block.runtime_ms,
        payload=payload,
        payload_source=block.payload_source,
        payload_guessed=block.payload_guessed,
        payload_type=_payload_type(block, heads),
        parts=tuple(_part(part) for part in block.parts),
        truncated_bytes=left_out,
    )


def _part(part: core.ResultPart) -> wire.PartItem:
    if isinstance(part, core.JsonValue):
        value, left_out = _carried(part.value, part.stored)
        return wire.JsonPart(value=value, truncated_bytes=left_out)
    return _shared(part)


def _carried(value: Json, stored: core.Stored | None) -> tuple[Json, int]:
    """What of a value comes along, and the size of the whole where that is not all of it."""
    if stored is None and is_deep(value):
        return None, encoded_size(value)
    return value, _cut_off(stored)


def _cut_off(stored: core.Stored | None) -> int:
    return 0 if stored is None else stored.size


def _payload_type(result: core.ToolResult, heads: Heads) -> str | None:
    if result.stored and result.stored.of == "json":
        sample = start_of(heads.get(result.stored.sha256, b"").decode("ascii", "replace"))
        return classify(sample, status=result.status) if sample else "json"
    if result.payload is not None or not result.parts:
        return classify(result.payload, status=result.status)
    match result.parts:
        case (core.Media() as media,):
            return "image" if media.kind == "image" else "binary"
        case (core.JsonValue(stored=None) as part,):
            return classify(part.value, status=result.status)
        case _:
            return None
