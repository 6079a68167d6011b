"""How a query is read."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from convviewer.queries.search_query import BadQuery, parse_query


@pytest.mark.parametrize(
    ("text", "terms", "without"),
    [
        ("Order  TIMED", ("order", "timed"), ()),
        ('"timed   out" late', ("timed out", "late"), ()),
        ('timeout -retry -"gave up"', ("timeout",), ("retry", "gave up")),
        ('"serial": "SN-88"', ('"serial":', "sn-88"), ()),
        ("http://host:80/x --force a:b", ("http://host:80/x", "--force", "a:b"), ()),
        ('say"hi" - OR NEAR(x)*', ('say"hi"', "-", "or", "near(x)*"), ()),
        ("x x X", ("x",), ()),
        ("Größe\0", ("grosse\ufffd",), ()),
        ('  ""  ', (), ()),
    ],
)
def test_words_phrases_and_what_must_not_occur(
    text: str, terms: tuple[str, ...], without: tuple[str, ...]
) -> None:
    query = parse_query(text)
    assert (query.terms, query.without) == (terms, without)


def test_filters_are_taken_out_of_the_text_and_each_can_be_dropped() -> None:
    query = parse_query('late tool:"read log" STATUS:Error since:2026-11-30 in:tool_output')
    assert query.terms == ("late",)
    assert query.tool == ("read log",)
    assert query.status == ("error",)
    assert query.places == ("tool_output",)
    assert query.since == datetime(2026, 11, 30, tzinfo=UTC)
    assert query.chips[0].rest == "late STATUS:Error since:2026-11-30 in:tool_output"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * 10_000, "at most 1,000 characters, this one 10,000"),
        (" ".join(map(str, range(30))), "at most 20 terms"),
        ('find "this', "quote before “this” is not closed"),
        ("tool:", "“tool:” needs a value"),
        ("x status:bad", "success, error, declined, unknown; not “bad”"),
        ("x in:payload", "dialogue, tool_input, tool_output"),
        ("x since:tuesday", '"tuesday" is no date'),
        ("x -tool:y", "cannot be taken away"),
        ("-x", "Add what to look for"),
        ("in:dialogue", "Add what to look for"),
    ],
)
def test_a_query_that_cannot_be_understood_says_why(text: str, reason: str) -> None:
    with pytest.raises(BadQuery, match=re.escape(reason)):
        parse_query(text)
