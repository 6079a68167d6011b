"""Stack traces as shapes."""

from __future__ import annotations

from typing import Final

from convviewer.core.text import escape_hidden
from convviewer.payloads.parts.spans import text_spans
from convviewer.payloads.parts.traces import Trace, TraceException, TraceFrame
from convviewer.payloads.shapes import Frame, Raised, Spans, Traceback

_FRAMES: Final = 30
_CHAIN: Final = 10
_TEXT: Final = 8_000
_LINE: Final = 500


def traceback_of(trace: Trace) -> Traceback:
    """Return the shape of a trace: the innermost 30 frames of the first 10 exceptions."""
    return Traceback(
        language=trace.language,
        raised=tuple(_raised(exception) for exception in trace.raised[:_CHAIN]),
        before=_clipped(trace.before),
        after=_clipped(trace.after),
    )


def _raised(exception: TraceException) -> Raised:
    return Raised(
        type=escape_hidden(exception.type[:_LINE]),
        message=_clipped(exception.message),
        frames=tuple(_frame(frame) for frame in exception.frames[-_FRAMES:]),
        hidden_frames=max(0, len(exception.frames) - _FRAMES),
        relation=exception.relation,
    )


def _frame(frame: TraceFrame) -> Frame:
    return Frame(
        place=text_spans(frame.place[:_LINE]),
        function=text_spans(frame.function[:_LINE]),
        code=text_spans(frame.code[:_LINE]),
    )


def _clipped(text: str) -> Spans:
    return text_spans(text if len(text) <= _TEXT else text[: _TEXT - 1] + "…")
