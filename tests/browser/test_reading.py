"""The reading page in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site
from tests.web.reading import turns

Check = Callable[[Page], None]
THEMES = ("light", "dark")
WIDTHS = (1440, 420)


@pytest.fixture(scope="module")
def addresses(live_site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of threads by their own ids: the samples, and a long thread of 2,400 messages."""
    folder = tmp_path_factory.mktemp("long")
    messages = [
        {"role": role, "status": "completed", "created": "2026-11-01T09:00:00Z", "content": blocks}
        for role, blocks in [*turns(300), *turns(1, "error"), *turns(299)]
    ]
    record = {
        "thread_id": "at_long",
        "created": "2026-11-01T09:00:00Z",
        "org_id": "og_1",
        "status": "user_turn",
        "messages": messages,
    }
    (folder / "long.json").write_text(json.dumps(record))
    samples = Path(__file__).parents[2] / "convviewer" / "samples"
    report = live_site.manage("import_threads", "--json", str(samples), str(folder))
    return {
        thread["external_id"]: f"/threads/{thread['id']}/"
        for thread in json.loads(report)["threads"]
    }


def messages_on(page: Page) -> list[str]:
    """The numbers of the messages that are in the page, in order."""
    found = page.locator("main .msg > .gutter a").all_text_contents()
    return [text.removeprefix("#") for text in found]


@pytest.mark.parametrize(
    "opened",
    [
        *(("at_locdrop14", width, theme) for width in WIDTHS for theme in THEMES),
        *((thread, 420, "light") for thread in ("tide-report", "plan-review", "refund-summarise")),
        ("refund-summarise", 1440, "dark"),
    ],
)
def test_threads_are_accessible_and_fit(
    open_page: OpenPage,
    assert_accessible: Check,
    addresses: dict[str, str],
    opened: tuple[str, int, str],
) -> None:
    thread, width, theme = opened
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=theme)
    page.goto(addresses[thread])
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)


@pytest.mark.parametrize("part", ["messages/2/blocks/0/payload/", "messages/2/raw/", "unplaced/"])
def test_parts_of_a_thread_are_accessible(
    page: Page, assert_accessible: Check, addresses: dict[str, str], part: str
) -> None:
    page.goto(addresses["nightly-11-14"] + part)

    assert_accessible(page)


def test_scrolling_down_brings_later_windows_and_lets_far_ones_go(
    page: Page, addresses: dict[str, str]
) -> None:
    page.goto(addresses["at_long"])

    for _ in range(14):
        before = messages_on(page)[-1]
        page.locator("a.sentinel[rel=next]").scroll_into_view_if_needed()
        expect(page.locator("main .msg > .gutter a").last).not_to_have_text(f"#{before}")

    shown = messages_on(page)
    assert int(shown[-1]) > 400
    assert int(shown[0]) > 0  # the first windows are gone
    assert shown == [str(number) for number in range(int(shown[0]), int(shown[-1]) + 1)]
    assert page.evaluate("document.querySelectorAll('main *').length") < 20_000


def test_scrolling_up_from_a_permalink_keeps_what_is_read_in_place(
    page: Page, addresses: dict[str, str]
) -> None:
    page.goto(f"{addresses['at_long']}messages/1200/")
    expect(page.locator("#m-1200")).to_be_in_viewport()

    page.mouse.wheel(0, -200)
    expect(page.locator(".window")).not_to_have_count(1)

    shown = messages_on(page)
    assert shown == [str(number) for number in range(int(shown[0]), int(shown[-1]) + 1)]
    expect(page.locator("#m-1200")).to_be_in_viewport()


def test_keys_move_between_messages_and_failures(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["nightly-11-14"])

    page.keyboard.press("j")
    expect(page.locator("#m-0")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#m-1")).to_be_focused()
    expect(page).to_have_url(re.compile("/messages/1/$"))
    expect(page.locator("#inspector h2")).to_contain_text("#1")
    page.keyboard.press("n")
    expect(page.locator("#m-5")).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("#m-1")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#m-0")).to_be_focused()


def test_the_next_failure_is_found_far_outside_the_window(
    page: Page, addresses: dict[str, str]
) -> None:
    page.goto(addresses["at_long"])

    page.keyboard.press("n")

    expect(page).to_have_url(re.compile("/messages/1201/$"))
    expect(page.locator("#m-1201")).to_be_in_viewport()


def test_a_payload_changes_its_view_in_place(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["at_long"])
    card = page.locator("#m-1 .tool")

    card.get_by_role("link", name="Tree").click()

    expect(card.locator(".tree").first).to_be_visible()
    expect(card.locator("table")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"block=0&view=tree"))
    card.get_by_role("link", name="Input").click()
    expect(card.locator(".view")).to_contain_text("robot")
    page.reload()
    expect(page.locator("#m-1 .tool .view")).to_contain_text("robot")


def test_the_rest_of_a_long_payload_comes_where_it_belongs(
    page: Page, addresses: dict[str, str]
) -> None:
    page.goto(addresses["at_locdrop14"])
    card = page.locator("#m-3 .tool")
    shown = len(card.locator("pre").first.inner_text())

    card.get_by_role("link", name="Show more").click()

    expect(card.get_by_role("link", name="Show more")).to_have_count(0)
    expect(card.locator("pre")).to_have_count(2)
    assert len("".join(card.locator("pre").all_inner_texts())) > 2 * shown


def test_the_viewing_context_opens_in_the_inspector(page: Page, addresses: dict[str, str]) -> None:
    page.goto(f"{addresses['at_locdrop14']}messages/1/")
    expect(page.locator("#inspector")).not_to_contain_text("Viewing context")

    page.locator("#m-0").get_by_role("link", name="Viewing context").click()

    expect(page.locator("#inspector #viewing-context")).to_be_visible()
    expect(page).to_have_url(re.compile("/messages/0/$"))


def test_the_original_json_loads_when_its_fold_opens(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["nightly-11-14"])

    page.get_by_text("Original JSON").click()

    expect(page.locator("#inspector pre")).to_contain_text("tracking_id")


def test_an_outline_entry_leads_to_its_message(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["nightly-11-14"])

    page.locator(".rail .outline ol a").nth(2).click()

    expect(page.locator("#m-5")).to_be_focused()


def test_search_in_the_page_counts_what_it_finds(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["nightly-11-14"])

    page.keyboard.press("/")
    page.keyboard.type("bad gateway")

    expect(page.locator(".found-count")).to_contain_text("on this page")
    assert page.evaluate("CSS.highlights.get('found').size") >= 1


def test_a_narrow_page_opens_its_drawers(page: Page, addresses: dict[str, str]) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    page.goto(addresses["nightly-11-14"])
    expect(page.locator("#rail")).to_be_hidden()

    page.get_by_role("button", name="Turns").click()
    expect(page.locator("#rail")).to_be_visible()
    page.locator(".rail .outline ol a").first.click()
    expect(page.locator("#rail")).to_be_hidden()
    page.get_by_role("button", name="Inspector").first.click()
    expect(page.locator("#inspector")).to_be_visible()
    expect(page.locator("#inspector")).to_contain_text("Ids and model")


def test_a_thread_reads_from_end_to_end_without_javascript(
    open_page: OpenPage, addresses: dict[str, str]
) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(addresses["at_long"])
    seen = messages_on(page)

    for _ in range(3):
        with page.expect_navigation(wait_until="load"):
            page.get_by_role("link", name="Later messages").click()
        seen += messages_on(page)

    assert seen == [str(number) for number in range(len(seen))]
    page.locator(f"#m-{seen[-1]} .gutter a").click()
    expect(page).to_have_url(re.compile(f"/messages/{seen[-1]}/$"))
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("link", name="Earlier messages").click()
    assert int(messages_on(page)[-1]) < int(seen[-1])
    page.locator(".tool").first.get_by_role("link", name="Tree").click()
    expect(page.locator(".tool .tree").first).to_be_visible()


def test_nothing_in_a_payload_runs(page: Page, live_site: Site, tmp_path: Path) -> None:
    hostile = (
        "<img src=x onerror=\"document.title='PWNED'\"><script>document.title='PWNED'</script>"
    )
    name = {"tool_name": "draw", "tool_use_id": "t1"}
    content = [
        ("user", [{"text": hostile}]),
        ("assistant", [{"content_type": "tool_use", "input": {"q": hostile}, **name}]),
        (
            "roboto",
            [{"content_type": "tool_result", "status": "error", "payload": hostile, **name}],
        ),
    ]
    record = {
        "thread_id": "at_hostile",
        "created": "2026-11-01T09:00:00Z",
        "org_id": "og_1",
        "messages": [
            {
                "role": role,
                "status": "completed",
                "created": "2026-11-01T09:00:00Z",
                "content": blocks,
            }
            for role, blocks in content
        ],
    }
    (tmp_path / "hostile.json").write_text(json.dumps(record))
    report = json.loads(live_site.manage("import_threads", "--json", str(tmp_path)))

    page.goto(f"/threads/{report['threads'][0]['id']}/")

    assert page.title() != "PWNED"
    expect(page.locator("#m-0")).to_contain_text("onerror")
