"""What holds of every alignment, whatever the tiers."""

from __future__ import annotations

from hypothesis import given

from convviewer.analysis.align import Alignment, align
from convviewer.analysis.content import block_key
from convviewer.analysis.tokens import estimate
from convviewer.core.thread import Message, Tier
from tests.analysis.strategies import tier_pairs

Pair = tuple[Tier, Tier]


@given(tier_pairs())
def test_rows_tile_both_tiers_in_order(pair: Pair) -> None:
    left, right = pair
    rows = align(left, right).rows

    assert [i for row in rows for i in row.left] == list(range(len(left.messages)))
    assert [j for row in rows for j in row.right] == list(range(len(right.messages)))
    assert [row.row for row in rows] == list(range(len(rows)))
    assert all(row.left or row.right for row in rows)


@given(tier_pairs())
def test_kept_blocks_are_equal(pair: Pair) -> None:
    left, right = pair
    for row in align(left, right).rows:
        for block in row.blocks:
            if block.outcome == "kept":
                assert block.left
                assert block.right
                before = left.messages[block.left.position].blocks[block.left.block]
                after = right.messages[block.right.position].blocks[block.right.block]
                assert block_key(before) == block_key(after)


@given(tier_pairs())
def test_a_kept_message_has_nothing_but_kept_blocks(pair: Pair) -> None:
    left, right = pair
    for row in align(left, right).rows:
        if row.outcome == "kept":
            assert {b.outcome for b in row.blocks if b.left} <= {"kept"}
            assert sum(b.left is not None for b in row.blocks) == sum(
                len(left.messages[i].blocks) for i in row.left
            )


@given(tier_pairs())
def test_no_block_stands_in_two_rows(pair: Pair) -> None:
    rows = align(*pair).rows
    for side in ("left", "right"):
        places = [getattr(b, side) for row in rows for b in row.blocks if getattr(b, side)]
        assert len(places) == len(set(places))


@given(tier_pairs())
def test_counts_and_tokens_add_up(pair: Pair) -> None:
    left, right = pair
    alignment = align(left, right)
    summary = alignment.summary

    assert sum(summary.outcomes.values()) - summary.outcomes.get("added", 0) == len(left.messages)
    assert (summary.messages.before, summary.messages.after) == (
        len(left.messages),
        len(right.messages),
    )
    assert summary.tokens.before == total(left.messages)
    assert summary.tokens.after == total(right.messages)


@given(tier_pairs())
def test_a_tier_aligned_with_itself_is_all_kept(pair: Pair) -> None:
    for tier in pair:
        assert all_kept(align(tier, tier), len(tier.messages))


@given(tier_pairs())
def test_messages_with_different_tracking_ids_never_share_a_row(pair: Pair) -> None:
    left, right = pair
    for row in align(left, right).rows:
        if row.basis in {"equal", "similar"} and row.into is None:
            for i in row.left[:1]:
                ids = {left.messages[i].tracking_id, right.messages[row.right[0]].tracking_id}
                assert len(ids - {""}) <= 1


def total(messages: tuple[Message, ...]) -> int:
    return sum(map(estimate, messages))


def all_kept(alignment: Alignment, count: int) -> bool:
    return [(row.left, row.right, row.outcome) for row in alignment.rows] == [
        (range(n, n + 1), range(n, n + 1), "kept") for n in range(count)
    ]
