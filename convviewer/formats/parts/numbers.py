"""Stored numbers that are to be measured and drawn."""

from __future__ import annotations

import sys

from convviewer.core.json import Json


def finite_number(value: Json) -> float | None:
    """The number, or None for anything else: NaN, infinity, a flag, more than a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= sys.float_info.max else None
