"""Reads a folder through one format, the way an import does: sniff, group into units, read."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path, PurePosixPath
from zlib import crc32

from convviewer.core.thread import Thread
from convviewer.formats.base import Format, Found, Unit
from convviewer.formats.source import HEAD_BYTES, SourceFile


def read_tree(fmt: Format, root: Path, *, name: str = "") -> list[Found]:
    """Everything the format finds in the files below `root`, unit by unit."""
    files = [source_file(path, root) for path in sorted(root.rglob("*")) if path.is_file()]
    return read_files(fmt, files, name=name or root.name)


def read_files(fmt: Format, files: list[SourceFile], *, name: str = "import") -> list[Found]:
    """Everything the format finds in the files of an import of that name."""
    units: dict[str, list[SourceFile]] = defaultdict(list)
    unclaimed: list[SourceFile] = []
    found: list[Found] = []
    for file in files:
        path = PurePosixPath(file.path)
        if not fmt.sniff(file.head(), path):
            unclaimed.append(file)
            continue
        folder = fmt.folder_of(path)
        if folder is None:
            found.extend(fmt.read(Unit(folder=str(path.parent), name=path.name, files=(file,))))
        else:
            units[_text(folder)].append(file)
    for file in unclaimed:
        owners = [home for home in units if _is_below(file.path, home)]
        if owners:
            units[max(owners, key=len)].append(file)
    for home, members in units.items():
        unit_name = PurePosixPath(home).name or name
        ordered = tuple(sorted(members, key=lambda file: file.path))
        found.extend(fmt.read(Unit(folder=home, name=unit_name, files=ordered)))
    return found


def threads_of(found: list[Found]) -> list[Thread]:
    return [item for item in found if isinstance(item, Thread)]


def only_thread(found: list[Found]) -> Thread:
    (thread,) = threads_of(found)
    return thread


def source_file(path: Path, root: Path) -> SourceFile:
    return in_memory(path.relative_to(root).as_posix(), path.read_bytes())


def in_memory(path: str, data: bytes) -> SourceFile:
    return SourceFile(
        path=path,
        short_path=path,
        size=len(data),
        stamp=f"{len(data)}:{crc32(data):08x}",
        opener=lambda: data,
        head_opener=lambda: data[:HEAD_BYTES],
    )


def _text(folder: PurePosixPath) -> str:
    return "" if str(folder) == "." else str(folder)


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")
