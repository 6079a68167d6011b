"""Every page and endpoint runs the same number of queries at 3 and at 300 items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.cases.build import record, roboto_result, roboto_use, write_record
from tests.cases.seen import get_body, import_tree

pytestmark = pytest.mark.django_db

THREAD_PAGES = [
    "/threads/{id}/",
    "/threads/{id}/?tier=deleted",
    "/threads/{id}/messages/{last}/",
    "/threads/{id}/messages/2/inspector/",
    "/threads/{id}/messages/2/raw/",
    "/threads/{id}/messages/2/blocks/0/payload/",
    "/threads/{id}/messages/2/blocks/0/payload/download/",
    "/threads/{id}/unplaced/",
    "/threads/{id}/compare/",
    "/threads/{id}/compare/?mode=unified",
    "/threads/{id}/compare/?as=sent",
    "/api/threads/{id}",
    "/api/threads/{id}/tiers/verbatim/messages",
    "/api/threads/{id}/tiers/verbatim/messages?limit=300",
    "/api/threads/{id}/tiers/deleted/messages?limit=300",
    "/api/threads/{id}/tiers/verbatim/messages/{last}",
    "/api/threads/{id}/tiers/verbatim/messages/{last}/raw",
    "/api/threads/{id}/tiers/verbatim/messages/2/blocks/0/payload",
    "/api/threads/{id}/tool-calls?limit=300",
    "/api/threads/{id}/usage?limit=300",
    "/api/threads/{id}/text",
    "/api/threads/{id}/unplaced",
    "/api/threads/{id}/integrity",
    "/api/threads/{id}/compare/verbatim/deleted?limit=300",
    "/api/threads/{id}/compare/verbatim/deleted/retention",
    "/api/threads/{id}/export?format=bundle",
    "/api/threads/{id}/export?format=markdown",
]
LIST_PAGES = [
    "/",
    "/?q=go",
    "/?format=roboto-thread&has_errors=true&sort=tokens",
    "/search/?q=answer",
    "/import/",
    "/-/shapes/",
    "/api/threads?limit=300",
    "/api/threads?q=go&limit=300",
    "/api/search?q=answer&limit=300",
    "/api/tool-calls?limit=300",
    "/api/docs",
    "/api/openapi.json",
]


def talk(thread_id: str, calls: int, *, deleted: bool) -> dict[str, Any]:
    """A record of `calls` calls with their results, each third one failed."""
    messages: list[tuple[str, Any]] = [("user", "go")]
    for n in range(calls):
        status = "error" if n % 3 == 1 else "success"
        gone = deleted and n % 2 == 0
        stone: list[dict[str, Any]] = [{"content_type": "deleted"}]
        messages.append(("assistant", stone if gone else [roboto_use(f"t{n}", n=n)]))
        result = roboto_result(f"t{n}", {"answer": n}, status=status)
        messages.append(("roboto", stone if gone else [result]))
    return record(thread_id, *messages, title=f"go {thread_id}")


def import_talk(folder: Path, thread_id: str, calls: int) -> str:
    write_record(folder, talk(thread_id, calls, deleted=False), f"{thread_id}.json")
    write_record(folder, talk(thread_id, calls, deleted=True), f"{thread_id}.deleted.json")
    (found,) = set(import_tree(folder).ids)
    return found


def queries_of(client: Client, url: str) -> int:
    get_body(client, url)  # fills what is computed once: comparisons, caches of the process
    with CaptureQueriesContext(connection) as seen:
        get_body(client, url)
    return len(seen)


@pytest.mark.parametrize("address", THREAD_PAGES)
def test_a_page_of_a_thread_runs_the_same_queries_however_long_it_is(
    client: Client, tmp_path: Path, address: str
) -> None:
    small = import_talk(tmp_path / "small", "at_small", 3)
    large = import_talk(tmp_path / "large", "at_large", 150)

    counts = [
        queries_of(client, address.format(id=thread, last=last))
        for thread, last in ((small, 6), (large, 300))
    ]

    assert counts[0] == counts[1]


@pytest.mark.parametrize("address", LIST_PAGES)
def test_a_page_over_threads_runs_the_same_queries_however_many_there_are(
    client: Client, tmp_path: Path, address: str
) -> None:
    counts = []
    for threads in (range(3), range(3, 300)):
        for n in threads:
            value = record(f"at_{n}", ("user", f"go {n}"), ("assistant", f"answer {n}"))
            write_record(tmp_path, value, f"{n}.json")
        import_tree(tmp_path)
        call_command("index", "--wait", verbosity=0)
        counts.append(queries_of(client, address))

    assert counts[0] == counts[1]
