"""Diffs in the unified form."""

from __future__ import annotations

import re
from typing import Final

from convviewer.core.json import Json
from convviewer.payloads.base import DIFF, RAW, TEXT, Context, Example, Window
from convviewer.payloads.parts.difflines import HUNK, diff_of
from convviewer.payloads.parts.texts import code_of, raw_of
from convviewer.payloads.shapes import Shape

_HEAD: Final = 65_536
_FILES: Final = re.compile(r"^--- [^\n]+\n\+\+\+ [^\n]+\n@@ |^diff --git ", re.MULTILINE)


class UnifiedDiff:
    """Changes to files."""

    name = "diff"
    label = "Diff"
    offers = (DIFF, TEXT, RAW)
    examples = (
        Example(
            label="one hunk",
            value=(
                "--- a/rate.py\n+++ b/rate.py\n@@ -1,3 +1,3 @@\n"
                " def rate(n, s):\n-    return n / s\n+    return n / s if s else 0\n \n"
            ),
            shape="diff",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """File heads, or a hunk at the very start."""
        del context
        if not isinstance(value, str):
            return 0
        return 88 if HUNK.match(value) or _FILES.search(value[:_HEAD]) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw marked lines, or the text."""
        if not isinstance(value, str):
            return raw_of(value, window)
        return diff_of(value, window) if view == "diff" else code_of(value, window)


PAYLOAD_TYPE = UnifiedDiff()
