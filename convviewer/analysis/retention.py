"""Which hard facts a compression kept, lost, or made up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from convviewer.analysis.content import block_key, plain_text
from convviewer.analysis.facts import (
    MAX_TEXT,
    FactKind,
    Name,
    find_facts,
    number_in_code,
    number_words,
)
from convviewer.core.json import Json
from convviewer.core.thread import (
    Block,
    CachePoint,
    Citations,
    Deleted,
    Filler,
    Guard,
    JsonValue,
    Marker,
    ResultPart,
    Text,
    Tier,
    ToolResult,
    ToolUse,
    Unknown,
    ViewingContext,
)

VERSION: Final = 1

MAX_LISTED: Final = 2_000
_MAX_KEYS: Final = 20
# What people go back for comes first.
_ORDER: Final[tuple[FactKind, ...]] = (
    *("error", "id", "code", "url", "path"),
    *("email", "date", "time", "number", "quoted"),
)
_POINTS_BACK: Final = ("error", "id", "code")
_RANK: Final = {kind: rank for rank, kind in enumerate(_ORDER)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact as it is first spelled, and the keys of the messages that state it, at most 20.

    `mentions` counts the messages: of the left tier for what was lost, else of the right one.
    """

    kind: FactKind
    value: str
    keys: tuple[str, ...]
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Facts of what compression changed or removed: how many survive, and which do not.

    Lists hold the first 2,000 facts; the counts count all. `clipped`: some block was longer than
    what is read of it, so that facts behind that point are not listed.
    """

    kept: int = 0
    lost_count: int = 0
    introduced_count: int = 0
    lost: tuple[Fact, ...] = ()
    introduced: tuple[Fact, ...] = ()
    clipped: bool = False


def retention(left: Tier, right: Tier) -> Retention:
    """Compare the facts of two tiers, in time linear in their text.

    Only blocks that the right tier does not hold as they are can lose facts, and a fact counts as
    kept wherever in the right tier it stands. Introduced is what new words there state and the left
    tier nowhere holds, be it as digits or as a word.
    """
    here, there = _blocks(left), _blocks(right)
    here_keys = {block.content for block in here}
    there_keys = {block.content for block in there}
    at_risk = _collect(block for block in here if block.content not in there_keys)
    new = _collect(block for block in there if block.content not in here_keys)
    if not at_risk.mentions and not new.told:
        return Retention(clipped=at_risk.clipped)
    shared = _collect(block for block in there if block.content in here_keys)
    survives = shared.mentions.keys() | new.mentions.keys()
    lost = [name for name in at_risk.mentions if name not in survives]
    held = at_risk.mentions.keys() | shared.mentions.keys()
    candidates = [name for name in new.told if held.isdisjoint((name, number_in_code(name)))]
    introduced = list(_not_said(candidates, new, [block.block for block in here]))
    lost.sort(key=lambda name: _lost_rank(name, at_risk))
    introduced.sort(key=lambda name: _RANK[name.kind])
    return Retention(
        kept=len(at_risk.mentions) - len(lost),
        lost_count=len(lost),
        introduced_count=len(introduced),
        lost=tuple(at_risk.fact(name) for name in lost[:MAX_LISTED]),
        introduced=tuple(new.fact(name) for name in introduced[:MAX_LISTED]),
        clipped=at_risk.clipped or shared.clipped or new.clipped,
    )


# -- collecting ------------------------------------------------------------------------------------


class _Block(NamedTuple):
    """A block, what makes it equal to another, and the key of its message."""

    content: Hashable
    block: Block
    key: str


@dataclass(slots=True)
class _Facts:
    """Facts found, in order: who mentions them, and how they are first spelled.

    `told` are those in words that may state something new: not what was merely cut short.
    """

    mentions: defaultdict[Name, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    spelling: dict[Name, str] = field(default_factory=dict)
    told: dict[Name, None] = field(default_factory=dict)
    clipped: bool = False

    def fact(self, name: Name) -> Fact:
        keys = self.mentions[name]
        return Fact(
            kind=name.kind,
            value=self.spelling[name],
            keys=tuple(islice(keys, _MAX_KEYS)),
            mentions=len(keys),
        )


def _blocks(tier: Tier) -> list[_Block]:
    return [
        _Block(block_key(block), block, message.key)
        for message in tier.messages
        for block in message.blocks
    ]


def _collect(blocks: Iterable[_Block]) -> _Facts:
    facts = _Facts()
    for _, block, key in blocks:
        text = fact_text(block)
        facts.clipped = facts.clipped or len(text) > MAX_TEXT
        # As a dict: a table names the same thing again and again.
        found = dict(find_facts(text, prose=isinstance(block, Text | Marker)))
        for name, spelling in found.items():
            facts.mentions[name][key] = None
            facts.spelling.setdefault(name, spelling)
        if _may_invent(block):
            facts.told.update(dict.fromkeys(found))
    return facts


def _may_invent(block: Block) -> bool:
    """Say whether a block's words may be a compression's own: its cuts and tool data are not."""
    return isinstance(block, Text) or (
        isinstance(block, Marker) and block.reduction == "summarized"
    )


def _lost_rank(name: Name, facts: _Facts) -> tuple[bool, int, int]:
    """Put first the errors and identifiers that were used again, then go by kind, then by use."""
    uses = len(facts.mentions[name])
    used_again = uses > 1 and name.kind in _POINTS_BACK
    return not used_again, _RANK[name.kind], -uses


# -- texts -----------------------------------------------------------------------------------------

# What notes say of themselves: counts, references, sizes.
_NOTE: Final = re.compile(
    r"\[(?:Summarized|Truncated|Dropped|Offloaded)[^\[\]\n]{0,200}\]"
    r"|\[Stashed\]|\[refs?: [^\[\]\n]{0,2000}\]"
)
_CUT: Final = re.compile(
    r"\[\.\.\. [^\[\]\n]{0,60} elided \.\.\.\]|\.\.\. \[truncated: [^\[\]\n]{0,60}\] \.\.\."
    r"|<truncated chars=\"[^\"\n]{0,30}\"/>"
)


def fact_text(block: Block | ResultPart) -> str:
    """Return the words of a block that can hold facts, at most a little more than is read of it."""
    match block:
        case Marker():
            return _words_of_note(block.text)
        case ToolUse() | ToolResult() | JsonValue() | Unknown():
            return _fact_text_of_data(block)
        case ViewingContext() | CachePoint() | Deleted() | Filler():
            return ""
        case _:
            return plain_text(block)


def _words_of_note(text: str) -> str:
    """Return the content a note kept, without words beside a cut: they may be halves."""
    kept = _CUT.split(_NOTE.sub(" ", text))
    for number in range(len(kept) - 1):
        kept[number] = " ".join(kept[number].rsplit(None, 1)[:-1])
        kept[number + 1] = " ".join(kept[number + 1].split(None, 1)[1:])
    return "\n".join(kept)


def _fact_text_of_data(block: ToolUse | ToolResult | JsonValue | Unknown) -> str:
    match block:
        case ToolUse():
            return _leaves(block.input)
        case ToolResult() if block.payload is None:
            return "\n".join(map(fact_text, block.parts))
        case ToolResult():
            return _leaves(block.payload)
        case JsonValue():
            return _leaves(block.value)
        case Unknown():
            return _leaves(block.raw)


def _leaves(value: Json) -> str:
    """Return the strings and numbers in a value, one a line, in order."""
    texts: list[str] = []
    length = 0
    pending: list[Json] = [value]
    while pending and length <= MAX_TEXT:
        item = pending.pop()
        match item:
            case dict():
                pending.extend(reversed(item.values()))
            case list():
                pending.extend(reversed(item))
            case str() | int() | float() if not isinstance(item, bool):
                texts.append(str(item) if not isinstance(item, str) else item)
                length += len(texts[-1])
            case _:
                continue
    return "\n".join(texts)


# -- introduced ------------------------------------------------------------------------------------


def _not_said(names: Sequence[Name], facts: _Facts, said: Sequence[Block]) -> Iterator[Name]:
    """Yield what no block of the left tier says in any form."""
    if not names:
        return
    words = {value for block in said for value in number_words(_prose(block))}
    long_texts = [text for block in said if len(text := plain_text(block)) > MAX_TEXT]
    for name in names:
        if name.kind == "number" and name.value in words:
            continue
        spelling = facts.spelling[name]
        if not any(spelling in text or name.value in text for text in long_texts):
            yield name


def _prose(block: Block) -> str:
    return block.text if isinstance(block, Text | Citations | Guard) else ""
