"""Values too deep for common JSON parsers, which recurse: they open level by level instead."""

from __future__ import annotations

from typing import Final

from convviewer.core.json import Json

DEEPEST: Final = 500


def is_deep(value: Json) -> bool:
    """Whether a value nests deeper than `DEEPEST` levels."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
