"""Cases of hard payloads: nested deep, huge, images inside, integers of many digits."""

from __future__ import annotations

import base64
import json
import resource
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.cases.build import record, with_payload, write_record
from tests.cases.seen import (
    CASES,
    Node,
    Seen,
    crawl,
    get_body,
    get_json,
    get_page,
    import_case,
    import_tree,
    input_of,
    parse,
    search,
    see,
)

pytestmark = pytest.mark.django_db


def see_record(client: Client, folder: Path, value: Any) -> Seen:
    return Seen(client=client, id=import_tree(write_record(folder, value)).line["id"])


def payload_url(thread: Seen, key: str = "2", block: int = 0) -> str:
    return f"{thread.url}messages/{key}/blocks/{block}/payload/"


# -- 43: nested deep -------------------------------------------------------------------------------


def test_43_the_deep_payload_is_imported_closed_and_can_be_downloaded(client: Client) -> None:
    done = import_case("43")
    thread = Seen(client=client, id=done.line["id"])

    assert len(thread.messages()) == 4
    assert done.warnings() == {"too_deep": 1}
    assert any("500" in said for said in done.said("too_deep"))
    (card,) = thread.cards("1")
    assert card.attributes["data-status"] == "success"
    assert len(card.all("li")) + len(card.all("dd")) < 50
    raw = get_body(client, f"{payload_url(thread)}download/").decode()
    assert "BOTTOM" in raw
    assert "BOTTOM" not in thread.page().content


def test_43_every_address_of_the_deep_thread_answers(client: Client) -> None:
    thread = see(client, "43")

    # Each level of the payload links to the next: its addresses have no end worth waiting for.
    seen = [url for url, _ in islice(crawl(client, thread.url), 25)]

    assert f"{payload_url(thread)}download/" in seen
    get_json(client, f"{thread.api_url}/tiers/verbatim/messages/2/blocks/0/payload?path=/x/n/n")


def test_43_other_threads_of_the_import_are_untouched(client: Client, tmp_path: Path) -> None:
    shutil.copy(input_of("43") / "thread.json", tmp_path / "deep.json")
    write_record(tmp_path, record("at_other", ("user", "hi")), "other.json")

    done = import_tree(tmp_path)

    assert done.exit_code == 0
    warned = {line["external_id"]: len(line["warnings"]) for line in done.report["threads"]}
    assert warned == {"at_demo01": 1, "at_other": 0}


@pytest.mark.parametrize("opening", ['{"a": ', "[", '[{"b": '])
@pytest.mark.parametrize("place", ["payload", "input", "context", "unknown"])
def test_depth_in_any_place_breaks_nothing(
    client: Client, tmp_path: Path, opening: str, place: str
) -> None:
    closing = {'{"a": ': "}", "[": "]", '[{"b": ': "}]"}[opening]
    deep = opening * 3000 + '"BOTTOM"' + closing * 3000
    blocks = {
        "payload": '{"content_type": "tool_result", "tool_name": "t", "tool_use_id": "t1",'
        ' "status": "success", "payload": DEEP}',
        "input": '{"content_type": "tool_use", "tool_name": "t", "tool_use_id": "t1",'
        ' "input": {"x": DEEP}}',
        "context": '{"content_type": "client_context", "context": {"misc_context": DEEP}}',
        "unknown": '{"content_type": "newer", "body": DEEP}',
    }
    value = record("at_deep", ("user", "go"), ("assistant", []))
    text = json.dumps(value).replace('"content": []', '"content": [' + blocks[place] + "]")
    thread = see_record(client, tmp_path, text.replace("DEEP", deep))

    assert all(url for url, _ in islice(crawl(client, thread.url), 8))
    assert len(thread.messages()) == 2
    raw = get_body(client, f"{thread.api_url}/tiers/verbatim/messages/1/raw").decode()
    assert "BOTTOM" in raw
    assert thread.export("bundle").count("BOTTOM") >= 1


# -- 45: huge --------------------------------------------------------------------------------------


def huge(client: Client, folder: Path) -> Seen:
    """The huge thread, made by the case's own generator."""
    script = folder / "make_input.py"
    shutil.copy(next(CASES.glob("45-*")) / "make_input.py", script)
    subprocess.run((sys.executable, str(script)), check=True)
    return Seen(client=client, id=import_tree(folder / "input").line["id"])


def test_45_a_huge_payload_is_shown_in_parts_and_reached_to_its_end(
    client: Client, tmp_path: Path
) -> None:
    thread = huge(client, tmp_path)

    html = get_body(client, thread.url)
    page = thread.page()

    assert len(html) < 1_000_000
    assert "20,000,013 characters" in page.words
    assert "60,000 rows" in page.words
    text, rows = payload_url(thread), payload_url(thread, "4")
    assert get_body(client, f"{text}download/").endswith(b"NEEDLE-AT-END")
    assert len(get_body(client, f"{text}download/")) == 20_000_013
    assert json.loads(get_body(client, f"{rows}download/"))[59_999]["name"] == "file_59999.bag"
    last = get_page(client, f"{text}?view=text&after=19990000")
    assert "NEEDLE-AT-END" in last.content
    assert "file_59999.bag" in get_page(client, f"{rows}?view=table&after=59990").words
    api = f"{thread.api_url}/tiers/verbatim/messages/4/blocks/0/payload"
    (last_row,) = get_json(client, f"{api}?after=59999&limit=1")["items"]
    assert (last_row["key"], last_row["value"]["name"]) == (59_999, "file_59999.bag")
    deep = get_json(client, f"{api}?path=/59999")
    assert "file_59999.bag" in json.dumps(deep)
    found = search(client, "NEEDLE-AT-END")
    answer = get_json(client, "/api/search?q=NEEDLE-AT-END")
    assert found or (answer["clipped_blocks"] > 0 and answer["block_limit"] > 0)


def test_45_pages_need_little_memory_for_huge_payloads(client: Client, tmp_path: Path) -> None:
    thread = huge(client, tmp_path)
    get_body(client, thread.url)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for address in ("", "messages/2/", "messages/4/", "messages/2/inspector/"):
        get_body(client, f"{thread.url}{address}")
    get_body(client, f"{payload_url(thread)}?view=text&after=10000000")
    get_body(client, f"{payload_url(thread, '4')}?view=table&after=30000")

    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown_mb < 250


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x" * 300_000 + "END", "300,003 characters"),
        ("line\n" * 40_000, "200,000 characters"),
        ([[n, n * n] for n in range(9_000)], "9,000"),
        ({f"key_{n}": n for n in range(7_000)}, "7,000 members"),
        ({"deep": {"rows": [{"n": n} for n in range(8_000)]}}, "deep {1}"),
    ],
)
def test_a_large_value_of_any_kind_never_reaches_the_page_whole(
    client: Client, tmp_path: Path, value: Any, words: str
) -> None:
    thread = see_record(client, tmp_path, with_payload("at_large", value))

    html = get_body(client, thread.url)

    assert len(html) < 120_000
    assert words in thread.page().words
    downloaded = get_body(client, f"{payload_url(thread)}download/").decode()
    assert (downloaded if isinstance(value, str) else json.loads(downloaded)) == value


# -- 51: images inside -----------------------------------------------------------------------------


def test_51_texts_and_images_are_shown_in_order(client: Client) -> None:
    thread = see(client, "51")

    page = get_page(client, f"{payload_url(thread)}?view=image").one("main")

    order = _parts_in_order(page)
    assert [kind for kind, _ in order] == ["text", "image", "svg", "text"]
    assert (order[0][1], order[-1][1]) == ("before", "after")


def _parts_in_order(main: Node) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for node in main.walk():
        prose = node.tag in {"pre", "p"} or "prose" in node.attributes.get("class", "")
        if node.tag == "figure":
            found.append(("image", node.words))
        elif node.tag == "a" and "image/svg+xml" in node.words:
            assert "download" in node.attributes
            found.append(("svg", node.words))
        elif prose and node.words in {"before", "after"}:
            found.append(("text", node.words))
    return [item for n, item in enumerate(found) if n == 0 or item != found[n - 1]]


def test_51_no_text_is_longer_than_twenty_thousand_characters(client: Client) -> None:
    thread = see(client, "51")
    stored = json.loads((input_of("51") / "thread.json").read_text())
    encoded = max(_strings(stored), key=len)

    for url, body in crawl(client, thread.url):
        if "/download/" not in url and "/api/" not in url and "/payload/bytes/" not in url:
            page = parse(body.decode())
            assert max((len(text) for text in page.texts()), default=0) <= 20_000, url
    raw = get_body(client, f"{payload_url(thread)}download/").decode()
    assert encoded in raw
    assert len(encoded) >= 80_012


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    return []


def test_51_an_svg_is_inert(client: Client) -> None:
    thread = see(client, "51")

    page = get_page(client, f"{payload_url(thread)}?view=image")

    assert "PWNED" not in page.one("title").content
    for image in page.all("img"):
        assert "svg" not in image.attributes["src"]
    assert not page.one("main").all("iframe")
    assert not page.one("main").all("object")


def test_51_base64_is_not_searched(client: Client) -> None:
    thread = see(client, "51")
    stored = json.loads((input_of("51") / "thread.json").read_text())
    encoded = max(_strings(stored), key=len).partition("base64,")[2]

    for start in (0, 5_000, 40_000):
        assert thread.hits(encoded[start : start + 24]) == []
    assert thread.hits("before") != []
    assert thread.hits("after") != []


GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


@pytest.mark.parametrize("place", ["text", "object", "items"])
def test_an_image_in_any_place_of_a_payload_is_no_wall_of_text(
    client: Client, tmp_path: Path, place: str
) -> None:
    encoded = base64.b64encode(GIF + bytes(30_000)).decode()
    url = f"data:image/gif;base64,{encoded}"
    value: Any = {
        "text": f"see {url} there",
        "object": {"name": "plot", "image": url},
        "items": [{"type": "text", "text": "plot"}, {"type": "image", "image": url}],
    }[place]
    thread = see_record(client, tmp_path, with_payload("at_img", value))

    page = thread.page()

    assert max(len(text) for text in page.texts()) <= 20_000
    assert thread.hits(encoded[:40]) == []
    assert encoded in get_body(client, f"{payload_url(thread)}download/").decode()


# -- 53: digits ------------------------------------------------------------------------------------

DIGITS = (
    "107505301260286111",
    "-9223372036854775808",
    "9007199254740993",
    "18446744073709551615",
    "123456789012345678901234567890",
    "1764500000123456789",
)


def test_53_every_digit_is_on_the_page_in_copies_and_in_exports(client: Client) -> None:
    thread = see(client, "53")
    (card,) = thread.cards("1")

    shown = card.words + thread.page(address="messages/1/?view=input&block=0").words
    copied = get_body(client, f"{payload_url(thread)}download/").decode()
    copied += get_body(client, f"{payload_url(thread, '1')}download/").decode()

    for digits in DIGITS:
        assert digits in shown
        assert digits in copied
        assert digits in json.dumps(thread.messages())
        assert digits in thread.export("bundle")
        assert digits in thread.export("markdown")
        assert digits in thread.export("strands")


def test_53_a_number_and_a_text_of_the_same_digits_differ(client: Client) -> None:
    thread = see(client, "53")
    (card,) = thread.cards("1")

    assert 'as_text "9007199254740993"' in card.words
    assert "id 9007199254740993" in card.words
    payload = thread.block("2")["payload"]
    assert payload["id"] == 9007199254740993
    assert payload["as_text"] == "9007199254740993"


def test_53_fractions_stay_as_they_are(client: Client) -> None:
    thread = see(client, "53")
    (card,) = thread.cards("1")

    assert "f 0.1" in card.words
    assert "e 1e-7" in card.words or "e 1e-07" in card.words
    assert "e 0 " not in card.words
    payload = thread.block("2")["payload"]
    assert (payload["f"], payload["e"]) == (0.1, 1e-07)


NUMBERS = [
    "9" * 400,
    "-" + "8" * 40,
    "1E400",
    "-0",
    "-0.0",
    "1e-400",
    "3.0",
    "12345678901234567.25",
]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("place", ["payload", "input"])
def test_a_number_of_any_size_is_stored_and_answered(
    client: Client, tmp_path: Path, number: str, place: str
) -> None:
    value = with_payload("at_num", {"n": 4711} if place == "payload" else {})
    if place == "input":
        value["messages"][1]["content"][0]["input"] = {"n": 4711}
    thread = see_record(client, tmp_path, json.dumps(value).replace("4711", number))

    for _, body in crawl(client, thread.url, most=200):
        assert body is not None
    key = "2" if place == "payload" else "1"
    raw = get_body(client, f"{thread.api_url}/tiers/verbatim/messages/{key}/raw").decode()
    thread.messages()
    if number.lstrip("-").isdigit():
        assert number in raw
        assert number in json.dumps(thread.block(key)) or number == "-0"
        assert number in get_body(client, f"{payload_url(thread, key)}download/").decode() or (
            number == "-0"
        )


@pytest.mark.parametrize("runtime", [2**63, -1, 1.5, 10**30, "12", None])
def test_a_duration_of_any_kind_fits_the_tables(
    client: Client, tmp_path: Path, runtime: Any
) -> None:
    value = with_payload("at_ms", "x")
    value["messages"][2]["content"][0]["runtime_ms"] = runtime
    thread = see_record(client, tmp_path, value)

    get_body(client, thread.url)
    assert len(thread.calls()) == 1
    assert thread.block("2")["payload"] == "x"
