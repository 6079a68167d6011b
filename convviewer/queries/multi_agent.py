"""A multi-agent record: its task and the last answer of each node, which is no transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convviewer.analysis.pairing import ToolCall, pair_calls
from convviewer.analysis.usage import UsageReading, reading
from convviewer.core import thread as core
from convviewer.queries.block_views import Owner, block_views
from convviewer.queries.blocks import BlockView
from convviewer.queries.scene import Scene, calls_by_result, calls_by_use, load_previews
from convviewer.queries.thread_head import Status, status_of
from convviewer.queries.tiers import TierView
from convviewer.store import models

_NO_TIER = TierView(
    pk=0,
    name="",
    kind="",
    label="",
    param="",
    entries=0,
    tokens=0,
    captured_at="",
    strategy="",
    base=True,
    saved=None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """One agent of the run."""

    number: int
    id: str
    status: Status | None
    result: tuple[BlockView, ...]
    usage: UsageReading | None
    runtime_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiAgentView:
    """A graph or swarm; nodes in execution order where that is recorded."""

    id: str
    kind: str
    status: Status | None
    task: tuple[BlockView, ...]
    nodes: tuple[NodeView, ...]
    usage: UsageReading | None
    runtime_ms: float | None


def multi_agent_view(multi: core.MultiAgent | None, thread: str) -> MultiAgentView | None:
    """The record as a page shows it; two queries where there is one."""
    if multi is None:
        return None
    parts = [multi.task, *(node.result for node in multi.nodes)]
    messages = [core.Message(key="", number=None, role="", blocks=part, raw=b"") for part in parts]
    scene = _scene(messages, thread)
    shown = [_blocks(position, message, scene) for position, message in enumerate(messages)]
    return MultiAgentView(
        id=multi.id,
        kind=multi.kind,
        status=status_of(multi.status),
        task=shown[0],
        nodes=tuple(
            NodeView(
                number=number,
                id=node.id,
                status=status_of(node.status),
                result=shown[number],
                usage=reading(node.usage) if node.usage else None,
                runtime_ms=node.runtime_ms,
            )
            for number, node in enumerate(multi.nodes, 1)
        ),
        usage=reading(multi.usage) if multi.usage else None,
        runtime_ms=multi.runtime_ms,
    )


def _scene(messages: Sequence[core.Message], thread: str) -> Scene:
    blobs, pictures = load_previews(messages)
    calls = [_row(call) for call in pair_calls(messages)]
    return Scene(
        thread=thread,
        tier=_NO_TIER,
        messages=dict(enumerate(messages)),
        uses=calls_by_use(calls),
        results=calls_by_result(calls),
        blobs=blobs,
        pictures=pictures,
    )


def _row(call: ToolCall) -> models.ToolCall:
    use, result = call.use, call.result
    return models.ToolCall(
        tool_use_id=call.tool_use_id,
        name=call.name,
        status=call.status,
        runtime_ms=call.runtime_ms,
        use_position=use.position if use else None,
        use_key=use.key if use else None,
        use_block=use.block if use else None,
        result_position=result.position if result else None,
        result_key=result.key if result else None,
        result_block=result.block if result else None,
        pairing=call.pairing,
        labels=",".join(call.labels),
    )


def _blocks(position: int, message: core.Message, scene: Scene) -> tuple[BlockView, ...]:
    owner = Owner(position=position, key="", created_at="")
    return block_views(enumerate(message.blocks), owner, scene)
