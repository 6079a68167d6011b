"""What a stored format must offer. A module in this folder with a `FORMAT` is a format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Protocol

from convviewer.core.thread import Thread, Tier
from convviewer.formats.source import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Input that looks like this format and cannot be read. `reason`: expected what, do what."""

    path: str
    reason: str
    pointer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A file that holds no part of a thread."""

    path: str
    reason: str


Found = Thread | Refused | Ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Files that are read together, in the order of the listing.

    `folder` is what they share inside the import ("" for its root); `name` is the last part of
    that folder, or the import's own name at the root. Paths inside `files` are import paths.
    """

    folder: str
    name: str
    files: tuple[SourceFile, ...]


class Format(Protocol):
    """One stored format.

    `sniff` rates 0..100 how surely a file belongs here, from its path and its first bytes: 0 is
    no, and among formats the highest wins. `folder_of` names the folder whose files are read as
    one unit with this file, or None when the file stands alone; every file below that folder that
    no other format claims joins the unit. `read` yields each thread, and each file that it refuses
    or ignores; what it refuses does not stop the rest. `merge` joins what another import stored of
    the same thread with what has just been read, in either order of import.
    """

    name: str
    label: str

    def sniff(self, head: bytes, path: PurePosixPath) -> int: ...

    def folder_of(self, path: PurePosixPath) -> PurePosixPath | None: ...

    def read(self, unit: Unit) -> Iterator[Found]: ...

    def merge(self, stored: Thread, incoming: Thread) -> Thread: ...


def merge_tiers(stored: Thread, incoming: Thread) -> Thread:
    """The incoming thread with the stored tiers it does not hold itself; verbatim stays first."""
    named = {tier.name: tier for tier in stored.tiers} | {
        tier.name: tier for tier in incoming.tiers
    }
    return replace(incoming, tiers=tuple(sorted(named.values(), key=_tier_order)))


def _tier_order(tier: Tier) -> tuple[int, str, str]:
    rank = {"verbatim": 0, "compressed": 1, "variant": 2, "checkpoint": 3}[tier.kind]
    return rank, tier.captured_at, tier.name
