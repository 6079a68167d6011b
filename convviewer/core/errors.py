"""The errors that convviewer raises on purpose; str() of each is one line for people."""

from __future__ import annotations


class ConvviewerError(Exception):
    """Base of all errors that an edge (command, view, API) may show to people."""


class UnknownFormat(ConvviewerError):
    """No format recognises the source."""


class SourceError(ConvviewerError):
    """A source, or a part of it, cannot be read.

    `path` names the file within the import, `pointer` (RFC 6901, "" for the whole file) the place
    in it, `reason` what was expected and what to do.
    """

    def __init__(self, path: str, pointer: str, reason: str) -> None:
        super().__init__(path, pointer, reason)
        self.path = path
        self.pointer = pointer
        self.reason = reason

    def __str__(self) -> str:
        place = f"{self.path} at {self.pointer}" if self.pointer else self.path
        return _one_line(f"{place}: {self.reason}")


class JsonError(ConvviewerError):
    """Text that is not JSON, not even in the tolerant dialect that sources use.

    `offset` counts characters from 0 (after a byte order mark); `line` and `column` from 1.
    """

    def __init__(self, message: str, offset: int, line: int, column: int) -> None:
        super().__init__(message, offset, line, column)
        self.message = message
        self.offset = offset
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return _one_line(f"{self.message} (line {self.line}, column {self.column})")


class PointerError(ConvviewerError):
    """A JSON pointer that is malformed, or that leads nowhere in the given value."""


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
