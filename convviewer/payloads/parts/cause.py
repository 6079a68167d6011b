"""The cause of a failure: type, code and message, wherever a tool puts them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from convviewer.core.errors import JsonError
from convviewer.core.json import Json, decode, format_pointer
from convviewer.core.text import cut
from convviewer.payloads.parts.content import TextPart, content_parts
from convviewer.payloads.parts.traces import find_trace

MESSAGE_CHARACTERS: Final = 1_000
_TYPE_KEYS: Final = ("type", "error_type", "errorType", "exception", "name", "__type", "class")
_CODE_KEYS: Final = (
    "code", "error_code", "errorCode", "status_code", "statusCode", "status", "reason",
)  # fmt: skip
_MESSAGE_KEYS: Final = (
    "message", "error_message", "errorMessage", "error_description", "detail", "msg", "title",
    "reason", "description",
)  # fmt: skip
_ERROR_KEYS: Final = ("error", "exception", "errors", "fault")
_HEADLINE: Final = re.compile(
    r"(?:Error: )?(?P<type>[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Timeout|Interrupt|Failure|"
    r"Denied|NotFound|Limited|Unavailable|Fault)|HTTPStatusError)"
    r"(?: ?[\[(](?P<code>[\w.-]{1,60})[\])])?(?::\s*|\s+-\s+)(?P<message>\S[^\n]*)"
)
_HTTP: Final = re.compile(r"(?:Error: )?HTTP (?:Error )?(?P<code>[45]\d\d):? ?(?P<message>[^\n]*)")
_ERRNO: Final = re.compile(r"\[Errno (?P<code>\d+)\] (?P<message>[^\n]+)")
_PLAIN: Final = re.compile(r"(?:Error|ERROR|error|Failed|FAILED)(?: executing tool [^:\n]*)?: ")
_MAX_PARSED: Final = 65_536
_DEPTH: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What failed, for people: any part may be "". `pointer`: where in the payload it stands."""

    type: str
    code: str
    message: str
    pointer: str = ""


def cause_of(value: Json, status: str = "") -> Cause | None:
    """Return the cause that a tool result states; None when it states no error.

    With status "error" a text, or an object with a message, is taken at its word; with "success"
    only what is unmistakably an error counts.
    """
    return _cause(value, "", _DEPTH, failed=status == "error")


def is_error_object(value: Json) -> bool:
    """Whether an object reports an error by its own keys."""
    if not isinstance(value, dict):
        return False
    if any(_states_error(key, value.get(key)) for key in _ERROR_KEYS):
        return True
    return value.get("isError") is True


def _cause(value: Json, pointer: str, depth: int, *, failed: bool) -> Cause | None:
    match value:
        case str():
            return _text_cause(value, pointer, depth, failed=failed)
        case dict() if depth:
            return _object_cause(value, pointer, depth, failed=failed)
        case [first, *_] if depth and failed and not content_parts(value):
            return _cause(first, f"{pointer}/0", depth - 1, failed=failed)
        case list() if failed:
            return _parts_cause(value, pointer, depth)
        case _:
            return None


def _object_cause(
    value: dict[str, Json], pointer: str, depth: int, *, failed: bool
) -> Cause | None:
    if value.get("isError") is True:
        return _parts_cause(value, pointer, depth)
    for key in _ERROR_KEYS:
        inner = value.get(key)
        if _states_error(key, inner):
            found = _cause(inner, pointer + format_pointer((key,)), depth - 1, failed=True)
            return _completed(found, value) if found else None
    if not failed:
        return None
    message, key = _first_text(value, _MESSAGE_KEYS)
    kind, code = _first_text(value, _TYPE_KEYS)[0], _first_text(value, _CODE_KEYS)[0]
    if not (message or kind or code):
        return None
    # A message that is itself "Type: words" says more than the keys around it.
    inner_cause = _text_cause(message, pointer, 0, failed=True) if message else None
    return Cause(
        type=kind or (inner_cause.type if inner_cause else ""),
        code=code if code != message else "",
        message=inner_cause.message if inner_cause and not kind else message,
        pointer=pointer + (format_pointer((key,)) if key else ""),
    )


def _parts_cause(value: Json, pointer: str, depth: int) -> Cause | None:
    for part in content_parts(value, pointer) or ():
        if isinstance(part, TextPart) and part.text.strip():
            return _text_cause(part.text, part.pointer, depth, failed=True)
    return None


def _text_cause(text: str, pointer: str, depth: int, *, failed: bool) -> Cause | None:
    if depth and (parsed := _parsed(text)) is not None:
        found = _cause(parsed, pointer, depth - 1, failed=failed)
        if found:
            return Cause(type=found.type, code=found.code, message=found.message, pointer=pointer)
    trace = find_trace(text)
    if trace:
        raised = trace.raised[0]
        message = cut(raised.message, MESSAGE_CHARACTERS)
        return Cause(type=raised.type, code="", message=message, pointer=pointer)
    head = text.strip()[: MESSAGE_CHARACTERS * 2]
    for pattern in (_HEADLINE, _HTTP, _ERRNO):
        if (found_text := pattern.match(head)) and (failed or pattern is _HEADLINE):
            return _matched(found_text, pointer)
    if not failed or not head:
        return None
    plain = _PLAIN.match(head)
    message = head[plain.end() :] if plain else head
    if plain and (inner := _HEADLINE.match(message)):
        return _matched(inner, pointer)
    return Cause(type="", code="", message=cut(message, MESSAGE_CHARACTERS), pointer=pointer)


def _matched(found: re.Match[str], pointer: str) -> Cause:
    parts = found.groupdict()
    prefix = {_HTTP: "HTTP ", _ERRNO: "Errno "}.get(found.re, "")
    code = parts.get("code") or ""
    return Cause(
        type=parts.get("type") or "",
        code=prefix + code if code else "",
        message=cut(parts["message"].strip(), MESSAGE_CHARACTERS),
        pointer=pointer,
    )


def _completed(cause: Cause, outer: dict[str, Json]) -> Cause:
    """Take from the object around an error what the error itself leaves out."""
    message, _ = _first_text(outer, _MESSAGE_KEYS)
    kind, _ = _first_text(outer, _TYPE_KEYS[:4])
    code, _ = _first_text(outer, _CODE_KEYS[:5])
    if not cause.type and message and " " not in cause.message:
        # {"error": "not_found", "message": "no such order"}: a name, then the words.
        return Cause(
            type=cause.message, code=cause.code or code, message=message, pointer=cause.pointer
        )
    return Cause(
        type=cause.type or kind,
        code=cause.code or code,
        message=cause.message or cut(message, MESSAGE_CHARACTERS),
        pointer=cause.pointer,
    )


def _states_error(key: str, value: Json) -> bool:
    if key == "errors":
        return isinstance(value, list) and bool(value)
    return isinstance(value, str | dict | list) and bool(value)


def _first_text(value: dict[str, Json], keys: tuple[str, ...]) -> tuple[str, str]:
    """Return the first member among `keys` that is a text or a number, and its key."""
    for key in keys:
        item = value.get(key)
        if isinstance(item, str) and item:
            return cut(item, MESSAGE_CHARACTERS), key
        if isinstance(item, int) and not isinstance(item, bool):
            return str(item), key
    return "", ""


def _parsed(text: str) -> Json:
    """Return the value of a text that is JSON, None of any other."""
    if text.lstrip()[:1] not in {"{", "["} or len(text) > _MAX_PARSED:
        return None
    try:
        return decode(text)
    except JsonError:
        return None
