"""Bounded reading: one level, one page of children, one slice of a string."""

from __future__ import annotations

import json
import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.json import (
    Child,
    Json,
    JsonError,
    Kind,
    Level,
    PointerError,
    decode,
    encode,
    format_pointer,
    level,
    resolve,
)
from tests.core.json_values import STORED_VALUES, nested

STORED = '{"rows": [{"id": 1, "name": "é"}, {"id": 2}, 3], "text": "abcdef", "n": 1e-7}'
# What only the tolerant decoder reads must be presented the same.
TOLERATED = STORED[:-1] + ', "special": NaN}'


@pytest.mark.parametrize("stored", [STORED, STORED.encode(), TOLERATED, TOLERATED.encode()])
def test_an_object_is_listed_member_by_member(stored: bytes | str):
    top = level(stored, "", limit=2)

    assert (top.kind, top.next, top.text) == ("object", 2, "")
    assert top.items == (
        Child(
            key="rows",
            kind="array",
            size=3,
            preview='[{"id": 1, "name": "é"}, {"id": 2}, 3]',
            value=[{"id": 1, "name": "é"}, {"id": 2}, 3],
        ),
        Child(key="text", kind="string", size=6, preview="abcdef", value="abcdef"),
    )


@pytest.mark.parametrize("stored", [STORED, TOLERATED])
def test_a_page_starts_where_the_one_before_ended(stored: str):
    first = level(stored, "/rows", limit=2)
    last = level(stored, "/rows", after=2, limit=2)

    assert (first.size, first.next, [child.key for child in first.items]) == (3, 2, [0, 1])
    assert last == Level(
        kind="array",
        size=3,
        items=(Child(key=2, kind="number", size=1, preview="3", value=3),),
        text="",
        next=None,
    )


@pytest.mark.parametrize("stored", [STORED, TOLERATED])
def test_a_string_is_sliced_by_characters(stored: str):
    assert level(stored, "/text", after=1, limit=3) == Level(
        kind="string", size=6, items=(), text="bcd", next=4
    )
    assert level(stored, "/text", after=4, limit=3).text == "ef"
    assert level(stored, "/text", after=4, limit=3).next is None


@pytest.mark.parametrize(
    ("literal", "kind"),
    [
        ("1e-7", "number"),
        ("0.10", "number"),
        ("123456789012345678901234567890", "number"),
        ("-1e999", "number"),
        ("true", "bool"),
        ("null", "null"),
    ],
)
def test_a_scalar_shows_its_literal_as_stored(literal: str, kind: Kind):
    found = level(f'{{"a": [ {literal} ]}}', "/a/0")

    assert (found.kind, found.text, found.size, found.next) == (kind, literal, len(literal), None)
    assert level(f" {literal}\n", "").text == literal


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_special_numbers_are_a_kind_of_their_own(word: str):
    child = level(f'{{"a": [{word}]}}', "/a").items[0]

    assert (child.kind, child.preview, child.size) == ("special", word, len(word))
    assert isinstance(child.value, float)
    assert not math.isfinite(child.value)
    assert level(word, "").kind == "special"


@given(value=STORED_VALUES, data=st.data())
def test_every_level_describes_the_value_that_is_there(value: Json, data: st.DataObject):
    stored = encode(value)
    pointer: tuple[str | int, ...] = ()
    here = value
    while isinstance(here, dict | list) and here:
        keys: list[str | int] = [*(here if isinstance(here, dict) else range(len(here)))]
        found = level(stored, format_pointer(pointer), limit=len(here))
        assert [child.key for child in found.items] == keys
        assert [child.value for child in found.items] == list(
            here.values() if isinstance(here, dict) else here
        )
        pointer += (data.draw(st.sampled_from(keys)),)
        here = resolve(value, pointer)
    assert level(stored, format_pointer(pointer)).items == ()


def test_a_large_array_is_not_decoded_for_a_page_of_it():
    rows = [
        {"id": i, "topic": "/imu/data", "stamp": 1_764_500_000_123_456_789} for i in range(60_000)
    ]
    stored = json.dumps({"rows": rows}).encode()

    last = level(stored, "/rows", after=59_999)

    assert last.items[0].value == rows[-1]
    assert _peak(lambda: level(stored, "/rows", after=59_999)) < _peak(lambda: decode(stored)) / 2


def test_a_huge_string_is_read_in_slices_and_previewed_short():
    stored = json.dumps({"line": "x" * 20_000_000 + "END"})

    child = level(stored, "").items[0]
    assert (child.size, child.value) == (20_000_003, None)
    assert child.preview == "x" * 199 + "…"
    assert level(stored, "/line", after=19_999_999, limit=10).text == "xEND"


@pytest.mark.parametrize("special", ["", ', "s": NaN'])
def test_children_that_are_not_small_come_without_their_value(special: str):
    large = json.dumps({"items": ["word"] * 1_000, "deep": [[[1]]]})[:-1] + special + "}"

    child = level(f"[{large}]", "").items[0]

    assert child.value is None
    assert child.preview.startswith('{"items": ["word", "word"')
    assert (len(child.preview), child.preview[-1]) == (200, "…")


def test_a_preview_only_hints_at_what_is_deep_inside():
    preview = level('[{"a": {"b": {"c": 1}, "d": [], "e": [1]}}]', "").items[0].preview

    assert preview == '{"a": {"b": {…}, "d": [], "e": […]}}'


@pytest.mark.parametrize("levels", [5_000, 100_000])
def test_deep_values_open_level_by_level(levels: int):
    stored = nested(levels, '"BOTTOM"')

    top = level(stored, "")
    assert (top.items[0].preview, top.items[0].value) == ("[[[…]]]", None)
    assert level(stored, "/0" * levels).text == "BOTTOM"


def test_text_is_valid_unicode_and_values_are_exact():
    stored = '{"a\\ud800": "x\\udfff\\ud83d\\ude00"}'

    child = level(stored, "").items[0]

    assert (child.key, child.preview, child.value) == ("a\ud800", "x\ufffd😀", "x\udfff😀")
    assert level(stored, "/a\ud800").text == "x\ufffd😀"
    assert level('{"a": "\ud800"}', "/a").text == "\ufffd"
    assert level(b'{"a": "\xff"}', "/a").text == "\ufffd"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_the_value(encoding: str):
    assert level("12".encode(encoding), "").text == "12"
    assert level('["é"]'.encode(encoding), "/0").text == "é"


@pytest.mark.parametrize("pointer", ["/rows/3", "/nope", "/rows/x", "/text/0", "/n/0"])
@pytest.mark.parametrize("stored", [STORED, TOLERATED])
def test_a_pointer_to_nothing_is_refused(stored: str, pointer: str):
    with pytest.raises(PointerError, match=f"there is nothing at '{pointer}'"):
        level(stored, pointer)


@pytest.mark.parametrize("stored", ["", "[1", "{]", "[1] 2", "nope", '{"a" 1}'])
def test_what_is_not_json_is_refused(stored: str):
    with pytest.raises(JsonError):
        level(stored, "")


def _peak(work) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
