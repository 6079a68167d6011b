"""The start of a JSON text says what the whole is like."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.json import Json
from convviewer.queries.cut_json import start_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a": 1}, {"a": 2}, {"a"', [{"a": 1}, {"a": 2}]),
        ('[{"a": 1}, {"b', [{"a": 1}]),
        ('{"rows": [{"n": 1}, {"n": 2', {"rows": [{"n": 1}, {"n": 2}]}),
        ('["cut in the mid', ["cut in the mid"]),
        ('[1, "brackets ] } and \\" quo', [1, 'brackets ] } and " quo']),
        ('[1, "half an escape \\u12', [1]),
        ("[1, tr", [1]),
        ("", None),
        ('{"a', None),
    ],
)
def test_a_cut_text_is_closed_where_it_is_cut(text: str, expected: Json) -> None:
    assert start_of(text) == expected


@given(JSON)
def test_a_whole_text_is_read_as_it_is(value: Json) -> None:
    assert start_of(json.dumps(value)) == value


@given(JSON, st.integers(min_value=0))
def test_no_cut_is_an_error(value: Json, cut: int) -> None:
    text = json.dumps(value)

    start_of(text[: cut % (len(text) + 1)])
