"""Case 19: a graph or swarm without agents' messages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.test import Client

from tests.cases.seen import Seen, get_body, import_case, import_tree, input_of, see

pytestmark = pytest.mark.django_db


def test_19_the_graph_is_one_record_with_its_nodes_in_order(client: Client) -> None:
    done = import_case("19")
    graph = Seen(client=client, id=done.line["id"]).api()["multi_agent"]

    assert done.report["ignored"] == []
    assert done.warnings() == {}
    assert (graph["id"], graph["status"]) == ("review", "completed")
    assert [node["id"] for node in graph["nodes"]] == ["reader", "critic"]
    assert "empty" not in json.dumps(done.report)


def test_19_node_results_are_labelled_as_results(client: Client) -> None:
    thread = see(client, "19")

    nodes = thread.api()["multi_agent"]["nodes"]
    words = thread.main().words

    assert [node["result"][0]["text"] for node in nodes] == [
        "The plan has 2 pages.",
        "Page 2 lacks a date.",
    ]
    assert words.index("The plan has 2 pages.") < words.index("Page 2 lacks a date.")
    assert words.count("result, not a transcript") == 2
    assert "This tier holds no messages" not in words


def test_19_the_task_shows_its_document_and_no_base64(client: Client) -> None:
    thread = see(client, "19")

    task = thread.api()["multi_agent"]["task"]
    page = thread.page()

    assert [block["kind"] for block in task] == ["text", "document"]
    assert (task[1]["name"], task[1]["size"]) == ("plan", 13)
    assert len(get_body(client, task[1]["blob_url"])) == 13
    assert "Review this plan." in page.words
    assert "plan · document, pdf, 13 B" in page.words
    (file,) = input_of("19").rglob("multi_agent.json")
    stored = json.loads(file.read_text())
    encoded = next(
        block["document"]["source"]["bytes"]["data"]
        for block in stored["current_task"]
        if "document" in block
    )
    assert encoded not in page.content
    assert "__bytes_encoded__" not in page.content


@pytest.mark.parametrize("folder", ["agents", "agents/agent_x", "agents/agent_x/messages"])
def test_an_empty_folder_beside_the_graph_is_no_error(
    client: Client, tmp_path: Path, folder: str
) -> None:
    copy = tmp_path / "session_graph1"
    shutil.copytree(input_of("19") / "session_graph1", copy)
    (copy / folder).mkdir(parents=True, exist_ok=True)

    done = import_tree(copy)

    assert done.exit_code == 0
    assert done.warnings() == {}
    assert Seen(client=client, id=done.line["id"]).api()["multi_agent"]["id"] == "review"


@pytest.mark.parametrize("status", ["completed", "failed", "interrupted", "executing"])
def test_the_status_and_the_order_are_those_of_the_state(
    client: Client, tmp_path: Path, status: str
) -> None:
    copy = tmp_path / "session_graph1"
    shutil.copytree(input_of("19") / "session_graph1", copy)
    (file,) = copy.rglob("multi_agent.json")
    state = json.loads(file.read_text())
    state["status"] = status
    state["execution_order"] = ["critic", "reader"]
    file.write_text(json.dumps(state))

    graph = Seen(client=client, id=import_tree(copy).line["id"]).api()["multi_agent"]

    assert graph["status"] == status
    assert [node["id"] for node in graph["nodes"]] == ["critic", "reader"]
