"""Errors tell people, in one line, where and what."""

from __future__ import annotations

import pytest

from convviewer.core.errors import (
    ConvviewerError,
    JsonError,
    PointerError,
    SourceError,
    UnknownFormat,
)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            SourceError("a/b.json", "/messages/3", "expected a list"),
            "a/b.json at /messages/3: expected a list",
        ),
        (SourceError("a.zip", "", "first\nsecond"), "a.zip: first second"),
        (JsonError("expected a value", 4, 2, 1), "expected a value (line 2, column 1)"),
        (PointerError("there is nothing at '/a'"), "there is nothing at '/a'"),
        (UnknownFormat("no format reads a.txt"), "no format reads a.txt"),
    ],
)
def test_an_error_is_one_line(error: ConvviewerError, line: str):
    assert str(error) == line
