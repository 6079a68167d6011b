"""Stack traces in text: Python, Node, Java and Go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Language: TypeAlias = Literal["python", "node", "java", "go"]

MAX_TEXT: Final = 65_536

_PYTHON_START: Final = "Traceback (most recent call last):"
_PYTHON_FRAME: Final = re.compile(
    r'\s+File "(?P<file>[^"]*)", line (?P<line>\d+)(?:, in (?P<fn>.*))?'
)
_PYTHON_HEAD: Final = re.compile(r"(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?")
_PYTHON_RELATIONS: Final = {
    "The above exception was the direct cause of the following exception:": "caused by",
    "During handling of the above exception, another exception occurred:": "while handling",
}
_AT_HEAD: Final = re.compile(
    r"(?P<relation>(?:Caused by|Suppressed|\s*\[cause\]): )?(?:Uncaught )?(?:Exception in thread"
    r' "[^"]*" )?(?P<type>(?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*)(?: \[(?P<code>\w+)\])?'
    r"(?:: (?P<message>.*))?"
)
_JAVA_FRAME: Final = re.compile(r"\s+at (?P<fn>[\w$.<>/@-]+)\((?P<place>[^()]*)\)")
_JAVA_PLACE: Final = re.compile(r"[\w$]+\.\w+(?::\d+)?|Native Method|Unknown Source")
_NODE_FRAME: Final = re.compile(
    r"\s+at (?:(?P<fn>[^()]+) \((?P<place>[^()]+)\)|(?:async )?(?P<bare>\S+:\d+:\d+))(?: \{)?"
)
_NODE_PLACE: Final = re.compile(r".+:\d+:\d+|native|<anonymous>|node:.+|index \d+")
_MORE_FRAMES: Final = re.compile(r"\s+\.\.\. (?P<count>\d+) (?:more|common frames omitted)")
_GO_HEAD: Final = re.compile(r"(?P<type>panic|fatal error): (?P<message>.*)")
_GO_FUNCTION: Final = re.compile(
    r"(?:created by )?(?P<fn>[\w./*()-]+?)\(.*\)|created by (?P<by>.+)"
)
_GO_PLACE: Final = re.compile(r"\t(?P<place>\S+:\d+)(?: \+0x[0-9a-f]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFrame:
    """A frame as the trace states it; `code` is a quoted source line."""

    place: str
    function: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceException:
    """An exception; frames innermost last. `relation` to the exception listed before it."""

    type: str
    message: str
    frames: tuple[TraceFrame, ...]
    relation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A chain, the exception that surfaced first. `before` and `after`: the text around it."""

    language: Language
    raised: tuple[TraceException, ...]
    before: str
    after: str


def find_trace(text: str) -> Trace | None:
    """Return the first stack trace in the first 64 KB of a text, with all it is chained to."""
    head = text[:MAX_TEXT]
    lines = head.splitlines()
    readers: tuple[tuple[str, Callable[[list[str]], Trace | None]], ...] = (
        (_PYTHON_START, _read_python),
        ("goroutine ", _read_go),
        ("at ", _read_at_style),
    )
    for sign, read in readers:
        if sign in head and (trace := read(lines)):
            return trace
    return None


# -- Python ----------------------------------------------------------------------------------------


def _read_python(lines: list[str]) -> Trace | None:
    start = next((i for i, line in enumerate(lines) if line.strip() == _PYTHON_START), None)
    if start is None:
        return None
    chain: list[TraceException] = []
    relations: list[str] = []
    at = start
    while at < len(lines) and lines[at].strip() == _PYTHON_START:
        exception, at = _python_exception(lines, at + 1)
        chain.append(exception)
        follows = _skip_blank(lines, at)
        relation = _PYTHON_RELATIONS.get(lines[follows].strip()) if follows < len(lines) else None
        if relation is None:
            break
        relations.append(relation)
        at = _skip_blank(lines, follows + 1)
    raised = [
        TraceException(
            type=exception.type,
            message=exception.message,
            frames=exception.frames,
            relation=relations[i] if i < len(chain) - 1 else "",
        )
        for i, exception in enumerate(chain)
    ]
    return _trace("python", raised[::-1], lines, start, at)


def _python_exception(lines: list[str], at: int) -> tuple[TraceException, int]:
    """Read frames and the closing "Type: message" lines; return with the line after them."""
    frames: list[TraceFrame] = []
    while at < len(lines) and (lines[at].startswith((" ", "\t")) or not lines[at].strip()):
        found = _PYTHON_FRAME.match(lines[at])
        if found:
            code = lines[at + 1].strip() if at + 1 < len(lines) else ""
            quoted = "" if code.startswith("File ") or not _indented(lines, at + 1) else code
            place = f"{found['file']}:{found['line']}"
            frames.append(TraceFrame(place=place, function=found["fn"] or "", code=quoted))
        at += 1
    head = _PYTHON_HEAD.fullmatch(lines[at]) if at < len(lines) else None
    if not head:
        return TraceException(type="Traceback", message="", frames=tuple(frames)), at
    message = [head["message"] or ""]
    at += 1
    while at < len(lines) and lines[at].strip() and lines[at].strip() not in _PYTHON_RELATIONS:
        message.append(lines[at])
        at += 1
    text = "\n".join(message)
    return TraceException(type=head["type"], message=text, frames=tuple(frames)), at


# -- Node and Java: a head line, then lines that start with "at" -----------------------------------


def _read_at_style(lines: list[str]) -> Trace | None:
    first = next((i for i, line in enumerate(lines) if _is_at_frame(line)), None)
    if not first:
        return None
    start = _head_line(lines, first)
    if start is None:
        return None
    raised: list[TraceException] = []
    at = start
    while at < len(lines) and (head := _AT_HEAD.match(lines[at])):
        if raised and not head["relation"]:
            break
        message, at = _message_lines(lines, at, head["message"] or "")
        frames, at = _at_frames(lines, at)
        code = f" [{head['code']}]" if head["code"] else ""
        relation = "suppressed" if (head["relation"] or "").startswith("Supp") else "caused by"
        raised.append(
            TraceException(
                type=head["type"] + code,
                message=message,
                frames=tuple(frames),
                relation=relation if head["relation"] else "",
            )
        )
    language: Language = "java" if _is_java_frame(lines[first]) else "node"
    return _trace(language, raised, lines, start, at)


def _is_java_frame(line: str) -> bool:
    found = _JAVA_FRAME.fullmatch(line)
    return bool(found and _JAVA_PLACE.fullmatch(found["place"]))


def _is_at_frame(line: str) -> bool:
    if _is_java_frame(line):
        return True
    found = _NODE_FRAME.fullmatch(line)
    return bool(found and (found["bare"] or _NODE_PLACE.fullmatch(found["place"])))


def _head_line(lines: list[str], first: int) -> int | None:
    """Return the nearest line above the first frame that names an exception."""
    for at in range(first - 1, max(-1, first - 20), -1):
        head = _AT_HEAD.match(lines[at])
        if head and (head["message"] is not None or head.end() == len(lines[at])):
            return at
    return None


def _message_lines(lines: list[str], at: int, message: str) -> tuple[str, int]:
    parts = [message]
    at += 1
    while at < len(lines) and not _is_at_frame(lines[at]) and not _AT_HEAD.match(lines[at]):
        if not lines[at].strip():
            break
        parts.append(lines[at])
        at += 1
    return "\n".join(parts), at


def _at_frames(lines: list[str], at: int) -> tuple[list[TraceFrame], int]:
    """Read frames, which stand innermost first; return them innermost last."""
    frames: list[TraceFrame] = []
    while at < len(lines) and (_is_at_frame(lines[at]) or _MORE_FRAMES.match(lines[at])):
        found = _JAVA_FRAME.fullmatch(lines[at]) or _NODE_FRAME.fullmatch(lines[at])
        if found:
            parts = found.groupdict()
            place = parts.get("place") or parts.get("bare") or ""
            frames.append(TraceFrame(place=place, function=parts.get("fn") or ""))
        at += 1
    return frames[::-1], at


# -- Go --------------------------------------------------------------------------------------------


def _read_go(lines: list[str]) -> Trace | None:
    start = next((i for i, line in enumerate(lines) if _GO_HEAD.match(line)), None)
    if start is None:
        return None
    head = _GO_HEAD.match(lines[start])
    at = start
    while at < len(lines) and not lines[at].startswith("goroutine "):
        at += 1
    frames = list(_go_frames(lines, at + 1))
    if not head or not frames:
        return None
    exception = TraceException(
        type=head["type"], message=head["message"], frames=tuple(frames[::-1])
    )
    end = next((i for i in range(at, len(lines)) if not lines[i].strip()), len(lines))
    return _trace("go", [exception], lines, start, end)


def _go_frames(lines: list[str], at: int) -> Iterator[TraceFrame]:
    """Yield the frames of one goroutine: a line with the function, then one with the place."""
    while at + 1 < len(lines) and lines[at].strip():
        place = _GO_PLACE.match(lines[at + 1])
        if place:
            function = _GO_FUNCTION.match(lines[at])
            name = (function["fn"] or function["by"]) if function else lines[at]
            yield TraceFrame(place=place["place"], function=name)
        at += 2 if place else 1


# -- shared ----------------------------------------------------------------------------------------


def _trace(
    language: Language, raised: list[TraceException], lines: list[str], start: int, end: int
) -> Trace | None:
    if not any(exception.frames for exception in raised):
        return None
    return Trace(
        language=language,
        raised=tuple(raised),
        before="\n".join(lines[:start]).strip("\n"),
        after="\n".join(lines[end:]).strip("\n"),
    )


def _skip_blank(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _indented(lines: list[str], at: int) -> bool:
    return at < len(lines) and lines[at].startswith(("    ", "\t"))
