"""What does not add up in a thread, or was broken by its compression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final, Literal

from convviewer.analysis.align import Alignment, Row, align
from convviewer.analysis.content import block_key
from convviewer.analysis.outcomes import BlockPair
from convviewer.analysis.pairing import pair_calls
from convviewer.analysis.turns import opens_turn, title_of
from convviewer.core.text import count
from convviewer.core.thread import (
    Citations,
    Deleted,
    Filler,
    Media,
    Message,
    Reasoning,
    Thread,
    Tier,
    ToolResult,
    ViewingContext,
)

Code = Literal[
    "use_without_result",
    "result_without_use",
    "same_role_twice",
    "citation_source_removed",
    "reasoning_signature_lost",
    "only_filler",
    "pin_dropped",
    "count_disagrees",
    "user_turn_missing",
    "viewing_context_lost",
]

# Formats whose providers take user and assistant in turn only.
_ALTERNATING: Final = ("strands-files", "strands-messages", "strands-snapshots")
_GONE: Final = ("dropped", "tombstone", "filler")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding: the message it leads to, by tier and key. Key "": it is about the whole tier."""

    code: Code
    tier: str
    key: str
    message: str


def integrity(thread: Thread) -> tuple[Problem, ...]:
    """Check what happened, what the model sees, and what the second lacks of the first.

    Where compression already took a half of a call away, only that half's tier has the finding.
    """
    verbatim, compressed = thread.tier("verbatim"), thread.tier("compressed")
    seen = compressed or verbatim
    problems: list[Problem] = []
    if verbatim:
        problems += _unpaired(verbatim)
    if seen and thread.format in _ALTERNATING:
        problems += _same_role(seen)
    if compressed and compressed is not verbatim:
        problems += _unpaired(compressed)
        problems += _only_filler(compressed)
    if verbatim and compressed and compressed is not verbatim:
        problems += _broken(verbatim, compressed)
    return tuple(problems)


def _broken(verbatim: Tier, compressed: Tier) -> Iterator[Problem]:
    alignment = align(verbatim, compressed)
    yield from _counts(verbatim, compressed, alignment)
    for row in alignment.rows:
        yield from _lost_messages(verbatim, row)
        yield from _lost_signatures(verbatim, compressed, row)
    yield from _lost_contexts(verbatim, compressed)
    yield from _lost_sources(verbatim, compressed)


# -- one tier --------------------------------------------------------------------------------------


def _unpaired(tier: Tier) -> Iterator[Problem]:
    for call in pair_calls(tier.messages):
        named = f"{call.name} ({call.tool_use_id})"
        match call.pairing:
            case "no_result":
                key = call.use.key if call.use else ""
                text = f"the call of {named} has no result"
                yield _problem("use_without_result", tier, key, text)
            case "no_call":
                key = call.result.key if call.result else ""
                text = f"the result of {named} has no call"
                yield _problem("result_without_use", tier, key, text)
            case "paired":
                continue


def _same_role(tier: Tier) -> Iterator[Problem]:
    for before, after in pairwise(tier.messages):
        if before.role == after.role:
            text = f"two messages of {after.role} in a row; the provider takes roles in turn"
            yield _problem("same_role_twice", tier, after.key, text)


def _only_filler(tier: Tier) -> Iterator[Problem]:
    for message in tier.messages:
        if message.blocks and all(isinstance(b, Filler | Deleted) for b in message.blocks):
            text = "nothing is left of this message but what stands in for it"
            yield _problem("only_filler", tier, message.key, text)


# -- what compression lost -------------------------------------------------------------------------


def _counts(verbatim: Tier, compressed: Tier, alignment: Alignment) -> Iterator[Problem]:
    stated = compressed.removed_count
    missing = sum(len(row.left) for row in alignment.rows if not row.right or row.into)
    if stated is not None and stated != missing:
        text = (
            f"the record counts {count(stated, 'removed message')}; of"
            f" {len(verbatim.messages):,} stored ones {missing:,} are missing"
        )
        yield _problem("count_disagrees", compressed, "", text)


def _lost_messages(verbatim: Tier, row: Row) -> Iterator[Problem]:
    gone = row.outcome in _GONE
    for message in (verbatim.messages[i] for i in row.left):
        if _is_pinned(message) and (gone or row.into):
            text = f"this pinned message was {row.outcome}"
            yield _problem("pin_dropped", verbatim, message.key, text)
        if gone and opens_turn(message):
            text = f"the user's words are not in the compressed tier: {title_of(message)}"
            yield _problem("user_turn_missing", verbatim, message.key, text)


def _lost_signatures(verbatim: Tier, compressed: Tier, row: Row) -> Iterator[Problem]:
    if not row.right:
        return
    for pair in row.blocks:
        if pair.left and _lost_signature(verbatim, compressed, pair):
            key = verbatim.messages[pair.left.position].key
            text = "the signature of this reasoning is not in the compressed tier"
            yield _problem("reasoning_signature_lost", verbatim, key, text)


def _lost_signature(verbatim: Tier, compressed: Tier, pair: BlockPair) -> bool:
    if pair.left is None or pair.outcome == "kept":
        return False
    before = verbatim.messages[pair.left.position].blocks[pair.left.block]
    if not isinstance(before, Reasoning) or not before.signature:
        return False
    if pair.right is None:
        return True
    after = compressed.messages[pair.right.position].blocks[pair.right.block]
    return not isinstance(after, Reasoning) or after.signature != before.signature


def _lost_contexts(verbatim: Tier, compressed: Tier) -> Iterator[Problem]:
    survives = {
        block_key(block)
        for message in compressed.messages
        for block in message.blocks
        if isinstance(block, ViewingContext)
    }
    for message in verbatim.messages:
        contexts = (b for b in message.blocks if isinstance(b, ViewingContext))
        if any(block_key(context) not in survives for context in contexts):
            text = "the viewing context of this message is not in the compressed tier"
            yield _problem("viewing_context_lost", verbatim, message.key, text)


def _lost_sources(verbatim: Tier, compressed: Tier) -> Iterator[Problem]:
    removed = _document_names(verbatim.messages) - _document_names(compressed.messages)
    for message in compressed.messages:
        cited = {
            citation.title
            for block in message.blocks
            if isinstance(block, Citations)
            for citation in block.citations
        }
        for title in sorted(cited & removed):
            text = f'it cites the document "{title}", which is not in this tier any more'
            yield _problem("citation_source_removed", compressed, message.key, text)


def _document_names(messages: Sequence[Message]) -> set[str]:
    blocks = [block for message in messages for block in message.blocks]
    parts = chain.from_iterable(b.parts for b in blocks if isinstance(b, ToolResult))
    media = (item for item in chain(blocks, parts) if isinstance(item, Media))
    return {item.name for item in media if item.kind == "document" and item.name}


def _is_pinned(message: Message) -> bool:
    return isinstance(message.custom, dict) and bool(message.custom.get("pinned"))


def _problem(code: Code, tier: Tier, key: str, message: str) -> Problem:
    return Problem(code=code, tier=tier.name, key=key, message=message)
