"""A file, a folder or a zip seen as named bytes, with limits; nothing outside it is ever opened."""

from __future__ import annotations

import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

from convviewer.core.errors import SourceError

HEAD_BYTES = 64 * 1024
MAX_FILE_BYTES = 1024**3
MAX_FILES = 1_000_000
MAX_DEPTH = 40
# A zip may unpack to this much, and a member to this many times its packed size.
MAX_ZIP_BYTES = 8 * 1024**3
MAX_ZIP_RATIO = 200
# Small members may be packed tighter: a thousand equal bytes say nothing.
RATIO_FREE_BYTES = 10 * 1024**2
_ZIP_START = b"PK\x03\x04"
# What Python's own reader raises on the ways a member can be damaged.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    OSError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of an import. `path` is relative to the import, with "/" between its parts.

    `short_path` starts below the folders that hold the whole import: it stays the same when the
    import is zipped with or without its folder, and names a file that has no id of its own.
    `stamp` changes whenever the content may have (size and time, or size and checksum in a zip).
    `modified_at` is seconds since 1970, or None. Reading raises `SourceError`.
    """

    path: str
    short_path: str
    size: int
    stamp: str
    modified_at: float | None = None
    opener: Callable[[], bytes] = field(repr=False)
    head_opener: Callable[[], bytes] = field(repr=False)

    def read(self) -> bytes:
        """The whole content."""
        if self.size > MAX_FILE_BYTES:
            raise SourceError(self.path, "", f"larger than {MAX_FILE_BYTES >> 20} MB; split it")
        return self.opener()

    def head(self) -> bytes:
        """The first `HEAD_BYTES` bytes."""
        return self.head_opener()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was asked to be imported.

    `root` names it in the store, `name` is for people and for formats that know no better id.
    `passed_over` says which entries are no files to read, by path and reason.
    """

    root: str
    name: str
    files: tuple[SourceFile, ...]
    passed_over: tuple[tuple[str, str], ...] = ()


def open_source(path: Path) -> Source:
    """The source at `path`. Raises `SourceError` when there is nothing to read."""
    try:
        return _opened(path)
    except OSError as error:
        reason = f"cannot be opened ({error.strerror}); check the path"
        raise SourceError(_readable(str(path)), "", reason) from error


def _opened(path: Path) -> Source:
    if path.is_dir():
        return _open_folder(path)
    if not path.is_file():
        raise SourceError(_readable(str(path)), "", "no such file or folder; check the path")
    if zipfile.is_zipfile(path):
        return _open_zip(path)
    with path.open("rb") as opened:
        if opened.read(len(_ZIP_START)) == _ZIP_START:
            raise SourceError(_readable(path.name), "", "a zip without its end; make it again")
    file = _file(path.resolve(), PurePosixPath(_readable(path.name)))
    return Source(root=_readable(str(path.resolve())), name=_readable(path.stem), files=(file,))


def _open_folder(path: Path) -> Source:
    top = path.resolve()
    files: list[SourceFile] = []
    passed_over: list[tuple[str, str]] = []
    for entry, relative in _walk(top, PurePosixPath(), passed_over):
        try:
            files.append(_file(Path(entry.path), relative, entry.stat()))
        except OSError as error:
            passed_over.append((str(relative), f"gone while it was read ({error.strerror})"))
        if len(files) > MAX_FILES:
            raise SourceError(str(path), "", f"more than {MAX_FILES:,} files; import it in parts")
    return _made(_readable(str(top)), _readable(top.name), files, passed_over)


def _walk(
    folder: Path, at: PurePosixPath, passed_over: list[tuple[str, str]]
) -> Iterator[tuple[os.DirEntry[str], PurePosixPath]]:
    pending = [(folder, at)]
    while pending:
        folder, at = pending.pop()
        for entry in _listed(folder, at, passed_over):
            below = at / _readable(entry.name)
            if entry.is_symlink():
                passed_over.append((str(below), "a symbolic link; links are not followed"))
            elif entry.is_dir() and len(below.parts) > MAX_DEPTH:
                passed_over.append((str(below), f"nested deeper than {MAX_DEPTH} folders"))
            elif entry.is_dir():
                pending.append((Path(entry.path), below))
            elif entry.is_file():
                yield entry, below
            else:
                passed_over.append((str(below), "not a regular file"))


def _listed(
    folder: Path, at: PurePosixPath, passed_over: list[tuple[str, str]]
) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        passed_over.append((str(at), f"cannot be listed ({error.strerror})"))
        return []


def _readable(name: str) -> str:
    """The name with each byte that is no UTF-8 as an escape: neither tables nor pages take it."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _file(path: Path, relative: PurePosixPath, stat: os.stat_result | None = None) -> SourceFile:
    stat = stat or path.stat()
    return SourceFile(
        path=str(relative),
        short_path=str(relative),
        size=stat.st_size,
        stamp=f"{stat.st_size}:{stat.st_mtime_ns}",
        modified_at=stat.st_mtime,
        opener=partial(_read_file, path, str(relative), None),
        head_opener=partial(_read_file, path, str(relative), HEAD_BYTES),
    )


def _read_file(path: Path, relative: str, limit: int | None) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read() if limit is None else file.read(limit)
    except OSError as error:
        reason = f"cannot be read ({error.strerror}); check its permissions"
        raise SourceError(relative, "", reason) from error


def _open_zip(path: Path) -> Source:
    try:
        archive = zipfile.ZipFile(path)
        members = [member for member in archive.infolist() if not member.is_dir()]
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise SourceError(path.name, "", f"not a readable zip ({error}); make it again") from error
    if len(members) > MAX_FILES or sum(member.file_size for member in members) > MAX_ZIP_BYTES:
        reason = f"unpacks to more than {MAX_FILES:,} files or {MAX_ZIP_BYTES >> 30} GB"
        raise SourceError(path.name, "", f"{reason}; split it")
    files: list[SourceFile] = []
    passed_over: list[tuple[str, str]] = []
    for member in members:
        refusal = _zip_refusal(member)
        if refusal:
            passed_over.append((member.filename, refusal))
        else:
            files.append(_member(archive, member))
    return _made(_readable(str(path.resolve())), _readable(path.stem), files, passed_over)


def _zip_refusal(member: zipfile.ZipInfo) -> str:
    parts = PurePosixPath(member.filename).parts
    if member.filename.startswith("/") or ".." in parts or "\\" in member.filename:
        return "a path that leads out of the zip"
    if member.flag_bits & 1:
        return "encrypted; unpack it first"
    ratio = member.file_size / max(1, member.compress_size)
    if member.file_size > RATIO_FREE_BYTES and ratio > MAX_ZIP_RATIO:
        return f"packed more than {MAX_ZIP_RATIO} times tighter than its content; unpack it first"
    return ""


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> SourceFile:
    return SourceFile(
        path=member.filename,
        short_path=member.filename,
        size=member.file_size,
        stamp=f"{member.file_size}:{member.CRC:08x}",
        opener=partial(_read_member, archive, member, None),
        head_opener=partial(_read_member, archive, member, HEAD_BYTES),
    )


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int | None) -> bytes:
    try:
        with archive.open(member) as file:
            return file.read(member.file_size if limit is None else limit)
    except _DAMAGED as error:
        reason = f"damaged in the zip ({error}); make the zip again"
        raise SourceError(member.filename, "", reason) from error


def _made(
    root: str, name: str, files: list[SourceFile], passed_over: list[tuple[str, str]]
) -> Source:
    files.sort(key=lambda file: file.path)
    depth = _shared_folders([PurePosixPath(file.path) for file in files])
    if depth:
        files = [
            replace(file, short_path=str(PurePosixPath(*PurePosixPath(file.path).parts[depth:])))
            for file in files
        ]
    return Source(root=root, name=name, files=tuple(files), passed_over=tuple(passed_over))


def _shared_folders(paths: list[PurePosixPath]) -> int:
    """How many leading folders all paths share; the paths are sorted."""
    if not paths:
        return 0
    first, last = paths[0].parts[:-1], paths[-1].parts[:-1]
    shared = 0
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    return shared
