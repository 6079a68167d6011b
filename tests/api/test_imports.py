"""Importing over the API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from convviewer.importing import runs
from tests.api.calls import get
from tests.factories.records import record

URL = "/api/import"


@pytest.fixture(autouse=True)
def _in_the_request(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Run an import before its request is answered, inside the test's transaction."""
    monkeypatch.setattr(runs, "_in_background", runs.run_import)


def upload(name: str, value: Any) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, json.dumps(value).encode())


def test_sent_files_are_imported_and_reported(client: Client) -> None:
    files = [upload("a.json", record("at_a")), upload("b.json", {"no": "thread"})]

    response = client.post(URL, {"files[]": files})

    assert response.status_code == 202
    started = response.json()
    assert started["url"] == f"/api/imports/{started['id']}"
    run = get(client, started["url"])
    assert (run["id"], run["state"]) == (started["id"], "done")
    assert run["progress"]["done"] == run["progress"]["total"] == 2
    report = run["report"]
    assert report["totals"]["created"] == 1
    (line,) = report["threads"]
    assert line["external_id"] == "at_a"
    assert get(client, f"/api/threads/{line['id']}")["external_id"] == "at_a"


def test_a_request_without_files_says_what_to_send(client: Client) -> None:
    for response in (client.post(URL), client.post(URL, "{}", content_type="application/json")):
        assert response.status_code == 400
        assert "No file was sent" in response.json()["detail"]


def test_another_site_cannot_import(client: Client) -> None:
    response = client.post(
        URL, {"files[]": [upload("a.json", record("at_a"))]}, HTTP_ORIGIN="http://evil.example"
    )

    assert response.status_code == 403
    assert get(client, "/api/threads")["items"] == []


def test_an_import_that_never_was_is_not_found(client: Client) -> None:
    assert get(client, "/api/imports/nothing", 404)["detail"]
