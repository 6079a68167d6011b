"""Addresses that read models carry (interfaces.md, URLs of pages)."""

from __future__ import annotations

from urllib.parse import quote, urlencode


def thread_url(thread: str) -> str:
    """The reading page of a thread."""
    return f"/threads/{quote(thread, safe='')}/"


def message_url(thread: str, key: str, tier: str = "", *, q: str = "") -> str:
    """The reading page opened at a message; `tier` is "" for the fullest one.

    `q` is the search that leads there, "" for none.
    """
    params = {name: value for name, value in (("tier", tier), ("q", q)) if value}
    query = f"?{urlencode(params)}" if params else ""
    return f"{thread_url(thread)}messages/{quote(key, safe='')}/{query}"


def message_anchor(key: str) -> str:
    """The fragment of a message on the reading page."""
    return f"m-{quote(key, safe='')}"


def block_anchor(key: str, block: int) -> str:
    """The fragment of a tool call's card on the reading page."""
    return f"b-{quote(key, safe='')}-{block}"


def blob_url(sha256: str) -> str:
    """Bytes by content."""
    return f"/api/blobs/{sha256}"
