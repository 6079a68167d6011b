"""The comparison page: what became of each message, in windows, with every fact an address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from convviewer.importing.importer import import_paths
from tests.factories.records import import_compressed, import_records, record
from tests.web.pages import Page, get_page

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "data" / "cases"
SNAPSHOTS = ROOT / "convviewer" / "samples" / "snapshots"


def import_case(number: str) -> str:
    """Import the case's input and return the id of its one thread."""
    (folder,) = CASES.glob(f"{number}-*")
    return import_paths([folder / "input"]).threads[-1].id


def import_session(name: str) -> str:
    """Import a snapshot session and return the id of its thread."""
    return import_paths([SNAPSHOTS / "session" / name]).threads[0].id


def compare(
    client: Client, thread: str, query: str = "", status: int = 200, **headers: Any
) -> Page:
    return get_page(client, f"/threads/{thread}/compare/{query}", status, **headers)


def rows(page: Page) -> list[tuple[str, str]]:
    """Number and outcome of each row shown, folds as "first+"."""
    return [
        (attributes["data-row"] or "", attributes["data-outcome"] or "")
        for tag, attributes in page.tags
        if tag in {"section", "details"} and "data-row" in attributes
    ]


def test_01_a_summary_stands_beside_what_it_replaced_and_says_how_sure_that_is(
    client: Client,
) -> None:
    thread = import_case("01")

    page = compare(client, thread)

    assert rows(page) == [("0", "summarized"), ("1", "kept")]
    assert "Read pump A." in page.text
    assert "Pump A runs at 4 bar." in page.text
    assert "Pressures were read for pump B." in page.text
    assert "range inferred from the stored count" in page.text
    assert "Replaces 2 messages, #0\u2013#1" in page.text
    assert "summary by SummarizingConversationManager" in page.text
    assert "10 unchanged messages" in page.text
    assert "Lost identifiers 1" in page.text
    assert "Nothing introduced" in page.text
    assert page.links["4 bar"] == f"/threads/{thread}/messages/1/"


def test_03_tiers_that_share_nothing_are_said_to_share_nothing(client: Client) -> None:
    page = compare(client, import_case("03"))

    assert "No message could be matched." in page.text
    assert rows(page) == [(str(n), "dropped") for n in range(16)]
    assert page.text.count("Not in the compressed tier") == 16


def test_07_an_original_that_is_not_in_the_import_is_no_link(client: Client) -> None:
    page = compare(client, import_case("07"), "?unfold=1")

    assert "Original not in the import tooluse_tbl1_0" in page.text
    assert "Original in stash" not in page.text


def test_09_redacted_text_is_not_in_the_page(client: Client) -> None:
    page = compare(client, import_case("09"), "?unfold=1")

    assert "4711-ZEBRA" not in page.html
    assert "[User input redacted.]" in page.text


def test_29_the_same_text_is_beside_itself(client: Client) -> None:
    page = compare(client, import_case("29"), "?unfold=1")

    assert rows(page) == [("0", "summarized"), *((str(n), "kept") for n in range(1, 7))]
    assert "#8" in page.links


def test_35_tombstones_and_fillers_are_markers(client: Client) -> None:
    page = compare(client, import_case("35"))

    assert rows(page) == [
        ("0", "kept"),
        ("1", "tombstone"),
        ("2", "filler"),
        ("3", "rewritten"),
        ("4", "kept"),
    ]
    assert "2 blocks deleted" in page.text
    assert "Content shortened away \u00b7 the model sees <Deleted in compression>" in page.text
    assert "2 unchanged messages" in page.text


def test_35_as_sent_the_tombstones_vanish_and_the_filler_reads_as_the_model_reads_it(
    client: Client,
) -> None:
    page = compare(client, import_case("35"), "?as=sent")

    assert "blocks deleted" not in page.text
    assert "Content shortened away" not in page.text
    assert "<Deleted in compression>" in page.text


def test_words_that_changed_are_marked_on_their_own_side(client: Client) -> None:
    page = compare(client, import_case("35"), "?outcome=rewritten")

    assert rows(page) == [("3", "rewritten")]
    assert "<del>Three</del>" in page.html
    assert "<ins>3</ins>" in page.html


def test_what_was_cut_away_is_shown_on_the_left_and_the_tear_on_the_right(client: Client) -> None:
    thread = import_session("refund-truncate")

    page = compare(client, thread, "?outcome=truncated")

    assert [outcome for _, outcome in rows(page)] == ["truncated"] * 3
    assert "214 characters elided" in page.text
    assert "more characters only here" in page.text
    assert "Original in stash" in page.text
    (link,) = {url for label, url in page.links.items() if label == "Open"}
    assert "SO-48211" in get_page(client, link).text


def test_an_offloaded_picture_stands_beside_its_reference(client: Client) -> None:
    threads = import_paths([SNAPSHOTS]).threads
    thread = next(line.id for line in threads if line.external_id == "stock-audit")

    page = compare(client, thread, "?outcome=offloaded")

    assert "[Offloaded: ~1000 tokens]" in page.text
    assert page.attributes("img")


def test_a_fold_opens_its_rows_and_no_others(client: Client) -> None:
    thread = import_case("01")
    fold = next(
        attributes["hx-get"]
        for _, attributes in compare(client, thread).tags
        if "first=" in (attributes.get("hx-get") or "")
    )

    page = get_page(client, fold or "", HTTP_HX_REQUEST="true")

    assert fold == f"/threads/{thread}/compare/?first=1&last=10"
    assert rows(page) == [(str(n), "kept") for n in range(1, 11)]
    assert not page.attributes("html")


def test_a_permalink_shows_its_row_and_keeps_it_out_of_the_fold(client: Client) -> None:
    thread = import_case("01")

    page = compare(client, thread, "?row=5")

    assert ("5", "kept") in rows(page)
    (asked,) = [a for a in page.attributes("section") if a.get("aria-current")]
    assert asked["id"] == "r5"


def test_an_outcome_is_a_filter_in_the_address(client: Client) -> None:
    thread = import_case("35")
    page = compare(client, thread)

    assert page.links["filler 1"] == f"/threads/{thread}/compare/?outcome=filler"
    shown = compare(client, thread, "?outcome=filler")
    assert rows(shown) == [("2", "filler")]
    assert shown.links["filler 1"] == f"/threads/{thread}/compare/"
    assert (
        shown.links["rewritten 1"] == f"/threads/{thread}/compare/?outcome=rewritten&outcome=filler"
    )
    assert "dropped 0" in page.text


def test_any_two_tiers_can_be_named_and_swapped(client: Client) -> None:
    thread = import_case("05")
    page = compare(client, thread)
    names = [a["value"] for a in page.attributes("option") if (a["value"] or "").startswith("ch")]
    first, second = names[:2]

    both = compare(client, thread, f"?left={first}&right={second}")

    assert [outcome for _, outcome in rows(both)] == ["kept", *["added"] * 4]
    assert "A checkpoint: messages that came after it count as dropped" in both.text
    (swap,) = [a for a in both.attributes("a") if a.get("aria-label") == "Swap sides"]
    swapped = get_page(client, swap["href"] or "")
    assert [outcome for _, outcome in rows(swapped)] == ["kept", *["dropped"] * 4]


def test_a_tier_beside_itself_is_said_to_be_that(client: Client) -> None:
    page = compare(client, import_case("01"), "?right=verbatim")

    assert "everything is kept" in page.text
    assert rows(page) == [("0", "kept")]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?right=nothing", 404),
        ("?left=checkpoint:1", 404),
        ("?row=99", 404),
        ("?outcome=lost", 400),
        ("?as=it", 400),
        ("?row=x", 400),
    ],
)
def test_what_is_not_there_is_said(client: Client, query: str, status: int) -> None:
    page = compare(client, import_case("01"), query, status)

    if "nothing" in query:
        assert "its tiers: verbatim, compressed" in page.text


def test_the_reading_page_leads_here_and_back(client: Client) -> None:
    thread = import_case("01")
    reading = get_page(client, f"/threads/{thread}/messages/1/")

    assert reading.links["Compare"] == f"/threads/{thread}/compare/?row=0"
    page = get_page(client, reading.links["Compare"])
    assert page.links["#1"] == f"/threads/{thread}/messages/1/"
    assert page.links["Read"] == f"/threads/{thread}/"


def test_every_pair_of_tiers_of_one_conversation_under_every_strategy_opens(
    client: Client,
) -> None:
    for line in import_paths([SNAPSHOTS]).threads:
        names = [tier.name for tier in line.tiers]
        for left in names[:3]:
            for right in names[:3]:
                for shown_as in ("stored", "sent"):
                    query = f"?left={left}&right={right}&as={shown_as}"
                    page = compare(client, line.id, query)
                    assert len(page.html) < 300_000
                    assert len(page.tags) < 3_000


@pytest.mark.parametrize("query", ["", "?as=sent", "?unfold=1", "?row=30", "?outcome=filler"])
def test_the_number_of_queries_does_not_grow(client: Client, tmp_path: Path, query: str) -> None:
    import_compressed(tmp_path / "long", "long", answers=300)
    import_compressed(tmp_path / "short", "short", answers=40)
    counts = []
    for name in ("long", "short"):
        found = client.get(f"/api/threads?q={name}").json()["items"][0]["id"]
        compare(client, found, query)
        with CaptureQueriesContext(connection) as captured:
            compare(client, found, query)
        counts.append(len(captured))

    assert counts[0] == counts[1] <= 26


def test_a_long_thread_comes_in_bounded_windows_that_meet(client: Client, tmp_path: Path) -> None:
    import_compressed(tmp_path, "long", answers=300)
    thread = client.get("/api/threads").json()["items"][0]["id"]
    url, seen = f"/threads/{thread}/compare/?outcome=filler", list[str]()

    while url:
        page = get_page(client, url)
        assert len(page.html) < 300_000
        assert len(page.tags) < 3_000
        seen += [row for row, _ in rows(page)]
        (window,) = [a for a in page.attributes("section") if a.get("class") == "window"]
        url = window.get("data-next-url") or ""

    assert seen == [str(n) for n in range(1, 301)]


def test_a_thread_of_one_tier_has_nothing_to_compare(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, record("only"))
    thread = client.get("/api/threads").json()["items"][0]["id"]

    assert "nothing was compressed" in compare(client, thread).text


def test_the_context_of_each_call_is_drawn_and_told_in_a_table(client: Client) -> None:
    thread = import_case("05")

    page = get_page(client, f"/threads/{thread}/context/")

    assert "5 model calls" in page.text
    assert len(page.attributes("tr")) == 6
    (chart,) = [a for a in page.attributes("svg") if a.get("role") == "img"]
    assert "the table below has the figures" in (chart["aria-label"] or "")
    assert page.text.count("reported") >= 5


def test_what_does_not_add_up_is_listed_with_links(client: Client) -> None:
    thread = import_case("01")

    page = get_page(client, f"/threads/{thread}/integrity/")

    assert "two messages of user in a row" in page.text
    assert page.links["Message 2"] == f"/threads/{thread}/messages/2/?tier=compressed"
