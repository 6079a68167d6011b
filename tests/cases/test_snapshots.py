"""Cases of Strands snapshots: checkpoints of one thread, stashed originals, reduction markers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client

from tests.cases.build import (
    assistant,
    tool_result,
    tool_use,
    tracked,
    usage,
    user,
    write_snapshot,
)
from tests.cases.seen import Seen, crawl, import_case, import_tree, input_of, see

pytestmark = pytest.mark.django_db

MARKER = "[Truncated: 1 block, ~900 tokens]\n\nrow 1\n\n[... 3,586 chars elided ...]\n\nrow 9"


def see_tree(client: Client, folder: Path) -> Seen:
    return Seen(client=client, id=import_tree(folder).line["id"])


def talk(turns: int, prefix: str = "") -> list[dict[str, object]]:
    """Questions and answers with tracking ids."""
    messages: list[dict[str, object]] = []
    for n in range(1, turns + 1):
        messages.append(tracked(f"q{n}", user(f"{prefix}Question {n}")))
        answer = assistant(f"{prefix}Answer {n}", usage=usage(100, 20, 120))
        messages.append(tracked(f"a{n}", answer))
    return messages


# -- 05: checkpoints -------------------------------------------------------------------------------


def test_05_three_files_are_one_thread(client: Client) -> None:
    done = import_case("05")

    assert [line["action"] for line in done.report["threads"]] == ["created"]
    assert len(Seen(client=client, id=done.line["id"]).messages()) == 10


def test_05_the_verbatim_tier_joins_checkpoints_and_latest(client: Client) -> None:
    thread = see(client, "05")

    expected = [f"{what} {n}" for n in range(1, 6) for what in ("Question", "Answer")]
    assert thread.said() == expected
    ids = [message["tracking_id"] for message in thread.messages()]
    assert len(set(ids)) == 10
    compressed = thread.messages("compressed")
    assert len(compressed) == 7
    assert [message["is_summary"] for message in compressed] == [True] + [False] * 6
    assert [message["tracking_id"] for message in compressed[1:]] == ids[4:]


def test_05_each_checkpoint_is_listed_by_its_id_and_opens(client: Client) -> None:
    thread = see(client, "05")

    tiers = {tier["name"]: tier for tier in thread.api()["tiers"]}
    checkpoints = [name for name in tiers if name.startswith("checkpoint:")]

    assert checkpoints == sorted(checkpoints)
    assert [tiers[name]["messages"] for name in checkpoints] == [4, 8]
    assert [len(thread.keys(name)) for name in checkpoints] == [4, 8]
    stored = [path.stem.removeprefix("snapshot_") for path in input_of("05").rglob("snapshot_0*")]
    assert checkpoints == sorted(f"checkpoint:{name}" for name in stored)
    menu = thread.page()
    for name in checkpoints:
        assert any(name in unquote(link.attributes.get("href", "")) for link in menu.all("a"))


def test_05_usage_counts_five_answers_once(client: Client) -> None:
    thread = see(client, "05")

    totals = thread.api("/usage")["totals"]

    assert totals["calls"] == 5
    assert (totals["usage"]["input"], totals["usage"]["output"]) == (500, 100)


@pytest.mark.parametrize("cuts", [(2,), (2, 6, 10), (4, 10), (3, 3, 7)])
def test_checkpoints_at_any_place_fill_the_verbatim_tier(
    client: Client, tmp_path: Path, cuts: tuple[int, ...]
) -> None:
    everything = talk(8)
    held = [everything[max(0, cut - 4) : cut] for cut in cuts]
    latest = [tracked("sum", user("So far: fine.")), *everything[10:]]

    done = import_tree(write_snapshot(tmp_path, latest, checkpoints=held, agent="b9"))

    thread = Seen(client=client, id=done.line["id"])
    known = {m["tracking_id"] for part in (*held, latest) for m in part} - {"sum"}
    told: list[dict[str, Any]] = [dict(m) for m in everything]
    expected = [m["content"][0]["text"] for m in told if m["tracking_id"] in known]
    assert [text for text in thread.said() if text != "So far: fine."] == expected
    assert len(thread.messages("compressed")) == len(latest)


def test_two_agents_of_a_session_are_two_threads(client: Client, tmp_path: Path) -> None:
    write_snapshot(tmp_path, talk(2, "North. "), agent="north", checkpoints=[talk(1, "North. ")])
    write_snapshot(tmp_path, talk(3, "South. "), agent="south")

    done = import_tree(tmp_path)

    assert sorted((line["external_id"], line["agent_id"]) for line in done.report["threads"]) == [
        ("s1", "north"),
        ("s1", "south"),
    ]
    lengths = {
        line["agent_id"]: len(Seen(client=client, id=line["id"]).said())
        for line in done.report["threads"]
    }
    assert lengths == {"north": 4, "south": 6}


# -- 07: a placeholder whose original is gone ------------------------------------------------------


def test_07_the_missing_original_is_warned_of_once_by_its_name() -> None:
    done = import_case("07")

    assert done.warnings() == {"stash_reference_missing": 1}
    assert "tooluse_tbl1_0" in done.said("stash_reference_missing")[0]


@pytest.mark.parametrize("tier", ["", "compressed"])
def test_07_the_preview_is_not_presented_as_the_original(client: Client, tier: str) -> None:
    thread = see(client, "07")

    (card,) = thread.cards(thread.keys(tier)[1], tier)

    assert "original not in the import" in card.words
    assert "tooluse_tbl1_0" in card.words
    assert "row 0000 | pump 0 | pressure 0" in card.words
    assert "3,586 chars elided" in card.words


def test_07_the_api_says_that_the_original_is_missing(client: Client) -> None:
    thread = see(client, "07")

    block = thread.messages()[2]["blocks"][0]

    (part,) = block["parts"]
    assert part["kind"] == "marker"
    assert part["reduction"] == "truncated"
    assert part["refs"] == ["tooluse_tbl1_0"]
    assert part["missing"] == ["tooluse_tbl1_0"]


def test_07_no_link_leads_nowhere(client: Client) -> None:
    thread = see(client, "07")

    urls = [url for url, _ in crawl(client, thread.url)]

    assert any("payload" in url for url in urls)


@pytest.mark.parametrize("ref", ["k1_0", "träck-1_12", "../../etc/passwd", "<b>x</b>", "a" * 300])
@pytest.mark.parametrize("where", ["text", "result"])
def test_a_missing_original_of_any_name_is_told_where_its_placeholder_stands(
    client: Client, tmp_path: Path, ref: str, where: str
) -> None:
    placeholder = f"{MARKER}\n\n[Stashed] [ref: {ref}]"
    given = [tracked("m1", user("go")), tracked("m2", assistant(tool_use("t1")))]
    third = user(tool_result("t1", placeholder), "ok") if where == "result" else user(placeholder)
    write_snapshot(tmp_path, [*given, tracked("m3", third)], stash={})

    done = import_tree(tmp_path)
    thread = Seen(client=client, id=done.line["id"])

    assert done.warnings()["stash_reference_missing"] == 1
    assert "original not in the import" in thread.main().words
    assert all(url for url, _ in crawl(client, thread.url))


def test_an_original_that_is_there_takes_the_place_of_its_placeholder(
    client: Client, tmp_path: Path
) -> None:
    whole = "\n".join(f"row {n}" for n in range(200))
    messages = [
        tracked("m1", user("go")),
        tracked("m2", assistant(tool_use("t1"))),
        tracked("m3", user(tool_result("t1", f"{MARKER}\n\n[Stashed] [ref: t1_0]"))),
    ]
    thread = see_tree(client, write_snapshot(tmp_path, messages, stash={"t1_0": {"text": whole}}))

    assert thread.messages()[2]["blocks"][0]["payload"] == whole
    (part,) = thread.messages("compressed")[2]["blocks"][0]["parts"]
    assert part["kind"] == "marker"
    assert part["missing"] == []
    assert "original not in the import" not in thread.main().words
    assert (
        "row 199"
        in thread.client.get(f"{thread.url}messages/{thread.keys()[2]}/blocks/0/payload/download/")
        .getvalue()
        .decode()
    )


# -- 11: markers and summaries glued to a neighbour ------------------------------------------------


def test_11_the_summary_inside_an_answer_is_a_marker(client: Client) -> None:
    thread = see(client, "11")

    for tier in ("verbatim", "compressed"):
        answer = thread.messages(tier)[1]
        assert [block["kind"] for block in answer["blocks"]] == ["text", "marker"]
        marker = answer["blocks"][1]
        assert marker["reduction"] == "summarized"
        assert marker["text"].startswith("[Summarized:")
        assert "Pumps 1 to 3 were fine." in marker["text"]
        article = thread.shown(answer["key"], "" if tier == "verbatim" else tier)
        assert "[Summarized:" in article.one("div", css="marker").words
        assert all("Summarized" not in node.words for node in article.all("div", css="prose")[:1])
    assert (
        "[Summarized" not in thread.api("/tiers/verbatim/messages")["items"][1]["blocks"][0]["text"]
    )


def test_11_stored_messages_keep_their_order_and_originals_stand_apart(client: Client) -> None:
    thread = see(client, "11")

    unplaced = thread.api("/unplaced")["items"]
    page = thread.page(address="unplaced/")

    assert [text.split(":")[0].split(".")[0] for text in thread.said()] == [
        "Question 1",
        "Answer 4",
        "Question 5",
        "Answer 5",
        "Question 6",
        "Answer 6",
    ]
    assert sorted(item["block"]["text"] for item in unplaced) == [
        "Answer 1. Details follow here.",
        "Answer 2. Details follow here.",
        "Answer 3. Details follow here.",
        "Question 2: status of pump 2?",
        "Question 3: status of pump 3?",
        "Question 4: status of pump 4?",
        "probe 2: 12 bar",
        "probe 4: 12 bar",
    ]
    assert page.one("h1").words == "Order and speaker not recorded"
    for item in unplaced:
        assert item["block"]["text"] in page.words
        assert item["block"]["text"] not in thread.main().words
    assert any("unplaced" in link.attributes.get("href", "") for link in thread.page().all("a"))
    assert "order and speaker are not recorded" in thread.page().words


def test_11_an_answer_is_paired_by_its_tracking_id(client: Client) -> None:
    thread = see(client, "11")

    rows = thread.api("/compare/verbatim/compressed")["items"]

    assert [(row["left"], row["right"]) for row in rows] == [([n], [n]) for n in range(6)]
    assert all(row["left_keys"] == row["right_keys"] for row in rows)


def test_11_usage_says_that_earlier_answers_are_missing(client: Client) -> None:
    thread = see(client, "11")

    usage_answer = thread.api("/usage")

    assert usage_answer["totals"]["calls"] == 3
    assert usage_answer["totals"]["usage"]["total"] == 1260
    assert usage_answer["totals"]["incomplete"] is True
    assert "earlier answers are not in the record" in thread.page().words


def test_05_usage_of_a_thread_with_all_its_checkpoints_is_complete(client: Client) -> None:
    thread = see(client, "05")

    assert thread.api("/usage")["totals"]["incomplete"] is False
    assert "earlier answers are not in the record" not in thread.page().words


@pytest.mark.parametrize(
    ("text", "reduction"),
    [
        ("[Dropped: 4 messages]", "dropped"),
        ("[... 6 messages elided ...]", "elided"),
        ("[Offloaded: ~400 tokens] [ref: k1]", "offloaded"),
        ("[Summarized: 9 messages, ~200 tokens]\n\nAll valves hold.", "summarized"),
        (
            "[Truncated: 2 blocks, ~40 tokens]\n\nstart\n\n[... 99 chars elided ...]\n\nend",
            "truncated",
        ),
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_marker_is_nobodys_words_wherever_it_was_put(
    client: Client, tmp_path: Path, text: str, reduction: str, role: str
) -> None:
    first = user("Hello there.", text) if role == "user" else user("Hello there.")
    second = assistant(text, "Fine.") if role == "assistant" else assistant("Fine.")
    messages = [tracked("m1", first), tracked("m2", second)]
    thread = see_tree(client, write_snapshot(tmp_path, messages))

    said = thread.export("text")

    kinds = {block["kind"]: block for message in thread.messages() for block in message["blocks"]}
    assert kinds["marker"]["reduction"] == reduction
    assert kinds["marker"]["text"] == text
    assert "Hello there." in said
    assert len(thread.main().all("div", css="marker")) == 1


def test_a_user_who_quotes_a_marker_inside_a_sentence_said_it(
    client: Client, tmp_path: Path
) -> None:
    quoted = "Why does it say [Summarized: 2 messages, ~27 tokens] in the log?"
    thread = see_tree(client, write_snapshot(tmp_path, [tracked("m1", user(quoted))]))

    assert thread.said() == [quoted]
    assert thread.main().all("div", css="marker") == []


def test_an_external_stash_left_behind_is_the_same_as_none(client: Client, tmp_path: Path) -> None:
    copy = tmp_path / "session"
    shutil.copytree(input_of("07") / "session", copy)
    (file,) = copy.rglob("snapshot_latest.json")
    snapshot = json.loads(file.read_text())
    snapshot["data"]["stash"] = {"location": "external", "entries": {}}
    file.write_text(json.dumps(snapshot))

    done = import_tree(copy)

    assert done.warnings() == {"stash_reference_missing": 1}
    assert "original not in the import" in Seen(client=client, id=done.line["id"]).main().words
