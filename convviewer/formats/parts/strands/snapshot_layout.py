"""Where snapshots and stashed originals lie, and which of them belong together.

[session/]<sid>/scopes/<scope>/<id>/snapshots/snapshot_latest.json
[session/]<sid>/scopes/<scope>/<id>/snapshots/immutable_history/snapshot_<uuid7>.json
context/<sid>/scopes/agent/<id>/<key>
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from convviewer.formats.base import Ignored
from convviewer.formats.source import SourceFile

_SNAPSHOT_NAME: Final = re.compile(r"snapshot_([\w-]+)\.json")
_STASH_KEY: Final = re.compile(r"(?!snapshots/).+_\d+", re.DOTALL)
_LATEST: Final = "latest"


@dataclass(slots=True, kw_only=True)
class Owner:
    """The files of one agent, graph or swarm; `id` is "" where no folder names it."""

    id: str
    placed: bool
    latest: list[SourceFile] = field(default_factory=list)
    checkpoints: list[tuple[str, SourceFile]] = field(default_factory=list)
    stash: dict[str, SourceFile] = field(default_factory=dict)


def is_snapshot_place(path: PurePosixPath) -> bool:
    """Whether a snapshot belongs at this path, whatever the file holds."""
    folder = path.parent.parent if path.parent.name == "immutable_history" else path.parent
    return folder.name == "snapshots" and _SNAPSHOT_NAME.fullmatch(path.name) is not None


def is_stash_place(path: PurePosixPath) -> bool:
    """Whether a stashed original belongs at this path."""
    place = _place(path)
    return (
        place is not None
        and place.scope == "agent"
        and _STASH_KEY.fullmatch(place.rest) is not None
    )


def unit_folder(path: PurePosixPath) -> PurePosixPath | None:
    """What files read together share: snapshots of a session and the stash beside them.

    `session/<sid>` and `context/<sid>` below one folder are both named `<sid>` below it. Without
    such folders a snapshot's own name decides; under any other name it stands alone.
    """
    place = _place(path)
    if place is not None:
        above = place.above
        if above.parent.name in {"session", "context"}:
            return above.parent.parent / above.name
        return above
    if not _SNAPSHOT_NAME.fullmatch(path.name):
        return None
    folder = path.parent.parent if path.parent.name == "immutable_history" else path.parent
    return folder.parent if folder.name == "snapshots" else folder


def owners(files: Iterable[SourceFile]) -> tuple[list[Owner], list[Ignored]]:
    """The files of a unit by whose they are, and those that are nobody's."""
    found: dict[tuple[str, str], Owner] = {}
    strays: list[Ignored] = []
    for file in files:
        path = PurePosixPath(file.path)
        place = _place(path)
        key = (place.scope, place.id) if place else ("", "")
        owner = found.setdefault(key, Owner(id=key[1] or _folder_id(path), placed=bool(place)))
        if not _assign(owner, file, path, place):
            strays.append(Ignored(path=file.path, reason="no part of a Strands snapshot session"))
    return list(found.values()), strays


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    above: PurePosixPath
    scope: str
    id: str
    rest: str


def _place(path: PurePosixPath) -> _Place | None:
    parts = path.parts
    for index in range(len(parts) - 4, -1, -1):
        if parts[index] == "scopes" and parts[index + 1] in {"agent", "multiAgent"}:
            return _Place(
                above=PurePosixPath(*parts[:index]),
                scope=parts[index + 1],
                id=parts[index + 2],
                rest="/".join(parts[index + 3 :]),
            )
    return None


def _assign(owner: Owner, file: SourceFile, path: PurePosixPath, place: _Place | None) -> bool:
    if place is not None and is_stash_place(path):
        owner.stash[place.rest] = file
        return True
    name = _SNAPSHOT_NAME.fullmatch(path.name)
    in_place = place is None or is_snapshot_place(path)
    if name is None:
        if place is None and path.suffix == ".json":
            owner.latest.append(file)
            return True
        return False
    if in_place and name[1] == _LATEST:
        owner.latest.append(file)
    elif in_place:
        owner.checkpoints.append((name[1], file))
    return in_place


def _folder_id(path: PurePosixPath) -> str:
    folder = path.parent.parent if path.parent.name == "immutable_history" else path.parent
    return folder.parent.name if folder.name == "snapshots" else ""
