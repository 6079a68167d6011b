"""A window of a comparison: rows with their messages, bounded by what they cost to render."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import Q

from convviewer.core import thread as core
from convviewer.queries.compare_cells import Compared
from convviewer.queries.compare_drawing import Side
from convviewer.queries.compare_pair import Pair
from convviewer.queries.compare_plan import Fold, Item, ordered, shown_left, shown_right
from convviewer.queries.compare_rows import spans_filter
from convviewer.queries.compare_sent import Repairs, load_repairs
from convviewer.queries.compare_texts import DiffBudget
from convviewer.queries.scene import Spot, load_previews
from convviewer.queries.tiers import TierView
from convviewer.queries.windows import BYTES, NODES
from convviewer.store import models
from convviewer.store.comparisons import StoredRow
from convviewer.store.load import load_blobs, load_message
from convviewer.store.weight import MESSAGE_BYTES, MESSAGE_NODES

# A row's frame beside its messages, and a fold.
_ROW_NODES: Final = 14
_FOLD_NODES: Final = 10
# A cell shows less of a message than the reading page does.
_MOST_NODES: Final = 160
_MOST_BYTES: Final = 16_000
# What is read of large values that changed, to compare their words.
_COMPARED_BYTES: Final = 4_000_000


class Member(NamedTuple):
    """A message of either tier: where it stands, what people call it, what it costs."""

    position: int
    message: int
    key: str
    number: int | None
    tokens: int
    nodes: int
    bytes: int


Members = Mapping[int, Member]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The items that fit into one window, and the messages of both tiers that they show."""

    items: tuple[Item, ...]
    left: Members
    right: Members
    both: Compared


def load_window(
    pair: Pair, items: Sequence[Item], *, asked: int | None, backwards: bool, as_sent: bool
) -> Loaded:
    """Cut the items to what a window may cost, then read their messages; six queries.

    `asked` is the number of a row that stays in; `backwards` keeps the end of the items.
    """
    left = _members(pair.left, [span for item in items for span in shown_left(item)])
    right = _members(pair.right, [span for item in items for span in shown_right(item)])
    fitting = _fitting(items, left, right, asked=asked, backwards=backwards)
    here = _positions(shown_left(item) for item in fitting if not isinstance(item, Fold))
    there = _positions(shown_right(item) for item in fitting)
    messages = _messages({left[at].message for at in here} | {right[at].message for at in there})
    blobs, pictures = load_previews(messages.values())
    compared = _changed_values(fitting, left, right, messages)
    blobs = {**blobs, **load_blobs(compared - blobs.keys())}
    names = _names_of_results(pair, here, there)

    def side(tier: TierView, members: Members, positions: Iterable[int]) -> Side:
        own = {at: messages[members[at].message] for at in positions}
        sent = as_sent and tier.kind != "verbatim"
        return Side(
            thread=pair.thread,
            tier=tier,
            messages=own,
            names=names[tier.pk],
            as_sent=sent,
            repairs=load_repairs(pair.row, tier.pk, _spans(own)) if sent else Repairs(),
            blobs=blobs,
            pictures=pictures,
        )

    both = Compared(
        left=side(pair.left, left, here),
        right=side(pair.right, right, there),
        budget=DiffBudget(),
    )
    return Loaded(items=tuple(fitting), left=left, right=right, both=both)


def _members(tier: TierView, spans: Iterable[range]) -> dict[int, Member]:
    entries = models.Entry.objects.filter(spans_filter(ordered(spans)), tier_id=tier.pk)
    figures = entries.values_list(
        "position",
        "message_id",
        "message__key",
        "message__number",
        "message__tokens",
        "message__nodes",
        "message__size",
    )
    return {member.position: member for member in map(Member._make, figures)}


def _fitting(
    items: Sequence[Item], left: Members, right: Members, *, asked: int | None, backwards: bool
) -> list[Item]:
    chosen: list[Item] = []
    nodes = size = 0
    for item in reversed(items) if backwards else items:
        more_nodes, more_bytes = _cost(item, left, right)
        nodes, size = nodes + more_nodes, size + more_bytes
        wanted = not chosen or (asked is not None and _last_row(chosen[-1]) < asked)
        if not wanted and (nodes > NODES or size > BYTES):
            break
        chosen.append(item)
    return chosen[::-1] if backwards else chosen


def _last_row(item: Item) -> int:
    return item.last if isinstance(item, Fold) else item.row.row


def _cost(item: Item, left: Members, right: Members) -> tuple[int, int]:
    if isinstance(item, Fold):
        return _FOLD_NODES, MESSAGE_BYTES
    members = [left[at] for span in shown_left(item) for at in span]
    members += [right[at] for span in shown_right(item) for at in span]
    nodes = sum(min(member.nodes, _MOST_NODES) + MESSAGE_NODES for member in members)
    size = sum(min(member.bytes, _MOST_BYTES) + MESSAGE_BYTES for member in members)
    return nodes + _ROW_NODES, size


def _positions(spans: Iterable[Iterable[range]]) -> list[int]:
    return sorted({at for group in spans for span in group for at in span})


def _spans(positions: Iterable[int]) -> list[range]:
    return [range(at, at + 1) for at in positions]


def _messages(ids: Iterable[int]) -> dict[int, core.Message]:
    rows = models.Message.objects.filter(pk__in=set(ids)).defer("raw", "original_raw")
    return {row.id: load_message(row) for row in rows}


def _names_of_results(
    pair: Pair, here: Sequence[int], there: Sequence[int]
) -> dict[int, dict[Spot, str]]:
    """Tool names by the place of a result: most records name the tool in the call alone."""
    at_left = Q(tier_id=pair.left.pk, result_position__in=here)
    at_right = Q(tier_id=pair.right.pk, result_position__in=there)
    names: defaultdict[int, dict[Spot, str]] = defaultdict(dict)
    calls = models.ToolCall.objects.filter(at_left | at_right)
    for tier, position, block, name in calls.values_list(
        "tier_id", "result_position", "result_block", "name"
    ):
        names[tier][position or 0, block or 0] = name
    return names


def _changed_values(
    items: Iterable[Item], left: Members, right: Members, messages: Mapping[int, core.Message]
) -> set[str]:
    """The blobs of large values whose words are to be compared."""
    names: set[str] = set()
    for item in items:
        if isinstance(item, StoredRow):
            names |= set(_compared_blobs(item, left, right, messages))
    return names


def _compared_blobs(
    item: StoredRow, left: Members, right: Members, messages: Mapping[int, core.Message]
) -> Iterator[str]:
    for pair in item.row.blocks:
        if pair.outcome not in {"rewritten", "truncated"}:
            continue
        for place, members in ((pair.left, left), (pair.right, right)):
            member = members.get(place.position) if place else None
            if place is None or member is None:
                continue
            block = messages[member.message].blocks[place.block]
            stored: core.Stored | None = getattr(block, "stored", None)
            if stored and stored.size <= _COMPARED_BYTES:
                yield stored.sha256
