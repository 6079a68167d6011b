"""The reading page: windows, links, head, rail, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.web.pages import Page, assert_strict, get_page
from tests.web.reading import (
    answer,
    html_of,
    import_case,
    import_roboto,
    import_sample,
    import_strands,
    keys,
    message_html,
    text,
    turns,
    words,
)

pytestmark = pytest.mark.django_db


def test_a_page_shows_every_message_of_a_short_thread_in_order(client: Client) -> None:
    thread = import_sample("strands/session_address-change")

    page = get_page(client, f"/threads/{thread}/")

    assert keys(page.html) == ["0", "1", "2", "3", "4", "5"]
    assert "What do you need to change my delivery address?" in page.text
    assert len(page.attributes("h1")) == 1
    assert len(page.attributes("main")) == 1


def test_a_window_holds_fifty_messages_and_links_to_both_neighbours(
    client: Client, tmp_path: Path
) -> None:
    answers = [("assistant", [{"text": f"Answer {number}"}]) for number in range(199)]
    thread = import_roboto(tmp_path, ("user", [{"text": "Go"}]), *answers)

    first = html_of(client, f"/threads/{thread}/")
    second = html_of(client, f"/threads/{thread}/?after=49")
    back = html_of(client, f"/threads/{thread}/?before=100")
    last = html_of(client, f"/threads/{thread}/?after=199")

    assert keys(first) == [str(number) for number in range(50)]
    assert keys(second) == keys(back) == [str(number) for number in range(50, 100)]
    assert keys(last) == ["199"]
    assert f'<a class="sentinel" rel="next" href="/threads/{thread}/?after=49"' in first
    assert '<a class="sentinel" rel="prev" hidden>' in first
    assert f'<a class="sentinel" rel="prev" href="/threads/{thread}/?before=50"' in second
    assert f'data-previous-url="/threads/{thread}/?before=50"' in second
    assert f'data-next-url="/threads/{thread}/?after=99"' in second
    assert '<a class="sentinel" rel="next" hidden>' in last


def test_following_the_links_meets_every_message_once_in_either_direction(
    client: Client, tmp_path: Path
) -> None:
    thread = import_roboto(tmp_path, *turns(75))

    forward = _walk(client, f"/threads/{thread}/", "next")
    backward = _walk(client, f"/threads/{thread}/?before=300", "prev")

    everything = [str(number) for number in range(300)]
    assert [key for window in forward for key in window] == everything
    assert [key for window in reversed(backward) for key in window] == everything


def _walk(client: Client, url: str, rel: str) -> list[list[str]]:
    return [keys(html) for html in _pages(client, url, rel)]


def _pages(client: Client, url: str, rel: str) -> list[str]:
    pages = []
    while url:
        pages.append(html_of(client, url))
        found = re.search(rf'<a class="sentinel" rel="{rel}" href="([^"]*)"', pages[-1])
        url = found[1] if found else ""
    return pages


def test_a_window_stays_within_its_bounds(client: Client, tmp_path: Path) -> None:
    thread = import_roboto(tmp_path, *turns(75))

    html = html_of(client, f"/threads/{thread}/")

    window = html[html.index('<section class="window"') : html.index('rel="next"')]
    assert 20 < len(keys(window)) <= 50
    assert len(re.findall(r"<[a-z]", window)) <= 2200
    assert len(window.encode()) <= 200_000
    assert len(html.encode()) <= 300_000
    assert len(re.findall(r"<[a-z]", html)) <= 3000


def test_one_message_of_very_many_blocks_comes_in_parts(client: Client, tmp_path: Path) -> None:
    blocks = [{"text": f"paragraph {number} {'word ' * 300}"} for number in range(400)]
    thread = import_strands(tmp_path, text("go"), answer(*blocks))

    first = html_of(client, f"/threads/{thread}/messages/1/")
    (link,) = re.findall(r'href="([^"]*first_block=\d+)"', first)
    second = html_of(client, link)

    assert "paragraph 0 " in first
    assert "paragraph 399 " not in first
    assert len(first.encode()) <= 300_000
    start = int(link.rpartition("=")[2])
    assert f"paragraph {start} " in second
    assert f"paragraph {start - 1} " not in second
    assert f"{start} of 400 shown" in words(first)


def test_a_permalink_opens_at_its_message_with_some_before_it(
    client: Client, tmp_path: Path
) -> None:
    thread = import_roboto(tmp_path, *turns(75))

    html = html_of(client, f"/threads/{thread}/messages/180/")

    shown = keys(html)
    assert 1 < shown.index("180") <= 8
    assert 20 < len(shown) <= 50
    assert 'aria-current="true"' in message_html(html, "180")
    assert "<h2>#180 " in html


def test_a_permalink_names_its_tier(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    html = html_of(client, f"/threads/{thread}/?tier=compressed")

    assert keys(html)[0] == "summary"
    assert f"/threads/{thread}/messages/summary/?tier=compressed" in html
    get_page(client, f"/threads/{thread}/messages/summary/?tier=compressed")


@pytest.mark.parametrize("rest", [0, 1, 2, 3])
def test_a_call_and_the_result_in_the_next_message_share_a_window(
    client: Client, tmp_path: Path, rest: int
) -> None:
    thread = import_roboto(tmp_path, *turns(30)[rest:])
    first = f"/threads/{thread}/"
    calls = [str(number) for number in range(120 - rest) if (number + rest) % 4 == 1]

    for pages in (_pages(client, first, "next"), _pages(client, f"{first}?before=120", "prev")):
        for html in pages:
            assert "The result stands in" not in html
            assert "The call stands in" not in html
    for call in calls[10:14]:
        html = html_of(client, f"{first}messages/{call}/")
        assert "stands in" not in html
        assert "read_topics" in message_html(html, call)


def test_a_result_far_from_its_call_is_named_on_both_sides(client: Client, tmp_path: Path) -> None:
    call = {"toolUse": {"toolUseId": "t1", "name": "survey", "input": {"hall": 3}}}
    result = {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "done"}]}}
    between = [answer({"text": f"still going {number}"}) for number in range(80)]
    late = {"role": "user", "content": [result]}
    thread = import_strands(tmp_path, text("go"), answer(call), *between, late)

    use = message_html(html_of(client, f"/threads/{thread}/"), "1")
    answered = message_html(html_of(client, f"/threads/{thread}/messages/82/"), "82")

    assert "The result stands in message #82" in words(use)
    assert f'href="/threads/{thread}/messages/82/"' in use
    assert "The call stands in message #1" in words(answered)
    assert f'href="/threads/{thread}/messages/1/"' in answered
    assert "late result" in words(answered)
    assert "survey" in words(answered)
    assert "done" in words(answered)


@pytest.mark.parametrize(
    "address",
    ["", "messages/1/", "messages/2/inspector/", "messages/2/raw/", "messages/2/blocks/0/payload/"],
)
def test_pages_run_the_same_queries_for_four_messages_and_for_three_hundred(
    client: Client, tmp_path: Path, address: str
) -> None:
    counts = []
    for name, made in (("small", turns(1)), ("large", turns(75, "error"))):
        thread = import_roboto(tmp_path / name, *made, thread_id=name)
        with CaptureQueriesContext(connection) as queries:
            html_of(client, f"/threads/{thread}/{address}")
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_htmx_gets_the_window_alone(client: Client, tmp_path: Path) -> None:
    answers = [("assistant", [{"text": f"Answer {number}"}]) for number in range(60)]
    thread = import_roboto(tmp_path, ("user", [{"text": "Go"}]), *answers)

    response = client.get(f"/threads/{thread}/?after=49", headers={"HX-Request": "true"})

    html = response.content.decode()
    assert html.lstrip().startswith('<section class="window"')
    assert "<html" not in html
    assert keys(html) == [str(number) for number in range(50, 61)]
    assert "HX-Request" in response["Vary"]


def test_the_head_names_thread_counts_and_lineage(client: Client) -> None:
    thread = import_sample("roboto/localizer-drop-fork.json")

    page = get_page(client, f"/threads/{thread}/")

    assert "Localizer drop" in page.text
    assert "at_locdrop14b" in page.text
    assert "forked from at_locdrop14 at message 8" in page.text
    assert any(button.get("data-copy") == "at_locdrop14b" for button in page.attributes("button"))


def test_a_fork_links_to_its_source_when_that_is_stored(client: Client) -> None:
    source = import_sample("roboto/localizer-drop.json")
    fork = import_sample("roboto/localizer-drop-fork.json")

    page = get_page(client, f"/threads/{fork}/")

    assert page.links["forked from at_locdrop14 at message 8"] == f"/threads/{source}/"


def test_tasks_and_goals_lead_to_their_messages(client: Client) -> None:
    thread = import_sample("roboto/localizer-drop.json")

    page = get_page(client, f"/threads/{thread}/")

    assert "1 of 2 done" in page.text
    assert "Find the drop" in page.text
    assert "1 of 2 achieved" in page.text
    assert page.links["#7"] == f"/threads/{thread}/messages/7/"


def test_tiers_are_switched_by_links_and_compare_appears_with_a_second_tier(
    client: Client,
) -> None:
    thread = import_sample("strands/session_refund-window")
    single = import_sample("strands/session_address-change")

    page = get_page(client, f"/threads/{thread}/")

    tiers = page.html[page.html.index('aria-label="Tier"') :]
    tiers = tiers[: tiers.index("</nav>")]
    assert re.findall(r'href="([^"]*)"', tiers) == [
        f"/threads/{thread}/",
        f"/threads/{thread}/?tier=compressed",
    ]
    assert any(label.startswith("Compare") for label in page.links)
    assert "Compare" not in get_page(client, f"/threads/{single}/").links


def test_compressed_means_the_verbatim_tier_where_nothing_was_compressed(client: Client) -> None:
    thread = import_sample("strands/session_address-change")

    html = html_of(client, f"/threads/{thread}/?tier=compressed")

    assert keys(html) == keys(html_of(client, f"/threads/{thread}/"))


def test_the_outline_lists_turns_calls_and_failures_around_the_window(client: Client) -> None:
    thread = import_sample("strands/session_nightly-11-14")

    html = html_of(client, f"/threads/{thread}/")

    rail = html[html.index('<aside class="rail"') : html.index("</aside>")]
    assert "Run the nightly sync of 14 November 2026." in words(rail)
    assert rail.count('data-tone="err"') == 3
    assert "http_get" in words(rail)
    assert f'data-goto href="/threads/{thread}/messages/5/"' in rail


def test_the_outline_of_a_long_thread_is_a_window_too(client: Client, tmp_path: Path) -> None:
    thread = import_roboto(tmp_path, *turns(150))

    html = html_of(client, f"/threads/{thread}/messages/300/")

    rail = html[html.index('<aside class="rail"') : html.index("</aside>")]
    assert rail.count("<li") < 90
    assert "Earlier turns" in words(rail)
    assert "Later turns" in words(rail)


def test_a_compaction_point_is_in_the_outline(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    html = html_of(client, f"/threads/{thread}/?tier=compressed")

    assert "compacted here" in words(html)


def test_a_compaction_is_marked_where_it_fell_in_the_verbatim_tier(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    html = html_of(client, f"/threads/{thread}/")

    boundary = html[html.index('<div class="boundary"') :]
    assert words(boundary).startswith(
        "Context compacted here 15 messages → 1 summary 2,708 → 81 tokens"
    )
    assert "range inferred from the stored count" in words(boundary)
    assert keys(boundary)[0] == "15"
    assert f'href="/threads/{thread}/compare/?row=0"' in boundary
    assert "compacted \u221297%" in words(html)


def test_the_next_failure_beyond_the_window_is_a_link(client: Client, tmp_path: Path) -> None:
    answers = [("assistant", [{"text": f"Answer {number}"}]) for number in range(120)]
    failure = {"content_type": "error", "error_message": "The reply was cut off."}
    made = (("user", [{"text": "Go"}]), *answers, ("assistant", [failure]))
    thread = import_roboto(tmp_path, *made)

    first = html_of(client, f"/threads/{thread}/")
    last = html_of(client, f"/threads/{thread}/messages/121/")

    assert f'data-next-stop="/threads/{thread}/messages/121/"' in first
    assert "data-next-stop" not in last
    assert 'data-item="stop"' in message_html(last, "121")


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/threads/nothing/", 'No thread "nothing" is stored here'),
        ("/threads/{thread}/?tier=later", 'This thread has no tier "later"'),
        ("/threads/{thread}/messages/99/", 'has no message "99"'),
        ("/threads/{thread}/messages/0/blocks/7/payload/", "block 7 of message 0 has no payload"),
    ],
)
def test_what_is_not_stored_is_named_with_what_there_is(
    client: Client, address: str, says: str
) -> None:
    thread = import_sample("strands/session_refund-window")

    page = get_page(client, address.format(thread=thread), status=404)

    assert says in page.text
    assert "Stored here:" in page.text
    assert len(page.attributes("h1")) == 1


@pytest.mark.parametrize("address", ["%00/", "{thread}/messages/%00/", "{thread}/?tier=%00"])
def test_a_nul_in_an_address_finds_nothing(client: Client, address: str) -> None:
    thread = import_sample("strands/session_address-change")

    get_page(client, f"/threads/{address.format(thread=thread)}", status=404)


def test_a_call_has_an_address_of_its_own(client: Client) -> None:
    thread = import_sample("strands/session_nightly-11-14")

    html = html_of(client, f"/threads/{thread}/")

    assert f'href="/threads/{thread}/messages/5/#b-5-0"' in html
    assert 'id="b-5-0"' in html


def test_a_message_of_another_tier_is_offered_where_it_stands(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    page = get_page(client, f"/threads/{thread}/messages/summary/", status=404)

    assert page.links["Message summary, compressed tier"] == (
        f"/threads/{thread}/messages/summary/?tier=compressed"
    )


@pytest.mark.parametrize("query", ["after=x", "before=-1", "first_block=1.5", "block=²"])
def test_a_parameter_that_is_no_number_is_refused_in_words(client: Client, query: str) -> None:
    thread = import_sample("strands/session_address-change")

    page = get_page(client, f"/threads/{thread}/?{query}", status=400)

    assert "must be a whole number" in page.text


def test_a_place_behind_the_end_shows_the_last_messages(client: Client) -> None:
    thread = import_sample("strands/session_address-change")

    assert keys(html_of(client, f"/threads/{thread}/?after=99999999999")) == ["5"]
    assert keys(html_of(client, f"/threads/{thread}/?before=99999999999"))[-1] == "5"


def test_a_multi_agent_record_shows_its_task_and_the_results_of_its_nodes(
    client: Client,
) -> None:
    (thread,) = import_case("19-graph-session-no-agents")

    page = get_page(client, f"/threads/{thread}/")

    assert "Graph review" in page.text
    assert page.text.index("reader") < page.text.index("critic")
    assert "The plan has 2 pages." in page.text
    assert "Page 2 lacks a date." in page.text
    assert page.text.count("result, not a transcript") == 2
    assert "plan · document, pdf, 13 B" in page.text
    assert "completed" in page.text


def test_a_waiting_call_is_told_from_one_without_a_result(client: Client, tmp_path: Path) -> None:
    use = {"content_type": "tool_use", "tool_name": "open_panel", "tool_use_id": "t", "input": {}}
    contents = (("user", [{"text": "Open it"}]), ("assistant", [use]))
    waiting = import_roboto(tmp_path / "a", *contents, status="client_tool_turn")
    ended = import_roboto(tmp_path / "b", *contents, thread_id="at_ended")

    assert "Waiting for the client" in words(html_of(client, f"/threads/{waiting}/"))
    html = html_of(client, f"/threads/{ended}/")
    assert "Waiting for the client" not in html
    assert "no result" in words(message_html(html, "1"))


def test_every_page_of_every_sample_is_strict(client: Client) -> None:
    for path in ("roboto", "strands", "converse", "messages", "snapshots"):
        import_sample(path)
    for thread in set(re.findall(r'href="/threads/([a-z0-9-]+)/"', html_of(client, "/"))):
        html = html_of(client, f"/threads/{thread}/")
        outward = re.findall(r'<a [^>]*href="https?:[^>]*>', html)
        assert all('rel="noopener noreferrer nofollow"' in link for link in outward)
        page = Page(re.sub(r'<a [^>]*href="https?:[^>]*>', "<a>", html))
        assert_strict(page)
        ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(ids) == len(set(ids)), thread
