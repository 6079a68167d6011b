"""Decoding: strict JSON exactly as the standard library, and all that sources write beside it."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.json import Json, JsonError, decode, encode
from convviewer.core.json_decode import _DeepReader
from tests.core.json_values import STRICT_VALUES, nested


@given(value=STRICT_VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_valid_json_means_what_the_standard_library_says(value: Json, *, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)

    assert decode(text) == json.loads(text) == value
    assert decode(text.encode()) == value


@given(value=STRICT_VALUES)
def test_the_deep_reader_agrees_with_the_fast_decoders(value: Json):
    text = json.dumps(value, indent=1)

    assert _DeepReader(text).read() == decode(text)


@given(text=st.text(alphabet='{}[]:,"\\u0d8n1-.eE tfNa\n', max_size=20))
def test_what_one_decoder_takes_or_refuses_the_other_does_too(text: str):
    assert _outcome(_DeepReader(text).read) == _outcome(lambda: decode(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"\xef\xbb\xbf[1]", [1]),
        ("\ufeff[1]", [1]),
        ('{"a": "é"}'.encode("utf-16"), {"a": "é"}),
        ('["a\x00b\nc\td"]', ["a\x00b\nc\td"]),
        ('["\\u0000"]', ["\x00"]),
        ('["\\ud800", "\\udc00x"]', ["\ud800", "\udc00x"]),
        ('["\ud800"]', ["\ud800"]),
        ('["\\ud83d\\ude00", "\\ud800"]', ["😀", "\ud800"]),
        (b'["a\xffb", "\xc3\xa9"]', ["a\udcffb", "é"]),
        ('{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}),
        ('{"a": 1, "b": NaN, "a": 3, "b": 2}', {"a": 3, "b": 2}),
    ],
)
def test_what_sources_write_beside_strict_json_is_read(text: bytes | str, value: Json):
    assert decode(text) == value


def test_of_duplicate_keys_the_last_wins_in_the_place_of_the_first():
    assert encode(decode('{"a":1,"b":2,"a":3}')) == '{"a":3,"b":2}'


def test_bare_words_are_the_three_special_numbers():
    not_a_number, infinite, negative = _as_list(decode("[NaN, Infinity, -Infinity]"))

    assert isinstance(not_a_number, float)
    assert math.isnan(not_a_number)
    assert (infinite, negative) == (math.inf, -math.inf)


@pytest.mark.parametrize(
    "digits",
    [
        "107505301260286111",
        "-9223372036854775808",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "123456789012345678901234567890",
        "-" + "9" * 4_300,
    ],
)
@pytest.mark.parametrize("beside", ["0", "NaN"])
def test_integers_keep_every_digit(digits: str, beside: str):
    number = _as_list(decode(f"[{digits}, {beside}]"))[0]

    assert isinstance(number, int)
    assert str(number) == digits


@pytest.mark.parametrize("beside", ["0", "NaN"])
def test_an_integer_too_long_for_python_stays_text_as_written(beside: str):
    digits = "-" + "7" * 4_301

    assert _as_list(decode(f"[{digits}, {beside}]"))[0] == digits


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("1e999", 10**999),
        ("-1.25E400", -125 * 10**398),
        ("1e99999", "1e99999"),
        ("-1e99999999999999999999999", "-1e99999999999999999999999"),
        ("0.1", 0.1),
        ("1e-7", 1e-7),
        ("1e-999", 0.0),
        ("1e5", 100_000.0),
    ],
)
@pytest.mark.parametrize("beside", ["0", "NaN"])
def test_a_number_never_turns_into_infinity(literal: str, value: Json, beside: str):
    number = _as_list(decode(f"[{literal}, {beside}]"))[0]

    assert number == value
    assert type(number) is type(value)


@pytest.mark.parametrize("levels", [990, 5_000, 100_000])
def test_depth_is_no_limit(levels: int):
    arrays = nested(levels, '{"a": ["BOTTOM", NaN, 12345678901234567890]}')

    assert encode(decode(arrays)) == arrays.replace(" ", "")


def test_a_long_line_with_a_lone_surrogate_is_read_whole():
    value = decode('["' + "x" * 20_000_000 + '\\ud800"]')

    assert value == ["x" * 20_000_000 + "\ud800"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a value, found the end of the text (line 1, column 1)"),
        ("nope", "expected a value, found 'nope' (line 1, column 1)"),
        ('{"a":\n [1 2]}', "expected a comma or a closing bracket, found '2]}' (line 2, column 5)"),
        ('{"a" 1}', "expected a colon after the member name, found '1}' (line 1, column 6)"),
        ("{1: 2}", "expected a member name in double quotes, found '1: 2}' (line 1, column 2)"),
        ("[1] [2]", "expected the end of the text, found '[2]' (line 1, column 5)"),
        ('["a', "expected a closing double quote for this string, found '\"a' (line 1, column 2)"),
        ("[01]", "expected a comma or a closing bracket, found '1]' (line 1, column 3)"),
        (
            '["\\x"]',
            "expected one of \" \\ / b f n r t u after a backslash, found '\\\\x\"]'"
            " (line 1, column 3)",
        ),
    ],
)
@pytest.mark.parametrize("read", [decode, lambda text: _DeepReader(text).read()])
def test_what_is_not_json_is_refused_with_place_and_expectation(text: str, message: str, read):
    with pytest.raises(JsonError) as refusal:
        read(text)

    assert str(refusal.value) == message


def test_a_fault_below_many_levels_is_refused_with_its_place():
    with pytest.raises(JsonError) as refusal:
        decode(nested(5_000, '{"a": 1, b}'))

    assert refusal.value.message.startswith("expected a member name in double quotes, found 'b}")
    assert (refusal.value.offset, refusal.value.line, refusal.value.column) == (5_009, 1, 5_010)


def test_the_place_of_a_fault_counts_characters_of_the_text():
    with pytest.raises(JsonError) as refusal:
        decode('["é",\n "é" x]'.encode())

    error = refusal.value
    assert (error.offset, error.line, error.column) == (11, 2, 6)


@pytest.mark.parametrize(
    "text", ["[1,]", '{"a":1,}', "[NaN,]", "{,}", "[", '{"a":', "-", "nan", "1."]
)
def test_near_json_is_refused(text: str):
    with pytest.raises(JsonError):
        decode(text)
    with pytest.raises(JsonError):
        _DeepReader(text).read()


def _as_list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


def _outcome(read) -> str:
    try:
        return encode(read())
    except JsonError:
        return "refused"
