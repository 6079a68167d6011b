"""Folding: what search takes for the same text."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.core.folding import fold, fold_with_places


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Größe", "grosse"),
        ("NAÏVE", "naive"),
        ("nai\u0308ve", "naive"),
        ("İstanbul", "istanbul"),
        ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("Ёлка", "елка"),
        ("ﬁle ①", "file 1"),
        ("中文", "中文"),
        ("a\n\t b\u00a0\u3000c", "a b c"),
        ("zero\u200bwidth so\u00adft", "zerowidth soft"),
        ("=> {", "=> {"),
        ("nul\0 \ud800", "nul\ufffd \ufffd"),
    ],
)
def test_case_latin_accents_and_kinds_of_blank_do_not_matter(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_voicing_marks_of_japanese_make_another_letter() -> None:
    assert fold("ば") != fold("は")
    assert fold(unicodedata.normalize("NFD", "ば")) == fold("ば")


def test_folding_any_character_twice_changes_nothing_and_leaves_no_line_break() -> None:
    unstable = [
        code
        for code in range(sys.maxunicode + 1)
        if fold(once := fold(chr(code))) != once or "\n" in once
    ]
    assert unstable == []


@given(st.text(), st.text())
def test_a_part_of_a_text_is_found_in_it_once_both_are_folded(before: str, after: str) -> None:
    assert fold("Größe").strip() in fold(f"{before} Größe {after}")


@given(st.text())
def test_each_folded_character_knows_where_it_came_from(text: str) -> None:
    folded = fold_with_places(text)
    assert folded.text == fold(text)
    assert len(folded.places) == len(folded.text)
    assert list(folded.places) == sorted(folded.places)


def test_a_match_covers_all_characters_of_the_original_that_it_came_from() -> None:
    folded = fold_with_places("Die Größe\n\n  zählt")
    start = folded.text.index("grosse z")
    assert folded.span(start, start + len("grosse z")) == (4, 14)
