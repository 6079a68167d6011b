"""Reduction markers: what the SDKs write is one, what people write is not."""

from __future__ import annotations

import pytest

from convviewer.formats.parts.strands.markers import read_marker, read_result_marker

OFFLOADED_RESULT = (
    "[Offloaded: 2 blocks, ~12,345 tokens]\n"
    "Tool result was offloaded to external storage due to size.\n"
    "Use the preview below if it answers your question.\n\n\nrow 1\n\n"
    "[Stored references:]\n  t_0 (text, 9 bytes)\n  t_1 (json, 7 bytes)"
)


@pytest.mark.parametrize(
    ("text", "reduction", "refs"),
    [
        (
            "[Truncated: 1 block, ~957 tokens]\n\nrow\n\n[... 3,586 chars elided ...]",
            "truncated",
            (),
        ),
        (
            "[Truncated: 2 blocks, ~957 tokens]\n\na\n\n[... 3.586 chars elided ...]\n\nb"
            "\n\n[Stashed] [refs: t_0, t_1]",
            "truncated",
            ("t_0", "t_1"),
        ),
        ("long text, kept whole\n\n[Stashed] [ref: m_0]", "offloaded", ("m_0",)),
        ("[Offloaded: ~12 tokens]", "offloaded", ()),
        ("[Offloaded: ~12 tokens] [ref: m_2]", "offloaded", ("m_2",)),
        ("[Dropped] [ref: m_0]", "dropped", ("m_0",)),
        ("[Dropped: 1 message]", "dropped", ()),
        ("[Dropped: 1,204 messages]", "dropped", ()),
        ("[... 12 messages elided ...]", "elided", ()),
        ("[Summarized: 2 messages, ~27 tokens]\n\nAll was fine [ref: no]", "summarized", ()),
        ("[Summarized: text block, ~27 tokens]\n\nShort. [ref: m_0]", "summarized", ("m_0",)),
        ("[Summarized: media block, ~27 tokens]", "summarized", ()),
    ],
)
def test_a_placeholder_is_a_marker_with_its_references(
    text: str, reduction: str, refs: tuple[str, ...]
) -> None:
    marker = read_marker(text, role="assistant")
    assert marker is not None
    assert (marker.reduction, marker.text, marker.refs) == (reduction, text, refs)
    assert marker.missing == refs


@pytest.mark.parametrize(
    "text",
    [
        "[Dropped] the vase",
        "He wrote [Dropped: 2 messages]",
        "[Dropped: some messages]",
        "[Summarized: 2 messages] in short",
        "[Truncated: 1 block, ~9 tokens]\n\nwithout what was cut",
        "[ref: m_0]",
        "see [Stashed] [ref: m_0]",
        "[image: png, 70 bytes]",
        "",
    ],
)
def test_words_in_brackets_stay_words(text: str) -> None:
    assert read_marker(text, role="assistant") is None


def test_a_bare_dropped_is_a_marker_of_the_sdk_but_words_of_a_user() -> None:
    assert read_marker("[Dropped]", role="user") is None
    assert read_marker("[Dropped]", role="assistant") is not None


@pytest.mark.parametrize(
    ("text", "reduction", "refs"),
    [
        ("abc...\n\n... [truncated: 410 chars removed] ...\n\n...xyz", "truncated", ()),
        ('abc\n<truncated chars="410"/>\nxyz', "truncated", ()),
        ("[image: png, 70 bytes]", "dropped", ()),
        ("[image: png, source: bytes, 70 bytes]", "dropped", ()),
        ("[image: png, source: url]", "dropped", ()),
        ("[document: plan, pdf, source: s3]", "dropped", ()),
        ("[json: 3000 chars]", "dropped", ()),
        ("[image: png, 70 bytes | ref: t_1]", "offloaded", ("t_1",)),
        ("[document: pdf, plan, 70 bytes | ref: t_2]", "offloaded", ("t_2",)),
        ("[Dropped]", "dropped", ()),
        (OFFLOADED_RESULT, "offloaded", ("t_0", "t_1")),
    ],
)
def test_a_tool_result_has_placeholders_of_its_own(
    text: str, reduction: str, refs: tuple[str, ...]
) -> None:
    marker = read_result_marker(text)
    assert marker is not None
    assert (marker.reduction, marker.refs) == (reduction, refs)


@pytest.mark.parametrize(
    "text", ["[image: a cat]", "[truncated: yes]", "<truncated/>", "[json: x]", "[1, 2]"]
)
def test_what_a_tool_says_in_brackets_stays_its_words(text: str) -> None:
    assert read_result_marker(text) is None
