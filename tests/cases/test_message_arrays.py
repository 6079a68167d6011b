"""Cases of loose message arrays: orphan results, repeated ids, results of every shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.cases.build import assistant, tool_result, tool_use, user, write_array
from tests.cases.seen import Seen, get_page, import_case, import_tree, see

pytestmark = pytest.mark.django_db


def see_array(client: Client, folder: Path, *messages: dict[str, Any]) -> Seen:
    return Seen(client=client, id=import_tree(write_array(folder, *messages)).line["id"])


# -- 13: results without calls ---------------------------------------------------------------------


@pytest.mark.parametrize("tier", ["verbatim", "compressed"])
def test_13_all_five_messages_are_in_both_tiers(client: Client, tier: str) -> None:
    thread = see(client, "13")

    assert len(thread.messages(tier)) == 5
    assert len(thread.keys("" if tier == "verbatim" else tier)) == 5
    first = thread.messages(tier)[0]
    assert [block["kind"] for block in first["blocks"]] == ["tool_result", "text"]
    assert "And now the weather, please." in thread.shown("0").words


def test_13_results_without_a_call_are_labelled(client: Client) -> None:
    thread = see(client, "13")

    cards = [*thread.cards("0"), *thread.cards("3")]

    assert [card.one("span", css="result").words for card in cards] == ["success", "error"]
    assert [card.one("span", css="name").words for card in cards] == ["unknown", "unknown"]
    assert all("no matching call" in card.words for card in cards)
    assert "left over" in cards[0].words
    assert "timeout after 30 s" in cards[1].words
    assert [
        (call["tool_use_id"], call["name"], call["status"], call["pairing"], call["use"])
        for call in thread.calls()
    ] == [
        ("tooluse_gone0", "unknown", "success", "no_call", None),
        ("tooluse_gone1", "unknown", "error", "no_call", None),
    ]


def test_13_the_report_counts_the_orphans_by_id() -> None:
    done = import_case("13")

    assert done.warnings() == {"orphan_result": 2}
    said = " ".join(done.said("orphan_result"))
    assert "tooluse_gone0" in said
    assert "tooluse_gone1" in said
    assert done.report["totals"]["blocks"] == 6


def test_a_result_before_its_call_is_an_orphan_and_the_call_has_no_result(
    client: Client, tmp_path: Path
) -> None:
    done = import_tree(
        write_array(
            tmp_path,
            user(tool_result("t1", "early")),
            assistant(tool_use("t1", "read", n=1)),
            user("Well?"),
        )
    )
    thread = Seen(client=client, id=done.line["id"])

    assert done.warnings() == {"orphan_result": 1, "result_missing": 1}
    assert "no matching call" in thread.shown("0").words
    assert "no result" in thread.shown("1").words


@pytest.mark.parametrize("ids", [("a",), ("a", "b", "c"), ("a", "a")])
def test_orphans_of_any_number_stay_in_their_message(
    client: Client, tmp_path: Path, ids: tuple[str, ...]
) -> None:
    results = [tool_result(use_id, f"leftover {n}") for n, use_id in enumerate(ids)]
    done = import_tree(
        write_array(tmp_path, user("go"), assistant("on it"), user("before", *results, "after"))
    )
    thread = Seen(client=client, id=done.line["id"])

    shown = thread.shown("2").words

    assert done.warnings()["orphan_result"] == len(ids)
    assert shown.count("no matching call") == len(ids)
    parts = ["before", *(f"leftover {n}" for n in range(len(ids))), "after"]
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)


# -- 15: the tool's name as id ---------------------------------------------------------------------


def test_15_repeated_ids_are_paired_in_order(client: Client) -> None:
    thread = see(client, "15")

    cards = [*thread.cards("1"), *thread.cards("3")]

    assert [card.one("span", css="args").words for card in cards] == [
        'q="first"',
        'q="second"',
        'q="third"',
    ]
    for card, answer in zip(cards, ("first", "second", "third"), strict=True):
        assert card.one("div", css="view").words == f"result for {answer}"
    assert [call["pairing"] for call in thread.calls()] == ["paired"] * 3


def test_15_links_to_the_three_calls_differ(client: Client) -> None:
    thread = see(client, "15")

    cards = [*thread.cards("1"), *thread.cards("3")]
    places = [(call["use"]["key"], call["use"]["block"]) for call in thread.calls()]

    assert len({card.attributes["id"] for card in cards}) == 3
    assert places == [("1", 0), ("1", 1), ("3", 0)]
    links = [
        next(
            a.attributes["href"]
            for a in card.all("a")
            if "/payload/?" in a.attributes["href"] + "?"
        )
        for card in cards
    ]
    assert len(set(links)) == 3


def test_15_the_report_names_the_id_and_its_count() -> None:
    done = import_case("15")

    assert done.warnings() == {"repeated_tool_use_id": 3}
    (said,) = done.said("repeated_tool_use_id")
    assert '"search"' in said
    assert "3 times" in said


@pytest.mark.parametrize("per_turn", [1, 2, 5])
@pytest.mark.parametrize("turns", [2, 4])
def test_any_number_of_calls_under_one_id_find_their_results(
    client: Client, tmp_path: Path, per_turn: int, turns: int
) -> None:
    messages = [user("go")]
    for turn in range(turns):
        names = [f"{turn}-{n}" for n in range(per_turn)]
        messages.append(assistant(*(tool_use("same", "same", q=name) for name in names)))
        messages.append(user(*(tool_result("same", f"answer {name}") for name in names)))
    thread = see_array(client, tmp_path, *messages)

    calls = thread.calls()

    assert len(calls) == per_turn * turns
    for call in calls:
        use = thread.block(call["use"]["key"], call["use"]["block"])
        result = thread.block(call["result"]["key"], call["result"]["block"])
        assert result["payload"] == f"answer {use['input']['q']}"


def test_a_missing_result_under_a_repeated_id_shifts_no_later_pair(
    client: Client, tmp_path: Path
) -> None:
    thread = see_array(
        client,
        tmp_path,
        user("go"),
        assistant(tool_use("same", q="first")),
        user("never mind"),
        assistant(tool_use("same", q="second")),
        user(tool_result("same", "for second")),
    )

    first, second = thread.calls()

    assert (first["pairing"], second["pairing"]) == ("no_result", "paired")
    assert second["use"] == {"key": "3", "block": 0, **_rest(second["use"])}
    assert "for second" in thread.cards("3")[0].words


def _rest(place: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in place.items() if name not in {"key", "block"}}


# -- 55: results of every shape --------------------------------------------------------------------


def test_55_several_parts_are_shown_in_order(client: Client) -> None:
    thread = see(client, "55")

    card = thread.cards("1")[0]
    block = thread.block("2", 0)

    assert [part["kind"] for part in block["parts"]] == ["text", "json", "image", "text"]
    assert block["payload"] is None
    assert block["status"] == "unknown"
    places = [card.words.index(word) for word in ("part 1", "k 1", "png", "part 2")]
    assert places == sorted(places)
    assert card.one("span", css="result").words == "status not recorded"


def test_55_one_part_is_the_payload_whatever_its_shape(client: Client) -> None:
    thread = see(client, "55")

    _, listed, failed, bare, absent = thread.cards("1")

    assert thread.block("2", 1)["payload"] == [1, 2, 3]
    assert "3 items" in listed.words
    assert thread.block("2", 2)["payload"] == "just a string"
    assert failed.attributes["data-status"] == "error"
    assert "just a string" in failed.words
    assert thread.block("2", 3)["payload"] == "bare string"
    assert bare.one("div", css="view").words == "bare string"
    assert thread.block("2", 4)["payload_source"] == "none"
    assert "no content" in absent.words


def test_55_a_message_of_plain_text_is_one_text(client: Client) -> None:
    done = import_case("55")
    thread = Seen(client=client, id=done.line["id"])

    last = thread.messages()[3]

    assert [block["text"] for block in last["blocks"]] == ["plain string content"]
    assert thread.shown("3").one("div", css="body").words == "Assistant plain string content"
    assert done.warnings() == {"bad_block": 2}
    assert done.report["totals"]["blocks"] == 12


SHAPES: list[tuple[Any, Any, str]] = [
    ([{"json": {"a": {"b": [1, None]}}}], {"a": {"b": [1, None]}}, "content"),
    ([{"json": 0}], 0, "content"),
    ([{"json": False}], False, "content"),
    ([{"json": []}], [], "content"),
    ([{"json": ""}], "", "content"),
    ([{"text": ""}], "", "content"),
    ([{"text": "just text"}], "just text", "content"),
]


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("status", ["success", "error"])
def test_a_single_part_is_the_payload_even_when_it_is_empty(
    client: Client, tmp_path: Path, shape: int, status: str
) -> None:
    content, payload, source = SHAPES[shape]
    thread = see_array(
        client,
        tmp_path,
        user("go"),
        assistant(tool_use("t1")),
        user({"toolResult": {"toolUseId": "t1", "status": status, "content": content}}),
    )

    block = thread.block("2")

    assert block["payload"] == payload
    assert block["payload_source"] == source
    assert block["status"] == status
    assert thread.cards("1")[0].attributes["data-status"] == status


@pytest.mark.parametrize(
    "content", [None, {"text": "an object"}, 7, ["a", "b"], [[]], [None], [{"text": 5}], [{}]]
)
def test_content_of_another_shape_is_kept_and_shown(
    client: Client, tmp_path: Path, content: Any
) -> None:
    thread = see_array(
        client,
        tmp_path,
        user("go"),
        assistant(tool_use("t1")),
        user({"toolResult": {"toolUseId": "t1", "status": "success", "content": content}}),
        {"role": "assistant", "content": content},
        assistant("end"),
    )

    assert len(thread.messages()) == 5
    assert thread.said()[-1] == "end"
    raw = thread.api("/tiers/verbatim/messages/2/raw")
    assert raw["content"][0]["toolResult"]["content"] == content
    assert thread.api("/tiers/verbatim/messages/3/raw")["content"] == content
    get_page(client, thread.url)
