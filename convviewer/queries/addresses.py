"""Addresses that read models carry (interfaces.md, URLs of pages)."""

from __future__ import annotations

from urllib.parse import quote, urlencode


def thread_url(thread: str) -> str:
    """The reading page of a thread."""
    return f"/threads/{quote(thread, safe='')}/"


def message_url(thread: str, key: str, tier: str = "") -> str:
    """The reading page opened at a message; `tier` is "" for the fullest one."""
    query = f"?{urlencode({'tier': tier})}" if tier else ""
    return f"{thread_url(thread)}messages/{quote(key, safe='')}/{query}"


def blob_url(sha256: str) -> str:
    """Bytes by content."""
    return f"/api/blobs/{sha256}"
