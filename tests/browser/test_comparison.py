"""Comparing two tiers in a browser: keys, folds, windows, both themes, no script."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.request import ProxyHandler, build_opener

import pytest
from playwright.sync_api import Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import OpenPage, Site


@pytest.fixture
def thread(live_site: Site) -> Callable[[str], str]:
    """The address of a sample's comparison, by the id in its record."""

    def address(external_id: str) -> str:
        opener = build_opener(ProxyHandler({}))
        with opener.open(f"{live_site.url}/api/threads?limit=200") as answer:
            threads = json.load(answer)["items"]
        ids = [item["id"] for item in threads if item["external_id"] == external_id]
        return f"/threads/{ids[0]}/compare/"

    return address


@pytest.fixture
def comparison(thread: Callable[[str], str], sample: str) -> str:
    """The address of the parametrised sample's comparison."""
    return thread(sample)


def current(page: Page) -> str:
    return page.locator('[data-item][aria-current="true"]').get_attribute("id") or ""


def test_keys_step_through_changes_and_open_the_lists(
    page: Page, thread: Callable[[str], str]
) -> None:
    page.goto(thread("refund-truncate"))

    page.keyboard.press("n")
    assert current(page) == "r2"
    page.keyboard.press("n")
    assert current(page) == "r6"
    page.keyboard.press("p")
    assert current(page) == "r2"

    page.keyboard.press("x")
    expect(page.locator("#lost")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#lost")).to_be_hidden()

    page.keyboard.press("u")
    page.wait_for_url("**/compare/?mode=unified")
    page.keyboard.press("f")
    page.wait_for_url("**/compare/?mode=unified&unfold=1")
    assert page.locator("details.unchanged").count() == 0


def test_a_fold_opens_in_place(page: Page, thread: Callable[[str], str]) -> None:
    page.goto(thread("refund-truncate"))
    fold = page.locator("details.unchanged").first
    assert page.locator("#r0").count() == 0

    fold.locator("summary").click()

    expect(fold.locator(".row")).to_have_count(2)
    expect(page.locator("#r0")).to_be_visible()


def test_further_rows_come_while_reading_and_the_map_follows(
    page: Page, thread: Callable[[str], str]
) -> None:
    page.goto(thread("at_fleet2160"))
    before = page.locator(".minimap .here").get_attribute("y")
    assert page.locator(".window").count() <= 3

    # How many turns of the wheel it takes depends on how fast the windows come.
    for _ in range(120):
        if page.locator("#r100").count():
            break
        page.mouse.wheel(0, 4000)
        page.wait_for_timeout(100)

    expect(page.locator("#r100")).to_be_attached()
    assert page.locator(".minimap .here").get_attribute("y") != before
    assert page.locator("body *").count() < 15_000


def test_the_summary_step_goes_to_the_next_summary(
    page: Page, thread: Callable[[str], str]
) -> None:
    page.goto(thread("refund-summarise"))

    page.keyboard.press("s")

    assert page.locator(f"#{current(page)}").get_attribute("data-outcome") == "summarized"


def test_choosing_a_tier_shows_it(page: Page, thread: Callable[[str], str]) -> None:
    page.goto(thread("ramp-fix"))

    page.get_by_label("Right tier").select_option(index=2)

    page.wait_for_url("**/compare/?right=checkpoint*")
    expect(page.get_by_text("A checkpoint:")).to_be_visible()


def test_without_script_everything_is_a_link(
    open_page: OpenPage, thread: Callable[[str], str]
) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(thread("refund-truncate"))

    page.locator("details.unchanged summary").first.click()
    page.get_by_role("link", name="Show them").first.click()

    assert page.locator("#r0").is_visible()
    assert page.get_by_role("button", name="Compare").is_visible()


@pytest.mark.parametrize("sample", ["incident-a771", "at_locdrop14", "stock-audit"])
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (420, "light")])
def test_comparisons_are_accessible_and_fit(
    open_page: OpenPage,
    assert_accessible: Callable[[Page], None],
    comparison: str,
    width: int,
    scheme: str,
) -> None:
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(comparison)

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)
