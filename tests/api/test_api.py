"""The API as a whole: its document, its page, its number of queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.api.calls import get, get_bytes
from tests.factories.records import import_records, record, with_calls, with_words

pytestmark = pytest.mark.django_db

ENDPOINTS = [
    "/api/threads",
    "/api/threads/{thread}",
    "/api/threads/{thread}/tiers/{tier}/messages",
    "/api/threads/{thread}/tiers/{tier}/messages/{key}",
    "/api/threads/{thread}/tiers/{tier}/messages/{key}/raw",
    "/api/threads/{thread}/tiers/{tier}/messages/{key}/blocks/{block}/payload",
    "/api/threads/{thread}/tool-calls",
    "/api/threads/{thread}/usage",
    "/api/threads/{thread}/unplaced",
    "/api/threads/{thread}/text",
    "/api/tool-calls",
    "/api/blobs/{sha256}",
    "/api/import",
    "/api/imports/{run}",
]


def test_the_document_describes_every_endpoint(client: Client) -> None:
    document = get(client, "/api/openapi.json")

    assert set(ENDPOINTS) <= document["paths"].keys()
    schemas = document["components"]["schemas"]
    assert {"ThreadDetail", "MessageItem", "ToolResultBlock", "CallItem"} <= schemas.keys()
    assert {"key", "number", "tier", "position", "blocks"} <= schemas["MessageItem"][
        "properties"
    ].keys()


def test_the_documentation_lists_every_call_and_needs_nothing_from_elsewhere(
    client: Client,
) -> None:
    response = client.get("/api/docs")

    page = response.content.decode()
    for path in client.get("/api/openapi.json").json()["paths"]:
        assert path.replace("'", "&#x27;") in page
    assert 'href="/api/openapi.json"' in page
    assert "https:" not in page
    assert "unsafe" not in response["Content-Security-Policy"]
    assert "data:" not in response["Content-Security-Policy"]


GROWING = [
    "/api/threads?limit=200",
    "/api/tool-calls?limit=200",
    "/api/threads/{thread}",
    "/api/threads/{thread}/tiers/verbatim/messages?limit=200",
    "/api/threads/{thread}/tiers/verbatim/messages/1",
    "/api/threads/{thread}/tiers/verbatim/messages/1/raw",
    "/api/threads/{thread}/tiers/verbatim/messages/1/blocks/0/payload",
    "/api/threads/{thread}/tool-calls?limit=200",
    "/api/threads/{thread}/usage?limit=200",
    "/api/threads/{thread}/unplaced?limit=200",
]


def test_an_answer_takes_the_same_queries_at_3_and_at_300_items(
    client: Client, tmp_path: Path
) -> None:
    few, many = (queries_by_url(client, tmp_path / str(size), size) for size in (3, 300))

    assert few == many
    assert max(many.values()) <= 5


def queries_by_url(client: Client, folder: Path, size: int) -> dict[str, int]:
    """The queries of each endpoint, with so many threads, messages and calls."""
    made = with_calls(record(f"at_{size}"), *[("search", "error")] * size)
    others = (record(f"at_{size}_{number}") for number in range(size))
    import_records(folder, with_words(made, size), *others)
    largest = get(client, f"/api/threads?q=at_{size}&sort=-messages")["items"][0]["id"]
    return {url: count_queries(client, url.format(thread=largest)) for url in GROWING}


def count_queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        get_bytes(client, url)
    return len(queries)
