"""The API's documentation page."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect


def test_a_call_leads_to_the_shape_of_its_answer(
    page: Page, assert_accessible: Callable[[Page], None]
) -> None:
    page.goto("/api/docs")

    page.get_by_role("region", name="/api/threads/{thread}", exact=False).get_by_role(
        "link", name="ThreadDetail"
    ).first.click()

    expect(page).to_have_url("/api/docs#shape-ThreadDetail")
    expect(page.get_by_role("heading", name="ThreadDetail")).to_be_in_viewport()
    assert_accessible(page)
