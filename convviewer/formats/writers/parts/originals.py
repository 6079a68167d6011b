"""Redacted messages as they were before; only an export that asks for them gets here."""

from __future__ import annotations

from dataclasses import replace

from convviewer.core.json import decode
from convviewer.core.thread import Message, Thread
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.strands.message import read_message
from convviewer.formats.parts.warning_log import WarningLog


def with_originals(thread: Thread) -> Thread:
    """The thread, its redacted messages with the original's blocks where they carry it."""
    tiers = (
        replace(tier, messages=tuple(map(_with_original, tier.messages))) for tier in thread.tiers
    )
    return replace(thread, tiers=tuple(tiers))


def _with_original(message: Message) -> Message:
    """Only Strands Agents redacts: its record of a message, or a file with the record inside."""
    if message.original_raw is None:
        return message
    record = decode(message.original_raw)
    if isinstance(record, dict) and isinstance(record.get("message"), dict):
        record = record["message"]
    if not isinstance(record, dict):
        return message
    original = read_message(
        record,
        Context(path="", log=WarningLog()),
        key=message.key,
        number=message.number,
        raw=message.original_raw,
    )
    return replace(message, blocks=original.blocks, raw=message.original_raw)
