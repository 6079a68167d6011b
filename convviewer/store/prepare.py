"""A thread as the rows of its tables, but for the ids that only the database gives.

Nothing here needs the database, and everything can be pickled: threads may be prepared in another
process than the one that writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from convviewer.core import thread as core
from convviewer.core.json import encode
from convviewer.store import alignment
from convviewer.store.codec import pack
from convviewer.store.derive import Derived, DerivedTier, derive
from convviewer.store.large import NewBlob
from convviewer.store.rows import MessageRow, ThreadRows, column_text, identity, thread_rows

Row: TypeAlias = tuple[Any, ...]

# Of each table the columns whose values only the writer knows, and those that are prepared.
THREAD_COLUMNS = (
    *("id", "public_id", "sort_at", "imported_at"),
    *("format", "external_id", "agent_id", "lookup_id", "title", "first_text", "status"),
    *("agent_name", "created_at", "updated_at", "messages", "turns", "blocks", "tool_calls"),
    *("failures", "declined", "tokens", "tokens_after", "saved", "compressed", "lost"),
    *("introduced", "usage", "facts", "warnings", "head_hash"),
)
MESSAGE_COLUMNS = ("id", "thread_id", *MessageRow._fields)
TIER_COLUMNS = (
    *("id", "thread_id"),
    *("ordinal", "name", "kind", "base", "captured_at", "strategy", "entries", "tokens"),
    *("facts", "content_hash"),
)
CALL_COLUMNS = (
    *("tier_id", "thread_id"),
    *("ordinal", "base", "tool_use_id", "name", "status", "runtime_ms"),
    *("use_position", "use_key", "use_block", "result_position", "result_key", "result_block"),
    *("pairing", "labels", "group", "error"),
)
OUTLINE_COLUMNS = ("tier_id", "ordinal", "position", "key", "kind", "turn", "facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTier:
    """One tier; `members` are places in the thread's messages, the rows lack the leading ids."""

    name: str
    kind: core.TierKind
    aligned_by_number: bool
    content_hash: str
    facts: str
    members: tuple[int, ...]
    columns: Row
    calls: tuple[Row, ...]
    outline: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedComparison:
    """Two tiers aligned; `left` and `right` are their places in the thread."""

    left: int
    right: int
    facts: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One thread. `warnings` are its format's, `found` those of its analysis.

    `blocks` counts those of the fullest tier; `bytes` is what messages and blobs weigh.
    """

    format: str
    external_id: str
    agent_id: str
    lookup_id: str
    title: str
    created_at: str
    updated_at: str
    head: str
    head_hash: str
    columns: Row
    messages: list[MessageRow]
    tiers: tuple[PreparedTier, ...]
    comparisons: tuple[PreparedComparison, ...]
    unplaced: tuple[tuple[str, str], ...]
    blobs: dict[str, NewBlob]
    warnings: tuple[core.Warning, ...]
    found: tuple[core.Warning, ...]
    blocks: int
    bytes: int

    def identities(self) -> set[str]:
        """What says that two messages are the same one (interfaces.md, Identity)."""
        return {identity(row.tracking_id, row.number, row.content_hash) for row in self.messages}


def prepare(thread: core.Thread) -> Prepared:
    """All that the tables hold of the thread."""
    rows = thread_rows(thread)
    derived = derive(rows)
    return Prepared(
        format=thread.format,
        external_id=thread.external_id,
        agent_id=thread.agent_id,
        lookup_id=thread.lookup_id or thread.external_id,
        title=thread.title,
        created_at=thread.created_at,
        updated_at=thread.updated_at,
        head=rows.head,
        head_hash=rows.head_hash,
        columns=_thread_columns(rows, derived),
        messages=rows.messages,
        tiers=tuple(_tier(tier, ordinal) for ordinal, tier in enumerate(derived.tiers)),
        comparisons=tuple(
            PreparedComparison(
                left=pair.left,
                right=pair.right,
                facts=alignment.packed_facts(pair.made.facts),
                rows=tuple(pair.made.rows),
            )
            for pair in derived.comparisons
        ),
        unplaced=rows.unplaced,
        blobs=rows.blobs,
        warnings=thread.warnings,
        found=derived.warnings,
        blocks=derived.counters.blocks,
        bytes=rows.bytes,
    )


def _thread_columns(rows: ThreadRows, derived: Derived) -> Row:
    thread, counters = rows.thread, derived.counters
    return (
        thread.format,
        column_text(thread.external_id),
        column_text(thread.agent_id),
        column_text(thread.lookup_id or thread.external_id),
        column_text(thread.title),
        column_text(derived.first_text),
        column_text(thread.status, 80),
        column_text(thread.agent.name or thread.agent.id or thread.agent_id),
        column_text(thread.created_at, 80),
        column_text(thread.updated_at, 80),
        counters.messages,
        counters.turns,
        counters.blocks,
        counters.tool_calls,
        counters.failures,
        counters.declined,
        counters.tokens,
        counters.tokens_after,
        counters.saved,
        counters.compressed,
        counters.lost,
        counters.introduced,
        derived.usage,
        rows.head,
        encode(pack(thread.warnings + derived.warnings)),
        rows.head_hash,
    )


def _tier(derived: DerivedTier, ordinal: int) -> PreparedTier:
    tier = derived.rows.tier
    return PreparedTier(
        name=tier.name,
        kind=tier.kind,
        aligned_by_number=tier.aligned_by_number,
        content_hash=derived.rows.content_hash,
        facts=derived.rows.facts,
        members=derived.rows.members,
        columns=(
            ordinal,
            column_text(tier.name, 200),
            tier.kind,
            derived.base,
            column_text(tier.captured_at, 80),
            column_text(tier.strategy, 200),
            len(tier.messages),
            derived.tokens,
            derived.rows.facts,
            derived.rows.content_hash,
        ),
        calls=tuple(derived.call_rows()),
        outline=tuple(derived.outline_rows()),
    )
