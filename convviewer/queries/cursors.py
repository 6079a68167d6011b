"""Cursors made of whole numbers: the place of a list's last item."""

from __future__ import annotations

from typing import Final

from convviewer.queries.paging import BadCursor, decode_cursor, encode_cursor

_LARGEST: Final = 2**63 - 1


def number_cursor(of: str, *numbers: int) -> str:
    """The cursor of a place in the list named `of`."""
    return encode_cursor((of, *numbers))


def numbers_of(cursor: str, of: str, *start: int) -> tuple[int, ...]:
    """The numbers of a cursor of that list; `start` for "". Raises `BadCursor`."""
    if not cursor:
        return start
    name, *values = decode_cursor(cursor) or [None]
    numbers = tuple(value for value in values if type(value) is int and 0 <= value <= _LARGEST)
    if name != of or len(values) != len(start) or len(numbers) != len(start):
        raise BadCursor
    return numbers
