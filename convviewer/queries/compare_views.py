"""Items of a comparison's window as the page shows them: rows, summaries, folds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from convviewer.analysis.outcomes import Change
from convviewer.core import thread as core
from convviewer.core.text import count
from convviewer.queries.compare_blocks import CellBlock
from convviewer.queries.compare_cells import cell_blocks, changed_blocks
from convviewer.queries.compare_drawing import Side
from convviewer.queries.compare_pair import Pair
from convviewer.queries.compare_plan import Fold, shown_left
from convviewer.queries.compare_rows import basis_label
from convviewer.queries.compare_window import Loaded, Member, Members
from convviewer.queries.tiers import TierView
from convviewer.store import models
from convviewer.store.comparisons import PlacedFact, StoredRow

_FACTS_IN_CELL: Final = 6
_FACTS_IN_SPAN: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMessage:
    """A message in a cell. `name` is what people call it; `facts` were lost, or are new, here."""

    key: str
    name: str
    position: int
    tier: TierView
    icon: str
    speaker: str
    tokens: int
    redacted: bool
    pinned: bool
    blocks: tuple[CellBlock, ...]
    facts: tuple[str, ...]
    more_facts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StandsIn:
    """What stands for removed messages outside their own row: an entry, or a note in one."""

    row: int | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """Messages side by side. `stop`: n and p stop at it; `asked`: the address named it."""

    kind: ClassVar[str] = "row"
    row: int
    outcome: str
    basis: str
    tokens: Change
    left: tuple[CellMessage, ...]
    right: tuple[CellMessage, ...]
    asked: bool

    @property
    def stop(self) -> bool:
        return self.outcome != "kept"

    @property
    def delta(self) -> int:
        """Tokens more on the right."""
        return self.tokens.after - self.tokens.before


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanView:
    """Messages that one thing stands for: `first`, `folded` more, and `last` of them.

    `summary` is that thing, where it is shown here; else `elsewhere` says where it is.
    """

    kind: ClassVar[str] = "span"
    row: int
    outcome: str
    basis: str
    tokens: Change
    replaced: int
    first: tuple[CellMessage, ...]
    folded: int
    folded_names: str
    folded_key: str
    last: tuple[CellMessage, ...]
    names: str
    summary: CellMessage | None
    elsewhere: StandsIn | None
    lost: tuple[PlacedFact, ...]
    lost_count: int
    introduced: tuple[PlacedFact, ...]
    written_by: str
    asked: bool

    @property
    def stop(self) -> bool:
        return True

    @property
    def delta(self) -> int:
        """Tokens more on the right."""
        return self.tokens.after - self.tokens.before

    @property
    def saved(self) -> float | None:
        """The change as a share of what was there."""
        return self.delta / self.tokens.before if self.tokens.before else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldView:
    """Unchanged rows that wait to be opened."""

    kind: ClassVar[str] = "fold"
    first: int
    last: int
    messages: int
    names: str
    tokens: int


ItemView: TypeAlias = RowView | SpanView | FoldView


class Views:
    """Makes the items of one window."""

    def __init__(self, pair: Pair, loaded: Loaded, asked: int | None) -> None:
        self._asked = asked
        self._pair = pair
        self._loaded = loaded
        self._lost = _by_key(pair.facts.lost)
        self._introduced = _by_key(pair.facts.introduced)

    def made(self) -> Iterator[ItemView]:
        elsewhere = self._rows_of_standins()
        for item in self._loaded.items:
            if isinstance(item, Fold):
                yield self._fold(item)
            elif item.row.into or len(item.row.left) > 1:
                yield self._span(item, elsewhere)
            else:
                yield self._row(item)

    def _fold(self, fold: Fold) -> FoldView:
        return FoldView(
            first=fold.first,
            last=fold.last,
            messages=len(fold.left),
            names=_names(fold.left, self._loaded.left),
            tokens=fold.tokens,
        )

    def _row(self, item: StoredRow) -> RowView:
        row, both = item.row, self._loaded.both
        here, there = changed_blocks(row.blocks, row.outcome, both)
        return RowView(
            row=row.row,
            outcome=row.outcome,
            basis=basis_label(row.basis),
            tokens=row.tokens,
            left=tuple(self._left(at, cell_blocks(at, both.left, here)) for at in row.left),
            right=tuple(self._right(at, cell_blocks(at, both.right, there)) for at in row.right),
            asked=row.row == self._asked,
        )

    def _span(self, item: StoredRow, elsewhere: Mapping[int, int]) -> SpanView:
        row, both = item.row, self._loaded.both
        here, there = changed_blocks(row.blocks, row.outcome, both)
        spans = shown_left(item)
        shown = [
            tuple(self._left(at, cell_blocks(at, both.left, here, short=True)) for at in span)
            for span in spans
        ]
        hidden = row.left[len(spans[0]) : -len(spans[1])] if len(spans) > 1 else range(0)
        lost = [fact for fact in self._pair.facts.lost if fact.row == row.row]
        return SpanView(
            row=row.row,
            outcome=row.outcome,
            basis=basis_label(row.basis),
            tokens=row.tokens,
            replaced=len(row.left),
            first=shown[0],
            folded=len(hidden),
            folded_names=_number_span(row.left, hidden, self._loaded.left),
            folded_key=shown[0][-1].key if hidden else "",
            last=shown[1] if len(shown) > 1 else (),
            names=_names(row.left, self._loaded.left),
            summary=next(
                (self._right(at, cell_blocks(at, both.right, there)) for at in row.right), None
            ),
            elsewhere=self._elsewhere(item, elsewhere),
            lost=tuple(lost[:_FACTS_IN_SPAN]),
            lost_count=len(lost),
            introduced=tuple(f for f in self._pair.facts.introduced if f.row == row.row),
            written_by=self._written_by(row.right),
            asked=row.row == self._asked,
        )

    def _left(self, at: int, blocks: tuple[CellBlock, ...]) -> CellMessage:
        side = self._loaded.both.left
        return _cell(self._loaded.left[at], side, blocks, self._lost)

    def _right(self, at: int, blocks: tuple[CellBlock, ...]) -> CellMessage:
        side = self._loaded.both.right
        return _cell(self._loaded.right[at], side, blocks, self._introduced)

    def _written_by(self, right: range) -> str:
        if not right:
            return ""
        return self._loaded.both.right.messages[right.start].label or self._pair.right.strategy

    def _rows_of_standins(self) -> dict[int, int]:
        """Rows of the entries that stand for messages of other rows, by position."""
        places = {
            item.row.into.position
            for item in self._loaded.items
            if isinstance(item, StoredRow) and item.row.into and not item.row.right
        }
        rows = models.ComparisonRow.objects.filter(
            comparison_id=self._pair.comparison, right_from__in=places
        )
        return {at: row for at, row in rows.values_list("right_from", "row") if at is not None}

    def _elsewhere(self, item: StoredRow, rows: Mapping[int, int]) -> StandsIn | None:
        into = item.row.into
        if into is None or item.row.right:
            return None
        member = self._loaded.right.get(into.position)
        name = _name_of(member, base=False) if member else f"entry {into.position}"
        return StandsIn(row=rows.get(into.position), name=name)


def _cell(
    member: Member, side: Side, blocks: tuple[CellBlock, ...], facts: Mapping[str, Sequence[str]]
) -> CellMessage:
    message = side.messages[member.position]
    icon, speaker = _speaker(message)
    here = facts.get(member.key, ())
    return CellMessage(
        key=member.key,
        name=_name_of(member, base=side.tier.base),
        position=member.position,
        tier=side.tier,
        icon=icon,
        speaker=speaker,
        tokens=member.tokens,
        redacted=message.redacted,
        pinned=isinstance(message.custom, dict) and message.custom.get("pinned") is True,
        blocks=blocks,
        facts=tuple(here[:_FACTS_IN_CELL]),
        more_facts=max(0, len(here) - _FACTS_IN_CELL),
    )


def _speaker(message: core.Message) -> tuple[str, str]:
    if message.is_summary:
        return "summarized", "summary"
    results = all(isinstance(block, core.ToolResult) for block in message.blocks)
    if message.blocks and results and message.role == "user":
        return "tool", "tool results"
    return _ICONS.get(message.role, "message"), message.author or message.role


_ICONS: Final = {
    "user": "user",
    "assistant": "agent",
    "roboto": "system",
    "system": "system",
    "tool": "tool",
}


def _by_key(facts: Sequence[PlacedFact]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for placed in facts:
        for key in placed.fact.keys:
            found[key].append(placed.fact.value)
    return found


def _name_of(member: Member, *, base: bool) -> str:
    if not base:
        return str(member.position)
    return member.key if member.number is None else f"#{member.number}"


def _names(span: range, members: Members) -> str:
    ends = [members.get(at) for at in (span.start, span.stop - 1)] if span else []
    names = [_name_of(member, base=True) for member in ends if member]
    return "\u2013".join(dict.fromkeys(names))


def _number_span(left: range, hidden: range, members: Members) -> str:
    """What to call the messages in between: by number where the ends around them have one."""
    if not hidden:
        return ""
    first, last = members.get(hidden.start - 1), members.get(hidden.stop)
    if first and last and first.number is not None and last.number is not None:
        return f"#{first.number + 1}\u2013#{last.number - 1}"
    return count(len(hidden), "message")
