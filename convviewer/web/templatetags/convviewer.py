"""Figures, times, sizes and links as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.safestring import SafeString

from convviewer.core.text import Run, count, escape_hidden, format_bytes, name_hidden, visible_runs
from convviewer.web.rendering import prose_html

register = template.Library()

_FULL_FIGURES = 10_000
_SECOND = 1_000
_MINUTE = 60 * _SECOND


@register.simple_tag
def link(name: str, *args: str | int, **params: str | int | None) -> str:
    """The address of a named page with query parameters; empty ones are left out.

    What has no name has no address: "" where an argument is empty.
    """
    if "" in args:
        return ""
    query = urlencode({key: value for key, value in params.items() if value not in {None, ""}})
    address = reverse(name, args=[str(arg) for arg in args])
    return f"{address}?{query}" if query else address


@register.filter
def markdown(text: str) -> SafeString:
    """A text as sanitised HTML: Markdown where it is Markdown, else as typed."""
    return prose_html(text)


@register.filter
def runs(text: str) -> list[Run]:
    """What is seen, and what must be named, for `components/text.html`."""
    return list(visible_runs(text))


@register.filter
def named(hidden: str) -> str:
    """Code points of hidden characters."""
    return name_hidden(hidden)


@register.filter
def visible(text: str) -> str:
    r"""One text with hidden characters written out (\u202e), for attributes and titles."""
    return escape_hidden(text)


@register.filter
def tokens(figure: float | None) -> str:
    """A count of tokens in little room: 812, 9,830, 41.9k, 1.2M."""
    if figure is None:
        return ""
    if figure < _FULL_FIGURES:
        return f"{figure:,.0f}"
    if figure < 999_950:  # noqa: PLR2004 - would round to 1000.0k
        return f"{figure / 1_000:.1f}k"
    return f"{figure / 1_000_000:.1f}M"


@register.filter
def figure(number: float | None) -> str:
    """A number in full, thousands parted: 12,648."""
    if number is None:
        return ""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,}"


@register.filter
def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 message, 34 messages."""
    return count(number, noun)


@register.filter(name="bytes")
def size_in_bytes(size: int | None) -> str:
    """A size for people: 12 B, 1.1 KB, 14 MB."""
    return "" if size is None else format_bytes(size)


@register.filter
def duration(milliseconds: float | None) -> str:
    """A time span: 412 ms, 2.31 s, 30.0 s, 1 min 12 s, 2 h 3 min."""
    if milliseconds is None:
        return ""
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE:
        seconds = milliseconds / _SECOND
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"  # noqa: PLR2004
    minutes, seconds = divmod(round(milliseconds / _SECOND), 60)
    if minutes < 60:  # noqa: PLR2004
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


@register.filter
def percent(ratio: float | None) -> str:
    """A share, negative ones with a real minus sign."""
    return "" if ratio is None else f"{ratio:.0%}".replace("-", "\u2212")


@register.filter
def saving(ratio: float | None) -> str:
    """A share that was saved as the change it made: 71% less, 8% more."""
    if ratio is None:
        return ""
    change = round(-ratio * 100)
    return f"{change:+}%".replace("-", "\u2212") if change else "0%"


@register.filter
def clock(stamp: str) -> str:
    """The time of day of a stored time stamp, as stored where it is no time stamp."""
    moment = _moment(stamp)
    return f"{moment:%H:%M:%S}" if moment else stamp


@register.filter
def when(stamp: str) -> str:
    """A stored time stamp in full: 30 Nov 2026, 14:21:37.204; as stored where it is none."""
    moment = _moment(stamp)
    if moment is None:
        return stamp
    fraction = f".{moment.microsecond // 1000:03}" if moment.microsecond else ""
    zone = "" if moment.tzinfo else ", no time zone stored"
    return f"{moment.day} {moment:%b %Y, %H:%M:%S}{fraction}{zone}"


@register.filter
def iso(stamp: str) -> str:
    """A stored time stamp for <time datetime>; "" where it is none."""
    moment = _moment(stamp)
    return moment.isoformat() if moment else ""


def _moment(stamp: str) -> datetime | None:
    try:
        moment = parse_datetime(stamp.strip())
    except ValueError:  # well formed, but no such day
        return None
    return moment.astimezone(UTC) if moment and moment.tzinfo else moment
