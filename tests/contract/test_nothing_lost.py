"""Blocks in the source = blocks stored = blocks shown, for everything the repository holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.cases.seen import Seen
from tests.contract.counting import blocks_shown
from tests.contract.library import CASE_INPUTS, ROOTS, SAMPLES, Library, rooted, stored_library

# A long thread shows the same templates again and again: these windows hold 300 messages.
WINDOWS = 6
MEDIA = {"image", "document", "audio", "video"}


@pytest.fixture(scope="module")
def library(django_db_setup: None, django_db_blocker: Any) -> Iterator[Library]:
    yield from stored_library(django_db_blocker)


def count_stored(messages: list[Any]) -> Counter[str]:
    """Blocks over the API by kind; media are one kind, citations show as text."""
    counts: Counter[str] = Counter()
    for message in messages:
        for block in message["blocks"]:
            kind = block["kind"]
            counts["media" if kind in MEDIA else "text" if kind == "citations" else kind] += 1
    return counts


@rooted(*(root for root in ROOTS if root != SAMPLES))
def test_every_stored_block_is_shown_or_listed_as_hidden(library: Library, root: Any) -> None:
    for thread_id in library.of(root):
        _assert_shown(Seen(client=Client(), id=thread_id))


@pytest.mark.parametrize("part", range(4))
def test_every_block_of_a_sample_is_shown(library: Library, part: int) -> None:
    for thread_id in library.of(SAMPLES)[part::4]:
        _assert_shown(Seen(client=Client(), id=thread_id))


def _assert_shown(thread: Seen) -> None:
    for tier in thread.api()["tiers"]:
        if not tier["messages"]:
            continue  # a graph or swarm: its page shows results, not messages
        shown, last = blocks_shown(thread, tier["name"], windows=WINDOWS)
        messages = thread.messages(tier["name"])
        places = {message["key"]: message["position"] for message in messages}
        stored = count_stored(messages[: places[last] + 1])
        # A context that stands alone in a message is a line without a bubble.
        stored["viewing_context"] = shown["viewing_context"] = 0
        assert shown == stored, (thread.api()["external_id"], tier["name"])


@rooted(*CASE_INPUTS)
def test_every_viewing_context_is_in_an_inspector(library: Library, root: Any) -> None:
    for thread_id in library.of(root):
        thread = Seen(client=Client(), id=thread_id)
        for message in thread.messages("compressed"):
            contexts = [b for b in message["blocks"] if b["kind"] == "viewing_context"]
            if contexts:
                words = thread.inspector(message["key"]).words.lower()
                assert words.count("viewing context") >= len(contexts)
