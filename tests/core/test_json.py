"""Encoding, hashes and counts of decoded values."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.json import (
    Json,
    SpecialCounts,
    content_hash,
    count_special,
    decode,
    encode,
    replace_surrogates,
)
from tests.core.json_values import STORED_VALUES, STRICT_VALUES, nested


@given(value=STORED_VALUES)
def test_a_stored_value_comes_back_equal(value: Json):
    text = encode(value)

    assert text.isascii()
    assert decode(text) == value
    assert decode(text.encode()) == value


@given(value=STRICT_VALUES)
def test_a_strict_value_is_stored_as_compact_standard_json(value: Json):
    assert encode(value) == json.dumps(value, separators=(",", ":"))


def test_the_stored_dialect_writes_what_strict_json_cannot():
    value: Json = {"b": [math.nan, math.inf, -math.inf], "a": "\x00\ud800é"}

    assert encode(value) == '{"b":[NaN,Infinity,-Infinity],"a":"\\u0000\\ud800\\u00e9"}'


def test_a_deep_value_is_stored_with_keys_in_order():
    text = nested(100_000, '{"b":[1,"\\ud800"],"a":{},"c":[]}')

    assert encode(decode(text)) == text


def test_equal_values_have_one_hash_whatever_the_order_of_their_keys():
    assert content_hash({"a": 1, "b": [math.nan]}) == content_hash({"b": [math.nan], "a": 1})
    assert len(content_hash(None)) == 32


@pytest.mark.parametrize(
    "other", [{"a": "1"}, {"a": 1.0}, {"a": True}, {"a": [1]}, {"a": 1, "b": None}, {"A": 1}]
)
def test_different_values_have_different_hashes(other: Json):
    assert content_hash({"a": 1}) != content_hash(other)


def test_a_deep_value_is_hashed_like_a_flat_one():
    deep = content_hash(decode(nested(5_000, '{"a":1,"b":2}')))

    assert deep == content_hash(decode(nested(5_000, '{"b":2,"a":1}')))
    assert deep != content_hash(decode(nested(5_001, '{"a":1,"b":2}')))


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("plain", "plain"),
        ("é😀", "é😀"),
        ("\ud83d\ude00", "😀"),
        ("a\ud800", "a\ufffd"),
        ("\udc00\ud800b", "\ufffd\ufffdb"),
        ("\ud800\ud83d\ude00\udfff", "\ufffd😀\ufffd"),
    ],
)
def test_lone_surrogates_are_replaced_and_pairs_joined(text: str, valid: str):
    assert replace_surrogates(text) == valid


@given(text=st.text(st.sampled_from("aé😀\ud800\udbff\udc00\udfff")))
def test_replaced_text_is_valid_and_its_replacements_are_counted(text: str):
    valid = replace_surrogates(text)

    assert valid.encode().decode() == valid
    assert count_special(text).replaced_characters == valid.count("\ufffd")


@pytest.mark.parametrize(
    ("value", "counts"),
    [
        (None, SpecialCounts()),
        ("\ud800x\udc00", SpecialCounts(replaced_characters=2)),
        ([], SpecialCounts(depth=1)),
        ({"a": [math.nan, 1.5]}, SpecialCounts(special_numbers=1, depth=2)),
        (
            {"\ud800": [[math.inf], {"k": -math.inf, "l": "\udfff"}], "e": 1},
            SpecialCounts(replaced_characters=2, special_numbers=2, depth=3),
        ),
    ],
)
def test_special_values_are_counted(value: Json, counts: SpecialCounts):
    assert count_special(value) == counts


def test_bytes_that_are_not_utf8_are_counted_as_replaced():
    assert count_special(decode(b'["a\xff\xfe", "\xc3\xa9"]')).replaced_characters == 2


def test_depth_is_counted_at_any_depth():
    assert count_special(decode(nested(100_000, "{}"))).depth == 100_001
