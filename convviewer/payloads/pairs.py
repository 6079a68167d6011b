"""Pairs: an object of scalars."""

from __future__ import annotations

from typing import Final

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TABLE, TREE, Context, Example, Window
from convviewer.payloads.parts.tables import pairs_of
from convviewer.payloads.parts.trees import tree_of
from convviewer.payloads.shapes import Shape

_MOST: Final = 200


class NameValuePairs:
    """A flat object."""

    name = "pairs"
    label = "Pairs"
    offers = (TABLE, TREE, RAW)
    examples = (
        Example(
            label="an order",
            value={"order_id": "ORD-0004", "total": 41.5, "refunded": True, "note": None},
            shape="pairs",
        ),
        Example(
            label="special numbers",
            value={"mean": float("nan"), "max": float("inf"), "label": "NaN", "items": []},
            shape="pairs",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """An object without filled containers in it."""
        del context
        if not isinstance(value, dict) or len(value) > _MOST:
            return 0
        nested = any(isinstance(item, dict | list) and item for item in value.values())
        return 0 if nested else 70

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw names beside values, or the tree."""
        if isinstance(value, dict) and view == "table":
            return pairs_of(value, window)
        return tree_of(value, window)


PAYLOAD_TYPE = NameValuePairs()
