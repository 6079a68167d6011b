"""Where in a source a citation points, in words."""

from __future__ import annotations

from convviewer.core.json import Json, encode
from convviewer.core.text import cut

_UNITS = {
    "documentChar": "characters",
    "documentPage": "pages",
    "documentChunk": "chunks",
    "searchResultLocation": "blocks",
}
_LONGEST = 160


def place_of_source(location: Json) -> str:
    """Such as "document 0, characters 120-188"; an unknown place as stored; "" for none."""
    if not isinstance(location, dict) or not location:
        return "" if location is None else cut(encode(location), _LONGEST)
    kind, inner = next(iter(location.items()))
    unit = _UNITS.get(kind)
    if unit is None or not isinstance(inner, dict):
        return cut(encode(location), _LONGEST)
    document = inner.get("documentIndex", inner.get("searchResultIndex"))
    start, end = inner.get("start"), inner.get("end")
    parts = [f"document {document}"] if isinstance(document, int) else []
    if isinstance(start, int):
        parts.append(f"{unit} {start}\u2013{end}" if isinstance(end, int) else f"{unit} {start}")
    return ", ".join(parts)
