"""The one estimator of tokens."""

from __future__ import annotations

import pytest

from convviewer.analysis.tokens import IMAGE_TOKENS, estimate, estimate_block
from convviewer.core.thread import (
    CachePoint,
    Deleted,
    JsonValue,
    Media,
    Stored,
    Text,
    ToolResult,
    ViewingContext,
)
from tests.analysis.build import result, use, user


def test_four_bytes_of_text_are_one_token_rounded_up() -> None:
    assert estimate_block(Text(text="12345678")) == 2
    assert estimate_block(Text(text="123456789")) == 3
    assert estimate_block(Text(text="")) == 0
    assert estimate_block(Text(text="ありがとう")) == 4


def test_a_lone_surrogate_is_counted_and_not_an_error() -> None:
    assert estimate_block(Text(text="\ud800")) == 1


def test_a_message_is_the_sum_of_its_blocks() -> None:
    message = user("12345678", use("a", name="find", value={"q": 1}), result("a", "1234"))

    assert estimate(message) == 2 + (1 + 2) + 1


def test_an_image_counts_as_a_constant_whatever_its_bytes() -> None:
    small, large = Media(kind="image", data=b"x"), Media(kind="image", size=10_000_000)

    assert estimate_block(small) == estimate_block(large) == IMAGE_TOKENS


def test_a_payload_and_the_image_beside_it_are_both_counted() -> None:
    answer = ToolResult(
        tool_use_id="a",
        payload={"n": 1},
        payload_source="payload",
        parts=(JsonValue(value={"n": 1}), Media(kind="image")),
    )

    assert estimate_block(answer) == 2 + IMAGE_TOKENS


def test_a_clipped_text_counts_with_its_stored_size() -> None:
    stored = Stored(sha256="0" * 64, of="text", size=4000, length=4000)

    assert estimate_block(Text(text="clip", stored=stored)) == 1000


@pytest.mark.parametrize("block", [Deleted(), CachePoint(), ViewingContext(unreadable="<ctx>")])
def test_what_no_model_reads_counts_nothing(block: Deleted | CachePoint | ViewingContext) -> None:
    assert estimate_block(block) == 0
