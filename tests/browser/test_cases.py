"""What the recorded cases ask of a browser: copying, titles, marked matches, quiet tabs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Site
from tests.cases.build import roboto_use, with_payload, write_record
from tests.cases.seen import input_of

ENTITIES = "&lt;script&gt;alert(1)&lt;/script&gt; &#39; &nbsp; <b>"
MARKED = "() => [...(CSS.highlights.get('found') ?? [])].map(range => range.toString())"


def import_into(site: Site, *paths: Path) -> dict[str, str]:
    """Import the paths and return the addresses of their threads by file order."""
    report = json.loads(site.manage("import_threads", "--json", *map(str, paths)))
    site.manage("index", "--wait")
    return {thread["external_id"]: f"/threads/{thread['id']}/" for thread in report["threads"]}


def import_case(site: Site, number: str) -> str:
    """Import a case and return the address of its thread."""
    (address,) = import_into(site, input_of(number)).values()
    return address


def marked(page: Page) -> list[str]:
    """The texts that the page marks, as soon as there are any.

    The page's policy forbids Playwright's own waiting, which evaluates text as script.
    """
    for _ in range(200):
        found: list[str] = page.evaluate(MARKED)
        if found:
            return found
        page.wait_for_timeout(50)
    return []


def test_41_the_copy_button_gives_the_stored_string(open_page: OpenPage, live_site: Site) -> None:
    address = import_case(live_site, "41")
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(address)

    page.locator(".tool [data-copy-url]").click()

    expect(page.locator("[data-done='copied']")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == ENTITIES
    assert page.locator(".tool pre").text_content() == ENTITIES


def test_53_copying_keeps_every_digit(open_page: OpenPage, live_site: Site) -> None:
    address = import_case(live_site, "53")
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(address)

    page.locator(".tool [data-copy-url]").click()

    expect(page.locator("[data-done='copied']")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    for digits in ("9007199254740993", "18446744073709551615", "123456789012345678901234567890"):
        assert digits in copied
    assert '"9007199254740993"' in copied


def test_51_an_svg_runs_nothing_and_the_tab_keeps_its_title(page: Page, live_site: Site) -> None:
    address = import_case(live_site, "51")

    for path in ("", "messages/2/blocks/0/payload/?view=image"):
        page.goto(f"{address}{path}")
        page.wait_for_load_state("networkidle")
        assert "PWNED" not in page.title()
        longest = page.evaluate(
            """() => {
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              let longest = 0;
              while (walker.nextNode())
                longest = Math.max(longest, walker.currentNode.data.length);
              return longest;
            }"""
        )
        assert longest <= 20_000
    assert page.locator("main img").count() == 1


def test_43_a_deep_payload_opens_closed_and_throws_nothing(page: Page, live_site: Site) -> None:
    address = import_case(live_site, "43")

    page.goto(address)
    page.get_by_role("link", name="Raw", exact=True).first.click()
    expect(page.locator(".tool a[data-view='raw']")).to_have_attribute("aria-current", "true")
    page.goto(f"{address}messages/2/blocks/0/payload/")

    assert page.locator("body *").count() < 2_000


def test_45_a_huge_payload_leaves_the_page_small(
    page: Page, live_site: Site, tmp_path: Path
) -> None:
    rows = [{"i": n, "name": f"file_{n:05d}.bag"} for n in range(60_000)]
    write_record(tmp_path, with_payload("at_rows", rows))
    write_record(tmp_path, with_payload("at_line", "x" * 3_000_000 + "END"), "line.json")
    addresses = import_into(live_site, tmp_path)

    for address in addresses.values():
        page.goto(address)
        assert page.evaluate("document.documentElement.outerHTML.length") < 300_000
        assert page.locator("body *").count() < 3_000


@pytest.mark.parametrize("query", ["SN-88F1-KESTREL", "ORCHID-7", "gr\u00f6\u00dfe \u00e4ndern"])
def test_47_a_hit_opens_with_its_match_marked(page: Page, live_site: Site, query: str) -> None:
    address = import_case(live_site, "47")
    page.goto(f"/search/?q={query}")

    page.locator(f"main a[href^='{address}messages/']").first.click()
    page.wait_for_url("**/messages/**")

    assert {text.lower() for text in marked(page)} == {query.lower()}
    expect(page.locator("page-search input")).to_have_value(query)


def test_a_match_outside_the_first_view_of_a_payload_is_opened_and_marked(
    page: Page, live_site: Site, tmp_path: Path
) -> None:
    payload = [{"n": n, "name": "DEEPWORD-1" if n == 50 else f"row {n}"} for n in range(60)]
    value = with_payload("at_folded", payload)
    long_input = {f"key_{n}": "padding " * 4 for n in range(12)}
    value["messages"][1]["content"] = [roboto_use("tu_1", **long_input, last="DEEPWORD-2")]
    (address,) = import_into(live_site, write_record(tmp_path, value)).values()

    for word, view in (("DEEPWORD-1", "raw"), ("DEEPWORD-2", "input")):
        page.goto(f"/search/?q={word}")
        page.locator(f"main a[href^='{address}messages/']").first.click()
        page.wait_for_url("**/messages/**")
        assert word in marked(page)
        current = page.locator(".tool a[data-view][aria-current='true']")
        expect(current).to_have_attribute("data-view", view)


def test_a_match_in_a_folded_part_is_unfolded_and_marked(
    page: Page, live_site: Site, tmp_path: Path
) -> None:
    nested = {"a": {"b": {"c": {"d": {"e": {"f": {"g": "NESTEDWORD"}}}}}}}
    (address,) = import_into(
        live_site, write_record(tmp_path, with_payload("at_nested", nested))
    ).values()

    page.goto("/search/?q=NESTEDWORD")
    page.locator(f"main a[href^='{address}messages/']").first.click()

    assert "NESTEDWORD" in marked(page)
    expect(page.locator(".tool .view").get_by_text("NESTEDWORD")).to_be_visible()
