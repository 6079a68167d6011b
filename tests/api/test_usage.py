"""Usage over the API: one cache rule, absent figures stay absent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.api.calls import get, get_all, import_case, import_json

pytestmark = pytest.mark.django_db


def test_cached_tokens_beside_the_input_are_counted_once(client: Client) -> None:
    thread = import_case("27")

    usage = get(client, f"/api/threads/{thread}/usage")

    assert usage["totals"] == {
        "usage": {
            "input": 36,
            "output": 80,
            "total": 10116,
            "cache_read": 5000,
            "cache_write": 5000,
            "prompt": 10036,
            "input_uncached": 36,
        },
        "calls": 3,
        "unreported": 0,
        "incomplete": False,
    }
    assert get(client, f"/api/threads/{thread}")["usage"] == usage["totals"]
    last = usage["items"][2]
    assert last["key"] == "5"
    assert (last["usage"]["cache_read"], last["usage"]["cache_write"]) == (None, None)
    assert (last["usage"]["prompt"], last["latency_ms"]) == (9, 250)
    assert get_all(client, f"/api/threads/{thread}/usage", limit=1) == usage["items"]


def test_cached_tokens_inside_the_input_are_not_added_to_it(client: Client, tmp_path: Path) -> None:
    figures = {"inputTokens": 1000, "outputTokens": 50, "totalTokens": 1050}
    answer = {
        "role": "assistant",
        "content": [{"text": "a"}],
        "metadata": {"usage": {**figures, "cacheReadInputTokens": 800}},
    }
    thread = import_json(tmp_path, [answer, {"role": "assistant", "content": [{"text": "b"}]}])

    page: dict[str, Any] = get(client, f"/api/threads/{thread}/usage")

    assert page["items"][0]["usage"] == {
        "input": 1000,
        "output": 50,
        "total": 1050,
        "cache_read": 800,
        "cache_write": None,
        "prompt": 1000,
        "input_uncached": 200,
    }
    assert page["items"][1]["usage"] is None
    assert (page["totals"]["calls"], page["totals"]["unreported"]) == (2, 1)
