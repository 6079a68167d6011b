"""Errors: objects and texts that report a failure, its cause first."""

from __future__ import annotations

from typing import Final

from convviewer.core.json import Json, PointerError, resolve
from convviewer.core.text import one_line
from convviewer.payloads.base import RAW, TEXT, Context, Example, Window
from convviewer.payloads.parts.cause import cause_of, is_error_object
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.parts.stacks import stack
from convviewer.payloads.parts.texts import code_of
from convviewer.payloads.parts.tracebacks import traceback_of
from convviewer.payloads.parts.traces import Trace, find_trace
from convviewer.payloads.parts.trees import tree_of
from convviewer.payloads.shapes import Notice, Shape

# A longer text of a failed call is its output, not a report of the failure.
_WORDS: Final = 8_192
_TRACE_PLACES: Final = ("/traceback", "/stack", "/error/traceback", "/error/stack", "/stacktrace")


class ErrorReport:
    """A failure in words or in an object."""

    name = "error"
    label = "Error"
    offers = (TEXT, RAW)
    examples = (
        Example(
            label="an error object",
            value={"error": {"type": "RateLimited", "code": "HTTP_429", "message": "6 a minute"}},
            shape="stack",
        ),
        Example(
            label="a list of errors", value={"errors": [{"message": "no field"}]}, shape="stack"
        ),
        Example(
            label="words",
            value="KeyError: 'order_id'",
            shape="notice",
            status="error",
        ),
        Example(
            label="a failed call",
            value={"message": "no such order", "code": 404, "type": "NotFound"},
            shape="stack",
            status="error",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """An object that says it is an error; any short text of a call that failed."""
        if isinstance(value, dict) and is_error_object(value):
            return 88
        if context.status != "error":
            return 0
        if isinstance(value, str) and len(value) > _WORDS:
            return 0
        return 85 if isinstance(value, dict | str) and cause_of(value, "error") else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw the cause, then the trace if there is one, then the whole."""
        del view
        cause = cause_of(value, "error")
        rest = _rest(value, window)
        if not cause or window.after:
            return rest
        notice = Notice(
            tone="err",
            title=one_line(cause.type, 200),
            code=one_line(cause.code, 100),
            text=text_spans(cause.message),
        )
        if isinstance(value, str) and len(value) <= len(cause.type) + len(cause.message) + 20:
            return notice
        trace = _trace(value)
        return stack(notice, traceback_of(trace), rest) if trace else stack(notice, rest)


def _rest(value: Json, window: Window) -> Shape:
    return code_of(value, window) if isinstance(value, str) else tree_of(value, window)


def _trace(value: Json) -> Trace | None:
    for place in _TRACE_PLACES:
        try:
            text = resolve(value, place)
        except PointerError:
            continue
        if isinstance(text, str) and (trace := find_trace(text)):
            return trace
    return None


PAYLOAD_TYPE = ErrorReport()
