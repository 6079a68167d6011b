"""Word differences between two texts, and where they stop."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from convviewer.analysis.wording import MAX_LINES, WordDiff, word_diff

TEXTS = st.text(alphabet=" \n.,abé", max_size=60)


def pieces(diff: WordDiff) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in diff.pieces]


def left_of(diff: WordDiff) -> str:
    return "".join(piece.text for piece in diff.pieces if piece.kind != "inserted")


def right_of(diff: WordDiff) -> str:
    return "".join(piece.text for piece in diff.pieces if piece.kind != "deleted")


def test_changed_words_are_told_apart_inside_a_changed_line() -> None:
    diff = word_diff("All fine.\nThe pump runs at 4 bar.\n", "All fine.\nThe pump runs at 6 bar.\n")

    assert pieces(diff) == [
        ("equal", "All fine.\nThe pump runs at "),
        ("deleted", "4"),
        ("inserted", "6"),
        ("equal", " bar.\n"),
    ]
    assert (diff.stopped, diff.stopped_at) == ("", None)


def test_an_added_line_is_one_insertion() -> None:
    assert pieces(word_diff("a\nc\n", "a\nb\nc\n")) == [
        ("equal", "a\n"),
        ("inserted", "b\n"),
        ("equal", "c\n"),
    ]


def test_equal_texts_have_no_change() -> None:
    assert pieces(word_diff("same", "same")) == [("equal", "same")]
    assert pieces(word_diff("", "")) == []


@given(TEXTS, TEXTS)
def test_the_pieces_joined_are_both_texts(left: str, right: str) -> None:
    diff = word_diff(left, right)

    assert left_of(diff) == left
    assert right_of(diff) == right


@given(TEXTS, TEXTS)
def test_neighbouring_pieces_differ_in_kind(left: str, right: str) -> None:
    kinds = [piece.kind for piece in word_diff(left, right).pieces]

    assert all(a != b for a, b in pairwise(kinds))


def test_too_many_lines_are_not_compared_and_it_says_so() -> None:
    left = "x\n" * (MAX_LINES + 1)

    diff = word_diff(left, "x\n")

    assert pieces(diff) == [("deleted", left), ("inserted", "x\n")]
    assert (diff.stopped, diff.stopped_at) == ("lines", 0)


def test_a_change_too_large_for_words_is_told_by_lines() -> None:
    before = " ".join(f"a{n}" for n in range(3000)) + "\n"
    after = " ".join(f"b{n}" for n in range(3000)) + "\n"

    diff = word_diff("same\n" + before, "same\n" + after)

    assert [piece.kind for piece in diff.pieces] == ["equal", "deleted", "inserted"]
    assert (diff.stopped, diff.stopped_at) == ("hunk", 5)


def test_a_word_changed_in_every_line_of_a_long_text_is_found_in_each() -> None:
    left = "".join(f"row {n} has the value {n * 7}\n" for n in range(4000))

    diff = word_diff(left, left.replace("value", "price"))

    assert {(p.kind, p.text) for p in diff.pieces if p.kind != "equal"} == {
        ("deleted", "value"),
        ("inserted", "price"),
    }
    assert diff.stopped == ""


def test_without_time_left_lines_are_compared_and_it_says_where_that_began() -> None:
    diff = word_diff("same\na b\n", "same\na c\n", seconds=-1)

    assert pieces(diff) == [("equal", "same\n"), ("deleted", "a b\n"), ("inserted", "a c\n")]
    assert (diff.stopped, diff.stopped_at) == ("time", 5)
