"""Which text of a message can be searched."""

from __future__ import annotations

import base64
import random

import pytest

from convviewer.analysis.searchable import (
    BLOCK_LIMIT,
    HEAD_BYTES,
    SearchableText,
    stored_values,
    texts_of,
)
from convviewer.core.json import Json, encode
from convviewer.core.thread import (
    Block,
    Citation,
    Citations,
    Error,
    Guard,
    JsonValue,
    Marker,
    Media,
    Message,
    Reasoning,
    Stored,
    Text,
    ToolResult,
    ToolUse,
    Unknown,
    ViewingContext,
)

NOISE = base64.b64encode(random.Random(5).randbytes(600)).decode()


def texts(*blocks: Block, heads: dict[str, bytes] | None = None) -> list[SearchableText]:
    message = Message(key="0", number=0, role="user", blocks=blocks, raw=b"{}")
    return list(texts_of(message, heads or {}))


def only_text(block: Block, heads: dict[str, bytes] | None = None) -> str:
    (found,) = texts(block, heads=heads)
    return found.text


def test_every_kind_of_block_says_what_kind_of_text_it_holds() -> None:
    found = texts(
        Text(text="words"),
        Reasoning(text="thought"),
        ToolUse(id="t", name="lookup", input={"id": "A-1"}),
        ToolResult(tool_use_id="t", payload="answer", payload_source="payload"),
        Citations(text="claim", citations=(Citation(title="Manual", source_text="page"),)),
        Guard(text="checked"),
        Error(message="went wrong", code="E7"),
        Marker(reduction="summarized", text="the summary"),
        Media(kind="document", name="plan.pdf"),
        Unknown(raw={"type": "novel"}),
    )
    assert [(item.block, item.place, item.text) for item in found] == [
        (0, "dialogue", "words"),
        (1, "dialogue", "thought"),
        (2, "tool_input", 'lookup\n{"id": "A-1"}'),
        (3, "tool_output", "answer"),
        (4, "dialogue", "claim\nManual  page"),
        (5, "dialogue", "checked"),
        (6, "dialogue", "E7 went wrong"),
        (7, "dialogue", "the summary"),
        (8, "dialogue", "plan.pdf"),
        (9, "dialogue", '{"type": "novel"}'),
    ]


def test_viewing_context_holds_no_text() -> None:
    context = ViewingContext(context={"dataset_ids": ["ds_1"]}, unreadable="<ctx>ds_2")
    assert texts(context, Text(text="hello")) == [
        SearchableText(block=1, place="dialogue", text="hello")
    ]


def test_json_counts_with_keys_and_values_as_people_read_them() -> None:
    value: Json = {
        "größe": [1, None, True, 'say "hi"\n\\ 中'],
        "deep": {"n": 12345678901234567890123},
    }
    assert only_text(ToolResult(tool_use_id="t", payload=value, payload_source="payload")) == (
        '{"größe": [1, null, true, "say "hi"\n\\ 中"], "deep": {"n": 12345678901234567890123}}'
    )


def test_all_parts_of_a_result_count_and_each_of_them_once() -> None:
    result = ToolResult(
        tool_use_id="t",
        payload={"a": 1},
        payload_source="content",
        parts=(JsonValue(value={"a": 1}),),
    )
    assert only_text(result) == '{"a": 1}'
    several = ToolResult(
        tool_use_id="t",
        payload_source="content",
        parts=(Text(text="one"), JsonValue(value=["two"]), Media(kind="image", name="three.png")),
    )
    assert only_text(several) == 'one\n["two"]\nthree.png'


@pytest.mark.parametrize(
    "value",
    [
        {"__bytes_encoded__": True, "data": NOISE},
        {"data": NOISE, "__bytes_encoded__": True},
        {"image_url": f"data:image/png;base64,{NOISE}"},
        {"image_url": f"data:text/html;charset=utf-8;base64,{NOISE[:40]}"},
        {"type": "base64", "data": NOISE},
        {"mail": "\r\n".join(NOISE[at : at + 76] for at in range(0, len(NOISE), 76))},
    ],
)
def test_encoded_bytes_do_not_count_but_what_stands_around_them_does(value: Json) -> None:
    found = only_text(Unknown(raw={"before": 1, "it": value, "after": 2}))
    assert NOISE[:30] not in found
    assert NOISE[80:110] not in found
    assert "__bytes_encoded__" not in found
    assert '"before": 1' in found
    assert '"after": 2' in found


def test_long_words_and_paths_are_no_encoded_bytes() -> None:
    path = "/srv/" + "data/robot-7/logs/" * 20 + "run.bag"
    letters = "abcdefghij" * 100
    assert only_text(Text(text=f"{path} {letters}")) == f"{path} {letters}"


def test_a_block_is_searched_up_to_a_limit_and_says_so() -> None:
    (found,) = texts(Text(text="x" * BLOCK_LIMIT + "end"))
    assert (len(found.text), found.clipped) == (BLOCK_LIMIT, True)
    (whole,) = texts(Text(text="x" * BLOCK_LIMIT))
    assert whole.clipped is False


def test_a_large_stored_value_is_searched_from_its_head() -> None:
    text = encode({"rows": [{"name": f"größe {n}"} for n in range(9_000)]})
    head = text.encode()[:HEAD_BYTES]
    stored = Stored(sha256="aa", of="json", size=len(text), length=1)
    block = ToolUse(id="t", name="dump", input=None, stored=stored)
    (found,) = texts(block, heads={"aa": head})
    assert '"name": "größe 17"' in found.text
    assert found.clipped
    message = Message(key="0", number=0, role="user", blocks=(block,), raw=b"")
    assert list(stored_values(message)) == [stored]


def test_a_head_may_end_anywhere_in_json_text() -> None:
    text = encode({'k"\\': 'a"\\b\u4e2d\U0001f600\\u', "n": [1.5, "\\\\"]})
    for end in range(1, len(text)):
        stored = Stored(sha256="aa", of="json", size=len(text), length=2)
        (found,) = texts(Unknown(raw=None, stored=stored), heads={"aa": text.encode()[:end]})
        assert found.clipped


def test_text_whose_blob_is_cut_inside_a_character_keeps_the_rest() -> None:
    data = "中文".encode()
    stored = Stored(sha256="aa", of="text", size=len(data), length=2)
    (found,) = texts(Text(text="中", stored=stored), heads={"aa": data[:4]})
    assert (found.text, found.clipped) == ("中", True)
