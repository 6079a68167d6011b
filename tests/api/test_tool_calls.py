"""Tool calls over the API: pairing, filters, pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from tests.api.calls import get, get_all, import_case
from tests.factories.records import import_records, record, with_calls

pytestmark = pytest.mark.django_db


def test_results_without_a_call_are_labelled_so(client: Client) -> None:
    thread = import_case("13")

    calls = get(client, f"/api/threads/{thread}/tool-calls")["items"]

    assert [(c["tool_use_id"], c["name"], c["status"], c["pairing"], c["use"]) for c in calls] == [
        ("tooluse_gone0", "unknown", "success", "no_call", None),
        ("tooluse_gone1", "unknown", "error", "no_call", None),
    ]
    assert calls[1]["error"] == "timeout after 30 s"
    assert calls[1]["result"] == {"key": "3", "block": 0}


def test_calls_of_one_id_are_paired_in_order(client: Client) -> None:
    thread = import_case("15")

    calls = get(client, f"/api/threads/{thread}/tool-calls")["items"]

    assert [(call["use"], call["result"]) for call in calls] == [
        ({"key": "1", "block": 0}, {"key": "2", "block": 0}),
        ({"key": "1", "block": 1}, {"key": "2", "block": 1}),
        ({"key": "3", "block": 0}, {"key": "4", "block": 0}),
    ]
    assert all(call["pairing"] == "paired" for call in calls)
    assert all(call["labels"] == ["repeated_id"] for call in calls)
    assert [call["group"] for call in calls] == [1, 1, None]


def test_a_redacted_result_stays_paired(client: Client) -> None:
    (call,) = get(client, f"/api/threads/{import_case('21')}/tool-calls")["items"]

    assert (call["tool_use_id"], call["name"], call["pairing"]) == (
        "tooluse_pat",
        "lookup",
        "paired",
    )


def test_calls_of_a_thread_are_filtered_and_paged(client: Client, tmp_path: Path) -> None:
    calls = [("read", "error" if n % 3 == 0 else "success") for n in range(9)]
    import_records(tmp_path, with_calls(record("at_1"), *calls, ("write", "declined")))
    (row,) = get(client, "/api/threads")["items"]
    url = f"/api/threads/{row['id']}/tool-calls"

    assert len(get_all(client, url, limit=4)) == 10
    failed = get_all(client, f"{url}?status=error", limit=2)
    assert [call["tool_use_id"] for call in failed] == ["tu_0", "tu_3", "tu_6"]
    assert [c["status"] for c in get_all(client, f"{url}?tool=write", limit=2)] == ["declined"]
    assert get_all(client, f"{url}?tool=write&status=error", limit=2) == []
    assert len(get_all(client, f"{url}?status=error&status=declined", limit=3)) == 4
    assert "status" in get(client, f"{url}?status=broken", 422)["detail"]
    assert get(client, f"{url}?tier=none", 404)["detail"]


def test_calls_of_all_threads_come_once_each(client: Client, tmp_path: Path) -> None:
    made = [with_calls(record(f"at_{n}"), ("a", "error"), ("b", "success")) for n in range(5)]
    import_records(tmp_path, *made)

    calls = get_all(client, "/api/tool-calls", limit=3)
    failed = get_all(client, "/api/tool-calls?status=error&tool=a", limit=2)

    assert len({(call["thread"], call["tool_use_id"]) for call in calls}) == len(calls) == 10
    assert len({call["thread"] for call in failed}) == len(failed) == 5
    assert get(client, "/api/tool-calls?after=WyJjYWxscyIsMV0", 400)["detail"]
