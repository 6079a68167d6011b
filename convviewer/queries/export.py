"""A whole thread in another form, as text that is made while it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from convviewer.core import thread as core
from convviewer.core.errors import ConvviewerError
from convviewer.formats.writers import Writer, all_writers, write
from convviewer.queries.missing import Missing
from convviewer.queries.tier_lookup import thread_row
from convviewer.store.load import load_thread

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_NAME_LENGTH: Final = 80


class UnknownExport(ConvviewerError):
    """No such form of export; the text names those there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export; `parts` can be read once. `file_name` is plain ASCII without folders."""

    file_name: str
    media_type: str
    parts: Iterator[str]


def export_formats() -> tuple[str, ...]:
    """The forms of export by name."""
    return tuple(all_writers())


def export(
    thread: str, format_name: str, tier: str = "", *, include_redacted: bool = False
) -> Export:
    """The thread with that public id in that form; everything is read before this returns.

    `tier` "" is verbatim, else the most compressed one; a bundle then holds all tiers.
    `compressed` is the latest that a model would see (interfaces.md, Tiers). What redactions
    replaced is left out unless it is asked for. Raises `Missing`, `UnknownExport`.
    """
    writer = all_writers().get(format_name)
    if writer is None:
        known = ", ".join(all_writers())
        raise UnknownExport(f'There is no export "{format_name}"; there is: {known}')
    loaded = load_thread(thread_row(thread))
    if not include_redacted:
        loaded = _without_originals(loaded)
    chosen = replace(loaded, tiers=_tiers(loaded, writer, tier, thread))
    return Export(
        file_name=f"{_file_stem(loaded, thread)}.{writer.extension}",
        media_type=writer.media_type,
        parts=write(writer, chosen),
    )


def _tiers(thread: core.Thread, writer: Writer, name: str, public_id: str) -> tuple[core.Tier, ...]:
    if name:
        tier = thread.tier(name)
        if tier is None:
            names = ", ".join(item.name for item in thread.tiers) or "none"
            raise Missing(f'Thread "{public_id}" has no tier "{name}"; its tiers: {names}')
        return (tier,)
    if writer.all_tiers:
        return thread.tiers
    tier = thread.tier("verbatim") or thread.tier("compressed")
    return (tier,) if tier else thread.tiers[:1]


def _without_originals(thread: core.Thread) -> core.Thread:
    """The thread without what redactions replaced; tiers go on sharing their messages."""
    bare: dict[int, core.Message] = {}
    for message in (message for tier in thread.tiers for message in tier.messages):
        if message.original_raw is not None and id(message) not in bare:
            bare[id(message)] = replace(message, original_raw=None)
    if not bare:
        return thread
    tiers = (
        replace(tier, messages=tuple(bare.get(id(message), message) for message in tier.messages))
        for tier in thread.tiers
    )
    return replace(thread, tiers=tuple(tiers))


def _file_stem(thread: core.Thread, public_id: str) -> str:
    stem = PurePosixPath(thread.external_id).name.removesuffix(".json")
    return _UNSAFE.sub("-", stem).strip("-.")[:_NAME_LENGTH] or public_id
