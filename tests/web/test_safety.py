"""Writes from elsewhere, foreign host names, and what goes wrong."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from convviewer.web import health
from tests.web.pages import Page, assert_strict, get_page

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
WRITES = ("/import/", "/api/import", "/api/anything", "/")

FOREIGN = [
    {"HTTP_ORIGIN": "http://evil.example"},
    {"HTTP_ORIGIN": "null"},
    {"HTTP_ORIGIN": ""},
    {"HTTP_ORIGIN": "http://["},
    {"HTTP_ORIGIN": "http://testserver.evil.example"},
    {"HTTP_ORIGIN": "http://testserver:8001"},
    {"HTTP_ORIGIN": "testserver"},
    {"HTTP_ORIGIN": "http://user@testserver"},
    {"HTTP_SEC_FETCH_SITE": "cross-site"},
    {"HTTP_SEC_FETCH_SITE": "same-site"},
    {"HTTP_SEC_FETCH_SITE": "anything"},
    {"HTTP_ORIGIN": "http://testserver", "HTTP_SEC_FETCH_SITE": "cross-site"},
    {"HTTP_ORIGIN": "http://evil.example", "HTTP_SEC_FETCH_SITE": "same-origin"},
]
OURS = [
    {},
    {"HTTP_ORIGIN": "http://testserver"},
    {"HTTP_ORIGIN": "https://testserver"},
    {"HTTP_ORIGIN": "http://TESTSERVER"},
    {"HTTP_SEC_FETCH_SITE": "same-origin"},
    {"HTTP_SEC_FETCH_SITE": "none"},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_a_write_from_another_site_is_refused(
    client: Client, method: str, path: str, headers: dict[str, Any]
) -> None:
    response = getattr(client, method)(path, **headers)

    assert response.status_code == 403
    assert "comes from another site" in response.content.decode()


@pytest.mark.parametrize("headers", OURS)
@pytest.mark.parametrize("path", ["/import/", "/api/import"])
def test_a_write_from_here_or_from_a_script_is_let_in(
    client: Client, path: str, headers: dict[str, Any]
) -> None:
    response = client.post(path, **headers)

    assert response.status_code != 403


@pytest.mark.parametrize("headers", FOREIGN)
def test_reading_is_not_kept_from_links_elsewhere(client: Client, headers: dict[str, Any]) -> None:
    assert client.get("/import/", **headers).status_code == 200


def test_a_refusal_is_a_page_for_people_and_json_for_programs(client: Client) -> None:
    page = client.post("/import/", HTTP_ORIGIN="http://evil.example")
    api = client.post("/api/import", HTTP_ORIGIN="http://evil.example")

    assert_strict(Page(page.content.decode()))
    assert "default-src 'none'" in page["Content-Security-Policy"]
    assert json.loads(api.content) == {
        "detail": "This write comes from another site. Send it from convviewer's own pages."
    }


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[", "a b"])
def test_a_foreign_host_name_is_refused(client: Client, host: str) -> None:
    page = client.get("/", HTTP_HOST=host)
    write = client.post("/import/", HTTP_HOST=host, HTTP_ORIGIN=f"http://{host}")

    assert (page.status_code, write.status_code) == (400, 400)
    assert host not in Page(page.content.decode()).text.split()


def test_an_unknown_address_is_a_page_or_json(client: Client) -> None:
    page = get_page(client, "/nowhere/", status=404)
    api = client.get("/api/nowhere")

    assert len(page.attributes("h1")) == 1
    assert "Nothing is stored at this address" in page.text
    assert api.status_code == 404
    assert json.loads(api.content) == {"detail": "Nothing is stored at this address."}


def test_an_error_on_the_server_is_a_page_or_json_without_its_text(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("convviewer.web.lists.list_threads", fail)
    client.raise_request_exception = False

    page = client.get("/")

    assert page.status_code == 500
    assert "secret" not in page.content.decode()
    assert_strict(Page(page.content.decode()))


def test_health_says_version_and_database(client: Client) -> None:
    response = client.get("/-/health")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert response.status_code == 200
    assert response.json() == {"status": "ok", "database": "ok", "version": project["version"]}


def test_health_fails_with_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> bool:
        raise DatabaseError

    monkeypatch.setattr(health, "any_thread", fail)

    response = client.get("/-/health")

    assert response.status_code == 503
    assert response.json()["database"] == "failed"
