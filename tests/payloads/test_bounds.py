"""Whatever a tool answers, every view draws it, and what it draws stays small."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TypeVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convviewer.core.json import encode
from convviewer.payloads import (
    INLINE,
    Window,
    all_payload_types,
    cause_of,
    classify,
    describe,
    input_summary,
    shape_for,
    shape_for_stored,
    views,
)
from convviewer.payloads.parts.stored import large_shape
from convviewer.payloads.shapes import Extent, Span

Found = TypeVar("Found")
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=300)
HOSTILE = st.sampled_from(
    [
        "Traceback (most recent call last):",
        'Traceback (most recent call last):\n  File "a", line 1',
        "\n\nTraceback (most recent call last):\n\n",
        "X: y\n    at f (a.js:1:2)\n    at",
        "    at f (a.js:1:2)",
        "panic: x\ngoroutine 1 [running]:\n",
        "@@ -1 +1 @@",
        "@@ -999999999,999999999 +1,0 @@\n-",
        "\x1b[31m\x1b[999m\x1b[38;5;300mx\x1b]8;;http://x\x1b\\\r",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:image/png;base64,%%%",
        "data:;base64,",
        "[1,",
        '{"a": [1, {"b": NaN}]}',
        "a,b\n1,2\n1",
        '"a","b\n',
        "\ud83d \ude00 \u202e \u200b \x00",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "# a\n**b** `c`",
    ]
)
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**200), max_value=2**200)
    | st.floats(allow_nan=True)
    | ANY_TEXT
    | HOSTILE
)
KEY = ANY_TEXT | st.sampled_from(
    [
        "error", "errors", "message", "code", "type", "text", "content", "items", "rows", "columns",
        "data", "image", "source", "bytes", "image_url", "url", "stdout", "exit_code", "isError",
        "resource", "uri", "json", "name", "traceback", "mimeType", "__bytes_encoded__",
    ]
)  # fmt: skip
JSON = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(KEY, inner, max_size=6)
        | st.lists(st.fixed_dictionaries({"id": st.integers(), "x": inner}), min_size=1, max_size=4)
    ),
    max_leaves=30,
)
PATIENT = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@given(value=JSON, status=st.sampled_from(["", "success", "error", "declined"]))
@PATIENT
def test_any_value_is_classified_summed_up_and_drawn_in_each_of_its_views(value, status):
    name = classify(value, status=status)
    for view in views(value, name):
        assert_bounded(shape_for(value, view.name, type_name=name), characters=60_000)
    describe(value).encode()
    assert len(input_summary(value)) <= 120
    input_summary(value).encode()
    cause_of(value, status)


@given(value=JSON)
@PATIENT
def test_a_type_draws_something_even_for_a_value_that_it_does_not_fit(value):
    for one in all_payload_types():
        for view in one.offers:
            assert_bounded(shape_for(value, view.name, type_name=one.name), characters=80_000)


@given(value=JSON, view=st.sampled_from(["", "table", "tree", "text", "terminal", "diff", "raw"]))
@PATIENT
def test_stored_text_is_drawn_in_slices_at_every_pointer(value, view):
    data = encode(value).encode()
    assert_bounded(large_shape(data, view, INLINE), characters=80_000)
    assert_bounded(shape_for_stored(data, view), characters=80_000)


@given(
    text=st.lists(HOSTILE | ANY_TEXT, min_size=1, max_size=5),
    times=st.sampled_from([1, 3, 2_000]),
)
@PATIENT
def test_a_text_is_read_to_its_end_window_by_window_and_no_character_is_lost(text, times):
    whole = "".join(text) * times
    after: int | None = 0
    seen = 0
    while after is not None:
        code = shape_for(whole, "text", Window(after=after, characters=20_000), type_name="text")
        assert_bounded(code, characters=80_000)
        if not hasattr(code, "extent"):
            return
        assert code.extent.start == seen
        seen = code.extent.end
        after = code.extent.next
    assert seen == len(whole) or not whole


def assert_bounded(shape: object, *, characters: int) -> None:
    """Each text node is at most 8,000 characters, all of them together have a limit."""
    spans = list(all_of(shape, Span))
    assert all(len(span.text) <= 8_000 for span in spans)
    assert sum(len(span.text) for span in spans) <= characters
    assert len(spans) <= 6_000
    for span in spans:
        span.text.encode()
    for extent in all_of(shape, Extent):
        assert 0 <= extent.shown <= extent.total
        assert extent.next is None or extent.start < extent.next < extent.total


def all_of(value: object, kind: type[Found]) -> list[Found]:
    pending: list[object] = [value]
    found: list[Found] = []
    while pending:
        one = pending.pop()
        if isinstance(one, kind):
            found.append(one)
        if isinstance(one, tuple):
            pending.extend(one)
        elif is_dataclass(one):
            pending.extend(getattr(one, field.name) for field in fields(one))
    return found
