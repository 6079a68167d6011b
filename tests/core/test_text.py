from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.text import (
    count,
    cut,
    escape_hidden,
    format_bytes,
    join_surrogates,
    name_hidden,
    one_line,
    visible_runs,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("plain\n\ttext\r\n", [("plain\n\ttext\r\n", False)]),
        ("a\u202eb", [("a", False), ("\u202e", True), ("b", False)]),
        ("\u200bx\x00\x00", [("\u200b", True), ("x", False), ("\x00\x00", True)]),
        (FAMILY, [(FAMILY, False)]),
        ("a\u200db", [("a", False), ("\u200d", True), ("b", False)]),
        ("\u0645\u06cc\u200c\u062e", [("\u0645\u06cc\u200c\u062e", False)]),
        ("50%\rdone", [("50%", False), ("\r", True), ("done", False)]),
        ("\ud83d", [("\ud83d", True)]),
        ("\ud83d\ude00", [("\U0001f600", False)]),
        ("", []),
    ],
)
def test_hidden_characters_are_told_from_those_that_work(text: str, runs: list[tuple[str, bool]]):
    assert [(run.text, run.hidden) for run in visible_runs(text)] == runs


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_runs_joined_are_the_text_and_what_is_seen_can_be_sent(text: str):
    runs = list(visible_runs(text))
    assert "".join(run.text for run in runs) == join_surrogates(text)
    for run in runs:
        (name_hidden(run.text) if run.hidden else run.text).encode()
    escape_hidden(text).encode()


def test_hidden_characters_have_names():
    assert name_hidden("\u202e") == "U+202E"
    assert name_hidden("\x00" * 512) == "512 x U+0000"
    assert name_hidden("\u202e\u200b") == "U+202E U+200B"
    assert escape_hidden("a\u202e\U000e0041b") == r"a\u202e\udb40\udc41b"


@given(
    st.lists(st.sampled_from(["a", "e\u0301", FAMILY, "\U0001f1e9\U0001f1ea"]), max_size=30),
    st.integers(12, 40),
)
def test_a_cut_never_tears_an_emoji_or_an_accent(characters: list[str], limit: int):
    text = "".join(characters)
    start = cut(text, limit)
    assert len(start) <= limit
    whole = {"".join(characters[:i]) + "…" for i in range(len(characters))}
    assert start == text or start in whole


def test_a_title_is_one_line_without_hidden_characters():
    assert one_line("  invoice_\u202egpj.exe\n\nnext  ", 50) == "invoice_gpj.exe next"
    assert one_line("x" * 100, 10) == "x" * 9 + "…"
    assert one_line("cut \ud83d", 50) == "cut \ufffd"


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (99, "99 B"),
        (600, "0.6 KB"),
        (1_100, "1.1 KB"),
        (214_000, "214 KB"),
        (999_900, "1.0 MB"),
        (1_200_000, "1.2 MB"),
        (20_000_013, "20.0 MB"),
        (3_000_000_000, "3.0 GB"),
    ],
)
def test_sizes_are_written_for_people(size: int, words: str):
    assert format_bytes(size) == words


def test_counts_agree_with_their_noun():
    assert (count(1, "row"), count(0, "row"), count(14_208, "line")) == (
        "1 row",
        "0 rows",
        "14,208 lines",
    )
