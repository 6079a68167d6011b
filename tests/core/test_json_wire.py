"""The wire form: strict JSON for every value, from which special numbers can be told."""

from __future__ import annotations

import json
import math
from typing import NoReturn

import pytest
from hypothesis import given

from convviewer.core.json import Json, decode, encode, encode_strict, from_wire, to_wire
from tests.core.json_values import READABLE_VALUES, STORED_VALUES, nested


@given(value=STORED_VALUES)
def test_the_wire_form_of_any_value_is_strict_json(value: Json):
    text = encode_strict(value)

    assert _strictly(text.encode()) == to_wire(value)


@given(value=READABLE_VALUES)
def test_a_value_comes_back_from_the_wire_equal(value: Json):
    assert from_wire(decode(encode_strict(value))) == value
    assert from_wire(to_wire(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            [math.nan, math.inf, -math.inf, "NaN"],
            '[{"$number":"NaN"},{"$number":"Infinity"},{"$number":"-Infinity"},"NaN"]',
        ),
        ({"$number": "NaN"}, '{"$$number":"NaN"}'),
        ({"$$a": {"$": 1}, "a$": "$b"}, '{"$$$a":{"$$":1},"a$":"$b"}'),
        (["\ud800", "é😀", "\ud83d\ude00"], '["\ufffd","é😀","😀"]'),
        (["\x00\n"], '["\\u0000\\n"]'),
        (
            [123456789012345678901234567890, 9007199254740993, 0.1, 1e-7],
            "[123456789012345678901234567890,9007199254740993,0.1,1e-07]",
        ),
    ],
)
def test_special_values_have_their_own_form_on_the_wire(value: Json, text: str):
    assert encode_strict(value) == text


def test_keys_that_would_collide_on_the_wire_stay_apart():
    value = decode('{"\\ud800": 1, "\\udfff": 2, "\\ufffd": 3}')

    assert to_wire(value) == {"\ufffd": 1, "\ufffd\ufffd": 2, "\ufffd\ufffd\ufffd": 3}


def test_not_a_number_comes_back_from_the_wire():
    assert encode(from_wire({"a": [{"$number": "NaN"}]})) == '{"a":[NaN]}'


@pytest.mark.parametrize(
    "value",
    [{"$ref": "a"}, {"$number": 1}, {"$number": "nan"}, {"$number": "NaN", "a": 1}],
)
def test_a_dollar_key_that_is_not_of_the_wire_form_stays(value: Json):
    assert from_wire(value) == value


def test_rewriting_leaves_the_given_value_alone():
    value: Json = {"$a": [{"b": "\ud800"}]}

    to_wire(value)

    assert value == {"$a": [{"b": "\ud800"}]}


@pytest.mark.parametrize("inside", ['{"a":[1,"x"],"b":{}}', '{"$a":NaN}'])
def test_a_deep_value_goes_out_and_comes_back(inside: str):
    stored = nested(100_000, inside)

    assert encode(from_wire(decode(encode_strict(decode(stored))))) == stored


def _strictly(text: bytes) -> Json:
    value: Json = json.loads(text, parse_constant=_refuse)
    return value


def _refuse(word: str) -> NoReturn:
    raise AssertionError(f"{word} is not strict JSON")
