"""The API's documentation works offline and inside its content security policy."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def test_a_request_can_be_tried_on_the_documentation_page(page: Page) -> None:
    page.goto("/api/docs")

    page.get_by_role("button", name="GET /api/threads Threads").first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()

    answer = page.locator(".live-responses-table tbody .response-col_status")
    expect(answer.first).to_contain_text("200")
