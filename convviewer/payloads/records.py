"""Records: objects that share keys, in a list, in a small wrapper, or as columns and rows."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.payloads.base import RAW, TABLE, TREE, Context, Example, Window
from convviewer.payloads.parts.stacks import records_shape
from convviewer.payloads.parts.tables import find_records
from convviewer.payloads.parts.trees import tree_of
from convviewer.payloads.shapes import Shape


class RecordList:
    """Rows for a table."""

    name = "records"
    label = "Records"
    offers = (TABLE, TREE, RAW)
    examples = (
        Example(
            label="a list of objects",
            value=[
                {"topic": "/lidar_front/points", "messages": 17904, "rate_hz": 9.95, "gaps": 6},
                {"topic": "/lidar_rear/points", "messages": 18021, "rate_hz": 10.01, "gaps": 0},
            ],
            shape="table",
        ),
        Example(
            label="columns and rows",
            value={"columns": ["id", "name"], "rows": [[9007199254740993, "9007199254740993"]]},
            shape="table",
        ),
        Example(
            label="in a wrapper",
            value={"total": 11, "items": [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}]},
            shape="stack",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """What a table suits."""
        del context
        return 75 if find_records(value) else 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw the rows, or the tree."""
        records = find_records(value)
        if records and view == "table":
            return records_shape(records, window)
        return tree_of(value, window)


PAYLOAD_TYPE = RecordList()
