"""A core thread made ready for its tables, except for the ids that only the database gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from operator import attrgetter
from typing import NamedTuple

from convviewer.analysis.tokens import estimate_block
from convviewer.core import thread as core
from convviewer.core.json import Json, encode
from convviewer.store.codec import dump_block, dump_text, pack
from convviewer.store.large import INLINE_BYTES, NewBlob, Offloader
from convviewer.store.weight import weigh

# The parts of a message that have no column of their own.
MESSAGE_FACTS = (
    "status",
    "created_at",
    "updated_at",
    "author",
    "label",
    "model",
    "stop_reason",
    "redacted",
    "is_summary",
    "usage",
    "metrics",
    "custom",
)


_FACTS_OF = attrgetter(*MESSAGE_FACTS)
_DEFAULTS = tuple(item.default for item in fields(core.Message) if item.name in MESSAGE_FACTS)


class MessageRow(NamedTuple):
    """The columns of a message after its own id and its thread's."""

    key: str
    number: int | None
    role: str
    tracking_id: str
    tokens: int
    nodes: int
    size: int
    content_hash: str
    facts: str
    blocks: str
    raw: bytes
    original_raw: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRows:
    """One tier: `members` are indexes into the thread's message rows, in order.

    `facts` is the stored text of the tier without its messages.
    """

    tier: core.Tier
    members: tuple[int, ...]
    facts: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRows:
    """`messages` are rows without their two ids; `bytes` is what they and the blobs weigh."""

    thread: core.Thread
    head: str
    head_hash: str
    messages: list[MessageRow]
    tiers: tuple[TierRows, ...]
    blobs: dict[str, NewBlob]
    unplaced: tuple[tuple[str, str], ...]
    bytes: int


def identity(tracking_id: str, number: int | None, hashed: str) -> str:
    """A message's identity: its tracking id, else its number with its content."""
    return tracking_id or f"{number} {hashed}"


def thread_rows(thread: core.Thread) -> ThreadRows:
    """Everything of the thread that its tables hold, analysis aside."""
    offloader = Offloader()
    builder = _Messages(offloader)
    tiers = tuple(builder.add(tier) for tier in thread.tiers)
    head = encode(_head(thread, offloader))
    unplaced = tuple(
        (column_text(item.ref), _dump(item.block, offloader)) for item in thread.unplaced
    )
    blobs = offloader.blobs
    weight = builder.weight + sum(len(blob.data) for blob in blobs.values())
    return ThreadRows(
        thread=thread,
        head=head,
        head_hash=blake2b(head.encode(), digest_size=16).hexdigest(),
        messages=builder.rows,
        tiers=tiers,
        blobs=blobs,
        unplaced=unplaced,
        bytes=weight,
    )


def column_text(text: str, limit: int | None = None) -> str:
    """Text that both databases take in a column: no NUL, no lone surrogate, not too long."""
    if not text:
        return text
    if not text.isascii() or "\0" in text:
        text = (
            text.replace("\0", "\ufffd")
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
        )
    return text if limit is None else text[:limit]


class _Messages:
    """Message rows of one thread; the same message in several tiers is one row."""

    def __init__(self, offloader: Offloader) -> None:
        self.rows: list[MessageRow] = []
        self.weight = 0
        self._offloader = offloader
        self._by_object: dict[int, int] = {}
        self._by_content: dict[tuple[str, str, str, bytes], int] = {}

    def add(self, tier: core.Tier) -> TierRows:
        """The tier's entries; new messages become rows."""
        members = tuple(self._index(message) for message in tier.messages)
        hasher = blake2b(digest_size=16)
        for index in members:
            row = self.rows[index]
            hasher.update(f"{row.key}\n{row.content_hash}\n{row.facts}\n".encode() + row.raw)
            if row.original_raw:
                hasher.update(row.original_raw)
        facts = encode(pack(replace(tier, messages=())))
        hasher.update(facts.encode())
        return TierRows(tier=tier, members=members, facts=facts, content_hash=hasher.hexdigest())

    def _index(self, message: core.Message) -> int:
        known = self._by_object.get(id(message))
        if known is not None:
            return known
        row = self._row(message)
        same = (row.key, row.content_hash, row.facts, row.raw)
        index = self._by_content.setdefault(same, len(self.rows))
        if index == len(self.rows):
            self.rows.append(row)
            self.weight += len(row.blocks) + len(row.raw)
        self._by_object[id(message)] = index
        return index

    def _row(self, message: core.Message) -> MessageRow:
        nodes = size = tokens = 0
        texts = []
        for block in message.blocks:
            text = _dump(block, self._offloader)
            block_nodes, block_size = weigh(block, len(text))
            nodes += block_nodes
            size += block_size
            tokens += estimate_block(block)
            texts.append(text)
        blocks = f"[{','.join(texts)}]"
        said = f"{column_text(message.role)}\n{blocks}"
        hashed = blake2b(said.encode(), digest_size=16).hexdigest()
        return MessageRow(
            column_text(message.key, 200),
            message.number,
            column_text(message.role, 40),
            column_text(message.tracking_id, 200),
            tokens,
            nodes,
            size,
            hashed,
            _facts(message),
            blocks,
            message.raw,
            message.original_raw,
        )


def _facts(message: core.Message) -> str:
    facts = {
        name: value if type(value) is str else pack(value)
        for name, default, value in zip(MESSAGE_FACTS, _DEFAULTS, _FACTS_OF(message), strict=True)
        # Most hold the very default, which costs less to see than that they are equal.
        if value is not default and value != default
    }
    return encode(facts)


def _dump(block: core.Block, offloader: Offloader) -> str:
    if type(block) is core.Text and not block.refusal:
        text = dump_text(block.text)
    else:
        block = offloader.media(block)
        text = dump_block(block)
    return text if len(text) <= INLINE_BYTES else dump_block(offloader.large(block))


def _head(thread: core.Thread, offloader: Offloader) -> Json:
    agent = replace(thread.agent, system=_kept(thread.agent.system, offloader))
    multi = thread.multi_agent
    if multi is not None:
        parts = tuple(replace(n, result=_kept(n.result, offloader)) for n in multi.nodes)
        multi = replace(multi, task=_kept(multi.task, offloader), nodes=parts)
    bare = replace(thread, tiers=(), unplaced=(), warnings=(), agent=agent, multi_agent=multi)
    return pack(bare)


def _kept(blocks: Iterable[core.Block], offloader: Offloader) -> tuple[core.Block, ...]:
    return tuple(offloader.media(block) for block in blocks)
