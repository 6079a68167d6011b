"""The inspector: what the record says of a message beside its words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.web.pages import get_page
from tests.web.reading import (
    html_of,
    import_case,
    import_roboto,
    import_sample,
    import_strands,
    words,
)

pytestmark = pytest.mark.django_db


def inspector(client: Client, thread: str, key: str, tier: str = "") -> str:
    """The inspector as htmx gets it."""
    query = f"?tier={tier}" if tier else ""
    address = f"/threads/{thread}/messages/{key}/inspector/{query}"
    html = html_of(client, address, headers={"HX-Request": "true"})
    assert "<html" not in html
    return html


def with_usage(folder: Path, **usage: int) -> str:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": [{"text": "Done."}],
        "metadata": {
            "usage": usage,
            "metrics": {"latencyMs": 2410, "timeToFirstByteMs": 640},
            "custom": {"pinned": True, "ticket": "SUP-1182"},
        },
    }
    return import_strands(folder, {"role": "user", "content": [{"text": "go"}]}, message)


def figures(html: str) -> dict[str, str]:
    """Terms and values of the inspector's lists."""
    pairs = re.findall(r"<dt>(.*?)</dt>\s*<dd[^>]*>(.*?)</dd>", html, re.DOTALL)
    return {words(term): words(value) for term, value in pairs}


def test_usage_on_top_of_the_input_counts_the_cache_into_the_prompt(
    client: Client, tmp_path: Path
) -> None:
    thread = with_usage(
        tmp_path,
        inputTokens=100,
        outputTokens=20,
        totalTokens=1050,
        cacheReadInputTokens=900,
        cacheWriteInputTokens=30,
    )

    found = figures(inspector(client, thread, "1"))

    assert found["Prompt"] == "1,030"
    assert found["Cache read"] == "900"
    assert found["Cache write"] == "30"
    assert found["Input, not cached"] == "100"
    assert found["Output"] == "20"
    assert found["Total"] == "1,050"


def test_usage_with_the_cache_inside_leaves_the_prompt_alone(
    client: Client, tmp_path: Path
) -> None:
    thread = with_usage(
        tmp_path, inputTokens=1000, outputTokens=20, totalTokens=1020, cacheReadInputTokens=900
    )

    found = figures(inspector(client, thread, "1"))

    assert found["Prompt"] == "1,000"
    assert found["Input, not cached"] == "100"
    assert "Cache write" not in found


def test_absent_usage_is_absent_and_no_zero(client: Client) -> None:
    thread = import_sample("roboto/localizer-drop.json")

    html = inspector(client, thread, "1")

    assert "No usage is recorded." in words(html)
    assert not {"Prompt", "Output", "Total"} & figures(html).keys()


def test_timing_and_custom_metadata_are_shown(client: Client, tmp_path: Path) -> None:
    thread = with_usage(tmp_path, inputTokens=1, outputTokens=1, totalTokens=2)

    html = inspector(client, thread, "1")

    found = figures(html)
    assert found["Time to first byte, ms"] == "640"
    assert found["Streaming, ms"] == "1,770"
    assert found["Latency, ms"] == "2,410"
    assert found["ticket"] == "SUP-1182"
    assert found["pinned"] == "true"
    assert "pinned" in words(html_of(client, f"/threads/{thread}/"))


def test_ids_can_be_copied(client: Client) -> None:
    thread = import_sample("strands/session_address-change")

    html = inspector(client, thread, "0")

    tracking_id = figures(html)["tracking id"]
    assert re.fullmatch(r"[0-9a-f-]{36}", tracking_id)
    assert f'data-copy="{tracking_id}"' in html


def test_viewing_context_is_shown_whole_and_only_here(client: Client) -> None:
    (thread,) = import_case("33-roboto-legacy-ctx-marker")

    html = inspector(client, thread, "0")

    assert 'id="viewing-context"' in html
    assert "ds_CANARYCTX" in words(html)
    assert "</ctx>" in words(html)


def test_unreadable_viewing_context_is_listed_with_its_raw_text(client: Client) -> None:
    (thread,) = import_case("33-roboto-legacy-ctx-marker")

    page = html_of(client, f"/threads/{thread}/")
    (chip,) = re.findall(
        r'href="([^"]*)#viewing-context"[^>]*>[^<]*<svg.*?</svg>\s*Unreadable', page
    )
    html = html_of(client, chip, headers={"HX-Request": "true"})

    assert "Unreadable viewing context" in words(html)
    assert "<ctx>" in words(html)


def test_a_redacted_message_says_that_its_original_is_not_served(client: Client) -> None:
    (thread,) = import_case("21-redacted-tool-result")

    html = inspector(client, thread, "2")

    assert "A guardrail replaced this message." in words(html)
    assert "CANARY-NAME" not in html


def test_what_became_of_a_message_leads_to_compare(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    html = inspector(client, thread, "1")

    assert "In the compressed tier" in words(html)
    assert "summarized" in words(html)
    assert re.search(rf'href="/threads/{thread}/compare/\?row=\d+"', html)


def test_the_tiers_that_hold_a_message_are_linked(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    kept = figures(inspector(client, thread, "31"))
    replaced = figures(inspector(client, thread, "1"))

    assert kept["tier"] == "Verbatim Compressed"
    assert replaced["tier"] == "Verbatim"


def test_neighbours_are_links_within_the_tier(client: Client) -> None:
    thread = import_sample("strands/session_refund-summarised")

    html = inspector(client, thread, "summary", "compressed")

    assert 'aria-label="Previous message"' not in html
    (following,) = re.findall(r'href="([^"]*)" aria-label="Next message"', html)
    assert following.endswith("/?tier=compressed")
    html_of(client, following)


def test_the_original_json_waits_until_its_fold_opens(client: Client) -> None:
    thread = import_sample("strands/session_address-change")

    html = inspector(client, thread, "0")

    raw = f"/threads/{thread}/messages/0/raw/"
    assert f'hx-get="{raw}"' in html
    assert "message_id" not in html
    assert "What do you need to change my delivery address?" in words(html_of(client, raw))


def test_the_inspector_is_a_page_of_its_own_without_script(client: Client) -> None:
    thread = import_sample("strands/session_address-change")

    page = get_page(client, f"/threads/{thread}/messages/1/inspector/")

    assert len(page.attributes("h1")) == 1
    assert "Ids and model" in page.text


def test_warnings_of_the_import_are_on_the_page(client: Client) -> None:
    (thread,) = import_case("13-orphan-tool-results")

    assert "orphan_result" in words(html_of(client, f"/threads/{thread}/"))


def test_a_context_of_every_kind_is_counted_on_its_chip(client: Client, tmp_path: Path) -> None:
    context = {"dataset_ids": ["a", "b"], "file_ids": ["c"], "unheard_of": {"x": 1}}
    block = {"content_type": "client_context", "context": context}
    thread = import_roboto(tmp_path, ("user", [{"text": "Look"}, block]))

    html = html_of(client, f"/threads/{thread}/")

    messages = html[html.index("<main") : html.index("</main>")]
    assert "Viewing context · 2 datasets, 1 file" in words(messages)
    assert "unheard_of" not in messages
    assert "unheard_of" in words(html)
