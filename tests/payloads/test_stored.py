"""Large payloads are read from their stored text, one slice at a time."""

from __future__ import annotations

import base64

import pytest

from convviewer.core.json import Json, encode
from convviewer.payloads import (
    Window,
    embedded_bytes,
    embedded_bytes_stored,
    shape_for,
    shape_for_stored,
)
from convviewer.payloads.shapes import Code, Image, Pairs, Shape, Spans, Stack, Table, Tree

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


@pytest.fixture(scope="module")
def rows() -> bytes:
    value: Json = [
        {"i": i, "name": f"file_{i:05d}.bag", "size": i * 1021 % 99991} for i in range(60_000)
    ]
    return encode(value).encode()


@pytest.fixture(scope="module")
def line() -> bytes:
    return encode("abcdefghij" * 2_000_000 + "NEEDLE-AT-END").encode()


def test_the_first_window_of_60000_rows_says_how_many_there_are(rows: bytes):
    table = shape_for_stored(rows, "table")
    assert isinstance(table, Table)
    assert cells(table)[0] == ["0", "file_00000.bag", "0"]
    assert (table.extent.total, table.extent.next) == (60_000, 20)


def test_the_last_row_of_60000_is_reached(rows: bytes):
    table = shape_for_stored(rows, "table", Window(after=59_900))
    assert isinstance(table, Table)
    assert len(table.rows) == 100
    assert table.rows[-1].number == 59_999
    assert cells(table)[-1] == ["59999", "file_59999.bag", str(59_999 * 1021 % 99991)]
    assert table.extent.next is None


def test_an_item_of_a_large_list_is_opened_by_its_pointer(rows: bytes):
    tree = shape_for_stored(rows, "tree", pointer="/59999")
    assert isinstance(tree, Tree)
    assert [plain(node.name) for node in tree.nodes] == ["i", "name", "size"]


def test_a_line_of_20_million_characters_starts_with_its_true_size(line: bytes):
    code = shape_for_stored(line, "text")
    assert isinstance(code, Code)
    assert (code.extent.shown, code.extent.total) == (8_192, 20_000_013)


def test_the_end_of_a_line_of_20_million_characters_is_reached(line: bytes):
    code = shape_for_stored(line, "text", Window(after=19_999_990))
    assert isinstance(code, Code)
    assert plain(code.spans).endswith("jNEEDLE-AT-END")
    assert code.extent.next is None


def test_the_raw_view_gives_the_stored_text_in_slices(line: bytes):
    code = shape_for_stored(line, "raw", Window(after=len(line) - 6))
    assert isinstance(code, Code)
    assert plain(code.spans) == 'T-END"'


def test_rows_in_a_wrapper_are_a_table_with_the_facts_above():
    value: Json = {"total": 60_000, "items": [{"id": i, "pad": "x" * 40} for i in range(60_000)]}
    data = encode(value).encode()
    shape = shape_for_stored(data, "table")
    assert isinstance(shape, Stack)
    facts, table = shape.parts
    assert isinstance(facts, Pairs)
    assert isinstance(table, Table)
    assert [(plain(row.name), plain(row.cell.spans)) for row in facts.rows] == [("total", "60000")]
    last = shape_for_stored(data, "table", Window(after=59_999))
    assert isinstance(last, Table)
    assert cells(last) == [["59999", "x" * 40]]


def test_rows_too_large_to_come_with_their_list_still_have_their_columns():
    value: Json = [{"id": i, "log": "y" * 30_000, "ok": True} for i in range(60)]
    table = shape_for_stored(encode(value).encode(), "table")
    assert isinstance(table, Table)
    assert [plain(column.name) for column in table.columns] == ["id", "log", "ok"]
    first = table.rows[0].cells
    assert (plain(first[0].spans), first[1].pointer) == ("0", "/0/log")
    assert table.extent.next == len(table.rows) < 60


def test_special_numbers_in_large_rows_are_read():
    value: Json = [{"i": i, "mean": float("nan"), "pad": "z" * 100} for i in range(20_000)]
    table = shape_for_stored(encode(value).encode(), "table", Window(after=19_999))
    assert isinstance(table, Table)
    assert [cell.kind for cell in table.rows[0].cells] == ["number", "special", "string"]


def test_a_list_without_objects_falls_back_to_a_tree():
    data = encode(list(range(300_000))).encode()
    tree = shape_for_stored(data, "table", Window(after=299_999))
    assert isinstance(tree, Tree)
    assert plain(tree.nodes[0].spans) == "299999"


def test_bytes_inside_a_payload_are_served_with_a_proven_type_only():
    svg = base64.b64encode(b"<svg onload='x'/>").decode()
    value: Json = [
        {"type": "text", "text": "before"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"},
        {"type": "input_image", "image_url": f"data:image/svg+xml;base64,{svg}"},
    ]
    data = encode(value).encode()
    assert embedded_bytes(value, "/1/image_url") == ("image/png", base64.b64decode(PIXEL))
    assert embedded_bytes_stored(data, "/1/image_url")[0] == "image/png"
    assert embedded_bytes_stored(data, "/2/image_url") == (
        "application/octet-stream",
        b"<svg onload='x'/>",
    )


def test_a_large_picture_in_a_content_list_is_still_drawn():
    value: Json = [
        {"type": "text", "text": "before"},
        {"type": "image", "data": PIXEL.rstrip("=") + "A" * 2_000_000, "mimeType": "image/png"},
        {"type": "text", "text": "after"},
    ]
    shape = shape_for_stored(encode(value).encode(), "image")
    assert isinstance(shape, Stack)
    assert [part.kind for part in shape.parts] == ["code", "image", "code"]
    image = shape.parts[1]
    assert isinstance(image, Image)
    assert (image.width, image.height, image.pointer) == (1, 1, "/1/data")


def test_small_stored_text_is_drawn_as_its_value_is():
    value: Json = [{"a": 1}, {"a": 2}]
    stored: Shape = shape_for_stored(encode(value).encode(), "table")
    assert stored == shape_for(value, "table")


def cells(table: Table) -> list[list[str]]:
    return [[plain(cell.spans) for cell in row.cells] for row in table.rows]


def plain(spans: Spans) -> str:
    return "".join(span.text for span in spans)
