"""A tier as plain text: what was said, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from convviewer.analysis.turns import dialogue_text
from convviewer.core import thread as core
from convviewer.core.json import replace_surrogates
from convviewer.queries.tier_lookup import TierOf, tier_of
from convviewer.store import models
from convviewer.store.large import restore
from convviewer.store.load import load_blobs, load_message

_ROWS: Final = 500


def dialogue(thread: str, tier: str) -> Iterator[str]:
    """Paragraphs "speaker: words", each with a blank line behind it, read as they are taken.

    Messages without words are left out, and so are viewing context, reasoning, tool calls and what
    a redaction replaced. Raises `Missing` at once.
    """
    return _paragraphs(tier_of(thread, tier))


def _paragraphs(found: TierOf) -> Iterator[str]:
    for message in _messages(found):
        if words := dialogue_text(message).strip():
            yield replace_surrogates(f"{message.label or message.role}: {words}\n\n")


def _messages(found: TierOf) -> Iterator[core.Message]:
    last = -1
    while rows := _window(found, last):
        last = rows[-1].position
        for row in rows:
            yield _with_whole_texts(load_message(row.message))


def _window(found: TierOf, last: int) -> list[models.Entry]:
    rows = models.Entry.objects.filter(tier_id=found.tier.pk, position__gt=last)
    rows = rows.select_related("message").defer("message__raw", "message__original_raw")
    return list(rows.order_by("position")[:_ROWS])


def _with_whole_texts(message: core.Message) -> core.Message:
    """The message, its large texts put back one message at a time; large payloads stay away."""
    texts = [block for block in message.blocks if isinstance(block, core.Text)]
    names = {block.stored.sha256 for block in texts if block.stored}
    if not names:
        return message
    blobs = load_blobs(names)
    whole = (restore(b, blobs) if isinstance(b, core.Text) else b for b in message.blocks)
    return replace(message, blocks=tuple(whole))
