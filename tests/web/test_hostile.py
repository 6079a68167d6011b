"""Pages of threads that nobody meant to write, each from real bytes."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from convviewer.importing.importer import import_paths
from tests.web.pages import get_page
from tests.web.reading import html_of, import_roboto, import_strands, text

pytestmark = pytest.mark.django_db

HALF = "\ud800"


def import_graph(folder: Path, *content: dict[str, Any], task: Any = None) -> str:
    """Import a graph of one node, whose answer holds the blocks, and return its public id."""
    answer = {"role": "assistant", "content": list(content)}
    node = {"result": {"type": "agent_result", "message": answer}, "status": "completed"}
    graph = {"type": "graph", "id": "g", "node_results": {"n": node}, "current_task": task}
    session = folder / "session_g"
    (session / "multi_agents" / "multi_agent_g").mkdir(parents=True)
    (session / "session.json").write_text('{"session_id": "g", "session_type": "AGENT"}')
    state = session / "multi_agents" / "multi_agent_g" / "multi_agent.json"
    state.write_text(json.dumps(graph))
    (thread,) = import_paths([folder]).threads
    return thread.id


def test_a_role_that_is_no_unicode_text_is_imported_and_shown(
    client: Client, tmp_path: Path
) -> None:
    said = {"role": f"user{HALF}", "content": [{"text": "Good morning"}]}
    thread = import_strands(tmp_path, said, text("And more"))

    assert "Good morning" in get_page(client, f"/threads/{thread}/").text


def test_a_fork_of_an_id_that_is_no_unicode_text_is_shown(client: Client, tmp_path: Path) -> None:
    said = ("user", [{"text": "Good morning"}])
    thread = import_roboto(tmp_path, said, forked_from_thread_id=f"at_{HALF}\0")

    page = get_page(client, f"/threads/{thread}/")

    assert "Good morning" in page.text
    assert "forked from at_" in page.text


def test_a_duration_too_large_for_a_float_is_a_warning(client: Client, tmp_path: Path) -> None:
    result = {"content_type": "tool_result", "tool_use_id": "t", "payload": "done"}
    thread = import_roboto(tmp_path, ("roboto", [{**result, "runtime_ms": 10**400}]))

    assert "done" in html_of(client, f"/threads/{thread}/")
    assert "runtime_ms is not a number" in html_of(client, f"/threads/{thread}/")


def test_a_long_answer_of_a_node_is_cut_and_says_so(client: Client, tmp_path: Path) -> None:
    thread = import_graph(tmp_path, {"text": "word " * 8_000})

    assert "16,000 of 40,000 characters are shown" in get_page(client, f"/threads/{thread}/").text


def test_a_call_that_interrupted_a_node_is_shown(client: Client, tmp_path: Path) -> None:
    use = {"toolUse": {"toolUseId": "t", "name": "approve_refund", "input": {"order": 1187}}}
    thread = import_graph(tmp_path, use)

    page = get_page(client, f"/threads/{thread}/")

    assert "approve_refund" in page.text
    assert "1187" in page.text


def test_a_task_of_bytes_that_are_no_base64_is_shown_as_it_is(
    client: Client, tmp_path: Path
) -> None:
    task = [{"document": {"name": "plan", "source": {"bytes": {"data": "!!"}}}}, {"odd": 1}]
    thread = import_graph(tmp_path, {"text": "Read"}, task=task)

    assert "Unknown block" in get_page(client, f"/threads/{thread}/").text


def test_what_a_tree_folds_far_down_can_be_opened(client: Client, tmp_path: Path) -> None:
    payload: Any = "the very bottom"
    for _ in range(40):
        payload = {"down": payload}
    result = {"content_type": "tool_result", "tool_use_id": "t", "payload": payload}
    thread = import_roboto(tmp_path, ("roboto", [result]))
    url = f"/threads/{thread}/messages/0/blocks/0/payload/?view=tree"
    seen: set[str] = set()

    while "the very bottom" not in (html := html_of(client, url)):
        (address,) = {unescape(link) for link in re.findall(r'href="([^"]*path=[^"]*)"', html)}
        assert address not in seen
        seen.add(address)
        url = address


def test_a_message_of_thousands_of_calls_stays_within_what_a_page_may_hold(
    client: Client, tmp_path: Path
) -> None:
    uses = [
        {"toolUse": {"toolUseId": f"t{number}", "name": "look", "input": {"n": number}}}
        for number in range(3_000)
    ]
    thread = import_strands(tmp_path, text("go"), {"role": "assistant", "content": uses})

    page = get_page(client, f"/threads/{thread}/messages/1/")

    assert len(page.tags) <= 3_000
    assert "of 3000 shown" in page.text


def test_a_message_of_thousands_of_blocks_is_compared_by_its_first(
    client: Client, tmp_path: Path
) -> None:
    thread = import_strands(tmp_path, text("go"), text(*(f"word {n}" for n in range(5_000))))

    page = get_page(client, f"/threads/{thread}/compare/?left=verbatim&right=compressed&row=1")

    assert len(page.tags) <= 3_000
    assert "4,960 further blocks" in page.text


def test_a_stash_key_of_an_odd_form_does_not_give_redacted_text_away(
    client: Client, tmp_path: Path
) -> None:
    said = {"role": "user", "content": [{"text": "[redacted]"}], "tracking_id": "t0"}
    stash = {"location": "inline", "entries": {"t0_0_v2": {"text": "The code is ZEBRA"}}}
    snapshot = {
        "scope": "agent",
        "schema_version": "1.0",
        "created_at": "2026-11-01T09:00:00Z",
        "data": {"messages": [said], "stash": stash},
    }
    folder = tmp_path / "s" / "scopes" / "agent" / "a" / "snapshots"
    folder.mkdir(parents=True)
    (folder / "snapshot_latest.json").write_text(json.dumps(snapshot))
    (thread,) = import_paths([tmp_path]).threads

    assert "ZEBRA" not in html_of(client, f"/threads/{thread.id}/unplaced/")
    assert b"ZEBRA" not in client.get(f"/api/threads/{thread.id}/unplaced").content


def test_rows_in_front_of_one_that_is_not_there_are_the_last_rows(
    client: Client, tmp_path: Path
) -> None:
    thread = import_strands(tmp_path, *(text(f"word {number}") for number in range(10)))

    page = get_page(client, f"/threads/{thread}/compare/?before=99999999999")

    assert "10 unchanged" in page.text


def test_half_a_character_in_any_member_of_a_record_fails_no_page(
    client: Client, tmp_path: Path
) -> None:
    half = f"x{HALF}y"
    use = {"content_type": "tool_use", "tool_name": half, "tool_use_id": half, "input": {half: 1}}
    thread = import_roboto(
        tmp_path,
        ("user", [{"text": half}]),
        ("assistant", [use, {"content_type": "error", "error_message": half, "error_code": half}]),
        (half, [{"content_type": half, half: half}]),
        title=half,
        thread_id=half,
        status=half,
        created=half,
        created_by=half,
        model_profile=half,
        goals=[{"goal_id": half, "description": half, "status": half}],
        tasks=[{"task_id": half, "title": half, "status": half, "subtasks": [{"status": half}]}],
        forked_from_thread_id=half,
    )

    for url in ("/", f"/threads/{thread}/", f"/threads/{thread}/messages/1/"):
        assert "x\ufffdy" in html_of(client, url)


@pytest.mark.parametrize("dense", ["> ", "- ", "1. ", "a\r", "|a"])
def test_a_text_that_would_take_thousands_of_elements_is_shown_as_typed(
    client: Client, tmp_path: Path, dense: str
) -> None:
    table = "\n" + "|-" * 100 + "\n" if dense == "|a" else ""
    body = "\n".join([dense * 100] * 60) if table else dense * 5_000
    thread = import_strands(tmp_path, text(dense * 100 + table + body + "the end"))

    page = get_page(client, f"/threads/{thread}/")

    assert len(page.tags) <= 3_000
    assert "the end" in page.text
    assert len(page.html.encode()) <= 300_000
