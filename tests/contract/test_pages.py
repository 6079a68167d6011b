"""What every page and every answer promises, whatever is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.cases.build import record, roboto_result, roboto_use, write_record
from tests.cases.seen import Seen, crawl, import_tree, strict
from tests.contract.library import CASE_INPUTS, ROOT, SAMPLES, Library, rooted, stored_library

TEMPLATES = ROOT / "templates"
GARBAGE = [
    "x",
    "0",
    "-1",
    "9" * 40,
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "<script>",
    "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1"),
    "a b",
    "\u202e",
    "x" * 3000,
]


@pytest.fixture(scope="module")
def library(django_db_setup: None, django_db_blocker: Any) -> Iterator[Library]:
    yield from stored_library(django_db_blocker, (SAMPLES / "roboto", *CASE_INPUTS))


def routes() -> list[str]:
    """Every route of the site with its parameters."""
    return sorted(_routes(get_resolver().url_patterns, ""))


def _routes(patterns: list[Any], prefix: str) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, f"{prefix}{pattern.pattern}")
        elif isinstance(pattern, URLPattern):
            yield f"/{prefix}{pattern.pattern}"


def filled(route: str, value: str) -> str:
    """The route with that value for each parameter; numbers stay numbers."""
    numbered = re.sub(r"<int:\w+>", "7", route)
    return re.sub(r"<[^>]+>", quote(value, safe="%"), numbered)


@pytest.mark.django_db
@pytest.mark.parametrize("value", GARBAGE, ids=range(len(GARBAGE)))
def test_no_route_fails_for_a_value_that_means_nothing(client: Client, value: str) -> None:
    for route in routes():
        url = filled(route, value)
        response = client.get(url)
        assert response.status_code < 500, url
        if "<" in route:
            assert response.status_code in {400, 404, 405, 414, 422}, (url, response.status_code)


@pytest.mark.django_db
def test_no_route_below_a_thread_fails_for_a_value_that_means_nothing(
    client: Client, tmp_path: Path
) -> None:
    value = record(
        "at_known",
        ("user", "go"),
        ("assistant", [roboto_use("t1")]),
        ("roboto", [roboto_result("t1", {"a": [1, 2]})]),
    )
    known = import_tree(write_record(tmp_path, value)).line["id"]
    for garbage in GARBAGE:
        for route in routes():
            named = re.sub(r"<(?:str:)?thread>", known, route)
            if named == route or named.count("<") == 0:
                continue
            response = client.get(filled(named, garbage))
            assert response.status_code in {200, 400, 404, 405, 422}, (named, garbage)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        "?after=x",
        "?after=-5&before=9",
        "?tier=no%00such",
        "?limit=0",
        "?limit=99999999999",
        "?sort=nothing",
        "?view=nothing&block=99",
        "?block=x",
        "?first_block=-1",
        "?since=yesterday",
        "?path=%2F%2F~2",
        "?q=%F0%9F",
        "?format=nothing",
        "?in=nothing",
    ],
)
def test_no_parameter_makes_a_page_fail(client: Client, tmp_path: Path, query: str) -> None:
    value = record("at_known", ("user", "go"), ("assistant", "done"))
    known = import_tree(write_record(tmp_path, value)).line["id"]
    for route in routes():
        named = re.sub(r"<(?:str:)?thread>", known, route)
        named = re.sub(r"<(?:path:|str:)?key>", "1", named)
        named = re.sub(r"<(?:str:)?tier>", "verbatim", named)
        response = client.get(filled(named, "0") + query)
        assert response.status_code < 500, (named, query)


SHORT = 60


@rooted(SAMPLES / "roboto", *CASE_INPUTS)
def test_every_page_and_answer_is_strict(library: Library, root: Path) -> None:
    client = Client()
    for thread in [known for known in library.of(root) if _is_short(client, known)]:
        checked: set[str] = set()
        for url, body in crawl(client, *_starts(client, thread)):
            kind = re.sub(r"\d+|=[^&]*", "#", url)
            if url.startswith("/api/") and "/blobs/" not in url and "/export" not in url:
                strict(body.decode())
            elif kind not in checked and not re.search(r"/(download|bytes)/|/blobs/", url):
                checked.add(kind)
                _assert_safe_page(client, url)


def _is_short(client: Client, thread: str) -> bool:
    """Addresses grow with the messages: thousands of them would show the same templates again."""
    tiers = Seen(client=client, id=thread).api()["tiers"]
    return all(tier["messages"] <= SHORT for tier in tiers)


def _starts(client: Client, thread: str) -> list[str]:
    api = f"/api/threads/{thread}"
    seen = Seen(client=client, id=thread)
    starts = [api, f"{api}/usage", f"{api}/tool-calls", f"{api}/unplaced", f"{api}/integrity"]
    tiers = [tier["name"] for tier in seen.api()["tiers"]]
    for tier in tiers:
        listed = f"{api}/tiers/{quote(tier)}/messages"
        keys = [message["key"] for message in seen.api(f"/tiers/{quote(tier)}/messages")["items"]]
        starts += [listed, *(f"{listed}/{quote(key)}/raw" for key in keys[:6])]
    for left in tiers[:2]:
        for right in tiers[:2]:
            pair = f"{api}/compare/{quote(left)}/{quote(right)}"
            starts += [pair, f"{pair}/retention"]
    return [f"/threads/{thread}/", *starts]


def _assert_safe_page(client: Client, url: str) -> None:
    response = client.get(url)
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy, url
    assert "unsafe" not in policy, url
    assert response["X-Content-Type-Options"] == "nosniff", url


@pytest.mark.django_db
def test_pages_without_a_thread_carry_the_policy(client: Client) -> None:
    for url in (
        "/",
        "/import/",
        "/search/",
        "/search/?q=x",
        "/-/shapes/",
        "/api/docs",
        "/nowhere/",
    ):
        response = client.get(url)
        assert "default-src 'none'" in response["Content-Security-Policy"], url
        assert "unsafe" not in response["Content-Security-Policy"], url
        assert response["X-Content-Type-Options"] == "nosniff", url


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda p: str(p.relative_to(TEMPLATES))
)
def test_no_template_has_inline_style_script_or_handler(path: Path) -> None:
    text = path.read_text()

    assert not re.search(r"\sstyle\s*=", text)
    assert not re.search(r"<style\b", text)
    assert not re.search(r"\son[a-z]+\s*=", text)
    assert not re.search(r"<script\b(?![^>]*\bsrc=)", text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
    assert not re.search(r"\|\s*safe\b|autoescape off|javascript:", text)


def test_every_setting_is_in_the_readme() -> None:
    code = "\n".join(path.read_text() for path in (ROOT / "convviewer").rglob("*.py"))
    named = set(re.findall(r"\benv_\w+\(\s*\"([A-Z_]+)\"", code))
    named |= set(re.findall(r"CONVVIEWER_([A-Z_]+[A-Z])", code))
    readme = (ROOT / "README.md").read_text()
    rows = set(re.findall(r"^\|\s*`CONVVIEWER_([A-Z_]+)`", readme, re.MULTILINE))

    assert rows == named


def test_each_shape_has_exactly_one_template() -> None:
    from convviewer.payloads import shapes  # noqa: PLC0415 - the closed set itself

    kinds = {
        vars(member)["kind"]
        for member in vars(shapes).values()
        if isinstance(member, type) and isinstance(getattr(member, "kind", None), str)
    }
    files = {path.stem for path in (TEMPLATES / "shapes").glob("*.html")}

    assert kinds == files
