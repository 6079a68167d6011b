"""The record's own JSON of a message, in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.shapes import Code, Extent
from convviewer.queries.thread_head import ThreadHead, open_thread, shown_tier
from convviewer.queries.tiers import TierView
from convviewer.queries.windows import find_position
from convviewer.store import models

PART: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    """A part of a message's JSON; `shape` counts bytes."""

    head: ThreadHead
    tier: TierView
    key: str
    name: str
    size: int
    shape: Code


def raw_page(thread: str, tier_name: str, key: str, after: int) -> RawPage:
    """The part that starts at byte `after`; of a redacted message the replacement's JSON.

    Raises Missing.
    """
    opened = open_thread(thread, tier_name)
    tier = shown_tier(opened)
    position = find_position(opened.row, tier, key, thread)
    message = models.Message.objects.defer("blocks", "original_raw").get(
        entry__tier_id=tier.pk, entry__position=position
    )
    raw = bytes(message.raw)
    part, end = _part(raw, after)
    extent = Extent(
        start=after,
        shown=end - after,
        total=len(raw),
        unit="byte",
        next=end if end < len(raw) else None,
    )
    return RawPage(
        head=opened.head,
        tier=tier,
        key=key,
        name=f"#{message.number}" if message.number is not None else key,
        size=len(raw),
        shape=Code(spans=text_spans(part), extent=extent, language="json"),
    )


def _part(raw: bytes, after: int) -> tuple[str, int]:
    """A part as text, and where it ends: never inside a character."""
    end = min(after + PART, len(raw))
    while after < end < len(raw) and raw[end] & 0xC0 == 0x80:  # noqa: PLR2004 - UTF-8 continues
        end -= 1
    return raw[after:end].decode("utf-8", "replace"), end
