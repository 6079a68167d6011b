"""Any JSON value: the type that takes what no other type does."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TREE, Context, Example, Window
from convviewer.payloads.parts.trees import tree_of
from convviewer.payloads.shapes import Shape


class JsonValue:
    """A value without a form of its own."""

    name = "json"
    label = "JSON"
    offers = (TREE, RAW)
    examples = (
        Example(label="nested", value={"runs": {"a": [1, 2, [3]]}, "total": 3}, shape="tree"),
        Example(label="numbers", value=[1, 2.5, 9007199254740993, float("nan")], shape="tree"),
        Example(label="a number", value=18446744073709551615, shape="tree"),
        Example(label="look-alikes", value=[[1, "1"], [None, "null"], ["", {}, []]], shape="tree"),
    )

    def match(self, value: Json, context: Context) -> int:
        """Everything, with the least confidence."""
        del value, context
        return 1

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw one level."""
        del view
        return tree_of(value, window)


PAYLOAD_TYPE = JsonValue()
