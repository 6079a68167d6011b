"""Which texts need a closer look before they leave."""

from __future__ import annotations

import pytest

from convviewer.core.json import is_plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (b'{"a":[1,2.5,"\\ud83d\\ude00",null]}', True),
        (b'{"a":NaN}', False),
        (b"[-Infinity]", False),
        (b'"\\ud800"', False),
        (b'"\\udc00\\ud800"', False),
        (b'"a\x00b"', False),
        (b"[" * 5000 + b"]" * 5000, False),
        (b"[" * 500 + b"]" * 500, True),
    ],
)
def test_only_strict_json_of_common_depth_is_plain(text: bytes, *, plain: bool) -> None:
    assert is_plain(text) is plain
