from __future__ import annotations

import json
import math

import pytest

from convviewer.core.json import Json, PointerError, decode
from convviewer.payloads import Window, describe, input_summary, shape_for
from convviewer.payloads.shapes import (
    Cell,
    Code,
    Node,
    Pairs,
    Spans,
    Stack,
    Table,
    Tree,
)

NUMBERS = (
    '{"id":9007199254740993,"u64":18446744073709551615,"big":123456789012345678901234567890,'
    '"neg":-9223372036854775808,"f":0.1,"as_text":"9007199254740993"}'
)


def test_every_digit_of_a_number_is_shown_and_its_text_twin_stands_in_quotes():
    pairs = shape_for(decode(NUMBERS), "table")
    assert isinstance(pairs, Pairs)
    shown = {text(row.name): (row.cell.kind, text(row.cell.spans)) for row in pairs.rows}
    assert shown == {
        "id": ("number", "9007199254740993"),
        "u64": ("number", "18446744073709551615"),
        "big": ("number", "123456789012345678901234567890"),
        "neg": ("number", "-9223372036854775808"),
        "f": ("number", "0.1"),
        "as_text": ("string", '"9007199254740993"'),
    }


def test_a_small_number_is_not_shown_as_zero():
    pairs = shape_for({"e": 1e-7}, "table")
    assert isinstance(pairs, Pairs)
    assert text(pairs.rows[0].cell.spans) in {"1e-7", "1e-07"}


def test_special_numbers_differ_from_their_words():
    value: Json = [math.nan, math.inf, -math.inf, "NaN", "Infinity"]
    tree = shape_for(value, "tree")
    assert isinstance(tree, Tree)
    assert [(node.kind, text(node.spans)) for node in tree.nodes] == [
        ("special", "NaN"),
        ("special", "Infinity"),
        ("special", "-Infinity"),
        ("string", '"NaN"'),
        ("string", '"Infinity"'),
    ]


def test_kinds_of_nothing_differ_in_a_table():
    table = shape_for([{"a": "", "b": {}, "c": [], "d": None}, {"a": "null", "b": 0}], "table")
    assert isinstance(table, Table)
    assert [(cell.kind, text(cell.spans)) for cell in table.rows[0].cells] == [
        ("string", '""'),
        ("object", "{}"),
        ("array", "[]"),
        ("null", "null"),
    ]
    assert [text(cell.spans) for cell in table.rows[1].cells] == ['"null"', "0", "—", "—"]
    assert [cell.kind for cell in table.rows[1].cells[2:]] == ["absent", "absent"]


def test_a_column_is_numeric_when_each_of_its_values_is():
    table = shape_for([{"n": 1, "s": "1"}, {"n": None, "s": 2}], "table")
    assert isinstance(table, Table)
    assert [(text(column.name), column.numeric) for column in table.columns] == [
        ("n", True),
        ("s", False),
    ]


def test_columns_and_rows_of_lists_become_a_table():
    value: Json = {"columns": [{"name": "id"}, "note"], "rows": [[1, "a"], [2, "b"]], "took": 3}
    shape = shape_for(value, "table")
    assert isinstance(shape, Stack)
    facts, table = shape.parts
    assert isinstance(facts, Pairs)
    assert isinstance(table, Table)
    assert [text(row.name) for row in facts.rows] == ["took"]
    assert cells(table) == [["1", "a"], ["2", "b"]]


def test_the_second_page_of_wrapped_rows_is_the_table_alone():
    value: Json = {"total": 150, "items": [{"i": i} for i in range(150)]}
    table = shape_for(value, "table", Window(after=140))
    assert isinstance(table, Table)
    assert cells(table) == [[str(i)] for i in range(140, 150)]
    assert (table.extent.total, table.extent.next) == (150, None)


def test_a_nested_cell_leads_to_its_place_in_the_payload():
    value: Json = {"items": [{"tags": ["a"]}, {"tags": ["b", "c"]}]}
    table = shape_for(value, "table")
    assert isinstance(table, Table)
    assert table.rows[1].cells[0].pointer == "/items/1/tags"
    tree = shape_for(value, "table", pointer="/items/1/tags")
    assert isinstance(tree, Tree)
    assert [text(node.spans) for node in tree.nodes] == ["b", "c"]


def test_keys_with_slashes_are_reached_again():
    value: Json = {"a/b~c": {"long": "x" * 500}}
    tree = shape_for(value, "tree")
    assert isinstance(tree, Tree)
    assert tree.nodes[0].pointer == "/a~1b~0c"
    inner = shape_for(value, "tree", pointer=tree.nodes[0].pointer)
    assert isinstance(inner, Tree)
    assert inner.nodes[0].pointer == "/a~1b~0c/long"


def test_a_pointer_that_leads_nowhere_is_said_so():
    with pytest.raises(PointerError):
        shape_for({"a": 1}, "tree", pointer="/b")


def test_a_small_container_is_inlined_whole_and_a_large_one_is_fetched():
    value: Json = {"small": {"a": [1, {"b": 2}]}, "large": list(range(500))}
    tree = shape_for(value, "tree")
    assert isinstance(tree, Tree)
    small, large = tree.nodes
    assert [text(child.name) for child in small.children] == ["a"]
    assert small.pointer == ""
    assert (large.children, large.size, large.pointer) == ((), 500, "/large")


def test_a_payload_5000_deep_opens_collapsed_and_can_be_walked():
    value: Json = "BOTTOM"
    for _ in range(5_000):
        value = {"n": value}
    tree = shape_for(value, "tree")
    assert isinstance(tree, Tree)
    assert tree.nodes[0].children == ()
    bottom = shape_for(value, "tree", pointer="/n" * 4_999)
    assert isinstance(bottom, Tree)
    assert text(bottom.nodes[0].spans) == "BOTTOM"
    raw = shape_for(value, "raw", Window(characters=100_000))
    assert isinstance(raw, Code)
    assert "BOTTOM" in text(raw.spans)


def test_raw_is_json_that_reads_back_equal():
    value: Json = {"a": "\u202e\x00\U000e0041 &lt;", "n": 18446744073709551615, "x": [1, {}]}
    raw = shape_for(value, "raw")
    assert isinstance(raw, Code)
    assert json.loads(text(raw.spans)) == value


def test_json_in_a_string_is_seen_as_tree_and_table_on_demand():
    value = '{"rows": [{"id": 1}, {"id": 2}]}'
    table = shape_for(value, "table")
    assert isinstance(table, Table)
    assert cells(table) == [["1"], ["2"]]
    inside = shape_for(value, "tree", pointer="/rows/1")
    assert isinstance(inside, Pairs | Tree)


def test_comma_separated_values_keep_quoted_commas_and_leading_zeros():
    table = shape_for('id,name\n0398,"Klein, M"\n0405,Ito\n', "table")
    assert isinstance(table, Table)
    assert [text(column.name) for column in table.columns] == ["id", "name"]
    assert cells(table)[0] == ["0398", "Klein, M"]


def test_a_wide_table_says_how_many_columns_it_has():
    table = shape_for([{f"c{i}": i for i in range(90)}] * 2, "table")
    assert isinstance(table, Table)
    assert (len(table.columns), table.total_columns) == (40, 90)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([{"id": 1}] * 4, "4 rows · 37 B"),
        ("a\nb\n", "2 lines · 4 B"),
        ("", "empty"),
        (None, "empty"),
        ({"a": {"b": 1}}, "1 member · 13 B"),
        ([1, 2], "2 items · 5 B"),
        ([{"type": "text", "text": "x"}], "1 part · 28 B"),
        (12, "2 B"),
    ],
)
def test_a_payload_is_described_by_rows_and_size(value: Json, words: str):
    assert describe(value) == words


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"file_id": "fl_3q8w1z7d", "n": 3}, 'file_id="fl_3q8w1z7d", n=3'),
        ({"q": 'a "b"\nc', "on": True, "x": None}, r'q="a \"b\"\nc", on=true, x=null'),
        ({"name": "gpj\u202eexe"}, r'name="gpj\u202eexe"'),
        ({"list": [1, 2]}, "list=[1, 2]"),
        ({}, ""),
        (None, ""),
        ("bare", '"bare"'),
    ],
)
def test_an_input_is_summed_up_in_one_line(value: Json, line: str):
    assert input_summary(value) == line


def test_a_long_input_summary_is_cut():
    assert len(input_summary({f"key{i}": "v" * 50 for i in range(100)}, limit=120)) == 120


def cells(table: Table) -> list[list[str]]:
    return [[text(cell.spans) for cell in row.cells] for row in table.rows]


def text(spans: Spans | Cell | Node) -> str:
    assert isinstance(spans, tuple)
    return "".join(span.text for span in spans)
