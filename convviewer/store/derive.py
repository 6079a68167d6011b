"""What analysis adds to a thread when it is stored: calls, outline, counters, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from convviewer.analysis.pairing import Ref, ToolCall, pair_calls, pairing_warnings
from convviewer.analysis.retention import Retention
from convviewer.analysis.turns import OutlineItem, Turn, opens_turn, outline, title_of, turns
from convviewer.analysis.usage import totals, usage_warnings
from convviewer.core import thread as core
from convviewer.core.json import count_special, decode, encode, is_plain
from convviewer.store.alignment import MadeComparison, make_comparison
from convviewer.store.rows import ThreadRows, TierRows, column_text

# Deeper values are shown level by level, and raw, but are not drawn as one tree.
DEEP = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Those of the fullest tier; tokens are estimated, the same way for both tiers."""

    messages: int
    turns: int
    blocks: int
    tool_calls: int
    failures: int
    declined: int
    tokens: int
    tokens_after: int | None
    saved: float | None
    compressed: bool
    lost: int | None = None
    introduced: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedTier:
    """One tier with its calls and its outline."""

    rows: TierRows
    base: bool
    tokens: int
    calls: tuple[ToolCall, ...]
    turns: tuple[Turn, ...]
    outline: tuple[OutlineItem, ...]

    def call_rows(self) -> Iterator[tuple[Any, ...]]:
        """Rows of `ToolCall` without the ids of tier and thread."""
        for call in self.calls:
            yield (
                call.ordinal,
                self.base,
                column_text(call.tool_use_id),
                column_text(call.name),
                call.status,
                call.runtime_ms,
                *_place(call.use),
                *_place(call.result),
                call.pairing,
                ",".join(call.labels),
                call.group,
                column_text(call.error),
            )

    def outline_rows(self) -> Iterator[tuple[Any, ...]]:
        """Rows of `OutlineItem` without the tier's id."""
        for ordinal, item in enumerate(self.outline):
            facts = self._outline_facts(item)
            key = column_text(item.key, 200)
            yield ordinal, item.position, key, item.kind, item.turn, facts

    def _outline_facts(self, item: OutlineItem) -> str:
        """A JSON object; written out, since the title is all of it that needs escaping."""
        facts = f'{{"title":{encode(item.title)},"block":{item.block}'
        if item.call is not None:
            return f'{facts},"call":{item.call}}}'
        if item.kind != "turn":
            return f"{facts}}}"
        turn = self.turns[item.turn]
        return (
            f'{facts},"messages":{turn.messages},"calls":{turn.calls}'
            f',"failures":{turn.failures},"tokens":{turn.tokens}}}'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedComparison:
    """Two tiers aligned; `left` and `right` are their places in the thread."""

    left: int
    right: int
    made: MadeComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """All that is stored beside a thread's own values."""

    tiers: tuple[DerivedTier, ...]
    counters: Counters
    first_text: str
    usage: str
    warnings: tuple[core.Warning, ...]
    comparisons: tuple[DerivedComparison, ...] = ()


def derive(rows: ThreadRows) -> Derived:
    """Analyse the thread."""
    tiers = tuple(_tier(tier, rows, base=number == 0) for number, tier in enumerate(rows.tiers))
    base = rows.tiers[0].tier.messages if rows.tiers else ()
    comparisons = tuple(_comparisons(rows.thread))
    first = next((message for message in base if opens_turn(message)), None)
    return Derived(
        tiers=tiers,
        counters=_counters(tiers, rows.thread, _facts_kept(comparisons)),
        first_text=title_of(first) if first else "",
        usage=encode(asdict(totals(base))),
        warnings=_warnings(tiers, base, rows),
        comparisons=comparisons,
    )


def _comparisons(thread: core.Thread) -> Iterator[DerivedComparison]:
    """The verbatim tier against each other one; any other pair is aligned when it is asked for.

    Facts are compared with what the model would see, here; with the other tiers when asked for.
    """
    verbatim = thread.tiers[0] if thread.tiers else None
    if verbatim is None or verbatim.kind != "verbatim":
        return
    compressed = thread.tier("compressed")
    for number, tier in enumerate(thread.tiers[1:], 1):
        made = make_comparison(verbatim, tier, with_retention=tier is compressed)
        yield DerivedComparison(left=0, right=number, made=made)


def _facts_kept(comparisons: Sequence[DerivedComparison]) -> Retention | None:
    return next(
        (item.made.facts.retention for item in comparisons if item.made.facts.retention), None
    )


def _tier(tier: TierRows, rows: ThreadRows, *, base: bool) -> DerivedTier:
    messages = tier.tier.messages
    calls = pair_calls(messages)
    tokens = [rows.messages[index].tokens for index in tier.members]
    found = turns(messages, calls, tokens)
    return DerivedTier(
        rows=tier,
        base=base,
        tokens=sum(tokens),
        calls=calls,
        turns=found,
        outline=outline(messages, calls, found),
    )


def _place(ref: Ref | None) -> tuple[int | None, str | None, int | None]:
    if ref is None:
        return None, None, None
    return ref.position, column_text(ref.key, 200), ref.block


def _counters(
    tiers: Sequence[DerivedTier], thread: core.Thread, facts: Retention | None
) -> Counters:
    if not tiers:
        return _NOTHING
    base = tiers[0]
    after = thread.tier("compressed")
    shown = next((tier for tier in tiers if tier.rows.tier is after), base)
    compressed = base.rows.tier.kind == "verbatim" and shown is not base
    after_tokens = shown.tokens if compressed else None
    return Counters(
        messages=len(base.rows.members),
        turns=sum(1 for turn in base.turns if turn.title),
        blocks=sum(len(message.blocks) for message in base.rows.tier.messages),
        tool_calls=len(base.calls),
        failures=sum(call.failed for call in base.calls),
        declined=sum(call.status == "declined" for call in base.calls),
        tokens=base.tokens,
        tokens_after=after_tokens,
        saved=_saved(base.tokens, after_tokens),
        compressed=compressed or base.rows.tier.kind != "verbatim",
        lost=facts.lost_count if facts else None,
        introduced=facts.introduced_count if facts else None,
    )


_NOTHING = Counters(
    messages=0,
    turns=0,
    blocks=0,
    tool_calls=0,
    failures=0,
    declined=0,
    tokens=0,
    tokens_after=None,
    saved=None,
    compressed=False,
)


def _saved(before: int, after: int | None) -> float | None:
    return None if after is None or not before else 1 - after / before


def _warnings(
    tiers: Sequence[DerivedTier], base: Sequence[core.Message], rows: ThreadRows
) -> tuple[core.Warning, ...]:
    """What a thread does not say of itself: one that was exported, or merged, says all."""
    known = {(warning.code, warning.message) for warning in rows.thread.warnings}
    found = [*(pairing_warnings(tiers[0].calls) if tiers else ()), *usage_warnings(base)]
    found += _special_warnings(rows)
    return tuple(warning for warning in found if (warning.code, warning.message) not in known)


def _special_warnings(rows: ThreadRows) -> Iterator[core.Warning]:
    """Values that strict JSON, or UTF-8, cannot hold: kept as stored, marked on the way out."""
    head = rows.head.encode()
    odd = [text for text in (head, *(row.raw for row in rows.messages)) if not is_plain(text)]
    counts = [count_special(decode(text)) for text in odd]
    replaced = sum(found.replaced_characters for found in counts)
    numbers = sum(found.special_numbers for found in counts)
    deep = sum(
        found.depth > DEEP for text, found in zip(odd, counts, strict=True) if text is not head
    )
    if replaced:
        text = f"{replaced} characters are no Unicode text; they are shown as \ufffd"
        yield core.Warning(code="replaced_characters", message=text, count=replaced)
    if numbers:
        text = f'{numbers} numbers are NaN or infinite; they leave as {{"$number": …}}'
        yield core.Warning(code="special_number", message=text, count=numbers)
    if deep:
        text = f"{deep} messages nest deeper than {DEEP}; they open level by level"
        yield core.Warning(code="too_deep", message=text, count=deep)
