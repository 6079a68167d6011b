"""What a block costs to render, estimated from its size: windows are cut by this before reading.

Figures follow the templates: a tool card shows at most some rows or some lines of its payload, a
long text is clipped, so every estimate has a ceiling.
"""

from __future__ import annotations

from typing import NamedTuple

from convviewer.core import thread as core

# What every message costs beside its blocks.
MESSAGE_NODES = 20
MESSAGE_BYTES = 1_300


class _Cost(NamedTuple):
    """Of blocks of one kind: a fixed part, and one for each stored character up to a ceiling."""

    nodes: int
    characters_per_node: int
    html: int
    html_per_character: int
    ceiling: int


_SMALL = _Cost(8, 200, 500, 1, 4_000)
_WORDS = _Cost(4, 60, 300, 1, 16_000)
_CITED = _Cost(8, 40, 600, 2, 16_000)
_CARD = _Cost(25, 10_000, 2_500, 0, 1)
_RESULT = _Cost(25, 14, 2_500, 4, 2_600)
_COSTS: dict[type[object], _Cost] = {
    core.Text: _WORDS,
    core.Marker: _WORDS,
    core.Reasoning: _WORDS,
    core.Citations: _CITED,
    core.ToolUse: _CARD,
    core.ToolResult: _RESULT,
}


def weigh(block: core.Block, length: int) -> tuple[int, int]:
    """DOM elements and bytes of HTML, roughly, of a block whose stored text is `length` long."""
    nodes, per_node, html, per_character, ceiling = _COSTS.get(type(block), _SMALL)
    shown = min(ceiling, length)
    return nodes + shown // per_node, html + shown * per_character
