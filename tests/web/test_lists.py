"""`/` as a browser without script, and as htmx, sees it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories.records import (
    import_compressed,
    import_records,
    record,
    with_calls,
    with_words,
)
from tests.web.pages import Page, assert_strict, get_page

pytestmark = pytest.mark.django_db


def rows(page: Page) -> list[str]:
    """The titles of the listed threads."""
    return [label for label, url in page.links.items() if url.startswith("/threads/")]


def test_the_first_page_says_how_to_import(client: Client) -> None:
    page = get_page(client, "/")

    assert "manage.py import_threads PATH" in page.text
    assert "manage.py import_threads convviewer/samples" in page.text
    assert "Strands file session" in page.text
    assert "Roboto AI thread" in page.text
    (form,) = [form for form in page.attributes("form") if form.get("method") == "post"]
    assert form["action"] == "/import/"
    assert len(page.attributes("h1")) == 1


def test_a_row_shows_title_source_counts_and_time(client: Client, tmp_path: Path) -> None:
    made = record("th_1", "Why?", title="Lidar", created_from_agent_id="ag_7")
    import_records(tmp_path, with_calls(made, ("a", "error"), ("b", "success")))

    page = get_page(client, "/")

    assert rows(page) == ["Lidar"]
    for shown in ("1 thread", "Roboto AI thread", "ag_7", "th_1", "user turn", "Tokens, est."):
        assert shown in page.text
    assert "2 1 failed" in page.text
    (time,) = page.attributes("time")
    assert time["datetime"] == "2026-11-01T09:00:00+00:00"
    assert time["title"] == "1 Nov 2026, 09:00:00 UTC"
    assert len(page.attributes("h1")) == 1


def test_without_a_title_the_first_words_of_a_person_are_shown(
    client: Client, tmp_path: Path
) -> None:
    import_records(tmp_path, record("th_1", "Which joint moves?"))

    assert rows(get_page(client, "/")) == ["Which joint moves?"]


def test_a_compressed_thread_shows_its_tiers_and_a_real_minus(
    client: Client, tmp_path: Path
) -> None:
    import_compressed(tmp_path, "th_1")

    page = get_page(client, "/")

    assert "verbatim , deleted" in page.text
    assert "\u22129" in page.text  # 9x % less


def test_every_filter_in_the_address_is_a_chip_that_removes_it(
    client: Client, tmp_path: Path
) -> None:
    import_records(tmp_path, with_calls(record("th_1"), ("read_log", "error")))
    url = (
        "/?q=hello&format=roboto-thread&status=user_turn&tool=read_log&has_errors=true"
        "&compressed=false&introduced=false&since=2026-11-01&until=2026-11-01&sort=-tokens"
    )

    page = get_page(client, url)

    assert rows(page) == ["Hello"]
    chips = {label: link for label, link in page.links.items() if label.startswith("Remove")}
    assert len(chips) == 9
    whole = parse_qs(urlsplit(url).query)
    for label, link in chips.items():
        left = parse_qs(urlsplit(link).query)
        gone = whole.keys() - left.keys()
        assert len(gone) == 1, label
        assert left == {name: value for name, value in whole.items() if name not in gone}


def test_one_of_two_values_of_a_filter_is_removed_alone(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, record("th_1"))

    page = get_page(client, "/?status=user_turn&status=agent_turn")

    assert page.links["Remove filter status agent turn"] == "/?status=user_turn"
    assert page.links["Clear all"] == "/"


def test_a_form_without_script_leads_to_an_address_without_defaults(client: Client) -> None:
    response = client.get("/?q=&format=roboto-thread&since=&until=&sort=")

    assert response.status_code == 302
    assert response["Location"] == "/?format=roboto-thread"


def test_no_match_is_said_with_a_way_out_for_each_filter(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, record("th_1"))

    page = get_page(client, "/?q=nowhere&status=user_turn")

    assert "No thread matches both filters" in page.text
    assert "import_threads" not in page.text
    assert page.links["Drop \u201ctext: nowhere \u201d"] == "/?status=user_turn"
    assert page.links["Drop \u201cstatus: user turn \u201d"] == "/?q=nowhere"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("since=abc", '"since": "abc" is no date'),
        ("since=2026-02-30", '"since": "2026-02-30" is no date'),
        ("until=9999-12-31", '"until": "9999-12-31" is no date'),
        ("until=0001-01-01T00:00:00%2B14:00", '"until": "0001-01-01T00:00:00+14:00" is no date'),
        ("sort=name", '"sort" must be one of: updated, -updated'),
        ("has_errors=maybe", '"has_errors" must be true or false'),
        ("after=x", '"after" is no place in this list'),
        ("q=" + "x" * 501, '"q" is longer than 500 characters'),
        ("&".join(f"tool=t{number}" for number in range(51)), '"tool" has more than 50 values'),
    ],
)
def test_a_parameter_that_cannot_be_read_is_explained(
    client: Client, query: str, reason: str
) -> None:
    page = get_page(client, f"/?{query}", status=400)

    assert reason in page.text
    assert len(page.attributes("h1")) == 1


@pytest.mark.parametrize(
    "query",
    [
        "q=%00",
        "q=%ED%A0%80",
        "q=%27%22%3Cscript%3E",
        "tool=%00&agent=%00&status=%00&format=%00",
        "since=2026-11-01T09:00:00%2B02:00",
        "unknown=1",
        "q=%25_%5C",
    ],
)
def test_odd_text_in_the_address_is_searched_for_and_nothing_else(
    client: Client, query: str, tmp_path: Path
) -> None:
    import_records(tmp_path, record("th_1"))

    page = get_page(client, f"/?{query}")

    assert "<script>" not in page.html


def test_hostile_titles_are_shown_as_what_they_are(client: Client, tmp_path: Path) -> None:
    import_records(
        tmp_path,
        record("th_1", title="<img src=x onerror=alert(1)>"),
        record("th_2", title="safe\u202egnp.exe\x00\x1b[31m"),
        record("th_3", title="\ud800 alone"),
        record("th_4", title="{{ page }}{% now %}"),
        record("th_5", title="\u0645\u0631\u062d\u0628\u0627"),
    )

    page = get_page(client, "/")

    assert "<img" not in page.html
    assert "<img src=x onerror=alert(1)>" in page.text
    assert "U+202E" in page.text
    assert "\u202e" not in page.html
    assert "\x1b" not in page.html
    assert "{{ page }}{% now %}" in page.text
    assert page.html.encode()  # no lone surrogate


def test_a_link_leads_to_the_rest(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, *(record(f"th_{number:03d}", f"No. {number}") for number in range(60)))

    first = get_page(client, "/?status=user_turn")
    second = get_page(client, first.links["More"])

    assert len(rows(first)) == 50
    assert len(rows(second)) == 10
    assert not set(rows(first)) & set(rows(second))
    assert "More" not in second.links
    assert second.links["Start"] == "/?status=user_turn"
    assert "status user turn" in second.text


def test_a_head_sorts_downwards_first_and_then_upwards(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, record("th_1", "Short"), with_words(record("th_2", "Long"), 3))

    once = get_page(client, get_page(client, "/?q=th_").links["Messages"])
    twice = get_page(client, once.links["Messages"])

    assert rows(once) == ["Long", "Short"]
    assert rows(twice) == ["Short", "Long"]
    assert [head.get("aria-sort") for head in once.attributes("th") if head.get("aria-sort")] == [
        "descending"
    ]
    assert once.links["Remove filter text th_"] == "/?sort=-messages"


def test_htmx_gets_the_results_and_the_address_to_show(client: Client, tmp_path: Path) -> None:
    import_records(tmp_path, record("th_1"))

    response = client.get("/?q=hello&since=&sort=", HTTP_HX_REQUEST="true")

    page = Page(response.content.decode())
    assert_strict(page)
    assert response["HX-Push-Url"] == "/?q=hello"
    assert "HX-Request" in response["Vary"]
    assert not page.attributes("html")
    ids = {attributes["id"] for _, attributes in page.tags if attributes.get("hx-swap-oob")}
    assert ids == {"choices", "total"}
    assert rows(page) == ["Hello"]


def test_the_page_takes_as_many_queries_for_three_hundred_threads_as_for_three(
    client: Client, tmp_path: Path
) -> None:
    import_records(tmp_path / "few", *(record(f"th_{number}") for number in range(3)))
    with CaptureQueriesContext(connection) as few:
        get_page(client, "/")
    import_records(
        tmp_path / "many",
        *(with_calls(record(f"tm_{number}"), ("tool", "error")) for number in range(297)),
    )
    with CaptureQueriesContext(connection) as many:
        get_page(client, "/")

    assert len(many) == len(few)
