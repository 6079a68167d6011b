"""Values in a few words, for the heads of tool cards."""

from __future__ import annotations

from convviewer.core.json import Json, encode
from convviewer.core.text import count, cut, format_bytes
from convviewer.payloads.parts.content import content_parts
from convviewer.payloads.parts.tables import find_records
from convviewer.payloads.parts.values import preview, quoted

_VALUE_CHARACTERS = 60


def input_summary(value: Json, limit: int = 120) -> str:
    """Return one line of a tool input: `key="value", n=3`."""
    if not isinstance(value, dict):
        return "" if value is None else preview(value, limit)
    parts: list[str] = []
    left = limit
    for key, item in value.items():
        part = f"{cut(_plain(key), _VALUE_CHARACTERS)}={_short(item)}"
        parts.append(part)
        left -= len(part) + 2
        if left < 0:
            break
    return cut(", ".join(parts), limit)


def describe(value: Json) -> str:
    """Return how much a payload holds: "4 rows · 1.1 KB", "12 lines · 0.4 KB", "empty"."""
    if value is None or value in ("", [], {}):
        return "empty"
    if isinstance(value, str):
        lines = value.count("\n") + (not value.endswith("\n"))
        size = format_bytes(len(value.encode("utf-8", "surrogatepass")))
        return f"{count(lines, 'line')} · {size}"
    size = format_bytes(len(encode(value)))
    return f"{_amount(value)} · {size}" if isinstance(value, dict | list) else size


def _amount(value: dict[str, Json] | list[Json]) -> str:
    parts = content_parts(value)
    if parts:
        return count(len(parts), "part")
    records = find_records(value)
    if records:
        return count(len(records.rows), "row")
    return count(len(value), "member" if isinstance(value, dict) else "item")


def _short(value: Json) -> str:
    if isinstance(value, str):
        return quoted(cut(value, _VALUE_CHARACTERS))
    return preview(value, _VALUE_CHARACTERS)


def _plain(key: str) -> str:
    return quoted(key[: _VALUE_CHARACTERS * 2])[1:-1]
