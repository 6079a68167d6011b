from __future__ import annotations

import pytest

from convviewer.core.json import Json
from convviewer.payloads import cause_of, shape_for
from convviewer.payloads.shapes import Notice, Spans, Stack, Traceback

CHAINED = """retrying
Traceback (most recent call last):
  File "db.py", line 3, in get
    return rows[key]
           ~~~~^^^^^
KeyError: 'ORD-1'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "api.py", line 9, in <module>
    main()
  File "api.py", line 7, in main
    raise NotFound("no order") from error
shop.NotFound: no order
  second line
exit 1
"""
JAVA = """WARN starting
Exception in thread "main" java.lang.IllegalStateException: order is closed
\tat shop.Orders.refund(Orders.java:88)
\tat shop.Api.handle(Api.java:17)
Caused by: java.sql.SQLException: row locked
\tat shop.Db.update(Db.java:140)
\t... 2 more
"""
NODE = """Error [ERR_TIMEOUT]: no answer
    at Socket.<anonymous> (/app/net.js:12:20)
    at async Promise.all (index 0)
    at async /app/main.js:40:5
    at node:internal/timers:573:17
  [cause]: TypeError: x is undefined
    at f (/app/f.js:1:1)
"""


@pytest.mark.parametrize(
    ("value", "status", "cause"),
    [
        (
            {"error": {"type": "RateLimited", "code": "HTTP_429", "message": "6 a minute"}},
            "error",
            ("RateLimited", "HTTP_429", "6 a minute", "/error/message"),
        ),
        (
            {"errors": [{"message": "no field", "code": 7}, {"message": "second"}]},
            "",
            ("", "7", "no field", "/errors/0/message"),
        ),
        (
            {"error": "not_found", "message": "no such order"},
            "",
            ("not_found", "", "no such order", "/error"),
        ),
        (
            {"message": "no such order", "code": 404, "type": "NotFound"},
            "error",
            ("NotFound", "404", "no such order", "/message"),
        ),
        ({"message": "fine", "code": 200}, "success", None),
        ({"error": None, "rows": []}, "success", None),
        ("KeyError: 'order_id'", "error", ("KeyError", "", "'order_id'", "")),
        (
            "Error: UpstreamTimeout (LOG_STORE_TIMEOUT): no answer within 30 s",
            "error",
            ("UpstreamTimeout", "LOG_STORE_TIMEOUT", "no answer within 30 s", ""),
        ),
        ("HTTP 503: Service Unavailable", "error", ("", "HTTP 503", "Service Unavailable", "")),
        ("[Errno 2] No such file", "error", ("", "Errno 2", "No such file", "")),
        ("Error: division by zero", "error", ("", "", "division by zero", "")),
        ("the shop is closed", "error", ("", "", "the shop is closed", "")),
        ("the shop is closed", "success", None),
        ("", "error", None),
        (None, "error", None),
        (
            '{"error": {"code": "E1", "message": "in a text"}}',
            "error",
            ("", "E1", "in a text", ""),
        ),
        (
            [{"type": "text", "text": "ValueError: bad date"}],
            "error",
            ("ValueError", "", "bad date", "/0/text"),
        ),
        (
            {"content": [{"type": "text", "text": "no disk"}], "isError": True},
            "",
            ("", "", "no disk", "/content/0/text"),
        ),
        (CHAINED, "", ("shop.NotFound", "", "no order\n  second line\nexit 1", "")),
    ],
)
def test_the_cause_is_found_wherever_a_tool_puts_it(value: Json, status: str, cause):
    found = cause_of(value, status)
    assert (
        found if found is None else (found.type, found.code, found.message, found.pointer)
    ) == cause


def test_an_error_shows_its_cause_first():
    shape = shape_for({"error": {"type": "E", "message": "m"}, "request_id": "r1"}, "")
    assert isinstance(shape, Stack)
    notice = shape.parts[0]
    assert isinstance(notice, Notice)
    assert (notice.tone, notice.title, plain(notice.text)) == ("err", "E", "m")


def test_an_error_object_with_a_trace_shows_it_below_the_cause():
    shape = shape_for({"error": "boom", "traceback": CHAINED}, "")
    assert isinstance(shape, Stack)
    assert [part.kind for part in shape.parts] == ["notice", "traceback", "tree"]


def test_a_python_chain_starts_with_the_exception_that_surfaced():
    trace = shape_for(CHAINED, "traceback")
    assert isinstance(trace, Traceback)
    assert trace.language == "python"
    assert plain(trace.before) == "retrying"
    assert [(one.type, one.relation) for one in trace.raised] == [
        ("shop.NotFound", ""),
        ("KeyError", "caused by"),
    ]
    assert [
        (plain(frame.place), plain(frame.function), plain(frame.code))
        for frame in trace.raised[0].frames
    ] == [
        ("api.py:9", "<module>", "main()"),
        ("api.py:7", "main", 'raise NotFound("no order") from error'),
    ]


def test_a_java_chain_is_read_with_frames_innermost_last():
    trace = shape_for(JAVA, "traceback")
    assert isinstance(trace, Traceback)
    assert trace.language == "java"
    assert [(one.type, plain(one.message), one.relation) for one in trace.raised] == [
        ("java.lang.IllegalStateException", "order is closed", ""),
        ("java.sql.SQLException", "row locked", "caused by"),
    ]
    assert [plain(frame.function) for frame in trace.raised[0].frames] == [
        "shop.Api.handle",
        "shop.Orders.refund",
    ]


def test_a_node_error_keeps_its_code_and_its_cause():
    trace = shape_for(NODE, "traceback")
    assert isinstance(trace, Traceback)
    assert trace.language == "node"
    assert [(one.type, plain(one.message)) for one in trace.raised] == [
        ("Error [ERR_TIMEOUT]", "no answer"),
        ("TypeError", "x is undefined"),
    ]
    assert [plain(frame.place) for frame in trace.raised[0].frames] == [
        "node:internal/timers:573:17",
        "/app/main.js:40:5",
        "index 0",
        "/app/net.js:12:20",
    ]


def test_a_recursion_of_1000_frames_shows_the_innermost_30():
    frames = "".join(f'  File "a.py", line {i}, in f\n    f()\n' for i in range(1_000))
    trace = shape_for(f"Traceback (most recent call last):\n{frames}RecursionError: deep\n", "")
    assert isinstance(trace, Traceback)
    assert (len(trace.raised[0].frames), trace.raised[0].hidden_frames) == (30, 970)
    assert plain(trace.raised[0].frames[-1].place) == "a.py:999"


def plain(spans: Spans) -> str:
    return "".join(span.text for span in spans)
