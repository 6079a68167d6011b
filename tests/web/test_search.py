"""The search page."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from convviewer.store import models
from tests.factories.searching import import_case, make_searchable, store, thread

pytestmark = pytest.mark.django_db


def page(**params: str) -> str:
    response = Client().get("/search/", params)
    assert response.status_code == 200
    assert "Content-Security-Policy" in response
    return response.content.decode()


def words(html: str) -> str:
    """What a person reads: no tags, blanks collapsed."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def marks(html: str) -> list[str]:
    return re.findall(r"<mark>([^<]*)</mark>", html)


def test_a_hit_says_where_it_stands_and_marks_what_was_looked_for() -> None:
    import_case("47")
    html = page(q="grösse")
    assert marks(html) == ["Größe"]
    assert "#2 tool output" in words(html)
    assert re.search(r'href="/threads/\w+/messages/2/\?q=gr%C3%B6sse#b-1-0"', html)


def test_text_with_markup_stays_text(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "<script>alert(1)</script> <b>needle</b>"))
    html = page(q="<b>needle")
    assert "<script>alert" not in html
    assert "&lt;b&gt;needle" in html
    assert 'value="&lt;b&gt;needle"' in html


def test_filters_are_chips_that_lead_to_the_search_without_them(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "needle"))
    html = page(q="needle role:user")
    assert 'href="/search/?q=needle"' in html
    assert 'href="/search/?q=needle+role%3Auser&amp;in=tool_input"' in html


def test_a_query_that_cannot_be_understood_is_explained_beside_the_help() -> None:
    said = words(page(q='find "this'))
    assert "The quote before “this” is not closed" in said
    assert "How to search" in said


def test_a_long_query_is_refused_in_words() -> None:
    assert "at most 1,000 characters, this one 10,000" in words(page(q="x" * 10_000))


def test_nothing_found_says_so() -> None:
    assert "Nothing found" in words(page(q="nowhere"))


def test_what_is_searched_in_part_or_not_yet_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_searchable(tmp_path, thread("at_1", "x " * 40_000))
    store(tmp_path, thread("at_2", "needle"))
    said = words(page(q="needle"))
    assert "1 long block can be found only by the first 32,768 characters" in said
    assert "1 message still to be indexed; this search read them as they are" in said
    monkeypatch.setattr("convviewer.queries.search_candidates._UNINDEXED", -1.0)
    assert "1 message not yet searched" in words(page(q="needle"))


def test_the_id_of_a_thread_leads_straight_to_it(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "hello"), thread("at_2", "at_1 was mentioned"))
    row = models.Thread.objects.get(external_id="at_1")
    for text in (row.public_id, " at_1 "):
        response = Client().get("/search/", {"q": text})
        assert (response.status_code, response["Location"]) == (302, f"/threads/{row.public_id}/")
    assert marks(page(q='"at_1"')) == ["at_1"]


def test_an_id_that_several_agents_share_lists_their_threads(tmp_path: Path) -> None:
    import_case("01")
    row = models.Thread.objects.first()
    assert row is not None
    models.Thread.objects.create(
        id=row.pk + 1_000,
        public_id="other",
        format=row.format,
        external_id=row.external_id,
        lookup_id=row.lookup_id,
        agent_id="second",
        title="The other agent",
        sort_at=row.sort_at,
        imported_at=row.imported_at,
        facts=row.facts,
    )
    html = page(q=row.external_id)
    assert "Threads with this id" in html
    assert "/threads/other/" in html
    assert f"/threads/{row.public_id}/" in html


def test_htmx_gets_the_results_alone() -> None:
    response = Client().get("/search/", {"q": "x"}, headers={"HX-Request": "true"})
    html = response.content.decode()
    assert html.lstrip().startswith('<div id="results"')


def test_further_pages_are_links(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", *["needle"] * 40))
    first = page(q="needle")
    (more,) = re.findall(
        r'rel="next" data-key="o" href="/search/\?q=needle&amp;after=(\w+)"', first
    )
    second = page(q="needle", after=more)
    assert (len(marks(first)), len(marks(second))) == (30, 10)
