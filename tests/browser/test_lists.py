"""The list of threads and the import page in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site
from tests.factories.records import record

Check = Callable[[Page], None]
THEMES = ("light", "dark")
WIDTHS = (1440, 420)


def rows(page: Page) -> int:
    return page.locator("#rows > tr").count()


def fits(page: Page) -> bool:
    """Whether nothing scrolls sideways."""
    found = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return bool(found)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", ["/", "/?q=nowhere&has_errors=true", "/import/"])
def test_pages_are_accessible_and_fit(
    open_page: OpenPage, assert_accessible: Check, path: str, width: int, theme: str
) -> None:
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=theme)
    page.goto(path)

    assert_accessible(page)
    assert fits(page)


def test_a_ticked_choice_narrows_the_list_and_keeps_the_focus(page: Page) -> None:
    page.goto("/")
    before = rows(page)
    page.get_by_label(re.compile("has failures")).check()

    expect(page).to_have_url(re.compile(r"/\?has_errors=true$"))
    expect(page.get_by_role("link", name="Remove filter has failures yes")).to_be_visible()
    assert 0 < rows(page) < before
    expect(page.get_by_label(re.compile("has failures"))).to_be_focused()
    expect(page.locator("#total")).to_have_text(f"{rows(page)} threads")


def test_typing_filters_while_the_address_follows(page: Page) -> None:
    page.goto("/?sort=-messages")
    page.keyboard.press("/")
    page.keyboard.type("nightly")

    expect(page).to_have_url(re.compile(r"/\?q=nightly&sort=-messages$"))
    expect(page.locator("#q")).to_be_focused()
    expect(page.locator("#rows > tr").first).to_contain_text("nightly")
    assert page.locator("#rows > tr").filter(has_not_text="nightly").count() == 0


def test_back_leads_to_the_list_as_it_was(page: Page) -> None:
    page.goto("/")
    before = rows(page)
    page.get_by_label(re.compile("^compressed")).check()
    expect(page).to_have_url(re.compile("compressed=true"))

    page.go_back()

    expect(page).to_have_url(re.compile("/$"))
    expect(page.locator("#rows > tr")).to_have_count(before)
    expect(page.get_by_label(re.compile("^compressed"))).not_to_be_checked()


def test_a_chip_removes_its_filter(page: Page) -> None:
    page.goto("/?has_errors=true&q=sync")
    page.get_by_role("link", name="Remove filter text sync").click()

    expect(page).to_have_url(re.compile(r"/\?has_errors=true$"))
    expect(page.locator("#q")).to_have_value("")


def test_sorting_by_the_menu_keeps_the_filters(page: Page) -> None:
    page.goto("/?has_errors=true")
    page.get_by_label("Sort by").select_option("Most failures")

    expect(page).to_have_url(re.compile(r"/\?has_errors=true&sort=-failures$"))
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("failed")


def test_times_are_relative_with_the_moment_in_the_title(page: Page) -> None:
    page.clock.set_fixed_time("2026-11-27T12:00:00Z")
    page.goto("/?q=nightly-11-26")

    time = page.locator("#rows time")
    expect(time).to_have_text("1 d ago")
    assert re.fullmatch(r"26 Nov 2026, \d\d:\d\d:\d\d UTC", time.get_attribute("title") or "")


def test_j_and_enter_open_the_next_thread(page: Page) -> None:
    page.goto("/")
    first, second = (page.locator("#rows > tr > .main > a").nth(n) for n in (0, 1))
    page.keyboard.press("j")
    expect(first).to_be_focused()
    page.keyboard.press("j")

    expect(second).to_be_focused()


def test_without_script_the_form_filters_and_pages_are_links(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/")
    page.get_by_label(re.compile("has failures")).check()
    page.get_by_role("button", name="Apply").click()

    expect(page).to_have_url(re.compile(r"/\?has_errors=true$"))
    page.get_by_role("link", name="Tokens, est.").click()
    expect(page).to_have_url(re.compile(r"/\?has_errors=true&sort=-tokens$"))


def test_more_threads_follow_below_without_a_new_page(
    open_page: OpenPage, live_site: Site, tmp_path: Path
) -> None:
    for number in range(60):
        made = record(f"th_more{number:02d}", f"Page through {number}")
        (tmp_path / f"{number}.json").write_text(json.dumps(made))
    live_site.manage("import_threads", str(tmp_path))
    page = open_page()
    page.goto("/?q=th_more")
    expect(page.locator("#rows > tr")).to_have_count(50)

    page.keyboard.press("o")

    expect(page.locator("#rows > tr")).to_have_count(60)
    titles = page.locator("#rows > tr > .main > a").all_inner_texts()
    assert len(set(titles)) == 60
    expect(page).to_have_url(re.compile("after="))
    expect(page.get_by_role("link", name="More", exact=True)).to_have_count(0)


def test_the_filters_open_as_a_drawer_where_there_is_no_room(
    open_page: OpenPage, assert_accessible: Check
) -> None:
    page = open_page(viewport={"width": 420, "height": 900})
    page.goto("/")
    page.get_by_role("button", name="Filters").click()
    page.get_by_label(re.compile("has failures")).check()

    expect(page).to_have_url(re.compile(r"/\?has_errors=true$"))
    expect(page.locator("#facets")).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_chosen_files_are_sent_and_their_report_appears(
    open_page: OpenPage, assert_accessible: Check, width: int, tmp_path: Path
) -> None:
    folder = tmp_path / f"chosen-{width}"
    (folder / "inner").mkdir(parents=True)
    made = record(f"th_sent{width}", title=f"Sent at {width}")
    (folder / "inner" / "thread.json").write_text(json.dumps(made))
    (folder / "notes.txt").write_text("remember the milk")
    page = open_page(viewport={"width": width, "height": 900})
    page.goto("/import/")

    page.get_by_label("Choose a folder").set_input_files(folder)

    expect(page).to_have_url(re.compile(r"/import/\?run="))
    expect(page.locator("#run h2")).to_contain_text(f"chosen-{width} done, 2 files")
    expect(page.get_by_role("link", name=f"Sent at {width}")).to_be_visible()
    expect(page.locator("#report")).to_contain_text(f"chosen-{width}/notes.txt")
    assert_accessible(page)
    assert fits(page)


def test_a_dropped_file_is_sent(page: Page) -> None:
    page.goto("/import/")
    text = json.dumps(record("th_dropped", title="Dropped"))
    data = page.evaluate_handle(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.json", {type: "application/json"}));
            return data;
        }""",
        text,
    )

    page.dispatch_event("file-drop .drop", "drop", {"dataTransfer": data})

    expect(page.locator("#run h2")).to_contain_text("dropped.json done, 1 file")
    expect(page.get_by_role("link", name="Dropped", exact=True)).to_be_visible()


def test_without_script_files_are_sent_by_a_button(open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "plain.json").write_text(json.dumps(record("th_plain", title="Plain")))
    page = open_page(java_script_enabled=False)
    page.goto("/import/")
    page.get_by_label("Choose files").set_input_files(tmp_path / "plain.json")
    page.get_by_role("button", name="Import").click()

    for _ in range(50):
        if page.get_by_role("link", name="Plain", exact=True).count():
            return
        page.wait_for_timeout(100)
        page.reload()
    pytest.fail("the report did not come")
