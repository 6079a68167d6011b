"""Dates of filters: a day, or a moment."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from django.utils.dateparse import parse_date, parse_datetime

from convviewer.core.errors import ConvviewerError


class BadDate(ConvviewerError):
    """Text that is neither a day nor a moment."""

    def __init__(self, text: str) -> None:
        shown = text[:40]
        super().__init__(f'"{shown}" is no date; write 2026-11-30 or 2026-11-30T14:00:00Z')


def since_moment(text: str) -> datetime:
    """Where a span begins, that day or moment included; times without a zone are UTC."""
    found = _read(text)
    return found if isinstance(found, datetime) else _midnight(found)


def until_moment(text: str) -> datetime:
    """Where a span ends, excluded: a day counts to its end."""
    found = _read(text)
    if isinstance(found, datetime):
        return found
    if found == date.max:
        raise BadDate(text)
    return _midnight(found + timedelta(days=1))


def _read(text: str) -> date | datetime:
    try:
        # The stricter one first: a moment is no date, but Python would read a date as midnight.
        found = parse_date(text) if _is_day(text) else parse_datetime(text)
    except ValueError as error:  # well formed, but no such day
        raise BadDate(text) from error
    if found is None:
        raise BadDate(text)
    if isinstance(found, datetime):
        return _in_utc(found, text)
    return found


def _is_day(text: str) -> bool:
    return len(text) <= len("2026-11-30")


def _in_utc(moment: datetime, text: str) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise BadDate(text) from error


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
