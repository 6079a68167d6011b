"""Messages over the API, from real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.api.calls import CASES, get, get_all, get_bytes, import_case, import_json, messages
from tests.factories.records import import_records, record, with_words

pytestmark = pytest.mark.django_db


def texts(items: list[Any]) -> list[str]:
    """The text of each block that has one."""
    return [block["text"] for item in items for block in item["blocks"] if block["kind"] == "text"]


def test_a_message_has_every_field_of_the_interface(client: Client) -> None:
    thread = import_case("27")
    (file,) = CASES.glob("27-*/input/*/agents/*/messages/message_3.json")

    message = get(client, f"/api/threads/{thread}/tiers/verbatim/messages/3")

    assert message == {
        "key": "3",
        "number": 3,
        "tier": "verbatim",
        "position": 3,
        "role": "assistant",
        "status": "",
        "created_at": "2026-11-30T20:19:22.575784+00:00",
        "updated_at": "2026-11-30T20:19:22.575789+00:00",
        "tracking_id": json.loads(file.read_bytes())["message"]["tracking_id"],
        "redacted": False,
        "is_summary": False,
        "label": "",
        "author": "",
        "model": "",
        "stop_reason": "",
        "blocks": [{"kind": "text", "text": "Two.", "refusal": False, "truncated_bytes": 0}],
        "usage": {
            "input": 15,
            "output": 40,
            "total": 5055,
            "cache_read": 5000,
            "cache_write": 0,
            "prompt": 5015,
            "input_uncached": 15,
        },
        "metrics": {"latency_ms": 250, "time_to_first_byte_ms": None},
        "custom": None,
        "url": f"/threads/{thread}/messages/3/",
    }


def test_a_tier_without_compression_answers_to_the_name_of_the_compressed_one(
    client: Client,
) -> None:
    thread = import_case("37")

    assert messages(client, thread, "compressed") == messages(client, thread, "verbatim")


def test_a_variant_answers_to_its_own_name_and_to_compressed(client: Client) -> None:
    thread = import_case("35")

    compressed = messages(client, thread, "compressed")

    assert [item["tier"] for item in compressed] == ["deleted"] * 6
    assert compressed == messages(client, thread, "deleted")
    assert [[block["kind"] for block in item["blocks"]] for item in compressed] == [
        ["text"],
        ["deleted", "deleted"],
        ["filler"],
        ["text"],
        ["text"],
        ["text"],
    ]
    assert compressed[1]["url"] == f"/threads/{thread}/messages/1/?tier=deleted"
    assert len(messages(client, thread, "verbatim")) == 6


def test_an_internal_key_of_a_tool_input_is_named_and_kept(client: Client) -> None:
    thread = import_case("35")

    (use,) = get(client, f"/api/threads/{thread}/tiers/verbatim/messages/1")["blocks"][1:]

    assert use["internal_keys"] == ["_compression_intent"]
    assert use["input"] == {"q": "outage", "_compression_intent": "keep the hit count"}


@pytest.mark.parametrize("limit", [1, 5, 12, 200])
def test_pages_hold_each_message_once_in_the_order_of_the_record(
    client: Client, limit: int
) -> None:
    thread = import_case("37")

    items = get_all(client, f"/api/threads/{thread}/tiers/verbatim/messages", limit=limit)

    expected = [f"{word} {n}" for n in range(6) for word in ("Question", "Answer")]
    assert texts(items) == expected
    assert [item["position"] for item in items] == list(range(12))
    assert items[4]["created_at"] == "2026-03-01T08:59:59.999Z"


def test_stray_files_do_not_change_the_order(client: Client) -> None:
    thread = import_case("23")

    expected = [f"{word} {n}" for n in range(6) for word in ("Question", "Answer")]
    assert texts(messages(client, thread)) == expected


def test_a_limit_beyond_the_most_counts_as_the_most(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, with_words(record("at_long"), 300))
    (thread,) = (item["id"] for item in get(client, "/api/threads")["items"])
    url = f"/api/threads/{thread}/tiers/verbatim/messages"

    assert len(get(client, f"{url}?limit=100000")["items"]) == 200
    assert len(get_all(client, url, limit=200)) == 301


def test_special_numbers_leave_in_their_own_form(client: Client) -> None:
    thread = import_case("25")

    (result,) = get(client, f"/api/threads/{thread}/tiers/verbatim/messages/2")["blocks"]

    assert result["payload"] == {
        "mean": {"$number": "NaN"},
        "max": {"$number": "Infinity"},
        "min": {"$number": "-Infinity"},
        "label": "NaN",
        "n": 3,
    }
    assert (result["payload_source"], result["status"]) == ("content", "success")
    assert result["parts"] == [{"kind": "json", "value": result["payload"], "truncated_bytes": 0}]


def test_keys_that_start_with_a_dollar_sign_are_told_from_ours(
    client: Client, tmp_path: Path
) -> None:
    made = record("at_dollar")
    block = {"content_type": "tool_use", "tool_name": "t", "tool_use_id": "u"}
    made["messages"][0]["content"] = [{**block, "input": {"$number": "NaN", "$$": 1, "a$": 2}}]
    thread = import_json(tmp_path, made)

    (use,) = messages(client, thread)[0]["blocks"]

    assert use["input"] == {"$$number": "NaN", "$$$": 1, "a$": 2}


def test_integers_keep_their_digits(client: Client) -> None:
    thread = import_case("53")
    url = f"/api/threads/{thread}/tiers/verbatim/messages"

    use, result = get(client, url)["items"][1:3]

    assert use["blocks"][0]["input"] == {"id": 107505301260286111, "neg": -9223372036854775808}
    assert result["blocks"][0]["payload"] == {
        "id": 9007199254740993,
        "u64": 18446744073709551615,
        "big": 123456789012345678901234567890,
        "f": 0.1,
        "e": 1e-07,
        "as_text": "9007199254740993",
        "ns": [1764500000123456789],
    }


def test_halves_of_characters_are_replaced_and_whole_ones_kept(client: Client) -> None:
    thread = import_case("39")

    items = messages(client, thread)

    assert items[2]["blocks"][0]["payload"] == {
        "line": "cut emoji \ufffd end",
        "tail": "\ufffd raw byte",
        "good": "\U0001f600",
    }
    assert texts(items)[-1] == "A broken half \ufffd and a whole \U0001d54f."
    raw = get(client, f"/api/threads/{thread}/tiers/verbatim/messages/2/raw")
    assert raw["content"][0]["payload"]["good"] == "\U0001f600"


def test_entities_stay_as_they_were_stored(client: Client) -> None:
    thread = import_case("41")

    (result,) = messages(client, thread)[1]["blocks"]

    assert len(result["payload"]) == 54
    assert result["payload"].startswith("&lt;script&gt;")


def test_several_parts_keep_their_order_and_stand_for_no_single_payload(client: Client) -> None:
    thread = import_case("55")

    results = messages(client, thread)[2]["blocks"]

    a, b, c, d, e = results
    assert [part["kind"] for part in a["parts"]] == ["text", "json", "image", "text"]
    assert (a["payload"], a["payload_type"], a["status"]) == (None, None, "unknown")
    assert (b["payload"], b["payload_source"]) == ([1, 2, 3], "content")
    assert (c["payload"], c["status"], c["payload_type"]) == ("just a string", "error", "error")
    assert (d["payload"], d["payload_type"]) == ("bare string", "text")
    assert (e["payload"], e["payload_source"], e["payload_type"]) == (None, "none", "empty")
    assert texts(messages(client, thread))[-1] == "plain string content"


def test_media_leave_as_sizes_and_addresses_never_as_text(client: Client) -> None:
    thread = import_case("17")

    body = get_bytes(client, f"/api/threads/{thread}/tiers/verbatim/messages").decode()
    user, assistant = messages(client, thread)

    assert "iVBORw0KGgo" not in body
    assert "__bytes_encoded__" not in body
    _, image, document = user["blocks"]
    assert (image["kind"], image["format"], image["size"]) == ("image", "png", 70)
    assert (document["kind"], document["name"], document["size"]) == ("document", "plan", 16)
    assert image["blob_url"].startswith("/api/blobs/")
    assert assistant["blocks"][0] == {
        "kind": "reasoning",
        "text": "",
        "signature": "",
        "redacted_bytes": 8,
        "truncated_bytes": 0,
    }


def test_viewing_context_is_a_block_of_the_users_message(client: Client) -> None:
    thread = import_case("33")

    items = messages(client, thread)

    contexts = [
        (item["key"], block)
        for item in items
        for block in item["blocks"]
        if block["kind"] == "viewing_context"
    ]
    assert [key for key, _ in contexts] == ["0", "6"]
    readable = contexts[0][1]["context"]
    assert readable["dataset_ids"] == ["ds_CANARYCTX"]
    assert readable["visualizer_state"] == {"note": "a </ctx> inside a string"}
    assert contexts[1][1]["unreadable"] == "<ctx>{not json</ctx>"
    assert [item["key"] for item in items] == [str(n) for n in range(8)]


def test_a_redacted_message_gives_its_replacement_everywhere(client: Client) -> None:
    thread = import_case("21")
    urls = [
        "/api/threads",
        f"/api/threads/{thread}",
        f"/api/threads/{thread}/tiers/verbatim/messages",
        f"/api/threads/{thread}/tiers/verbatim/messages/2",
        f"/api/threads/{thread}/tiers/verbatim/messages/2/raw",
        f"/api/threads/{thread}/tiers/verbatim/messages/2/blocks/0/payload",
        f"/api/threads/{thread}/tool-calls",
        f"/api/threads/{thread}/text",
    ]

    assert all(b"CANARY-NAME" not in get_bytes(client, url) for url in urls)

    message = get(client, urls[3])
    (result,) = message["blocks"]
    assert message["redacted"] is True
    assert (result["payload"], result["payload_type"]) == ("[Tool result redacted.]", "text")
    assert get(client, urls[4])["message"]["content"][0]["toolResult"]["content"] == [
        {"text": "[Tool result redacted.]"}
    ]
    assert texts(messages(client, thread))[0] == "Look up the patient."


def test_the_original_json_is_byte_for_byte_that_of_the_file(client: Client) -> None:
    thread = import_case("27")
    (file,) = CASES.glob("27-*/input/*/agents/*/messages/message_3.json")

    raw = get_bytes(client, f"/api/threads/{thread}/tiers/verbatim/messages/3/raw")

    assert raw == file.read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e400, "b": 12345678901234567890123456789012345678901234567890}',
        '{"$number": "NaN", "NaN": "Infinity"}',
        '{"a":1, "a" : 2}',
        '"\\ud83d\\ude00"',
        "[" * 3000 + "]" * 3000,
    ],
)
def test_strict_json_of_any_kind_is_left_as_it_is(
    client: Client, tmp_path: Path, text: str
) -> None:
    use = '{"toolUse": {"toolUseId": "u", "name": "t",  "input": %s}}'
    message = '{"role": "assistant", "content": [%s]}' % (use % text)
    thread = import_json(tmp_path, f"[{message}]")

    raw = get_bytes(client, f"/api/threads/{thread}/tiers/verbatim/messages/0/raw")

    assert raw.decode() == message


@pytest.mark.parametrize("text", ["NaN", '"\\ud83d"', "[-Infinity]"])
def test_other_json_leaves_in_its_strict_form(client: Client, tmp_path: Path, text: str) -> None:
    use = '{"toolUse": {"toolUseId": "u", "name": "t", "input": %s}}'
    message = '{"role": "assistant", "content": [%s]}' % (use % text)
    thread = import_json(tmp_path, f"[{message}]")

    raw = get(client, f"/api/threads/{thread}/tiers/verbatim/messages/0/raw")

    expected = {
        "NaN": {"$number": "NaN"},
        '"\\ud83d"': "\ufffd",
        "[-Infinity]": [{"$number": "-Infinity"}],
    }
    assert raw["content"][0]["toolUse"]["input"] == expected[text]


def test_a_value_too_deep_for_common_parsers_opens_level_by_level(client: Client) -> None:
    thread = import_case("43")
    url = f"/api/threads/{thread}/tiers/verbatim/messages"

    items = messages(client, thread)
    (result,) = items[2]["blocks"]

    assert len(items) == 4
    assert result["payload"] is None
    assert result["truncated_bytes"] > 25_000
    pointer = "/x" + "/n" * 4_990
    below = get(client, f"{url}/2/blocks/0/payload?path={pointer}")
    assert (below["kind"], below["items"][0]["key"]) == ("object", "n")
    assert b"BOTTOM" in get_bytes(client, f"{url}/2/raw")


def test_what_is_not_there_is_named_with_what_there_is(client: Client) -> None:
    thread = import_case("35")
    tiers = f"/api/threads/{thread}/tiers"

    assert "GET /api/threads" in get(client, "/api/threads/x/tiers/v/messages", 404)["detail"]
    assert get(client, f"{tiers}/original/messages", 404)["detail"] == (
        f'Thread "{thread}" has no tier "original"; its tiers: verbatim, deleted'
    )
    assert get(client, f"{tiers}/deleted/messages/6", 404)["detail"] == (
        'Tier "deleted" has no message "6"; it holds 6 messages'
    )
    assert "6 messages" in get(client, f"{tiers}/deleted/messages/6/raw", 404)["detail"]


@pytest.mark.parametrize(
    ("query", "status", "named"),
    [
        ("limit=0", 422, "limit"),
        ("limit=-1", 422, "limit"),
        ("limit=ten", 422, "limit"),
        ("after=zz", 400, "after"),
        ("after=WyJhbGwtY2FsbHMiLDE0LDFd", 400, "after"),
        ("after=%F0%9F%98%80", 400, "after"),
        ("after=%00", 400, "after"),
    ],
)
def test_bad_parameters_are_refused_by_name(
    client: Client, query: str, status: int, named: str
) -> None:
    thread = import_case("37")

    answer = get(client, f"/api/threads/{thread}/tiers/verbatim/messages?{query}", status)

    assert named in answer["detail"]


@pytest.mark.parametrize("name", ["a%00b", "%F0%9F%98%80", "..", "%27", "x" * 3000])
def test_any_name_in_an_address_gives_an_answer(client: Client, name: str) -> None:
    thread = import_case("37")

    for url in (
        f"/api/threads/{name}",
        f"/api/threads/{thread}/tiers/{name}/messages",
        f"/api/threads/{thread}/tiers/verbatim/messages/{name}",
        f"/api/blobs/{name}",
        f"/api/imports/{name}",
    ):
        assert client.get(url).status_code in {404, 422}


def test_every_sample_can_be_read_whole(client: Client, tmp_path: Path) -> None:
    """Every block that is stored leaves, under a kind of the interface."""
    for case in sorted(CASES.glob("*/input")):
        number = case.parent.name.partition("-")[0]
        if number not in {"31", "35", "45"}:
            thread = import_case(number)
            detail = get(client, f"/api/threads/{thread}")
            read = messages(client, thread, detail["tiers"][0]["name"])
            assert len(read) == detail["counters"]["messages"]
            blocks = [block for item in read for block in item["blocks"]]
            assert len(blocks) == detail["counters"]["blocks"]
            assert {block["kind"] for block in blocks} <= KINDS
            json.dumps(read)


KINDS = {
    *("text", "reasoning", "tool_use", "tool_result", "image", "document", "audio", "video"),
    *("citations", "guard", "cache_point", "error", "deleted", "filler", "viewing_context"),
    *("marker", "unknown"),
}
