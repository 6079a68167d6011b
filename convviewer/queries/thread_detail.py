"""A thread as the API gives it: all of it but its messages."""

from __future__ import annotations

from dataclasses import dataclass, fields

from convviewer.core import thread as core
from convviewer.core.json import Json, decode
from convviewer.queries.addresses import thread_url
from convviewer.queries.cursors import number_cursor, numbers_of
from convviewer.queries.thread_head import Fork, OpenThread, open_thread
from convviewer.queries.tier_lookup import thread_row
from convviewer.queries.tiers import TierView
from convviewer.queries.to_wire import stored_heads, wire_block, wire_blocks
from convviewer.queries.usage import UsageItem, UsageTotals, stored_totals, usage_item
from convviewer.queries.wire_blocks import BlockItem
from convviewer.store import models
from convviewer.store.codec import unpack

_UNPLACED = "unplaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentItem:
    """Who answered; `details` keeps the rest of what the record holds of the agent."""

    id: str
    name: str
    description: str
    model: str
    manager: str
    system: tuple[BlockItem, ...]
    tools: Json
    state: Json
    details: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Counters of the fullest tier; tokens are estimated, `saved` is a share of them."""

    messages: int
    turns: int
    blocks: int
    tool_calls: int
    failures: int
    declined: int
    tokens: int
    tokens_after: int | None
    saved: float | None
    lost: int | None
    introduced: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierItem:
    """One tier; `base` marks the fullest, `saved` is the share of whose tokens this one lacks."""

    name: str
    kind: str
    messages: int
    tokens: int
    saved: float | None
    captured_at: str
    strategy: str
    base: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeItem:
    """One agent of a multi-agent run; `result` is its last answer, not its transcript."""

    id: str
    status: str
    result: tuple[BlockItem, ...]
    usage: UsageItem | None
    runtime_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiAgentItem:
    """A graph or swarm, its nodes in execution order where that is recorded."""

    id: str
    kind: str
    status: str
    task: tuple[BlockItem, ...]
    nodes: tuple[NodeItem, ...]
    usage: UsageItem | None
    runtime_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadDetail:
    """A thread without its messages.

    `compressed`: whether any compression is recorded. `usage` adds up the calls of the fullest
    tier. `limits` and `lineage` are null where the record has none. `facts` are thread-level values
    by the record's own names.
    """

    id: str
    external_id: str
    agent_id: str
    format: str
    format_label: str
    title: str
    status: str
    activity: str
    created_at: str
    updated_at: str
    created_by: str
    visibility: str
    origin: str
    compressed: bool
    agent: AgentItem
    counters: Counters
    tiers: tuple[TierItem, ...]
    usage: UsageTotals
    tasks: tuple[core.Task, ...]
    goals: tuple[core.Goal, ...]
    limits: Json
    lineage: Fork | None
    multi_agent: MultiAgentItem | None
    facts: Json
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplacedItem:
    """A stored original; `ref` is its name in the record."""

    ref: str
    block: BlockItem


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplacedPage:
    """Stored originals whose order and speaker are not recorded."""

    items: tuple[UnplacedItem, ...]
    next: str | None


def thread_detail(thread: str) -> ThreadDetail:
    """The thread of that public id; a constant number of queries. Raises `Missing`."""
    opened = open_thread(thread)
    row, values, head = opened.row, opened.values, opened.head
    return ThreadDetail(
        id=row.public_id,
        external_id=row.external_id,
        agent_id=row.agent_id,
        format=row.format,
        format_label=head.format,
        title=head.title,
        status=row.status,
        activity=values.activity,
        created_at=row.created_at,
        updated_at=row.updated_at,
        created_by=values.created_by,
        visibility=values.visibility,
        origin=values.origin,
        compressed=row.compressed,
        agent=_agent(values.agent),
        counters=Counters(**{field.name: getattr(row, field.name) for field in fields(Counters)}),
        tiers=tuple(_tier(tier) for tier in head.tiers),
        usage=stored_totals(row, values.facts),
        tasks=values.tasks,
        goals=values.goals,
        limits=_limits(opened),
        lineage=head.fork,
        multi_agent=_multi_agent(values.multi_agent),
        facts=values.facts,
        url=thread_url(row.public_id),
    )


def unplaced_page(thread: str, *, after: str, limit: int) -> UnplacedPage:
    """Up to `limit` originals behind the cursor. Raises `Missing` and `BadCursor`."""
    (last,) = numbers_of(after, _UNPLACED, -1)
    stored = models.Unplaced.objects.filter(thread=thread_row(thread), ordinal__gt=last)
    rows = list(stored.order_by("ordinal")[: limit + 1])
    shown = rows[:limit]
    blocks: list[core.Block] = [unpack(core.Block, decode(row.block)) for row in shown]
    heads = stored_heads(blocks)
    return UnplacedPage(
        items=tuple(
            UnplacedItem(ref=row.ref, block=wire_block(block, heads))
            for row, block in zip(shown, blocks, strict=True)
        ),
        next=number_cursor(_UNPLACED, shown[-1].ordinal) if len(rows) > limit else None,
    )


def _agent(agent: core.Agent) -> AgentItem:
    return AgentItem(
        id=agent.id,
        name=agent.name,
        description=agent.description,
        model=agent.model,
        manager=agent.manager,
        system=wire_blocks(agent.system, {}),
        tools=agent.tools,
        state=agent.state,
        details=agent.details,
    )


def _tier(tier: TierView) -> TierItem:
    return TierItem(
        name=tier.name,
        kind=tier.kind,
        messages=tier.entries,
        tokens=tier.tokens,
        saved=tier.saved,
        captured_at=tier.captured_at,
        strategy=tier.strategy,
        base=tier.base,
    )


def _limits(opened: OpenThread) -> Json:
    facts = opened.values.facts
    return facts.get("limits") if isinstance(facts, dict) else None


def _multi_agent(run: core.MultiAgent | None) -> MultiAgentItem | None:
    if run is None:
        return None
    return MultiAgentItem(
        id=run.id,
        kind=run.kind,
        status=run.status,
        task=wire_blocks(run.task, {}),
        nodes=tuple(_node(node) for node in run.nodes),
        usage=usage_item(run.usage) if run.usage else None,
        runtime_ms=run.runtime_ms,
    )


def _node(node: core.Node) -> NodeItem:
    return NodeItem(
        id=node.id,
        status=node.status,
        result=wire_blocks(node.result, {}),
        usage=usage_item(node.usage) if node.usage else None,
        runtime_ms=node.runtime_ms,
    )
