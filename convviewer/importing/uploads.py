"""Files that arrive over HTTP, streamed to a folder of their own with their relative paths."""

from __future__ import annotations

import shutil
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from convviewer.core.errors import ConvviewerError
from convviewer.core.text import count, cut, format_bytes

# The name of the folder below an upload's own; formats that know no better id call a thread so.
FILES = "upload"
# What file systems take as one name, in bytes; and as many folders as an import reads.
LONGEST_NAME = 200
DEEPEST = 40
_NOTHING_SENT = "No file was sent. Choose files or a folder to import."


class UploadRefused(ConvviewerError):
    """An upload that is not taken; str() says why and what to do. `status` is HTTP's."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """Received files: all are below `FILES` in `folder`. `name` is for people."""

    folder: Path
    name: str

    def discard(self) -> None:
        """Remove the files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def uploads_folder() -> Path:
    """Where uploads wait to be read; made when it is first needed."""
    folder = Path(settings.DATA_DIR, "uploads")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def receive_upload(request: HttpRequest) -> Upload:
    """Stream the files of a multipart request to disk; nothing else may have read its body.

    Every file of the form is taken, whatever its field is called. Raises `UploadRefused`.
    """
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > settings.MAX_UPLOAD_BYTES:
        raise UploadRefused(
            f"The upload is larger than {format_bytes(settings.MAX_UPLOAD_BYTES)}. Send it in "
            "parts, or read it from disk: manage.py import_threads PATH",
            status=413,
        )
    if request.content_type != "multipart/form-data":
        raise UploadRefused(_NOTHING_SENT, status=400)
    upload = Upload(folder=Path(mkdtemp(dir=uploads_folder())), name="")
    writer = _Writer(upload.folder / FILES)
    try:
        # What a form sends beside its files is for the CSRF check, which runs after this.
        request.POST = _fields(request, writer)  # type: ignore[assignment]
    except UploadRefused:
        upload.discard()
        raise
    if not writer.paths:
        upload.discard()
        raise UploadRefused(_NOTHING_SENT, status=400)
    return replace(upload, name=_name(writer.paths))


def _fields(request: HttpRequest, writer: _Writer) -> QueryDict:
    try:
        fields, _ = _PathParser(request.META, request, [writer], request.encoding).parse()
    except TooManyFilesSent as error:
        most = count(settings.DATA_UPLOAD_MAX_NUMBER_FILES or 0, "file")
        reason = f"The upload has more than {most}. Zip the folder and send the zip."
        raise UploadRefused(reason, status=413) from error
    except (MultiPartParserError, RequestDataTooBig, TooManyFieldsSent) as error:
        reason = f"The upload cannot be read ({error}). Send it again."
        raise UploadRefused(reason, status=400) from error
    except OSError as error:
        reason = f"The upload cannot be kept ({error.strerror}). Check the data folder."
        raise UploadRefused(reason, status=507) from error
    return fields


def safe_path(name: str) -> PurePosixPath:
    """A browser's file name as a relative path that stays in its folder; "." if nothing is left.

    Both kinds of slashes part folders; drive letters, roots, "." and ".." go; control characters
    become "_"; long names lose their middle, so that the suffix stays.
    """
    parts = [_safe_part(part) for part in name.replace("\\", "/").split("/")]
    kept = [part for part in parts if part not in {"", ".", ".."}]
    return PurePosixPath(*kept[-DEEPEST:])


def _safe_part(part: str) -> str:
    if len(part) == 2 and part[1] == ":":  # noqa: PLR2004 - a drive
        return ""
    shown = "".join("_" if unicodedata.category(char) in {"Cc", "Cs"} else char for char in part)
    data = shown.encode()
    if len(data) <= LONGEST_NAME:
        return shown
    half = LONGEST_NAME // 2
    return data[:half].decode(errors="ignore") + data[-half:].decode(errors="ignore")


def _name(paths: list[PurePosixPath]) -> str:
    tops = {path.parts[0] for path in paths}
    if len(tops) == 1:
        return cut(tops.pop(), LONGEST_NAME)
    return count(len(paths), "file")


class _PathParser(MultiPartParser):
    """Django's, but a file keeps the folders it was chosen with."""

    def sanitize_file_name(self, file_name: str) -> str | None:
        path = str(safe_path(file_name))
        return None if path == "." else path


class _Writer(FileUploadHandler):
    """Writes each file below `folder` as its bytes arrive, and hands none to Django."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.paths: list[PurePosixPath] = []
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._taken: Counter[PurePosixPath] = Counter()

    def new_file(self, field_name: str, file_name: str, *args: Any, **kwargs: Any) -> None:
        """The next file begins."""
        self._close()
        path = PurePosixPath(file_name)
        self._file = self._open(path)
        self.paths.append(path)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """More of the file."""
        if self._file is not None:
            self._file.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        """The file is whole."""
        self._close()

    def upload_interrupted(self) -> None:
        """The sender went away."""
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self, path: PurePosixPath) -> IO[bytes]:
        """A new file; one whose place is taken goes to a numbered folder beside the others."""
        while True:
            self._taken[path] += 1
            ordinal = self._taken[path]
            target = self._folder / ("" if ordinal == 1 else str(ordinal)) / path
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                return target.open("xb")
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                continue
