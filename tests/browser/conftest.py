"""A real server with the sample threads, and a real browser that reports whatever goes wrong."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from machine import find_chromium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SAMPLES = ROOT / "convviewer" / "samples"
SECONDS_TO_START = 60
SECONDS_TO_STOP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A running server. Its threads come in through `manage`: browser tests never use the ORM."""

    url: str
    environment: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """Run a management command on the server's data and return its standard output."""
        command = (sys.executable, "manage.py", *arguments)
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout


class OpenPage(Protocol):
    """Opens a page in a new browser context, which takes Playwright's context options."""

    def __call__(self, **options: Any) -> Page: ...


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, before -m selects."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def live_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The production server on a free port, with the sample threads imported."""
    folder = tmp_path_factory.mktemp("site")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("CONVVIEWER_")}
    port = _free_port()
    site = Site(
        url=f"http://127.0.0.1:{port}",
        environment={**inherited, "CONVVIEWER_DATA_DIR": str(folder / "data")},
    )
    site.manage("migrate", "--verbosity", "0")
    site.manage("import_threads", str(SAMPLES))
    log = folder / "server.log"
    with log.open("wb") as output, _serve(site, port, output) as server:
        try:
            _wait_until_healthy(site, server, log)
            yield site
        finally:
            _stop(server)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, unable to reach anything but this machine."""
    executable = find_chromium()
    assert executable is not None, "No Chromium on PATH. On Debian: apt-get install chromium"
    arguments = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--no-first-run",
    ]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def problems() -> list[str]:
    """What the browser complained of: script errors, broken CSP rules, failed or foreign requests.

    Anything left here fails the test. A test that provokes a complaint checks it and clears it.
    """
    return []


@pytest.fixture
def open_page(browser: Browser, live_site: Site, problems: list[str]) -> Iterator[OpenPage]:
    """Open further pages: other sizes, the dark scheme, no JavaScript."""
    contexts: list[BrowserContext] = []

    def open_in_new_context(**options: Any) -> Page:
        context = browser.new_context(base_url=live_site.url, **options)
        contexts.append(context)
        _watch(context, live_site, problems)
        return context.new_page()

    yield open_in_new_context
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """One page in a fresh context; addresses are relative to the site, as in goto("/")."""
    return open_page()


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """Check a page as it stands with axe's full rule set."""

    def check(page: Page) -> None:
        # Axe would fetch style sheets itself, and inline them: the page's policy forbids that.
        results = Axe().run(page, options={"preload": False})
        assert results.violations_count == 0, results.generate_report()

    return check


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _serve(site: Site, port: int, output: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (sys.executable, "manage.py", "serve", "--port", str(port)),
        cwd=ROOT,
        env=site.environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
    )


def _wait_until_healthy(site: Site, server: subprocess.Popen[bytes], log: Path) -> None:
    direct = build_opener(ProxyHandler({}))
    deadline = time.monotonic() + SECONDS_TO_START
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with direct.open(f"{site.url}/-/health", timeout=SECONDS_TO_START):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"The server did not start:\n{log.read_text(encoding='utf-8')}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        server.kill()


def _watch(context: BrowserContext, site: Site, problems: list[str]) -> None:
    """Note whatever a person with the developer tools open would see in red."""
    host = urlsplit(site.url).netloc

    def note_foreign(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != host:
            problems.append(f"request to another host: {url}")

    # A broken CSP rule is a console error in Chromium.
    context.on(
        "console",
        lambda message: (
            problems.append(f"console: {message.text} ({message.location['url']})")
            if message.type == "error"
            else None
        ),
    )
    context.on("weberror", lambda error: problems.append(f"uncaught: {error.error}"))
    context.on("request", lambda request: note_foreign(request.url))
