"""How long Chromium takes to show a page that the product's own server sends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from statistics import median

from playwright.sync_api import Browser, sync_playwright

ROUNDS = 5
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


def seconds_until_visible(pages: Mapping[str, str]) -> dict[str, float]:
    """Seconds from asking for each page until its current message is on screen, by name."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    with _server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        try:
            return {name: _median(browser, address + path) for name, path in pages.items()}
        finally:
            browser.close()


def _median(browser: Browser, url: str) -> float:
    """The first round, which fills the cache of styles and scripts, does not count."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    took = []
    for _ in range(ROUNDS + 1):
        page.goto("about:blank")
        started = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.wait_for_selector("article.msg .prose", state="visible")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => done()))")
        took.append(time.perf_counter() - started)
    context.close()
    return median(took[1:])


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, "manage.py", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ, text=True) as process:  # noqa: S603
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield line.split()[-1].rstrip("/")
        finally:
            process.terminate()
