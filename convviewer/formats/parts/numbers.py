"""Stored numbers that are to be measured and drawn."""

from __future__ import annotations

import sys
from typing import Final

from convviewer.core.json import Json

# No table takes longer integers; up to here a float holds each of them exactly.
_EXACT: Final = 2**53


def finite_number(value: Json) -> float | None:
    """The number, or None for anything else: NaN, infinity, a flag, more than a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not abs(value) <= sys.float_info.max:
        return None
    return value if abs(value) <= _EXACT else float(value)
