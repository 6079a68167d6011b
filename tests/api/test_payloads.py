"""Large payloads, one level or slice at a time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from convviewer.importing.importer import import_paths
from tests.api.calls import CASES, get, get_bytes, import_case, import_json
from tests.factories.records import record

pytestmark = pytest.mark.django_db


def test_a_huge_payload_never_comes_whole_and_its_end_can_be_reached(
    client: Client, tmp_path: Path
) -> None:
    (case,) = CASES.glob("45-*")
    shutil.copy(case / "make_input.py", tmp_path)
    subprocess.run((sys.executable, tmp_path / "make_input.py"), check=True)
    (line,) = import_paths([tmp_path / "input"]).threads
    url = f"/api/threads/{line.id}/tiers/verbatim/messages"

    page = get_bytes(client, url)
    results = {m["key"]: m["blocks"][0] for m in get(client, url)["items"]}

    assert len(page) < 100_000
    text, rows = results["2"], results["4"]
    assert (text["truncated_bytes"], text["payload_type"]) == (20_000_013, "text")
    assert text["payload"] == ("abcdefghij" * 500)[: len(text["payload"])]
    assert (rows["payload"], rows["payload_type"]) == (None, "records")
    assert rows["truncated_bytes"] > 2_500_000

    end = get(client, f"{url}/2/blocks/0/payload?after=19999990&limit=100")
    assert (end["text"], end["size"], end["next"]) == (
        "abcdefghijNEEDLE-AT-END",
        20_000_013,
        None,
    )
    first = get(client, f"{url}/2/blocks/0/payload")
    assert (len(first["text"]), first["next"]) == (65_536, 65_536)

    last = get(client, f"{url}/4/blocks/0/payload?after=59999")
    assert (last["kind"], last["size"], last["next"]) == ("array", 60_000, None)
    assert last["items"][0]["key"] == 59_999
    assert last["items"][0]["value"]["name"] == "file_59999.bag"
    most = get(client, f"{url}/4/blocks/0/payload?limit=60000")
    assert (len(most["items"]), most["next"]) == (1_000, 1_000)
    member = get(client, f"{url}/4/blocks/0/payload?path=/59999/name")
    assert (member["kind"], member["text"]) == ("string", "file_59999.bag")


def test_a_data_url_is_no_text_and_comes_in_slices(client: Client) -> None:
    thread = import_case("51")
    url = f"/api/threads/{thread}/tiers/verbatim/messages/2"

    (result,) = get(client, url)["blocks"]

    assert (result["payload"], result["payload_type"]) == (None, "image")
    parts = get(client, f"{url}/blocks/0/payload")
    assert [child["kind"] for child in parts["items"]] == ["object"] * 4
    assert parts["items"][0]["value"] == {"type": "input_text", "text": "before"}
    whole = get(client, f"{url}/blocks/0/payload?path=/1/image_url&limit=1000000")
    assert whole["size"] == len(whole["text"]) > 80_000


def test_the_parts_of_a_result_are_opened_one_by_one(client: Client) -> None:
    thread = import_case("55")
    url = f"/api/threads/{thread}/tiers/verbatim/messages/2/blocks"

    assert get(client, f"{url}/0/payload?part=0")["text"] == "part 1"
    assert get(client, f"{url}/0/payload?part=1&path=/k")["text"] == "1"
    assert "4 parts" in get(client, f"{url}/0/payload", 404)["detail"]
    assert "Part 2" in get(client, f"{url}/0/payload?part=2", 404)["detail"]
    assert "Part 4" in get(client, f"{url}/0/payload?part=4", 404)["detail"]
    assert get(client, f"{url}/4/payload", 404)["detail"] == "Block 4 has no payload"
    assert "5 blocks" in get(client, f"{url}/5/payload", 404)["detail"]


def test_the_input_of_a_call_is_a_payload_too(client: Client) -> None:
    thread = import_case("53")
    url = f"/api/threads/{thread}/tiers/verbatim/messages/1/blocks/0/payload"

    members = get(client, url)["items"]

    assert {child["key"]: child["value"] for child in members} == {
        "id": 107505301260286111,
        "neg": -9223372036854775808,
    }
    assert get(client, f"{url}?path=/id")["text"] == "107505301260286111"


@pytest.mark.parametrize("path", ["/nothing", "/hits/0", "hits", "/rows/9", "/rows/-1", "/~2"])
def test_a_pointer_that_leads_nowhere_is_named(client: Client, path: str) -> None:
    thread = import_case("35")
    url = f"/api/threads/{thread}/tiers/verbatim/messages/2/blocks/0/payload"

    assert get(client, f"{url}?path={path}", 404)["detail"]


def test_special_numbers_and_keys_in_a_level_leave_in_their_own_form(
    client: Client, tmp_path: Path
) -> None:
    made = record("at_1")
    block = {"content_type": "tool_result", "tool_name": "t", "tool_use_id": "u"}
    payload = {"$a": float("nan"), "b": {"$c": [float("inf")]}}
    made["messages"][0]["content"] = [{**block, "status": "success", "payload": payload}]
    thread = import_json(tmp_path, made)

    level = get(client, f"/api/threads/{thread}/tiers/verbatim/messages/0/blocks/0/payload")

    special, nested = level["items"]
    assert (special["key"], special["kind"]) == ("$a", "special")
    assert special["value"] == {"$number": "NaN"}
    assert nested["value"] == {"$$c": [{"$number": "Infinity"}]}
