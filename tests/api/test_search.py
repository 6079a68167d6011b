"""Search through the front door: records in, hits out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from convviewer.store import models
from tests.factories.searching import (
    answer,
    import_case,
    index,
    keys,
    make_searchable,
    result,
    store,
    thread,
    use,
)

pytestmark = pytest.mark.django_db


# -- recorded cases --------------------------------------------------------------------------------


def test_case_47_text_of_payloads_and_inputs_is_found() -> None:
    import_case("47")
    (hit,) = answer("SN-88F1-KESTREL")["items"]
    assert (hit["key"], hit["in"], hit["block"]) == ("2", "tool_output", 0)
    (hit,) = answer("ORCHID-7")["items"]
    assert (hit["key"], hit["in"]) == ("1", "tool_input")
    assert keys("serial") == ["1", "2"]
    assert [keys(q) for q in ("grösse", "GROSSE", "naive", "中文", "文")] == [["2"]] * 5
    assert keys("ds_HIDDENCTX") == []


def test_case_47_hits_can_be_narrowed_to_a_kind_of_text() -> None:
    import_case("47")
    assert keys("serial", **{"in": "tool_input"}) == ["1"]
    assert keys("serial in:tool_output") == ["2"]
    assert keys("serial", **{"in": ["tool_input", "tool_output"]}) == ["1", "2"]
    assert keys("serial", **{"in": "dialogue"}) == []


@pytest.mark.parametrize(
    ("case", "hidden", "shown"),
    [
        ("09", ["4711-ZEBRA", "4711", "ZEBRA"], "User input redacted"),
        ("17", ["__bytes_encoded__", "iVBORw0KGgo"], "plan"),
        ("21", ["CANARY-NAME"], "Tool result redacted."),
        ("33", ["ds_CANARYCTX", "visualizer_state"], '<ctx>{"a":1}</ctx>'),
        ("51", ["iVBORw0KGgo", "AAAAAAAAAA", "PHN2ZyB4"], "before"),
    ],
)
def test_cases_with_text_that_must_not_be_found(case: str, hidden: list[str], shown: str) -> None:
    import_case(case)
    assert {text: keys(text) for text in hidden} == {text: [] for text in hidden}
    assert keys(f'"{shown}"' if '"' not in shown else shown)


def test_case_51_what_stands_behind_the_image_is_found() -> None:
    import_case("51")
    assert keys("after before image/svg+xml") == ["2"]


def test_case_45_a_payload_beyond_the_limit_is_said_to_be_searched_in_part(tmp_path: Path) -> None:
    line = "abcdefghij" * 20_000 + "NEEDLE-AT-END"
    rows = [{"i": i, "name": f"file_{i:05d}.bag"} for i in range(20_000)]
    make_searchable(
        tmp_path,
        thread("at_huge", "dump", use("dump", {}), result(line), use("dump", {}, call="tu_2"),
               result(rows, call="tu_2")),
    )  # fmt: skip
    found = answer("NEEDLE-AT-END")
    assert found["items"] == []
    assert (found["clipped_blocks"], found["block_limit"]) == (2, 32_768)
    (hit,) = answer("file_00007.bag")["items"]
    assert (hit["key"], hit["clipped"]) == ("4", True)


# -- what is found ---------------------------------------------------------------------------------


def test_two_terms_stand_in_one_message_though_in_different_blocks(tmp_path: Path) -> None:
    both: list[dict[str, Any]] = [{"text": "alpha words"}, use("t", {"q": "beta value"})]
    make_searchable(tmp_path, thread("at_1", "alpha only", both, "beta only"))
    found = answer("ALPHA beta")["items"]
    assert [(hit["key"], hit["block"], hit["in"]) for hit in found] == [
        ("1", 0, "dialogue"),
        ("1", 1, "tool_input"),
    ]


def test_a_phrase_and_a_word_taken_away(tmp_path: Path) -> None:
    make_searchable(
        tmp_path, thread("at_1", "it timed\n  out today", "out it timed", "timed out, retry")
    )
    assert keys('"timed out"') == ["0", "2"]
    assert keys("timed out") == ["0", "1", "2"]
    assert keys('"timed out" -retry') == ["0"]
    assert keys("-timed role:assistant") == []


def test_punctuation_and_parts_of_words_are_found(tmp_path: Path) -> None:
    text = "if (a) => { return x%y_z; } C:\\temp\\new 'it''s' \"quoted\" ***"
    make_searchable(tmp_path, thread("at_1", text, "if a yields xy z"))
    for q in (
        '"=> {"',
        "x%y_z",
        "\\temp\\",
        "''s",
        '"quoted" ***',
        "***",
        ") =>",
        "etur",
        "%",
        "_",
    ):
        assert keys(q) == ["0"], q


def test_text_of_one_block_does_not_run_into_the_next(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", [{"text": "first"}, {"text": "second"}]))
    assert keys('"first second"') == []
    assert keys("first second") == ["0", "0"]


def test_filters_choose_calls_by_tool_and_status(tmp_path: Path) -> None:
    make_searchable(
        tmp_path,
        thread(
            "at_1",
            "read the log",
            [use("read_log", {"day": "log-1"}), use("grep", {"day": "log-2"}, call="tu_2")],
            [result("log of day one"), result("log broken", call="tu_2", status="error")],
        ),
    )
    assert keys("log tool:READ_LOG") == ["1", "2"]
    assert keys("log status:error") == ["1", "2"]
    (hit,) = answer("log status:error in:tool_output")["items"]
    assert hit["snippet"] == "log broken"
    assert keys("tool:grep status:success") == []
    assert [hit["snippet"] for hit in answer("tool:grep")["items"]] == [
        'grep {"day": "log-2"}',
        "log broken",
    ]
    assert keys("one tool:grep") == []


def test_filters_choose_messages_by_role_date_and_thread(tmp_path: Path) -> None:
    make_searchable(
        tmp_path, thread("at_1", "needle", "needle", "needle"), thread("at_2", "needle")
    )
    assert keys("needle role:assistant") == ["1"]
    assert keys("needle since:2026-11-03") == ["2"]
    assert keys("needle since:2026-11-02T09:00:00Z thread:at_1") == ["1", "2"]
    assert keys("ne thread:at_2") == ["0"]
    assert keys("needle thread:nowhere") == []
    assert keys("needle agent:nobody") == []


def test_a_message_of_several_tiers_is_one_hit_and_tiers_can_be_chosen(tmp_path: Path) -> None:
    whole = thread("at_1", "needle in the hay", "needle answered")
    shorter = thread("at_1", "needle in the hay")
    shorter["messages"].append({**whole["messages"][1], "content": [{"content_type": "deleted"}]})
    store(tmp_path, whole)
    store(tmp_path, shorter)
    index()
    found = answer("needle")["items"]
    assert [(hit["key"], hit["tier"]) for hit in found] == [("0", "verbatim"), ("1", "verbatim")]
    (hit,) = answer("needle tier:compressed")["items"]
    assert (hit["key"], hit["tier"]) == ("0", "deleted")
    assert "tier=deleted" in hit["url"]


def test_a_snippet_shows_each_match_on_one_line(tmp_path: Path) -> None:
    text = "x " * 200 + "Die\nGröße stimmt" + " y" * 400 + " NAÏVE end"
    make_searchable(tmp_path, thread("at_1", text))
    (hit,) = answer("grosse naive")["items"]
    assert "\n" not in hit["snippet"]
    assert len(hit["snippet"]) < 500
    assert [hit["snippet"][start:end] for start, end in hit["matches"]] == ["Größe", "NAÏVE"]


def test_a_hit_leads_to_its_message_and_to_the_card_of_its_call(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "say word", use("t", {"a": "word"}), result("word")))
    urls = {hit["key"]: hit["url"] for hit in answer("word")["items"]}
    (public_id,) = models.Thread.objects.values_list("public_id", flat=True)
    page = f"/threads/{public_id}/messages"
    assert urls == {
        "0": f"{page}/0/?q=word#m-0",
        "1": f"{page}/1/?q=word#b-1-0",
        "2": f"{page}/2/?q=word#b-1-0",
    }
    assert {Client().get(url).status_code for url in urls.values()} == {200}


def test_lone_surrogates_and_nul_are_no_obstacle(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "odd \ud800 text \0 here"))
    (hit,) = answer("odd here")["items"]
    assert hit["snippet"].startswith("odd \ufffd text")
    assert keys("text \0") == ["0"]


# -- pages -----------------------------------------------------------------------------------------


def test_pages_follow_one_another_without_gap_or_repeat(tmp_path: Path) -> None:
    words = [[{"text": "needle"}, {"text": "needle"}] for _ in range(9)]
    make_searchable(tmp_path, thread("at_1", *words), thread("at_2", *words))
    seen: list[tuple[str, str, int]] = []
    after = ""
    while True:
        page = answer("needle", after=after, limit=5)
        seen += [(hit["thread"], hit["key"], hit["block"]) for hit in page["items"]]
        if page["next"] is None:
            break
        assert len(page["items"]) == 5
        after = page["next"]
    assert len(seen) == len(set(seen)) == 36


def test_the_latest_imported_thread_comes_first_each_in_its_own_order(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "needle", "needle"))
    make_searchable(tmp_path, thread("at_2", "needle", "needle"))
    found = [(hit["title"], hit["key"]) for hit in answer("needle")["items"]]
    ids = [hit["thread"] for hit in answer("needle")["items"]]
    assert [key for _, key in found] == ["0", "1", "0", "1"]
    newest = models.Thread.objects.get(external_id="at_2").public_id
    assert ids[:2] == [newest, newest]


# -- the index behind the import -------------------------------------------------------------------


def test_what_is_not_indexed_yet_is_found_all_the_same(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "old needle"))
    store(tmp_path, thread("at_2", "new needle", use("t", {"q": "needle"})))
    before = answer("needle")
    assert [hit["key"] for hit in before["items"]] == ["0", "1", "0"]
    assert before["not_yet_indexed"] == 0
    assert keys("new tool:t") == []
    assert keys("needle tool:t") == ["1"]
    assert index() == 2
    assert answer("needle") == before


def test_what_there_is_no_time_to_read_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_searchable(tmp_path, thread("at_1", "old needle"))
    store(tmp_path, thread("at_2", "new needle", "words"))
    monkeypatch.setattr("convviewer.queries.search_candidates._UNINDEXED", -1.0)
    found = answer("needle")
    assert [hit["snippet"] for hit in found["items"]] == ["old needle"]
    assert found["not_yet_indexed"] == 2


def test_a_changed_thread_is_found_by_its_new_text_only(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "steady", "before change"))
    store(tmp_path, thread("at_1", "steady", "after change"))
    assert (keys("before"), keys("after"), keys("steady")) == ([], ["1"], ["0"])
    index()
    assert (keys("before"), keys("after"), keys("steady")) == ([], ["1"], ["0"])


# -- hostile queries -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "q",
    [
        "x" * 1_000,
        "ab " * 18,
        'NEAR("a" "b", 3) AND OR NOT * ^ {text} : a*',
        "') OR 1=1 --",
        "% _ \\ %% \\% [a-z] (?i)a+",
        "\0\0\0",
        "\u202e\u200b",
        "'; DROP TABLE convviewer_searchtext; --",
        "💥" * 300,
    ],
)
def test_a_hostile_query_gets_a_plain_answer(tmp_path: Path, q: str) -> None:
    make_searchable(tmp_path, thread("at_1", "hello"))
    assert answer(q)["items"] == []
    assert keys("hello") == ["0"]


@pytest.mark.parametrize(
    ("params", "status", "words"),
    [
        ({"q": "x" * 10_000}, 400, "at most 1,000 characters"),
        ({"q": '"open'}, 400, "not closed"),
        ({"q": "a", "after": "nonsense"}, 400, '"after"'),
        ({"q": "a", "in": "payload"}, 422, "in: "),
        ({"q": "a", "limit": "0"}, 422, "limit: "),
    ],
)
def test_a_query_that_cannot_be_answered_says_why(
    params: dict[str, str], status: int, words: str
) -> None:
    response = Client().get("/api/search", params)
    assert response.status_code == status
    assert words in response.json()["detail"]


def test_a_search_that_runs_out_of_time_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_searchable(tmp_path, thread("at_1", *["xy"] * 6))
    monkeypatch.setattr("convviewer.queries.search_candidates._WALK", 2)
    monkeypatch.setattr("convviewer.queries.search_candidates._ALL", 0.0)
    monkeypatch.setattr("convviewer.queries.search_candidates._STATEMENT", 0.0)
    found: list[str] = []
    after, answers = "", 0
    while answers < 20:
        page = answer("xy", after=after)
        answers += 1
        found += [hit["key"] for hit in page["items"]]
        if page["next"] is None:
            break
        assert page["complete"] is False
        after = page["next"]
    assert sorted(found) == ["0", "1", "2", "3", "4", "5"]


def test_an_empty_query_finds_nothing() -> None:
    assert answer("") == {
        "items": [],
        "next": None,
        "complete": True,
        "not_yet_indexed": 0,
        "clipped_blocks": 0,
        "block_limit": 32_768,
    }


def test_search_takes_the_same_number_of_queries_for_few_and_for_many(
    tmp_path: Path,
) -> None:
    def count(q: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            answer(q, limit=200)
        return len(captured)

    make_searchable(tmp_path, thread("at_few", "little", use("t", {}), result("little")))
    many = [thread(f"at_{n}", use("t", {"a": "plenty"}), result("plenty")) for n in range(60)]
    make_searchable(tmp_path, *many)
    assert keys("plenty", limit=200) == ["0", "1"] * 60
    few, plenty = count("little"), count("plenty")
    assert plenty == few
