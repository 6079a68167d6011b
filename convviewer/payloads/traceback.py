"""Tracebacks: text with a stack trace of Python, Node, Java or Go in it."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TEXT, TRACEBACK, Context, Example, Window
from convviewer.payloads.parts.texts import code_of, raw_of
from convviewer.payloads.parts.tracebacks import traceback_of
from convviewer.payloads.parts.traces import find_trace
from convviewer.payloads.shapes import Shape

_PYTHON = """Traceback (most recent call last):
  File "tools/log.py", line 41, in read_log
    rows = store.fetch(start, end)
  File "tools/store.py", line 88, in fetch
    raise UpstreamTimeout("log-store did not answer within 30 s")
tools.store.UpstreamTimeout: log-store did not answer within 30 s
"""
_NODE = """TypeError: Cannot read properties of undefined (reading 'id')
    at loadOrder (/app/src/orders.js:12:20)
    at async /app/src/server.js:40:5
"""
_JAVA = """java.lang.IllegalStateException: order is closed
\tat shop.Orders.refund(Orders.java:88)
\tat shop.Api.handle(Api.java:17)
Caused by: java.sql.SQLException: row locked
\tat shop.Db.update(Db.java:140)
\t... 2 more
"""
_GO = """panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.pick(...)
\t/app/main.go:12 +0x1d
main.main()
\t/app/main.go:20 +0x25
"""


class StackTrace:
    """A failure that was printed with its frames."""

    name = "traceback"
    label = "Traceback"
    offers = (TRACEBACK, TEXT, RAW)
    examples = (
        Example(label="Python", value=_PYTHON, shape="traceback"),
        Example(label="Node", value=_NODE, shape="traceback"),
        Example(label="Java", value=_JAVA, shape="traceback"),
        Example(label="Go", value=_GO, shape="traceback", status="error"),
    )

    def match(self, value: Json, context: Context) -> int:
        """Text in which a trace with frames is found."""
        del context
        return 90 if isinstance(value, str) and find_trace(value) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw the chain, or the text as printed."""
        if not isinstance(value, str):
            return raw_of(value, window)
        trace = find_trace(value) if view == "traceback" else None
        return traceback_of(trace) if trace else code_of(value, window)


PAYLOAD_TYPE = StackTrace()
