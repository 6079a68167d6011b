"""The page of all payload types, as a browser shows it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page


def test_every_shape_is_accessible(page: Page, assert_accessible: Callable[[Page], None]) -> None:
    page.goto("/-/shapes/")

    assert page.locator(".view").count() > 40
    assert_accessible(page)
