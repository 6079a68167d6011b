"""Content blocks of a Roboto AgentThreadRecord."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from convviewer.core.json import Json, encode
from convviewer.core.thread import (
    Block,
    Deleted,
    Error,
    Filler,
    ResultStatus,
    Text,
    ToolResult,
    ToolUse,
    Unknown,
    ViewingContext,
)
from convviewer.formats.parts.numbers import finite_number
from convviewer.formats.parts.roboto.context import UNREADABLE
from convviewer.formats.parts.roboto.payload import resolve_payload

# Input keys the agent system adds for its own compression; the tool never sees them.
INTERNAL_INPUT_KEYS: Final = ("_compression_intent",)


class Problem(NamedTuple):
    """What is wrong with a block, under a code of interfaces.md."""

    code: str
    message: str


Problems: TypeAlias = list[Problem]
_Fields: TypeAlias = dict[str, Json]


def read_block(raw: Json, problems: Problems) -> Block:
    """Return the block; what no rule explains is `Unknown` with its raw JSON, and a problem."""
    if not isinstance(raw, dict):
        return _bad(raw, "a block is an object", problems)
    kind = raw.get("content_type")
    if kind is None:
        kind = _kind_without_type(raw)
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        reason = f"content_type {kind!r}" if "content_type" in raw else "no content_type"
        problems.append(Problem("unknown_block", f"not understood and kept as it is: {reason}"))
        return Unknown(raw=raw, reason=reason)
    return reader(raw, problems)


def read_tool_use(raw: _Fields, problems: Problems) -> Block:
    """Return a call: an object of tool_use_id, tool_name, input or raw_request."""
    identifier, name = raw.get("tool_use_id"), raw.get("tool_name")
    if not isinstance(identifier, str) or not isinstance(name, str):
        return _bad(raw, "tool_use without tool_use_id and tool_name as text", problems)
    given, note = raw.get("input"), ""
    if given is None and raw.get("raw_request") is not None:
        given, note = _requested_input(raw["raw_request"]), "read from raw_request"
    return ToolUse(
        id=identifier,
        name=name,
        input=given,
        answered_by_server=_flag(raw.get("answered_by_server")),
        internal_keys=_internal_keys(given),
        input_note=note,
    )


def read_tool_result(raw: _Fields, problems: Problems) -> Block:
    """Return a result: an object of tool_use_id, tool_name, status, payload or raw_response."""
    identifier, name = raw.get("tool_use_id"), raw.get("tool_name")
    if not isinstance(identifier, str):
        return _bad(raw, "tool_result without tool_use_id as text", problems)
    resolved = resolve_payload(raw.get("payload"), raw.get("raw_response"))
    return ToolResult(
        tool_use_id=identifier,
        name=name if isinstance(name, str) else "",
        status=_status(raw.get("status"), problems),
        runtime_ms=_runtime(raw.get("runtime_ms"), problems),
        payload=resolved.payload,
        payload_source=resolved.source,
        payload_guessed=resolved.guessed,
        parts=resolved.parts,
    )


def _read_text(raw: _Fields, problems: Problems) -> Block:
    text = raw.get("text")
    return Text(text=text) if isinstance(text, str) else _bad(raw, "text is not text", problems)


def _read_error(raw: _Fields, problems: Problems) -> Block:
    message, code = raw.get("error_message"), raw.get("error_code")
    if not isinstance(message, str):
        return _bad(raw, "error without error_message as text", problems)
    return Error(message=message, code=code if isinstance(code, str) else "")


def _read_deleted(raw: _Fields, problems: Problems) -> Block:
    return Deleted()


def _read_filler(raw: _Fields, problems: Problems) -> Block:
    return Filler()


def _read_context(raw: _Fields, problems: Problems) -> Block:
    """Never an unknown block: those are shown, and viewing context must not be."""
    context = raw.get("context")
    if isinstance(context, dict):
        return ViewingContext(context=context)
    problems.append(Problem("unreadable_context", UNREADABLE))
    return ViewingContext(unreadable=encode(context))


_READERS: Final[dict[str, Callable[[_Fields, Problems], Block]]] = {
    "text": _read_text,
    "tool_use": read_tool_use,
    "tool_result": read_tool_result,
    "error": _read_error,
    "deleted": _read_deleted,
    "compression_filler": _read_filler,
    "client_context": _read_context,
}


def _kind_without_type(raw: _Fields) -> str | None:
    """The kind that the SDK sees in an untyped block; never one without a field of its own."""
    if "text" in raw:
        return "text"
    if "tool_use_id" in raw:
        return "tool_result" if "runtime_ms" in raw else "tool_use"
    if "error_message" in raw:
        return "error"
    return "client_context" if "context" in raw else None


def _requested_input(request: Json) -> Json:
    match request:
        case {"toolUse": {"input": value}}:
            return value
        case _:
            return request


def _internal_keys(given: Json) -> tuple[str, ...]:
    if not isinstance(given, dict):
        return ()
    return tuple(key for key in INTERNAL_INPUT_KEYS if key in given)


def _status(value: Json, problems: Problems) -> ResultStatus:
    match value:
        case "success" | "error" | "declined":
            return value
        case None:
            return "unknown"
        case _:
            problems.append(Problem("bad_block", "tool_result status is none that is known"))
            return "unknown"


def _runtime(value: Json, problems: Problems) -> float | None:
    if value is None:
        return None
    runtime = finite_number(value)
    if runtime is None:
        problems.append(Problem("bad_block", "runtime_ms is not a number"))
    return runtime


def _flag(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _bad(raw: Json, reason: str, problems: Problems) -> Unknown:
    problems.append(Problem("bad_block", reason))
    return Unknown(raw=raw, reason=reason)
