"""Cases of Roboto records: ids, legacy viewing context, compressed variants, order."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.cases.build import record, roboto_result, roboto_use, write_record
from tests.cases.seen import (
    FORMATS,
    Seen,
    get_body,
    import_case,
    import_tree,
    input_of,
    search,
    see,
)

pytestmark = pytest.mark.django_db

PROSE = ("markdown", "text", "html", "converse")


def see_record(client: Client, folder: Path, value: dict[str, Any]) -> Seen:
    return Seen(client=client, id=import_tree(write_record(folder, value)).line["id"])


# -- 31: three spellings of the id -----------------------------------------------------------------


def test_31_every_spelling_of_the_id_names_its_thread() -> None:
    done = import_case("31")

    ids = {line["external_id"]: line["action"] for line in done.report["threads"]}
    assert ids == dict.fromkeys(("at_demo01", "at_old1", "at_older", "at_new", "at_s"), "created")


def test_31_a_fork_names_its_source_and_message(client: Client) -> None:
    done = import_case("31")
    ids = {line["external_id"]: line["id"] for line in done.report["threads"]}
    thread = Seen(client=client, id=ids["at_old1"])

    lineage = thread.api()["lineage"]

    assert "forked from at_src at message 4" in thread.page().words
    assert (lineage["external_id"], lineage["at"]) == ("at_src", 4)


def test_31_ids_that_disagree_are_warned_of_once() -> None:
    done = import_case("31")

    assert done.warnings() == {"id_disagreement": 1}
    (said,) = done.said("id_disagreement")
    assert "chat_id at_c" in said
    assert "session_id at_s" in said
    (line,) = [line for line in done.report["threads"] if line["warnings"]]
    assert line["external_id"] == "at_s"


def test_31_importing_one_file_again_adds_no_thread(client: Client, tmp_path: Path) -> None:
    before = import_case("31")
    known = {line["external_id"]: line["id"] for line in before.report["threads"]}
    file = tmp_path / "all_three.json"
    shutil.copy(input_of("31") / "all_three.json", file)

    first = import_tree(file)
    record_now = json.loads(file.read_text())
    record_now["title"] = "Renamed"
    file.write_text(json.dumps(record_now))
    second = import_tree(file)

    assert first.line["id"] == second.line["id"] == known[first.line["external_id"]]
    assert (first.line["action"], second.line["action"]) == ("unchanged", "updated")
    assert len(client.get("/api/threads?limit=100").json()["items"]) == 5


@pytest.mark.parametrize(
    ("ids", "expected", "warned"),
    [
        ({"thread_id": "a", "session_id": "a", "chat_id": "a"}, "a", 0),
        ({"thread_id": "a", "session_id": "b"}, "a", 1),
        ({"thread_id": "a", "session_id": "b", "chat_id": "c"}, "a", 2),
        ({"thread_id": None, "session_id": "b", "chat_id": "b"}, "b", 0),
        ({"chat_id": "c"}, "c", 0),
        ({"thread_id": "", "chat_id": "c"}, "c", 0),
    ],
)
def test_the_first_spelling_of_the_id_wins_and_each_other_one_is_warned_of(
    tmp_path: Path, ids: dict[str, Any], expected: str, warned: int
) -> None:
    value = record("x", ("user", "hi"))
    del value["thread_id"]

    done = import_tree(write_record(tmp_path, {**value, **ids}))

    assert done.line["external_id"] == expected
    assert done.warnings().get("id_disagreement", 0) == warned


# -- 33: the legacy viewing context ----------------------------------------------------------------


def test_33_the_conversation_is_six_bubbles_without_the_context(client: Client) -> None:
    thread = see(client, "33")

    page = thread.page()

    assert thread.keys() == ["0", "2", "3", "4", "6", "7"]
    for text in (page.one("main").content, thread.api_text(), *map(thread.export, PROSE)):
        assert "ds_CANARYCTX" not in text
        assert "visualizer_state" not in text
        assert "not json" not in text
    assert search(client, "ds_CANARYCTX") == []
    assert search(client, "visualizer_state") == []
    assert search(client, "not json") == []


def test_33_the_context_is_whole_in_the_inspector_of_message_0(client: Client) -> None:
    thread = see(client, "33")

    inspector = thread.inspector("0")
    block = next(b for b in thread.messages()[0]["blocks"] if b["kind"] == "viewing_context")

    assert block["context"] == {
        "dataset_ids": ["ds_CANARYCTX"],
        "file_ids": [],
        "visualizer_state": {"note": "a </ctx> inside a string"},
    }
    assert "ds_CANARYCTX" in inspector.words
    assert "a </ctx> inside a string" in inspector.words
    assert "Viewing context · 1 dataset" in thread.shown("0").words


def test_33_a_user_who_types_the_marker_said_it(client: Client) -> None:
    thread = see(client, "33")

    text = 'What does <ctx>{"a":1}</ctx> mean in the log?'

    assert thread.said()[3] == text
    assert text in thread.shown("3").content
    assert text in thread.export("text")


def test_33_a_broken_marker_is_unreadable_context(client: Client) -> None:
    done = import_case("33")
    thread = Seen(client=client, id=done.line["id"])

    assert done.warnings() == {"unreadable_context": 1}
    block = next(b for b in thread.messages()[6]["blocks"] if b["kind"] == "viewing_context")
    assert block["unreadable"] == "<ctx>{not json</ctx>"
    assert block["context"] is None
    inspector = thread.inspector("6").words
    assert "Unreadable viewing context" in inspector
    assert "<ctx>{not json</ctx>" in inspector


def test_33_links_use_the_numbers_of_the_record(client: Client) -> None:
    thread = see(client, "33")

    messages = thread.messages()

    assert [message["key"] for message in messages] == [str(n) for n in range(8)]
    assert messages[7]["url"] == f"{thread.url}messages/7/"
    assert "Fine." in thread.shown("7").words
    assert "It dropped at 65 s." in thread.shown("2").words


CONTEXTS = [
    {"file_ids": ["fl_CANARY"], "misc_context": {"deep": [{"x": "</ctx></ctx>"}]}},
    {"session_ids": ["CANARY"], "table_state": "<ctx>{}</ctx>"},
    {"device_ids": [], "display_time_anchor_ns": 1764500000123456789, "new_key": "CANARY"},
]


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("after_user", [True, False])
def test_a_legacy_context_belongs_to_the_user_message_beside_it(
    client: Client, tmp_path: Path, context: dict[str, Any], after_user: bool
) -> None:
    marker = ("roboto", f"<ctx>{json.dumps(context)}</ctx>")
    pair = [("user", "And this?"), marker] if after_user else [marker, ("user", "And this?")]
    value = record("at_ctx", ("user", "Hi."), ("assistant", "Hello."), *pair, ("assistant", "Ok."))
    thread = see_record(client, tmp_path, value)

    owner = "2" if after_user else "3"
    (block,) = [
        b
        for m in thread.messages()
        if m["key"] == owner
        for b in m["blocks"]
        if b["kind"] == "viewing_context"
    ]
    assert block["context"] == context
    assert "CANARY" not in thread.main().content
    assert all("CANARY" not in thread.export(form) for form in PROSE)
    assert search(client, "CANARY") == []


@pytest.mark.parametrize(
    "text",
    [
        "<ctx>{not json</ctx>",
        "<ctx></ctx>",
        "<ctx>[1]</ctx>",
        '<ctx>"SECRETWORD"</ctx>',
        "<ctx>{'dataset_ids': ['SECRETWORD']}</ctx>",
        '<ctx>{"a": 1} trailing SECRETWORD</ctx>',
    ],
)
def test_a_marker_that_cannot_be_read_is_hidden_and_kept(
    client: Client, tmp_path: Path, text: str
) -> None:
    value = record("at_bad", ("user", "Hi."), ("roboto", text), ("assistant", "Ok."))

    done = import_tree(write_record(tmp_path, value))
    thread = Seen(client=client, id=done.line["id"])

    assert done.warnings() == {"unreadable_context": 1}
    assert thread.keys() == ["0", "2"]
    assert "SECRETWORD" not in thread.main().content
    assert search(client, "SECRETWORD") == []
    assert text in thread.inspector("0").content


@pytest.mark.parametrize("form", PROSE)
def test_a_viewing_context_block_is_in_no_prose_export_and_in_the_bundle(
    client: Client, tmp_path: Path, form: str
) -> None:
    context = {"content_type": "client_context", "context": {"dataset_ids": ["ds_CANARY"]}}
    value = record("at_new", ("user", [{"text": "Look."}, context]), ("assistant", "Yes."))
    thread = see_record(client, tmp_path, value)

    assert "ds_CANARY" not in thread.export(form)
    assert "ds_CANARY" in thread.export("bundle")
    assert "ds_CANARY" not in thread.main().content
    assert "ds_CANARY" in thread.inspector("0").content


# -- 35: compressed variants -----------------------------------------------------------------------


@pytest.mark.parametrize("order", [("original", "compressed"), ("compressed", "original")])
def test_35_both_files_are_tiers_of_one_thread_in_either_order(
    client: Client, order: tuple[str, str]
) -> None:
    ids = []
    for name in order:
        done = import_tree(input_of("35") / f"{name}.json")
        ids.append(done.line["id"])
        if order[0] == "compressed" and name == "compressed":
            alone = Seen(client=client, id=done.line["id"]).page().words
            assert "compressed variant only" in alone.lower()
    thread = Seen(client=client, id=ids[-1])

    assert len(client.get("/api/threads").json()["items"]) == 1
    tiers = {tier["name"]: tier["messages"] for tier in thread.api()["tiers"]}
    assert tiers == {"verbatim": 6, "deleted": 6}
    assert "compressed variant only" not in thread.page().words.lower()
    assert thread.said()[3] == "Three outages; the longest was 12 min."
    assert thread.said("compressed")[3] == "3 outages, longest 12 min."
    rows = thread.api("/compare/verbatim/compressed")["items"]
    assert [(row["left"], row["right"]) for row in rows] == [([n], [n]) for n in range(6)]
    assert [row["outcome"] for row in rows] == [
        "kept",
        "tombstone",
        "filler",
        "rewritten",
        "kept",
        "kept",
    ]


def test_35_both_files_of_a_folder_are_one_thread(client: Client) -> None:
    done = import_case("35")

    assert len(set(done.ids)) == 1
    assert len(client.get("/api/threads").json()["items"]) == 1


def test_35_tombstones_and_fillers_are_markers(client: Client) -> None:
    thread = Seen(client=client, id=import_case("35").ids[0])

    deleted, filler = (thread.shown(key, "compressed") for key in ("1", "2"))
    messages = thread.messages("compressed")

    assert "2 blocks deleted" in deleted.words
    assert "content shortened away" in filler.words.lower()
    for article in (deleted, filler):
        assert article.all("div", css="tombstone")
        assert "data-error" not in article.attributes
    assert [b["kind"] for b in messages[1]["blocks"]] == ["deleted", "deleted"]
    assert [b["kind"] for b in messages[2]["blocks"]] == ["filler"]


def test_35_the_internal_input_field_is_marked_and_exported(client: Client) -> None:
    thread = Seen(client=client, id=import_case("35").ids[0])

    block = thread.block("1", 1)
    (card,) = thread.cards("1")

    assert block["internal_keys"] == ["_compression_intent"]
    assert "Internal to the agent system: _compression_intent" in card.words
    for form in FORMATS:
        assert "keep the hit count" in thread.export(form, "verbatim"), form


@pytest.mark.parametrize("deleted", [1, 3, 7])
def test_any_number_of_tombstones_is_told(client: Client, tmp_path: Path, deleted: int) -> None:
    stones: list[dict[str, Any]] = [{"content_type": "deleted"}] * deleted
    value = record(
        "at_var",
        ("user", "Go."),
        ("assistant", [*stones, {"text": "Rest."}]),
        ("roboto", [{"content_type": "compression_filler"}]),
    )
    thread = see_record(client, tmp_path, value)

    words = thread.shown("1").words

    assert ("1 block deleted" if deleted == 1 else f"{deleted} blocks deleted") in words
    assert "Rest." in words
    assert [tier["name"] for tier in thread.api()["tiers"]] == ["deleted"]
    assert thread.api("/tiers/verbatim/messages", 404)
    assert len(thread.messages("compressed")) == 3


def test_an_empty_block_is_unknown_and_not_a_tombstone(client: Client, tmp_path: Path) -> None:
    value = record("at_empty", ("user", [{}, {"content_type": "newer", "text": "x"}]))
    thread = see_record(client, tmp_path, value)

    assert [block["kind"] for block in thread.messages()[0]["blocks"]] == ["unknown", "unknown"]
    assert [tier["name"] for tier in thread.api()["tiers"]] == ["verbatim"]


# -- 37: equal times -------------------------------------------------------------------------------

TURNS = [f"{what} {n}" for n in range(6) for what in ("Question", "Answer")]


def test_37_the_order_is_that_of_the_record_everywhere(client: Client) -> None:
    thread = see(client, "37")

    for _ in range(10):
        articles = thread.main().all("article")
        assert [node.one("div", css="body").words.split(" ", 1)[1] for node in articles] == TURNS
        assert thread.said() == TURNS
    for form in FORMATS:
        text = thread.export(form)
        places = [text.index(turn) for turn in TURNS]
        assert places == sorted(places), form


@pytest.mark.parametrize("limit", [1, 5, 11, 12])
def test_37_paging_shows_each_message_once(client: Client, limit: int) -> None:
    thread = see(client, "37")

    keys = [message["key"] for message in thread.messages(limit=limit)]

    assert keys == [str(n) for n in range(12)]


def test_37_an_earlier_time_is_shown_unchanged(client: Client) -> None:
    thread = see(client, "37")
    stored = json.loads((input_of("37") / "thread.json").read_text())

    times = [message["created_at"] for message in thread.messages()]

    assert times == [message["created"] for message in stored["messages"]]
    assert times[4] < times[3]
    (shown, before) = (thread.shown(key).one("time") for key in ("4", "3"))
    assert shown.words == "08:59:59"
    assert before.words == "09:00:00"


@pytest.mark.parametrize(
    "times",
    [
        ["2026-03-01T09:00:09Z", "2026-03-01T09:00:00Z", "2025-01-01T00:00:00Z"],
        ["", "not a time", "2026-03-01T09:00:00+02:00"],
        ["2026-03-01T09:00:00Z"] * 3,
    ],
)
def test_times_of_any_kind_never_order_messages(
    client: Client, tmp_path: Path, times: list[str]
) -> None:
    value = record("at_t", ("user", "one"), ("assistant", "two"), ("user", "three"))
    for message, created in zip(value["messages"], times, strict=True):
        message["created"] = created
    thread = see_record(client, tmp_path, value)

    assert thread.said() == ["one", "two", "three"]
    assert thread.keys() == ["0", "1", "2"]
    assert [message["created_at"] for message in thread.messages()] == times
    assert get_body(client, thread.url)


def test_parallel_calls_keep_the_order_of_the_record(client: Client, tmp_path: Path) -> None:
    uses = [roboto_use(f"tu_{n}", q=n) for n in (3, 1, 2)]
    results = [roboto_result(f"tu_{n}", f"answer {n}") for n in (2, 3, 1)]
    value = record("at_p", ("user", "go"), ("assistant", uses), ("roboto", results))
    thread = see_record(client, tmp_path, value)

    cards = thread.cards("1")

    assert [card.one("div", css="view").words for card in cards] == [
        f"answer {n}" for n in (3, 1, 2)
    ]
