"""Case 47: text inside payloads is found, told apart, and shown."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from tests.cases.build import record, roboto_result, roboto_use, write_record
from tests.cases.seen import Seen, get_page, import_tree, search, see

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("SN-88F1-KESTREL", ["2"]),
        ("ORCHID-7", ["1"]),
        ("serial", ["1", "2"]),
        ("gr\u00f6sse", ["2"]),
        ("Gr\u00f6\u00dfe", ["2"]),
        ("naive", ["2"]),
        ("na\u00efve", ["2"]),
        ("\u4e2d\u6587", ["2"]),
        ("ds_HIDDENCTX", []),
        ("Found one unit", ["3"]),
    ],
)
def test_47_a_word_of_a_payload_is_found_where_it_stands(
    client: Client, query: str, keys: list[str]
) -> None:
    thread = see(client, "47")

    assert sorted(hit["key"] for hit in thread.hits(query)) == keys


def test_47_hits_say_what_they_are_and_can_be_narrowed(client: Client) -> None:
    thread = see(client, "47")

    kinds = {hit["key"]: hit["in"] for hit in thread.hits("unit")}

    assert kinds["0"] == "dialogue"
    assert [hit["in"] for hit in thread.hits("SN-88F1-KESTREL")] == ["tool_output"]
    assert [hit["in"] for hit in thread.hits("ORCHID-7")] == ["tool_input"]
    assert [hit["key"] for hit in thread.hits("serial", "tool_input")] == ["1"]
    assert [hit["key"] for hit in thread.hits("serial", "tool_output")] == ["2"]
    assert thread.hits("serial", "dialogue") == []
    both = thread.hits("serial", "tool_input", "tool_output")
    assert sorted(hit["key"] for hit in both) == ["1", "2"]


@pytest.mark.parametrize("query", ["SN-88F1-KESTREL", "ORCHID-7"])
def test_47_a_hit_opens_at_its_payload(client: Client, query: str) -> None:
    thread = see(client, "47")
    (hit,) = thread.hits(query)

    page = get_page(client, hit["url"])
    (card,) = page.one("article", id="m-1").all("div", css="tool")
    address = urlsplit(hit["url"])

    assert address.path.startswith(thread.url)
    assert address.fragment == card.attributes["id"]
    assert parse_qs(address.query)["q"] == [query]
    assert query in card.words
    assert query in hit["snippet"]
    start, end = hit["matches"][0]
    assert hit["snippet"][start:end] == query


def test_47_the_search_page_names_the_kind_and_marks_the_match(client: Client) -> None:
    see(client, "47")
    search(client, "serial")

    page = get_page(client, "/search/?q=SN-88F1-KESTREL")

    assert "SN-88F1-KESTREL" in [node.content for node in page.all("mark")]
    assert "tool output" in page.words.lower()


@pytest.mark.parametrize("place", ["key", "value", "nested", "list", "name", "error"])
def test_a_word_anywhere_in_a_call_is_found(client: Client, tmp_path: Path, place: str) -> None:
    word = "ZQXWORD"
    payload = {
        "key": {word: 1},
        "value": {"a": word},
        "nested": {"a": [{"b": {"c": [0, word]}}]},
        "list": [1, 2, word],
        "name": "x",
        "error": f"failed: {word}",
    }[place]
    use = roboto_use("tu_1", word if place == "name" else "query")
    status = "error" if place == "error" else "success"
    value = record(
        "at_find",
        ("user", "go"),
        ("assistant", [use]),
        ("roboto", [roboto_result("tu_1", payload, use["tool_name"], status)]),
    )
    thread = Seen(client=client, id=import_tree(write_record(tmp_path, value)).line["id"])

    query = f"tool:{word}" if place == "name" else word
    hits = thread.hits(f"{query} query" if place == "never" else query)

    if place == "name":
        assert {hit["key"] for hit in hits} <= {"1", "2"}
    else:
        assert [(hit["key"], hit["in"]) for hit in hits] == [("2", "tool_output")]


@pytest.mark.parametrize(
    "context",
    [
        {"dataset_ids": ["HIDDENWORD"]},
        {"misc_context": {"note": "HIDDENWORD"}},
        {"HIDDENWORD": {"x": 1}},
    ],
)
def test_viewing_context_is_never_found(
    client: Client, tmp_path: Path, context: dict[str, object]
) -> None:
    block = {"content_type": "client_context", "context": context}
    value = record("at_hid", ("user", [{"text": "look here"}, block]), ("assistant", "ok"))
    import_tree(write_record(tmp_path, value))

    assert search(client, "HIDDENWORD") == []
    assert len(search(client, "look here")) == 1
    assert json.dumps(context)
