"""Sorts the files of a source: unchanged since last time, parts of a thread, or neither."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePosixPath

from convviewer.core.errors import SourceError
from convviewer.formats import all_formats
from convviewer.formats.base import Format, Refused, Unit
from convviewer.formats.source import Source, SourceFile

# Raised when a format reads more, or otherwise, than it did: unchanged files are then read again.
READER_VERSION = 1

# Most files show what they are at once; who is that sure of them gets them without a longer look.
QUICK_LOOK = 1024
SURE = 90

NOT_A_THREAD = "no format recognises it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Files to be read together, and the format that reads them.

    `folder` is the folder that belongs to the unit with all that will be in it; None for a file
    that is read alone.
    """

    format: Format
    unit: Unit
    folder: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What sniffing made of files; `strays` belong to nothing, `refused` could not be opened."""

    claims: tuple[Claim, ...]
    strays: tuple[SourceFile, ...]
    refused: tuple[Refused, ...]


def digest(files: Iterable[SourceFile]) -> str:
    """What changes when any of the files does, or the reader."""
    hasher = blake2b(str(READER_VERSION).encode(), digest_size=16)
    for file in files:
        hasher.update(f"{file.path}\0{file.stamp}\n".encode("utf-8", "surrogateescape"))
    return hasher.hexdigest()


def claim_files(source: Source, files: Sequence[SourceFile]) -> Claims:
    """Give each file to the format that is surest of it, and strays to the folder they lie in."""
    members: dict[tuple[str, str | None, str], list[SourceFile]] = defaultdict(list)
    formats = {form.name: form for form in all_formats()}
    unclaimed: list[SourceFile] = []
    refused: list[Refused] = []
    for file in files:
        try:
            form = _best(file)
        except SourceError as error:
            refused.append(Refused(path=file.path, pointer=error.pointer, reason=error.reason))
            continue
        if form is None:
            unclaimed.append(file)
            continue
        folder = form.folder_of(PurePosixPath(file.path))
        lone = file.path if folder is None else ""
        members[form.name, None if folder is None else _text(folder), lone].append(file)
    strays = _join_strays(unclaimed, members)
    claims = tuple(
        Claim(format=formats[name], unit=_unit(source, folder, found), folder=folder)
        for (name, folder, _), found in members.items()
    )
    return Claims(claims=claims, strays=tuple(strays), refused=tuple(refused))


def _best(file: SourceFile) -> Format | None:
    head = file.head()
    score, form = _surest(head[:QUICK_LOOK], file)
    if score < SURE:
        score, form = _surest(head, file)
    return form if score else None


def _surest(head: bytes, file: SourceFile) -> tuple[int, Format]:
    path = PurePosixPath(file.path)
    rated = [(form.sniff(head, path), form) for form in all_formats()]
    return max(rated, key=lambda pair: pair[0])


def _join_strays(
    unclaimed: list[SourceFile],
    members: dict[tuple[str, str | None, str], list[SourceFile]],
) -> list[SourceFile]:
    folders = {folder: key for key in members if (folder := key[1]) is not None}
    strays = []
    for file in unclaimed:
        home = next((folder for folder in _above(file.path) if folder in folders), None)
        if home is None:
            strays.append(file)
        else:
            members[folders[home]].append(file)
    return strays


def _above(path: str) -> list[str]:
    return [_text(folder) for folder in PurePosixPath(path).parents]


def _text(folder: PurePosixPath) -> str:
    return "" if folder == PurePosixPath() else str(folder)


def _unit(source: Source, folder: str | None, files: list[SourceFile]) -> Unit:
    files = sorted(files, key=lambda file: file.path)
    if folder is None:
        path = PurePosixPath(files[0].path)
        return Unit(folder=_text(path.parent), name=path.name, files=tuple(files))
    name = PurePosixPath(folder).name or source.name
    return Unit(folder=folder, name=name, files=tuple(files))
