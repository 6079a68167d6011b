"""Every kind of block on the reading page."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.web.reading import (
    answer,
    content,
    html_of,
    import_case,
    import_roboto,
    import_sample,
    import_strands,
    message_html,
    text,
    words,
)

pytestmark = pytest.mark.django_db

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def use(tool_use_id: str, name: str = "find", **given: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": tool_use_id, "name": name, "input": given}}


def result(tool_use_id: str, *parts: dict[str, Any], status: str = "success") -> dict[str, Any]:
    return {"toolResult": {"toolUseId": tool_use_id, "status": status, "content": list(parts)}}


def results(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def stored(data: bytes) -> dict[str, Any]:
    return {"bytes": base64.b64encode(data).decode()}


def shown(client: Client, folder: Path, *blocks: dict[str, Any]) -> str:
    """The article of an assistant's message of these blocks."""
    thread = import_strands(folder, text("go"), answer(*blocks))
    return message_html(html_of(client, f"/threads/{thread}/"), "1")


def test_reasoning_is_folded_with_its_size(client: Client, tmp_path: Path) -> None:
    block = {"reasoningContent": {"reasoningText": {"text": "First look.", "signature": "c2ln"}}}

    html = shown(client, tmp_path, block)

    assert '<details class="fold aside"><summary>' in html
    assert "Reasoning 3 tokens, estimated · signed" in words(html)
    assert "First look." in words(html)
    assert "c2ln" not in html


def test_redacted_reasoning_is_a_size_and_never_text(client: Client) -> None:
    (thread,) = import_case("17-media-bytes-in-messages")

    html = message_html(html_of(client, f"/threads/{thread}/"), "1")

    assert "Reasoning redacted by the provider · 8 B encrypted" in words(html)
    assert "<details" not in html


def test_a_picture_is_shown_from_its_bytes_with_a_text_in_its_place(client: Client) -> None:
    (thread,) = import_case("17-media-bytes-in-messages")

    html = message_html(html_of(client, f"/threads/{thread}/"), "0")

    assert html.count("<img ") == 1
    assert 'alt="png image, 70 B"' in html
    assert 'src="/api/blobs/' in html
    assert "plan · document, pdf, 16 B" in words(html)
    assert "base64" not in html
    assert "__bytes_encoded__" not in html


def test_bytes_that_are_no_picture_are_never_drawn(client: Client, tmp_path: Path) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    block = {"image": {"format": "png", "source": stored(svg)}}

    html = shown(client, tmp_path, block)

    assert "<img" not in html
    assert "download=" in html


def test_audio_and_video_have_the_players_of_the_browser(client: Client, tmp_path: Path) -> None:
    html = shown(
        client,
        tmp_path,
        {"audio": {"format": "wav", "source": stored(b"RIFF1234WAVEfmt ")}},
        {"video": {"format": "mp4", "source": stored(b"\0\0\0\x18ftypmp42")}},
    )

    assert '<audio controls preload="none" src="/api/blobs/' in html
    assert '<video controls preload="none" src="/api/blobs/' in html


def test_a_place_in_a_bucket_is_text_and_no_link(client: Client, tmp_path: Path) -> None:
    place = {"location": {"type": "s3", "uri": "s3://plans/hall-3.pdf"}}
    block = {"document": {"format": "pdf", "name": "hall", "source": place}}

    html = shown(client, tmp_path, block)

    assert "s3://plans/hall-3.pdf , not stored" in words(html)
    assert 'href="s3:' not in html


def test_cited_text_comes_with_its_sources(client: Client, tmp_path: Path) -> None:
    block = {
        "citationsContent": {
            "content": [{"text": "Returns take 30 days."}],
            "citations": [
                {
                    "title": "Returns policy",
                    "location": {"documentChar": {"documentIndex": 0, "start": 120, "end": 188}},
                    "sourceContent": [{"text": "within thirty days"}],
                },
                {"title": "Site", "location": {"web": {"url": "https://shop.example/r"}}},
                {"title": "Trap", "location": {"web": {"url": "javascript:alert(1)"}}},
            ],
        }
    }

    html = shown(client, tmp_path, block)

    assert "Returns take 30 days." in words(html)
    assert "1 Returns policy · document 0, characters 120\u2013188" in words(html)
    assert "within thirty days" in words(html)
    link = '<a class="link" href="https://shop.example/r" rel="noopener noreferrer nofollow">'
    assert link in html
    assert 'href="javascript' not in html
    assert "javascript:alert(1)" in words(html)


def test_guarded_text_names_its_qualifiers(client: Client, tmp_path: Path) -> None:
    guard = {"text": {"text": "30 days.", "qualifiers": ["grounding_source", "query"]}}

    html = shown(client, tmp_path, {"guardContent": guard})

    assert "Guarded content grounding_source, query" in words(html)
    assert "30 days." in words(html)


def test_a_cache_point_is_a_line(client: Client, tmp_path: Path) -> None:
    html = shown(client, tmp_path, {"text": "a"}, {"cachePoint": {"type": "default", "ttl": "5m"}})

    assert "cache point · 5m" in words(html)
    assert 'class="hairline flush"' in html


def test_an_unknown_block_is_shown_raw(client: Client, tmp_path: Path) -> None:
    html = shown(client, tmp_path, {"hologram": {"depth": 9007199254740993}})

    assert "Unknown block" in words(html)
    assert "hologram" in words(html)
    assert "9007199254740993" in html


def test_a_stored_error_names_code_and_message(client: Client) -> None:
    thread = import_sample("roboto/localizer-drop.json")

    html = message_html(html_of(client, f"/threads/{thread}/"), "15")

    assert "Agent error" in words(html)
    assert "model_timeout" in words(html)
    assert "The reply was cut off." in words(html)
    assert 'data-item="stop"' in html


def test_tombstones_and_fillers_lead_to_the_original(client: Client) -> None:
    (thread,) = set(import_case("35-roboto-compressed-variant"))

    html = html_of(client, f"/threads/{thread}/?tier=deleted")

    assert "2 blocks deleted by compression" in words(html)
    assert "the model sees <Deleted in compression>" in words(html)
    assert f'<a class="link" href="/threads/{thread}/messages/' in html


def test_a_marker_stands_apart_from_the_words_of_its_message(client: Client) -> None:
    thread = import_sample("snapshots/session/refund-summarise")

    html = html_of(client, f"/threads/{thread}/?tier=compressed")

    marker = html[html.index('<div class="marker" data-outcome="summarized">') :]
    assert words(marker).startswith("Summarized")
    assert "[Summarized: 10 messages" in words(marker)


def test_a_shortened_result_names_its_original_and_leads_to_it(client: Client) -> None:
    thread = import_sample("snapshots/session/refund-truncate")

    html = html_of(client, f"/threads/{thread}/?tier=compressed")

    assert '<p class="marker" data-outcome="truncated">' in html
    assert "original stored as" in words(html)
    original = re.search(r'<a class="link" href="([^"]*)">See the original</a>', html)
    assert original
    assert "[Truncated:" not in words(html_of(client, original[1]))


def test_a_marker_whose_original_is_lost_says_so_without_a_link(client: Client) -> None:
    (thread,) = import_case("07-stash-lost-placeholder")

    html = html_of(client, f"/threads/{thread}/")

    assert "Truncated original not in the import: tooluse_tbl1_0" in words(html)
    assert "row 0117 | pump 5 | pressure 48" in words(html)
    assert not re.search(r'href="[^"]*tooluse_tbl1_0', html)


def test_a_summary_is_told_from_what_was_said(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    html = message_html(html_of(client, f"/threads/{thread}/?tier=compressed"), "summary")

    assert '#i-summarized"' in html
    assert ">User</b>" not in html


def test_a_call_and_its_result_are_one_card_where_the_call_stands(
    client: Client, tmp_path: Path
) -> None:
    thread = import_strands(
        tmp_path,
        text("go"),
        answer({"text": "Looking."}, use("t1", "find_gaps", hall=3)),
        results(result("t1", {"json": [{"gap_ms": 518, "lost": 5}, {"gap_ms": 503, "lost": 5}]})),
        answer({"text": "Two gaps."}),
    )

    html = html_of(client, f"/threads/{thread}/")

    card = message_html(html, "1")
    assert "find_gaps hall=3" in words(card)
    assert 'data-status="success"' in card
    assert "gap_ms" in words(card)
    assert "518" in words(card)
    assert "2 rows ·" in words(card)
    reference = message_html(html, "2")
    assert words(reference) == "#2 Result of find_gaps , shown above"
    assert 'href="#b-1-1"' in reference
    assert "518" not in reference


def test_parallel_calls_are_one_group_with_their_times(client: Client, tmp_path: Path) -> None:
    def call(number: int) -> dict[str, Any]:
        name = {"tool_name": f"tool_{number}", "tool_use_id": f"tu_{number}"}
        return {"content_type": "tool_use", "input": {}, **name}

    def done(number: int, status: str, took: int) -> dict[str, Any]:
        name = {"tool_name": f"tool_{number}", "tool_use_id": f"tu_{number}"}
        end = {"status": status, "runtime_ms": took, "payload": {"n": number}}
        return {"content_type": "tool_result", **name, **end}

    thread = import_roboto(
        tmp_path,
        ("user", [{"text": "go"}]),
        ("assistant", [call(0), call(1), call(2)]),
        ("roboto", [done(0, "success", 412), done(1, "error", 30_000), done(2, "declined", 0)]),
    )

    html = message_html(html_of(client, f"/threads/{thread}/"), "1")

    assert "3 calls in parallel · 1 failed · 1.00 s wall, 30.4 s summed" in words(html)
    assert html.count('<div class="tool"') == 3
    assert [html.count(f'data-status="{s}"') for s in ("success", "error", "declined")] == [1, 1, 1]


def test_a_failed_call_says_its_cause_before_anything_else(client: Client, tmp_path: Path) -> None:
    failure = {"error": {"type": "RateLimited", "code": "HTTP_429", "message": "6 a minute"}}
    thread = import_strands(
        tmp_path,
        text("go"),
        answer(use("t1", "plot", field="rate")),
        results(result("t1", {"json": failure}, status="error")),
    )

    html = message_html(html_of(client, f"/threads/{thread}/"), "1")

    card = html[html.index('<div class="tool"') :]
    assert card.index("6 a minute") < card.index('class="toolbar"')
    assert "RateLimited HTTP_429 6 a minute" in words(card)
    assert 'data-status="error"' in card


def test_results_without_a_call_say_so_and_keep_their_status(client: Client) -> None:
    (thread,) = import_case("13-orphan-tool-results")

    html = html_of(client, f"/threads/{thread}/")

    mixed, failed = message_html(html, "0"), message_html(html, "3")
    assert "And now the weather, please." in words(mixed)
    for article, status in ((mixed, "success"), (failed, "error")):
        assert "no matching call" in words(article)
        assert f'data-status="{status}"' in article
        assert ">unknown</a>" in article


def test_calls_that_share_an_id_show_their_own_results(client: Client) -> None:
    (thread,) = import_case("15-tool-name-as-id")

    html = html_of(client, f"/threads/{thread}/")

    cards = html.split('<div class="tool"')[1:]
    for word in ("first", "second", "third"):
        (card,) = [card for card in cards if f'q="{word}"' in words(card)]
        assert f"result for {word}" in words(card)
        assert "id used more than once" in words(card)
    links = {card.partition('id="')[2].partition('"')[0] for card in cards}
    assert len(links) == 3


def test_a_redacted_message_shows_its_replacement_and_says_so(client: Client) -> None:
    (thread,) = import_case("21-redacted-tool-result")

    html = html_of(client, f"/threads/{thread}/")

    assert "[Tool result redacted.]" in words(html)
    assert "CANARY-NAME" not in html
    assert "Look up the patient." in words(message_html(html, "0"))


def test_the_redacted_original_is_served_nowhere(client: Client) -> None:
    (thread,) = import_case("21-redacted-tool-result")
    message = f"/threads/{thread}/messages/2/"

    for address in ("", "inspector/", "raw/", "blocks/0/payload/", "blocks/0/payload/download/"):
        response = client.get(message + address)
        body = b"".join(response) if response.streaming else response.content
        assert response.status_code == 200
        assert b"CANARY-NAME" not in body, address


def test_viewing_context_is_a_chip_and_never_text(client: Client) -> None:
    (thread,) = import_case("33-roboto-legacy-ctx-marker")

    html = html_of(client, f"/threads/{thread}/messages/7/")

    messages = html[html.index("<main") : html.index("</main>")]
    assert "ds_CANARYCTX" not in messages
    assert "visualizer_state" not in messages
    assert messages.count('<article class="msg') == 6
    assert "Viewing context · 1 dataset" in words(message_html(html, "0"))
    assert 'literal <ctx>{"a":1}</ctx>' in words(message_html(html, "3")) or (
        '<ctx>{"a":1}</ctx>' in content(message_html(html, "3"))
    )


def test_several_parts_of_a_result_are_shown_in_order(client: Client, tmp_path: Path) -> None:
    thread = import_strands(
        tmp_path,
        text("go"),
        answer(use("t1", "scan")),
        results(
            result(
                "t1",
                {"text": "before"},
                {"image": {"format": "png", "source": stored(DOT)}},
                {"json": {"lines": 7}},
            )
        ),
    )

    card = message_html(html_of(client, f"/threads/{thread}/"), "1")

    assert card.index("before") < card.index("<img") < card.index("lines")


def test_a_message_without_content_says_so(client: Client, tmp_path: Path) -> None:
    assert "No content" in words(shown(client, tmp_path))
