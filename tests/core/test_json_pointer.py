"""JSON pointers as of RFC 6901."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.json import (
    Json,
    Pointer,
    PointerError,
    decode,
    format_pointer,
    parse_pointer,
    resolve,
)
from tests.core.json_values import KEYS, nested

# The document of section 5 of the RFC.
DOCUMENT: Json = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_the_standard_resolve(pointer: str, value: Json):
    assert resolve(DOCUMENT, pointer) == value
    assert resolve(DOCUMENT, parse_pointer(pointer)) == value


@given(tokens=st.lists(KEYS | st.integers(min_value=0)).map(tuple))
def test_a_pointer_comes_back_from_its_text(tokens: Pointer):
    assert parse_pointer(format_pointer(tokens)) == tuple(map(str, tokens))


@pytest.mark.parametrize("text", ["foo", "foo/0", "/a~", "/a~2b"])
def test_a_malformed_pointer_is_refused(text: str):
    with pytest.raises(PointerError, match="JSON pointer"):
        parse_pointer(text)


@pytest.mark.parametrize(
    "pointer", ["/nope", "/foo/2", "/foo/-", "/foo/-1", "/foo/01", "/foo/٣", "/foo/0/x", "/foo/1e0"]
)
def test_a_pointer_to_nothing_is_refused_and_named(pointer: str):
    with pytest.raises(PointerError, match="there is nothing at"):
        resolve(DOCUMENT, pointer)


def test_a_pointer_may_be_as_deep_as_the_value():
    assert resolve(decode(nested(100_000, '"BOTTOM"')), "/0" * 100_000) == "BOTTOM"
