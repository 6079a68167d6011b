"""Threads, their text and their originals without a place, over the API."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from convviewer.importing.importer import import_paths
from tests.api.calls import CASES, get, get_all, get_bytes, import_case, import_json
from tests.factories.records import import_compressed, import_records, record, with_calls

pytestmark = pytest.mark.django_db


def test_ids_are_told_by_any_of_their_spellings(client: Client) -> None:
    (case,) = CASES.glob("31-*")
    import_paths([case / "input"])

    found = {item["external_id"]: item["id"] for item in get(client, "/api/threads")["items"]}

    assert found.keys() == {"at_demo01", "at_old1", "at_older", "at_new", "at_s"}
    fork = get(client, f"/api/threads/{found['at_old1']}")["lineage"]
    assert fork == {"external_id": "at_src", "at": 4, "thread": ""}
    assert get(client, f"/api/threads/{found['at_new']}")["lineage"] is None


def test_filters_narrow_the_list(client: Client, tmp_path: Path) -> None:
    import_records(
        tmp_path / "a",
        with_calls(record("at_fails"), ("search", "error")),
        with_calls(record("at_works", created_from_agent_id="ag_1"), ("fetch", "success")),
    )
    import_compressed(tmp_path / "b", "at_short")

    def ids(query: str) -> set[str]:
        items = get(client, f"/api/threads?{query}")["items"]
        return {item["external_id"] for item in items}

    assert ids("") == {"at_fails", "at_works", "at_short"}
    assert ids("has_errors=true") == {"at_fails"}
    assert ids("tool=search&tool=fetch") == {"at_fails", "at_works"}
    assert ids("agent=ag_1") == {"at_works"}
    assert ids("compressed=true") == {"at_short"}
    assert ids("q=FAILS") == {"at_fails"}
    assert ids("since=2027-01-01") == set()
    assert ids("until=2026-11-01&format=roboto-thread") == {"at_fails", "at_works", "at_short"}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("sort=size", 422),
        ("has_errors=perhaps", 422),
        ("since=yesterday", 400),
        ("after=x", 400),
        ("limit=0", 422),
        ("q=%00", 422),
    ],
)
def test_a_bad_filter_is_named(client: Client, query: str, status: int) -> None:
    assert get(client, f"/api/threads?{query}", status)["detail"]


def test_pages_of_the_list_hold_each_thread_once(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, *(record(f"at_{n}") for n in range(7)))

    items = get_all(client, "/api/threads?sort=created", limit=2)

    assert sorted(item["external_id"] for item in items) == [f"at_{n}" for n in range(7)]


def test_a_graph_without_messages_shows_its_task_and_the_results_of_its_nodes(
    client: Client,
) -> None:
    thread = import_case("19")

    run = get(client, f"/api/threads/{thread}")["multi_agent"]

    assert (run["id"], run["kind"], run["status"]) == ("review", "graph", "completed")
    assert [node["id"] for node in run["nodes"]] == ["reader", "critic"]
    assert [node["result"][0]["text"] for node in run["nodes"]] == [
        "The plan has 2 pages.",
        "Page 2 lacks a date.",
    ]
    words, plan = run["task"]
    assert words["kind"] == "text"
    assert (plan["kind"], plan["name"], plan["size"]) == ("document", "plan", 13)
    assert b"base64" not in get_bytes(client, f"/api/threads/{thread}")
    assert get_bytes(client, plan["blob_url"]).startswith(b"%PDF")


def test_a_thread_lists_its_tiers_and_what_compression_saved(
    client: Client, tmp_path: Path
) -> None:
    import_compressed(tmp_path, "at_short")
    (row,) = get(client, "/api/threads")["items"]

    detail = get(client, f"/api/threads/{row['id']}")

    assert [(tier["name"], tier["kind"], tier["messages"]) for tier in detail["tiers"]] == [
        ("verbatim", "verbatim", 41),
        ("deleted", "variant", 41),
    ]
    assert detail["compressed"] is True
    assert detail["counters"]["messages"] == 41
    assert detail["counters"]["tokens_after"] < detail["counters"]["tokens"]
    assert detail["limits"] is None


def test_goals_and_tasks_are_those_of_the_record(client: Client, tmp_path: Path) -> None:
    goal = {"description": "Find it", "status": "achieved", "achieve_tool_use_id": "tu_0"}
    thread = import_json(tmp_path, record("at_goal", goals=[goal]))

    (found,) = get(client, f"/api/threads/{thread}")["goals"]

    assert (found["status"], found["achieved_by"]) == ("achieved", "tu_0")


def test_the_text_holds_the_words_of_the_speakers_and_no_viewing_context(client: Client) -> None:
    thread = import_case("33")

    text = get_bytes(client, f"/api/threads/{thread}/text").decode()

    assert text.split("\n\n") == [
        "user: Why does this drop?",
        "assistant: It dropped at 65 s.",
        'user: What does <ctx>{"a":1}</ctx> mean in the log?',
        "assistant: It marks the viewing context.",
        "user: And now?",
        "assistant: Fine.",
        "",
    ]


def test_the_text_of_a_tier_is_that_of_its_own_messages(client: Client) -> None:
    thread = import_case("35")

    text = get_bytes(client, f"/api/threads/{thread}/text?tier=compressed").decode()

    assert "3 outages, longest 12 min." in text
    assert "Searching." not in text
    assert get(client, f"/api/threads/{thread}/text?tier=x", 404)["detail"]


def test_a_long_text_is_whole_and_valid(client: Client, tmp_path: Path) -> None:
    words = "word " * 20_000 + "END \ud83d"
    thread = import_json(tmp_path, record("at_long", words))

    text = get_bytes(client, f"/api/threads/{thread}/text").decode()

    assert text == f"user: {'word ' * 20_000}END \ufffd\n\n"


def test_originals_without_a_place_are_listed_apart(client: Client) -> None:
    unplaced = get_all(client, f"/api/threads/{import_case('09')}/unplaced", limit=1)

    assert all(item["ref"] and item["block"]["kind"] for item in unplaced)
    assert get(client, f"/api/threads/{import_case('37')}/unplaced") == {
        "items": [],
        "next": None,
    }
    assert get(client, "/api/threads/none/unplaced", 404)["detail"]


@pytest.mark.parametrize("number", ["13", "15", "17", "25", "33", "35", "39", "43", "53", "55"])
def test_every_endpoint_of_a_thread_answers(client: Client, number: str) -> None:
    thread = import_case(number)

    for path in ("", "/usage", "/tool-calls", "/unplaced"):
        get(client, f"/api/threads/{thread}{path}")
    get(client, "/api/threads")
    get(client, "/api/tool-calls")
    get_bytes(client, f"/api/threads/{thread}/text").decode()
