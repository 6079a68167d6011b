"""One message as the reading page shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from convviewer.core import thread as core
from convviewer.queries.block_views import Owner, block_views
from convviewer.queries.blocks import BlockView, CallBlock, ErrorBlock, ParallelBlock, ResultsBlock
from convviewer.queries.compaction import Boundary
from convviewer.queries.scene import Scene, WindowRow
from convviewer.queries.windows import BYTES, NODES
from convviewer.store.codec import dump_block
from convviewer.store.weight import weigh

_SPEAKERS: Final = {
    "user": ("User", "user"),
    "assistant": ("Assistant", "agent"),
    "roboto": ("Roboto", "system"),
    "system": ("System", "system"),
    "tool": ("Tool", "tool"),
}

# A call whose result is in no window with it shows its input, which its own weight leaves out.
_INPUT_NODES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """A message of the window.

    `look` is "user" for words of a user, "results" for nothing but results, "context" for a legacy
    viewing context marker, which has no bubble, else "". `stop`: n and p stop at it.
    `first_block` and `next_block` tell what part of a very long message is here. `boundary`: a
    compression put a summary in place of the messages up to this one. `not_in` names the tier
    that does without this one, "" for none.
    """

    key: str
    number: int | None
    position: int
    look: str
    speaker: str
    icon: str
    status: str
    label: str
    created_at: str
    redacted: bool
    pinned: bool
    output_tokens: int | None
    latency_ms: float | None
    turn: int | None
    stop: bool
    blocks: tuple[BlockView, ...]
    block_count: int
    first_block: int
    next_block: int | None
    boundary: Boundary | None
    not_in: str

    @property
    def name(self) -> str:
        """How people call it: its number, else its key."""
        return f"#{self.number}" if self.number is not None else self.key


def message_view(
    row: WindowRow, scene: Scene, *, turn: int | None, first_block: int = 0
) -> MessageView:
    """The message of a row, from its block `first_block` on."""
    message, position = row.message, row.position
    shown = list(enumerate(message.blocks))[first_block:]
    if first_block or row.nodes > NODES:
        shown = list(_affordable(shown))
    owner = Owner(position=position, key=message.key, created_at=message.created_at)
    blocks = block_views(shown, owner, scene)
    speaker, icon = _speaker(message, blocks)
    end = first_block + len(shown)
    compaction = scene.compaction
    gone = compaction is not None and position in compaction.gone
    return MessageView(
        key=message.key,
        number=message.number,
        position=position,
        look=_look(message, blocks),
        speaker=speaker,
        icon=icon,
        status=message.status if message.status not in {"", "completed", "complete"} else "",
        label=message.label,
        created_at=message.created_at,
        redacted=message.redacted,
        pinned=isinstance(message.custom, dict) and message.custom.get("pinned") is True,
        output_tokens=message.usage.output if message.usage else None,
        latency_ms=message.metrics.latency_ms if message.metrics else None,
        turn=turn,
        stop=any(map(_fails, blocks)),
        blocks=blocks,
        block_count=len(message.blocks),
        first_block=first_block,
        next_block=end if end < len(message.blocks) else None,
        boundary=compaction.boundaries.get(position) if compaction else None,
        not_in=compaction.other.label if compaction and gone and compaction.other else "",
    )


def _affordable(shown: list[tuple[int, core.Block]]) -> Iterator[tuple[int, core.Block]]:
    """As many blocks as one window may hold, at least one."""
    nodes = size = 0
    for place, (n, block) in enumerate(shown):
        more_nodes, more_bytes = weigh(block, len(dump_block(block)))
        nodes += more_nodes + (_INPUT_NODES if isinstance(block, core.ToolUse) else 0)
        size += more_bytes
        if place and (nodes > NODES or size > BYTES):
            return
        yield n, block


def _speaker(message: core.Message, blocks: tuple[BlockView, ...]) -> tuple[str, str]:
    if message.is_summary:
        return message.label or "Summary", "summarized"
    only_results = all(isinstance(block, ResultsBlock | CallBlock) for block in blocks)
    if blocks and only_results and message.role == "user":
        return "Tool results", "tool"
    name, icon = _SPEAKERS.get(message.role, (message.role.capitalize() or "Unknown", "message"))
    return message.author or name, icon


def _look(message: core.Message, blocks: tuple[BlockView, ...]) -> str:
    if message.role == "roboto" and all(
        isinstance(block, core.ViewingContext) for block in message.blocks
    ):
        return "context"
    if blocks and all(isinstance(block, ResultsBlock) for block in blocks):
        return "results"
    made = message.is_summary or message.label
    has_words = any(not isinstance(block, ResultsBlock | CallBlock) for block in blocks)
    return "user" if message.role == "user" and has_words and not made else ""


def _fails(block: BlockView) -> bool:
    match block:
        case CallBlock():
            return block.card.status == "error"
        case ParallelBlock():
            return block.failed > 0
        case ErrorBlock():
            return True
        case _:
            return False
