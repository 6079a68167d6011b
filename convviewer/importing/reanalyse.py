"""What older versions of this program worked out, worked out again."""

from __future__ import annotations

from collections.abc import Callable

from convviewer.store.comparisons import forget_comparison, old_comparisons, renew_comparison


def reanalyse(progress: Callable[[int, int], None]) -> int:
    """Align again what an older version aligned; returns how many pairs of tiers that were.

    `progress` is told how many are done, of how many. Alignments that were made for a page are
    only dropped: the next visit makes them anew.
    """
    old = old_comparisons()
    for done, comparison in enumerate(old, 1):
        if comparison.left.base:
            renew_comparison(comparison)
        else:
            forget_comparison(comparison)
        progress(done, len(old))
    return len(old)
