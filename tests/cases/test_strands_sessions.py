"""Cases of Strands file sessions: tiers, order, strays, media, special numbers, usage."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.cases.build import (
    assistant,
    summarising,
    tool_result,
    tool_use,
    usage,
    user,
    write_session,
)
from tests.cases.seen import (
    Seen,
    everything,
    get_body,
    import_case,
    import_tree,
    input_of,
    search,
    see,
)

pytestmark = pytest.mark.django_db


def dialogue(turns: int) -> list[dict[str, object]]:
    """Questions and answers in turn."""
    messages: list[dict[str, object]] = []
    for number in range(turns):
        messages.append(user(f"Question {number}"))
        messages.append(assistant(f"Answer {number}", usage=usage(100, 20, 120)))
    return messages


def see_session(client: Client, folder: Path) -> Seen:
    return Seen(client=client, id=import_tree(folder).line["id"])


# -- 01: pinned first messages, and a summary whose range is not recorded --------------------------


def test_01_the_verbatim_tier_lists_all_twelve_messages_in_order(client: Client) -> None:
    pumps = see(client, "01")

    assert [message["key"] for message in pumps.messages()] == [str(n) for n in range(12)]
    assert pumps.said()[0] == "Read pump A."
    assert pumps.keys() == [str(n) for n in range(12)]


def test_01_the_compressed_tier_is_the_summary_and_messages_from_two_on(client: Client) -> None:
    pumps = see(client, "01")

    assert pumps.said("compressed") == ["Pressures were read for pump B.", *pumps.said()[2:]]
    assert [message["number"] for message in pumps.messages("compressed")] == [None, *range(2, 12)]
    assert pumps.keys("compressed") == ["summary", *(str(n) for n in range(2, 12))]


def test_01_the_summary_is_labelled_as_its_managers_and_not_as_a_users_words(
    client: Client,
) -> None:
    pumps = see(client, "01")

    (summary, *rest) = pumps.messages("compressed")
    shown = pumps.shown("summary", "compressed")

    assert summary["role"] == "user"
    assert summary["is_summary"] is True
    assert not any(message["is_summary"] for message in rest)
    assert "summary by SummarizingConversationManager" in shown.words
    assert shown.all("header")[0].words.startswith("summary by SummarizingConversationManager")
    assert "user" not in shown.attributes["class"].split()


def test_01_messages_that_left_the_model_are_marked_in_the_verbatim_tier(client: Client) -> None:
    pumps = see(client, "01")
    keys = pumps.keys()

    marked = [key for key in keys if "not in compressed tier" in pumps.shown(key).words]

    assert marked == ["0", "1"]


def test_01_the_range_beside_the_summary_is_called_inferred(client: Client) -> None:
    pumps = see(client, "01")

    rows = pumps.api("/compare/verbatim/compressed")["items"]
    page = pumps.page(address="compare/")

    assert (rows[0]["left"], rows[0]["right"]) == ([0, 1], [0])
    assert (rows[0]["outcome"], rows[0]["basis"]) == ("summarized", "inferred_offset")
    assert {(row["outcome"], row["basis"]) for row in rows[1:]} == {("kept", "identity")}
    assert "range inferred from the stored count" in page.words


def test_01_usage_counts_each_stored_answer_once(client: Client) -> None:
    pumps = see(client, "01")

    totals = pumps.api("/usage")["totals"]
    used = totals["usage"]

    assert totals["calls"] == 6
    assert (used["input"], used["output"], used["total"]) == (600, 120, 720)
    assert "Input 600 Output 120 Total 720" in pumps.page().words


@pytest.mark.parametrize(("removed", "messages"), [(1, 4), (3, 8), (8, 8), (7, 20)])
def test_a_summary_stands_before_the_messages_behind_the_stored_count(
    client: Client, tmp_path: Path, removed: int, messages: int
) -> None:
    manager = summarising(removed, "So far: all is well.")
    thread = see_session(
        client, write_session(tmp_path, dialogue(messages // 2), manager=manager, agent="b7")
    )

    said = thread.said()

    assert len(said) == messages
    assert thread.said("compressed") == ["So far: all is well.", *said[removed:]]
    first = thread.api("/compare/verbatim/compressed")["items"][0]
    assert (first["left"], first["basis"]) == (list(range(removed)), "inferred_offset")


# -- 03: a count that removed nothing --------------------------------------------------------------


def test_03_a_count_beyond_the_messages_empties_the_compressed_tier_alone(client: Client) -> None:
    done = import_case("03")
    boom = Seen(client=client, id=done.line["id"])

    assert done.warnings() == {"offset_exceeds_messages": 1}
    (said,) = done.said("offset_exceeds_messages")
    for part in ('"p"', "removed_message_count 28", "no summary_message", "16 stored messages"):
        assert part in said
    assert len(boom.said()) == 16
    assert boom.messages("compressed") == []
    assert len(boom.keys()) == 16
    assert "This tier holds no messages" in boom.main("compressed").words


@pytest.mark.parametrize("removed", [5, 2**31, 2**63])
def test_a_count_beyond_the_messages_keeps_the_summary(
    client: Client, tmp_path: Path, removed: int
) -> None:
    done = import_tree(
        write_session(tmp_path, dialogue(2), manager=summarising(removed, "All of it."))
    )
    thread = Seen(client=client, id=done.line["id"])

    assert done.warnings() == {"offset_exceeds_messages": 1}
    assert thread.said("compressed") == ["All of it."]
    assert len(thread.said()) == 4
    assert len(thread.keys()) == 4


def test_a_count_without_a_summary_within_the_messages_is_warned_of(
    client: Client, tmp_path: Path
) -> None:
    done = import_tree(write_session(tmp_path, dialogue(3), manager=summarising(2, None)))
    thread = Seen(client=client, id=done.line["id"])

    assert done.warnings() == {"offset_without_summary": 1}
    assert thread.said("compressed") == thread.said()[2:]
    assert len(thread.said()) == 6


@pytest.mark.parametrize("removed", [-3, "4", 1.5, None, True])
def test_a_count_that_is_no_count_hides_nothing(
    client: Client, tmp_path: Path, removed: object
) -> None:
    manager = {**summarising(0, None), "removed_message_count": removed}
    thread = see_session(client, write_session(tmp_path, dialogue(2), manager=manager))

    assert len(thread.said()) == len(thread.keys()) == 4
    thread.page("compressed")


# -- 17: media -------------------------------------------------------------------------------------


def test_17_bytes_become_an_image_and_a_download_and_never_text(client: Client) -> None:
    media = see(client, "17")

    message = media.shown("0")
    image = message.one("img")

    assert "What is in these?" in message.words
    assert "png" in image.attributes["alt"]
    assert "70 B" in image.attributes["alt"]
    assert "plan · document, pdf, 16 B" in message.words
    stored = json.loads(next(input_of("17").rglob("message_0.json")).read_text())
    for block in stored["message"]["content"][1:]:
        (medium,) = block.values()
        encoded = medium["source"]["bytes"]["data"]
        for tier in ("", "compressed"):
            assert encoded not in media.page(tier).content
        assert encoded not in media.inspector("0").content


def test_17_media_are_served_with_safe_headers(client: Client) -> None:
    media = see(client, "17")
    image, document = (media.block("0", 1), media.block("0", 2))

    answers = [client.get(block["blob_url"]) for block in (image, document)]

    assert (image["kind"], image["format"], image["size"]) == ("image", "png", 70)
    assert (document["kind"], document["name"], document["size"]) == ("document", "plan", 16)
    assert [answer["X-Content-Type-Options"] for answer in answers] == ["nosniff"] * 2
    assert answers[0]["Content-Type"] == "image/png"
    assert answers[1]["Content-Disposition"].startswith("attachment")
    assert not answers[0].get("Content-Disposition", "inline").startswith("attachment")
    assert len(get_body(client, document["blob_url"])) == 16


def test_17_redacted_reasoning_is_a_size(client: Client) -> None:
    media = see(client, "17")

    (reasoning, *_) = media.messages()[1]["blocks"]

    assert reasoning["redacted_bytes"] == 8
    assert reasoning["text"] == ""
    words = media.shown("1").words
    assert "Reasoning redacted" in words
    assert "8 B" in words


def test_17_the_wrapper_of_bytes_cannot_be_found(client: Client) -> None:
    import_case("17")

    assert search(client, "__bytes_encoded__") == []
    assert search(client, "pixel") != []


@pytest.mark.parametrize(
    ("kind", "form"), [("image", "webp"), ("document", "csv"), ("video", "mp4"), ("audio", "wav")]
)
def test_wrapped_bytes_of_any_medium_are_kept_whole_and_shown_as_one(
    client: Client, tmp_path: Path, kind: str, form: str
) -> None:
    data = bytes(range(256)) * 9
    encoded = base64.b64encode(data).decode()
    medium = {
        kind: {
            "format": form,
            "name": "sheet",
            "source": {"bytes": {"__bytes_encoded__": True, "data": encoded}},
        }
    }
    call = [user("go"), assistant(tool_use("t1")), user(tool_result("t1", medium, "beside"))]
    thread = see_session(client, write_session(tmp_path, [user("see", medium), *call]))

    block = thread.block("0", 1)
    part = thread.block("3", 0)["parts"][0]

    for stored in (block, part):
        assert (stored["kind"], stored["format"], stored["size"]) == (kind, form, len(data))
        assert get_body(client, stored["blob_url"]) == data
    page = thread.page()
    assert encoded[:200] not in page.content
    assert page.words.count("2.3 KB") >= 2
    assert search(client, encoded[:40]) == []


# -- 23: strays and order --------------------------------------------------------------------------


def test_23_files_are_read_in_the_order_of_their_numbers(client: Client) -> None:
    done = import_case("23")
    thread = Seen(client=client, id=done.line["id"])

    expected = [f"{what} {n}" for n in range(6) for what in ("Question", "Answer")]
    assert thread.said() == expected
    assert [node.one("div", css="body").words for node in thread.main().all("article")] == [
        f"{speaker} {text}"
        for speaker, text in zip(("User", "Assistant") * 6, expected, strict=True)
    ]


def test_23_strays_are_ignored_by_name_and_a_second_file_is_a_duplicate() -> None:
    done = import_case("23")

    assert {Path(line["path"]).name for line in done.report["ignored"]} == {
        ".strands_k3jd82.tmp",
        "message_backup.json",
        ".DS_Store",
        "message_4 (1).json",
    }
    assert all(line["reason"] for line in done.report["ignored"])
    assert done.report["totals"]["ignored"] == 4
    assert done.warnings() == {"duplicate_message": 1}
    assert done.line["warnings"][0]["path"].endswith("message_03.json")


@pytest.mark.parametrize(
    "name",
    [
        "message_.json",
        "message_7.json.bak",
        "message_-1.json",
        "message_2 copy.json",
        "Message_2.json",
        "message_1e3.json",
        "message_٣.json",
        "~message_2.json",
        "Thumbs.db",
        "message_2.json.conflict",
    ],
)
def test_any_other_name_beside_the_messages_is_ignored(
    client: Client, tmp_path: Path, name: str
) -> None:
    root = write_session(tmp_path, dialogue(6))
    messages = root / "agents" / "agent_a1" / "messages"
    shutil.copy(messages / "message_2.json", messages / name)

    done = import_tree(tmp_path)

    assert done.exit_code == 0
    assert Seen(client=client, id=done.line["id"]).said()[2:4] == ["Question 1", "Answer 1"]
    assert done.line["tiers"][0]["messages"] == 12
    assert [Path(line["path"]).name for line in done.report["ignored"]] == [name]


def test_numbers_order_messages_beyond_one_hundred_and_gaps_are_told(
    client: Client, tmp_path: Path
) -> None:
    root = write_session(tmp_path, dialogue(60))
    (root / "agents" / "agent_a1" / "messages" / "message_57.json").unlink()

    done = import_tree(tmp_path)

    said = Seen(client=client, id=done.line["id"]).said()
    expected = [f"{what} {n}" for n in range(60) for what in ("Question", "Answer")]
    assert said == [text for n, text in enumerate(expected) if n != 57]
    assert done.warnings() == {"message_gap": 1}


# -- 25: NaN and infinities ------------------------------------------------------------------------


def test_25_special_numbers_can_be_told_from_texts_everywhere(client: Client) -> None:
    done = import_case("25")
    sensor = Seen(client=client, id=done.line["id"])

    payload = sensor.block("2")["payload"]
    card = sensor.cards("1")[0]
    cells = [node.words for node in card.one("div", css="view").all("dd")] or card.words

    assert payload == {
        "mean": {"$number": "NaN"},
        "max": {"$number": "Infinity"},
        "min": {"$number": "-Infinity"},
        "label": "NaN",
        "n": 3,
    }
    assert done.warnings() == {"special_number": 3}
    for shown in ("NaN", "Infinity", "-Infinity", '"NaN"'):
        assert shown in cells
    assert "mean NaN" in card.words
    assert 'label "NaN"' in card.words


def test_25_exports_give_the_special_numbers_back(client: Client, tmp_path: Path) -> None:
    sensor = see(client, "25")

    raw = get_body(client, f"{sensor.api_url}/tiers/verbatim/messages/2/raw").decode()
    bundle = tmp_path / "bundle.json"
    bundle.write_text(sensor.export("bundle"))
    again = Seen(client=client, id=import_tree(bundle).line["id"])

    assert json.loads(raw, parse_constant=pytest.fail)
    assert again.block("2")["payload"] == sensor.block("2")["payload"]
    strands = sensor.export("strands")
    assert "NaN" in strands
    assert "-Infinity" in strands


@pytest.mark.parametrize("place", ["input", "nested", "custom", "state", "alone"])
def test_special_numbers_stand_anywhere_and_every_answer_stays_strict(
    client: Client, tmp_path: Path, place: str
) -> None:
    nan, inf = float("nan"), float("inf")
    given: dict[str, Any] = {"x": nan} if place == "input" else {}
    answer = {"nested": {"rows": [[{"v": -inf}]]}, "alone": nan}.get(place, 1)
    messages = [
        user("go"),
        assistant(tool_use("t1", **given)),
        user(tool_result("t1", {"json": answer})),
    ]
    if place == "custom":
        messages[1]["metadata"] = {"custom": {"score": inf}}
    root = write_session(tmp_path, messages)
    if place == "state":
        file = root / "agents" / "agent_a1" / "agent.json"
        state = json.loads(file.read_text())
        file.write_text(json.dumps({**state, "state": {"limit": inf}}))

    thread = import_tree(tmp_path).line["id"]

    for url, body in everything(client, thread):
        if url.startswith("/api/") and "/export" not in url and "/text" not in url:
            json.loads(body, parse_constant=pytest.fail)


# -- 27: cached tokens -----------------------------------------------------------------------------


def test_27_cached_tokens_are_counted_once(client: Client) -> None:
    thread = see(client, "27")

    answer = thread.api("/usage")

    totals = answer["totals"]["usage"]
    assert totals["input_uncached"] == 36
    assert (totals["cache_read"], totals["cache_write"]) == (5000, 5000)
    assert (totals["output"], totals["total"]) == (80, 10116)
    assert totals["prompt"] == 10036
    assert "20116" not in json.dumps(answer)
    words = thread.page().words
    assert "20,116" not in words
    assert "20116" not in words
    for figure in (
        "Prompt 10,036",
        "Input, not cached 36",
        "Cache read 5,000",
        "Cache write 5,000",
        "Output 80",
        "Total 10,116",
    ):
        assert figure in words


def test_27_an_absent_figure_is_not_a_zero(client: Client) -> None:
    thread = see(client, "27")

    last = thread.messages()[5]["usage"]
    inspector = thread.inspector("5").words

    assert (last["cache_read"], last["cache_write"]) == (None, None)
    assert (last["input"], last["output"], last["total"], last["prompt"]) == (9, 10, 19, 9)
    assert "Cache read" not in inspector
    assert "Cache write" not in inspector
    assert "Cache read 0" in thread.inspector("1").words
    assert "Cache write 5,000" in thread.inspector("1").words


@pytest.mark.parametrize(
    ("figures", "prompt", "uncached"),
    [
        (usage(10, 5, 15, cacheReadInputTokens=4), 10, 6),
        (usage(10, 5, 19, cacheReadInputTokens=4), 14, 10),
        (usage(10, 5, 22, cacheReadInputTokens=4, cacheWriteInputTokens=3), 17, 10),
        (usage(10, 5, 15), 10, 10),
    ],
)
def test_the_total_tells_whether_the_input_holds_the_cached_tokens(
    client: Client,
    tmp_path: Path,
    figures: dict[str, int],
    prompt: int,
    uncached: int,
) -> None:
    answer = assistant("ok", usage=figures)
    thread = see_session(client, write_session(tmp_path, [user("go"), answer]))

    totals = thread.api("/usage")["totals"]["usage"]

    assert totals["prompt"] == prompt
    assert totals["input_uncached"] == uncached
    assert totals["total"] == figures["totalTokens"]


# -- 29: equal texts -------------------------------------------------------------------------------


def test_29_equal_texts_are_paired_by_identity(client: Client) -> None:
    thread = see(client, "29")

    rows = thread.api("/compare/verbatim/compressed")["items"]

    assert len(thread.messages()) == 12
    assert len(thread.messages("compressed")) == 7
    assert (rows[0]["left"], rows[0]["right"]) == (list(range(6)), [0])
    assert rows[0]["outcome"] == "summarized"
    assert [(row["left"], row["right"]) for row in rows[1:]] == [
        ([n], [n - 5]) for n in range(6, 12)
    ]
    assert all(row["left_keys"] == row["right_keys"] for row in rows[1:])


def test_29_a_message_has_one_anchor_in_both_tiers(client: Client) -> None:
    thread = see(client, "29")

    anchors = [thread.page(tier).one("article", id="m-8") for tier in ("", "compressed")]

    assert anchors[0].words == anchors[1].words
    by_tier = [
        {m["key"]: m["position"] for m in thread.messages(t)} for t in ("verbatim", "compressed")
    ]
    assert (by_tier[0]["8"], by_tier[1]["8"]) == (8, 3)


def test_29_the_pairs_do_not_depend_on_the_summary(client: Client, tmp_path: Path) -> None:
    copy = tmp_path / "session_align"
    shutil.copytree(next(input_of("29").iterdir()), copy)
    (file,) = copy.glob("agents/*/agent.json")
    agent = json.loads(file.read_text())
    agent["conversation_manager_state"]["summary_message"] = None
    file.write_text(json.dumps(agent))

    thread = see_session(client, copy)

    rows = thread.api("/compare/verbatim/compressed")["items"]
    kept = [(row["left"], row["right"]) for row in rows if row["outcome"] == "kept"]
    assert kept == [([n], [n - 6]) for n in range(6, 12)]
