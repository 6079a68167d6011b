"""Payloads on the reading page, on pages of their own, and as files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.web.pages import get_page
from tests.web.reading import (
    answer,
    content,
    html_of,
    import_case,
    import_roboto,
    import_strands,
    message_html,
    text,
    words,
)

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


def with_result(folder: Path, payload: Any, **fields: Any) -> str:
    """A thread in which one call, in message 1, is answered by message 2."""
    name = {"tool_name": "dump", "tool_use_id": "tu_1"}
    end = {"status": "success", "runtime_ms": 5, "payload": payload, **fields}
    return import_roboto(
        folder,
        ("user", [{"text": "dump all"}]),
        ("assistant", [{"content_type": "tool_use", "input": {"hall": 3, "deep": [1]}, **name}]),
        ("roboto", [{"content_type": "tool_result", **name, **end}]),
    )


def test_the_views_of_a_payload_are_links_that_choose_one(client: Client, tmp_path: Path) -> None:
    thread = with_result(tmp_path, [{"topic": "/lidar", "n": 1}, {"topic": "/imu", "n": 2}])

    page = get_page(client, f"/threads/{thread}/")
    tree = page.links["Tree"]
    chosen = message_html(html_of(client, tree), "1")

    assert tree == f"/threads/{thread}/messages/2/?block=0&view=tree"
    assert [label for label in ("Input", "Table", "Tree", "Raw") if label in page.links] == [
        "Input",
        "Table",
        "Tree",
        "Raw",
    ]
    assert "<table" in message_html(page.html, "1")
    assert "<table" not in chosen
    assert 'class="tree"' in chosen
    assert re.search(r'data-view="tree" aria-current="true"', chosen)


def test_the_input_is_a_view_of_the_result(client: Client, tmp_path: Path) -> None:
    thread = with_result(tmp_path, {"ok": True})
    address = f"/threads/{thread}/messages/2/?block=0&view=input"

    on_the_page = message_html(html_of(client, address), "1")
    alone = html_of(client, address, headers=HTMX)

    for html in (on_the_page, alone):
        assert 'data-view="input" aria-current="true"' in html
        assert "hall" in words(html)
        assert 'id="p-2-0"' in html
    assert alone.lstrip().startswith("<payload-view")


def test_htmx_gets_one_payload_for_a_view(client: Client, tmp_path: Path) -> None:
    thread = with_result(tmp_path, [{"n": 1}, {"n": 2}])

    html = html_of(client, f"/threads/{thread}/messages/2/?block=0&view=raw", headers=HTMX)

    assert html.lstrip().startswith('<payload-view class="payload" id="p-2-0">')
    assert "<html" not in html
    assert '<section class="window"' not in html


def test_a_payload_has_a_page_of_its_own(client: Client, tmp_path: Path) -> None:
    thread = with_result(tmp_path, [{"n": 1}, {"n": 2}])

    page = get_page(client, f"/threads/{thread}/messages/2/blocks/0/payload/?view=table")

    assert len(page.attributes("h1")) == 1
    assert "dump result" in page.text
    assert page.attributes("table")


@pytest.mark.parametrize(("view", "first", "last"), [("table", 0, 59_999), ("tree", 0, 59_999)])
def test_the_last_row_of_very_many_can_be_reached(
    client: Client, tmp_path: Path, view: str, first: int, last: int
) -> None:
    rows = [{"i": i, "name": f"file_{i:05d}.bag"} for i in range(60_000)]
    thread = with_result(tmp_path, rows)
    payload = f"/threads/{thread}/messages/2/blocks/0/payload/"

    preview = html_of(client, f"/threads/{thread}/")
    tail = html_of(client, f"{payload}?view={view}&after=59950", headers=HTMX)

    assert "60,000 rows" in words(preview)
    assert f"file_{first:05d}.bag" in preview
    assert f"file_{last:05d}.bag" not in preview
    assert len(preview.encode()) < 100_000
    assert f"file_{last:05d}.bag" in tail
    assert "after=" not in tail
    assert len(tail.encode()) < 100_000


def test_a_line_of_twenty_million_characters_is_read_in_parts(
    client: Client, tmp_path: Path
) -> None:
    line = "abcdefghij" * 2_000_000 + "NEEDLE-AT-END"
    thread = with_result(tmp_path, line)
    payload = f"/threads/{thread}/messages/2/blocks/0/payload/"

    preview = html_of(client, f"/threads/{thread}/")
    tail = html_of(client, f"{payload}?view=text&after=19990000", headers=HTMX)
    file = b"".join(client.get(f"{payload}download/"))

    assert "20,000,013 characters" in words(preview)
    assert len(preview.encode()) < 100_000
    assert "NEEDLE-AT-END" not in preview
    assert "NEEDLE-AT-END" in content(tail)
    assert file == line.encode()


def test_following_the_parts_of_a_text_gives_all_of_it_once(client: Client, tmp_path: Path) -> None:
    line = "".join(f"{number:06d} " for number in range(40_000))
    thread = with_result(tmp_path, line)

    html = html_of(client, f"/threads/{thread}/")
    seen = _preformatted(message_html(html, "1"))
    address = _more(message_html(html, "1"))
    while address:
        html = html_of(client, address, headers=HTMX)
        seen += _preformatted(html)
        address = _more(html)

    assert seen == line


def _preformatted(html: str) -> str:
    return "".join(content(found) for found in re.findall(r"<pre[^>]*>.*?</pre>", html, re.DOTALL))


def _more(html: str) -> str:
    found = re.search(r'class="showall" href="([^"]*)"', html)
    return found[1].replace("&amp;", "&") if found else ""


def test_a_long_text_of_a_speaker_goes_on_where_it_was_cut(client: Client, tmp_path: Path) -> None:
    words_said = "".join(f"word{number:05d} " for number in range(4_000))
    thread = import_strands(tmp_path, text("go"), answer({"text": words_said}))

    html = message_html(html_of(client, f"/threads/{thread}/"), "1")
    rest = html_of(client, _more(html), headers=HTMX)

    start = content(html[html.index('<div class="prose') : html.index('<a class="showall"')])
    assert (start + _preformatted(rest)).strip() == words_said.strip()


def test_entities_stay_as_they_were_stored(client: Client) -> None:
    (thread,) = import_case("41-html-entities-stay-literal")

    html = html_of(client, f"/threads/{thread}/")

    stored = "&lt;script&gt;alert(1)&lt;/script&gt; &#39; &nbsp; <b>"
    assert _preformatted(message_html(html, "1")) == stored
    said = "Escape &lt;b&gt; please, and 5 &lt; 6 &amp;&amp; 7"
    assert said in content(message_html(html, "0"))
    code = re.findall(r"<code[^>]*>(.*?)</code>", message_html(html, "2"), re.DOTALL)
    assert [content(found) for found in code] == ["&amp;lt;", "indented &lt;code&gt;\n"]
    file = client.get(f"/threads/{thread}/messages/1/blocks/0/payload/download/")
    assert b"".join(file).decode() == stored


def test_every_digit_of_a_number_is_shown_and_downloaded(client: Client) -> None:
    (thread,) = import_case("53-int64-precision")

    html = html_of(client, f"/threads/{thread}/")
    (result,) = set(re.findall(r'href="([^"]*payload/download/[^"]*)"', html))
    file = b"".join(client.get(result)).decode()

    for digits in (
        "107505301260286111",
        "-9223372036854775808",
        "9007199254740993",
        "18446744073709551615",
        "123456789012345678901234567890",
        "1764500000123456789",
    ):
        assert digits in words(html), digits
    for digits in ("18446744073709551615", "123456789012345678901234567890", "1764500000123456789"):
        assert digits in file, digits
    assert '"9007199254740993"' in words(html)
    assert "1e-7" in words(html) or "1e-07" in words(html)


def test_a_deep_payload_opens_folded_and_reaches_its_bottom_as_a_file(client: Client) -> None:
    (thread,) = import_case("43-deeply-nested-payload")

    html = html_of(client, f"/threads/{thread}/")
    (result,) = set(re.findall(r'href="([^"]*payload/download/[^"]*)"', html))

    assert len(re.findall(r"<[a-z]", html)) < 2_000
    assert b"BOTTOM" in b"".join(client.get(result))


def test_pictures_inside_a_payload_come_from_their_bytes(client: Client) -> None:
    (thread,) = import_case("51-base64-image-in-payload")

    html = html_of(client, f"/threads/{thread}/")

    card = html[html.index('<div class="tool"') :]
    picture = re.search(r'<img[^>]* src="([^"]*payload/bytes/[^"]*)"', card)
    assert picture
    assert card.index("before") < card.index("<img") < card.index("after")
    longest = max(len(part) for part in re.split(r"<[^>]+>", html))
    assert longest < 20_000
    response = client.get(picture[1].replace("&amp;", "&"))
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


def test_bytes_that_could_run_are_attachments(client: Client) -> None:
    (thread,) = import_case("51-base64-image-in-payload")

    html = html_of(client, f"/threads/{thread}/")

    link = re.search(r'<a class="chip" href="([^"]*payload/bytes/[^"]*)" download', html)
    assert link
    response = client.get(link[1].replace("&amp;", "&"))
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")


def test_an_unwrapped_list_is_labelled_as_a_guess(client: Client, tmp_path: Path) -> None:
    envelope = {"toolResult": {"content": [{"json": {"items": [{"n": 1}, {"n": 2}]}}]}}
    thread = with_result(tmp_path, None, raw_response=envelope)

    html = message_html(html_of(client, f"/threads/{thread}/"), "1")

    assert "items unwrapped, a guess" in words(html)
    assert "2 rows" in words(html)


def test_a_download_is_an_attachment_with_strict_json(client: Client, tmp_path: Path) -> None:
    thread = with_result(tmp_path, {"reading": float("nan"), "fine": 1})

    response = client.get(f"/threads/{thread}/messages/2/blocks/0/payload/download/")

    assert response["Content-Disposition"].startswith("attachment")
    assert response["Content-Type"] == "application/json"
    body = b"".join(response)
    assert json.loads(body) == {"reading": {"$number": "NaN"}, "fine": 1}
    assert int(response["Content-Length"]) == len(body)


@pytest.mark.parametrize(
    "query", ["view=nothing", "path=/no/such", "path=~2", "part=99", "after=99999999"]
)
def test_odd_requests_for_a_payload_never_fail(client: Client, tmp_path: Path, query: str) -> None:
    thread = with_result(tmp_path, [{"n": 1}, {"n": 2}])

    response = client.get(f"/threads/{thread}/messages/2/blocks/0/payload/?{query}")

    assert response.status_code in {200, 404}


def test_the_original_json_of_a_message_comes_in_parts(client: Client, tmp_path: Path) -> None:
    said = "Grüße \U0001f600 " * 12_000
    thread = import_strands(tmp_path, text(said))
    (file,) = tmp_path.glob("*.json")

    seen, address = "", f"/threads/{thread}/messages/0/raw/"
    while address:
        html = html_of(client, address, headers=HTMX)
        seen += _preformatted(html)
        address = _more(html)

    assert json.loads(seen) == json.loads(file.read_text())[0]
