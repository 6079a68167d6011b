from __future__ import annotations

import pytest

from convviewer.core.json import Json
from convviewer.payloads import (
    all_payload_types,
    classify,
    payload_type,
    shape_for,
    views,
    views_of_type,
)
from convviewer.payloads.base import RAW, Example, PayloadType

EXAMPLES = [
    pytest.param(one, example, id=f"{one.name}: {example.label}")
    for one in all_payload_types()
    for example in one.examples
]
PROMISED = {
    "text", "markdown", "json", "records", "pairs", "terminal", "traceback", "diff", "code",
    "image", "binary", "error", "empty",
}  # fmt: skip


def test_every_promised_payload_type_has_a_module_and_no_other():
    assert {one.name for one in all_payload_types()} == PROMISED


@pytest.mark.parametrize(("one", "example"), EXAMPLES)
def test_an_example_is_classified_and_drawn_as_its_type_says(one: PayloadType, example: Example):
    name = classify(example.value, status=example.status)
    assert name == one.name
    assert shape_for(example.value, "", type_name=name).kind == example.shape


@pytest.mark.parametrize("one", all_payload_types(), ids=lambda one: one.name)
def test_raw_is_the_last_view_of_every_type(one: PayloadType):
    assert views_of_type(one.name)[-1] == RAW
    assert views(one.examples[0].value, one.name)[-1] == RAW


def test_a_type_stored_by_a_version_that_knew_more_is_drawn_as_json():
    assert payload_type("hologram").name == "json"
    assert shape_for({"a": {"b": 1}}, "table", type_name="hologram").kind == "tree"


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ([{"id": 1}, {"id": 2}], ["table", "tree", "raw"]),
        ({"a": {"b": 1}}, ["tree", "raw"]),
        ("plain words", ["text", "raw"]),
        ('{"rows": [{"id": 1}]}', ["text", "tree", "table", "raw"]),
        ("[1, 2]", ["text", "tree", "raw"]),
        ("id;name\n1;a\n2;b", ["text", "table", "raw"]),
        ("", ["text", "raw"]),
    ],
)
def test_a_value_offers_the_views_that_suit_it_default_first(value: Json, names: list[str]):
    assert [view.name for view in views(value)] == names


@pytest.mark.parametrize(
    ("value", "status", "name"),
    [
        ({"error": None, "result": 3}, "", "pairs"),
        ({"error": "not_found", "message": "no such order"}, "success", "error"),
        ({"message": "ok", "code": 200}, "success", "pairs"),
        ({"message": "no", "code": 404}, "error", "error"),
        ("it failed", "error", "error"),
        ("it failed", "success", "text"),
        ("abcdefghij" * 200_000 + "NEEDLE-AT-END", "", "text"),
        ("a" * 5_000, "", "text"),
        ([1, 2, 3], "", "json"),
        ([{"a": 1}, 2], "", "json"),
        ([{"a": 1}, {"b": 1}, {"c": 1}], "", "json"),
        ({"stdout": "", "stderr": "x", "exit_code": 2}, "", "terminal"),
        ("one - two\n- three", "", "text"),
        (False, "", "json"),
    ],
)
def test_values_are_told_apart(value: Json, status: str, name: str):
    assert classify(value, status=status) == name
