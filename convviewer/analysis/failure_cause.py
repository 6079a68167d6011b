"""The cause of a failed tool call in one line."""

from __future__ import annotations

from typing import Final

from convviewer.core.json import Json, encode
from convviewer.core.text import one_line
from convviewer.core.thread import JsonValue, Text, ToolResult

_MAX_LENGTH: Final = 300
# Characters of one text that are read: a cause stands where a text or its traceback begins.
_MAX_READ: Final = 20_000
_TRACEBACK: Final = "Traceback (most recent call last)"
_CAUSE_KEYS: Final = ("error", "error_message", "errorMessage", "message", "detail", "stderr")
_MAX_DEPTH: Final = 4


def error_line(result: ToolResult) -> str:
    """Return the cause of a failed result in at most 300 characters; "" if it did not fail."""
    if result.status != "error":
        return ""
    if result.payload is not None:
        return _cause_of_value(result.payload)
    for part in result.parts:
        match part:
            case Text() if part.text.strip():
                return _cause_of_text(part.text)
            case JsonValue() if part.value is not None:
                return _cause_of_value(part.value)
            case _:
                continue
    return ""


def _cause_of_value(value: Json) -> str:
    for _ in range(_MAX_DEPTH):
        if not isinstance(value, dict):
            break
        key = next((key for key in _CAUSE_KEYS if value.get(key)), None)
        if key is None:
            break
        value = value[key]
    return _cause_of_text(value if isinstance(value, str) else encode(value))


def _cause_of_text(text: str) -> str:
    """Return the exception of the last traceback, else the first line that is not blank."""
    head, found, frames = text.rpartition(_TRACEBACK)
    if not found:
        return _first_line(text[:_MAX_READ].splitlines())
    # What is indented, or stands on the header's own line, belongs to the frames.
    exception = [line for line in frames[:_MAX_READ].splitlines()[1:] if line[:1].strip()]
    return _first_line(exception) or _first_line(head[:_MAX_READ].splitlines())


def _first_line(lines: list[str]) -> str:
    return next((one_line(line, _MAX_LENGTH) for line in lines if line.strip()), "")
