"""Exports as downloads: the same text as the command's, and never what a redaction replaced."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from convviewer.queries.export import export_formats
from tests.api.calls import get, get_bytes, import_case, import_json
from tests.factories.records import record

pytestmark = pytest.mark.django_db


def url_of(thread: str, query: str = "") -> str:
    return f"/api/threads/{thread}/export{query}"


@pytest.mark.parametrize("form", export_formats())
def test_a_download_is_what_the_command_writes(client: Client, form: str) -> None:
    thread = import_case("33")
    printed = StringIO()
    call_command("export_thread", thread, "--format", form, stdout=printed)

    body = get_bytes(client, url_of(thread, f"?format={form}"))

    assert body.decode("utf-8") == printed.getvalue()


@pytest.mark.parametrize(
    ("form", "media_type", "name"),
    [
        ("bundle", "application/json", "at_demo01.json"),
        ("markdown", "text/markdown; charset=utf-8", "at_demo01.md"),
        ("text", "text/plain; charset=utf-8", "at_demo01.txt"),
        ("html", "text/html; charset=utf-8", "at_demo01.html"),
        ("converse", "application/json", "at_demo01.json"),
        ("strands", "application/json", "at_demo01.json"),
    ],
)
def test_a_download_is_an_attachment_that_cannot_act_on_the_site(
    client: Client, form: str, media_type: str, name: str
) -> None:
    response = client.get(url_of(import_case("33"), f"?format={form}"))

    assert response.streaming
    assert response["Content-Type"] == media_type
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == (
        "default-src 'none'; frame-ancestors 'none'; sandbox"
    )


@pytest.mark.parametrize(
    ("external_id", "name"),
    [
        ('a"\r\nSet-Cookie: x=1', "a-Set-Cookie-x-1"),
        ("../../etc/passwd", "passwd"),
        ("päivä 7", "p-iv-7"),
        ("…", None),
    ],
)
def test_no_id_reaches_beyond_the_name_of_the_file(
    client: Client, tmp_path: Path, external_id: str, name: str | None
) -> None:
    thread = import_json(tmp_path, record(external_id))

    response = client.get(url_of(thread, "?format=text"))

    assert response["Content-Disposition"] == f'attachment; filename="{name or thread}.txt"'
    assert "Set-Cookie" not in response.headers


def test_the_form_is_a_bundle_unless_another_is_asked_for(client: Client) -> None:
    bundle = json.loads(get_bytes(client, url_of(import_case("37"))))

    assert bundle["convviewer"] == 1
    assert len(bundle["tiers"][0]["messages"]) == 12


def test_a_tier_is_chosen_by_its_name_or_alias(client: Client) -> None:
    thread = import_case("35")

    base, deleted, compressed = (
        get_bytes(client, url_of(thread, f"?format=text&tier={tier}"))
        for tier in ("", "deleted", "compressed")
    )

    assert deleted == compressed
    assert base != deleted
    assert b"Deleted by compression" in deleted


@pytest.mark.parametrize("form", export_formats())
@pytest.mark.parametrize(("number", "canary"), [("09", b"4711-ZEBRA"), ("21", b"CANARY-NAME")])
@pytest.mark.parametrize("wish", ["", "&include_redacted=true", "&include-redacted=1"])
def test_nothing_brings_out_what_a_redaction_replaced(
    client: Client, number: str, canary: bytes, form: str, wish: str
) -> None:
    body = get_bytes(client, url_of(import_case(number), f"?format={form}{wish}"))

    assert canary not in body
    assert b"redacted." in body


@pytest.mark.parametrize("form", ["bundle", "converse", "strands"])
def test_json_downloads_are_strict(client: Client, form: str) -> None:
    body = get_bytes(client, url_of(import_case("25"), f"?format={form}"))

    text = json.dumps(json.loads(body, parse_constant=pytest.fail))
    assert '{"$number": "NaN"}' in text
    assert '{"$number": "-Infinity"}' in text


def test_what_there_is_not_is_said_with_what_there_is(client: Client) -> None:
    thread = import_case("33")

    assert get(client, url_of("nope"), 404)["detail"].startswith('There is no thread "nope"')
    assert get(client, url_of(thread, "?tier=x"), 404) == {
        "detail": f'Thread "{thread}" has no tier "x"; its tiers: verbatim'
    }
    assert get(client, url_of(thread, "?format=pdf"), 400) == {
        "detail": 'There is no export "pdf"; there is: '
        "bundle, converse, html, markdown, strands, text"
    }


def test_the_forms_are_listed_in_the_openapi_document(client: Client) -> None:
    operation = get(client, "/api/openapi.json")["paths"]["/api/threads/{thread}/export"]["get"]

    (form,) = [item["schema"] for item in operation["parameters"] if item["name"] == "format"]

    assert form["enum"] == list(export_formats())
    assert form["default"] == "bundle"


@pytest.mark.parametrize("form", export_formats())
def test_an_export_takes_as_many_queries_for_many_messages(
    client: Client, tmp_path: Path, form: str
) -> None:
    few = import_json(tmp_path / "few", _talk("at_few", 3))
    many = import_json(tmp_path / "many", _talk("at_many", 300))

    assert _queries(client, few, form) == _queries(client, many, form)


def _talk(thread_id: str, messages: int) -> object:
    made = record(thread_id)
    made["messages"] *= messages
    return made


def _queries(client: Client, thread: str, form: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        get_bytes(client, url_of(thread, f"?format={form}"))
    return len(captured)
