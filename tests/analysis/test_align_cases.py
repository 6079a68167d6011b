"""Expected alignments of real records, checked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from convviewer.analysis.align import align
from convviewer.analysis.pairing import pair_calls, pairing_warnings
from convviewer.analysis.usage import totals
from convviewer.core.thread import Thread, Tier
from convviewer.formats import roboto_thread, strands_files, strands_messages, strands_snapshots
from convviewer.formats.base import Format
from tests.formats.reading import read_tree, threads_of

CASES = Path(__file__).parents[1] / "data" / "cases"

Shape = tuple[list[int], list[int], str, str]


def read(case: str, fmt: Format) -> Thread:
    """The case's one thread, of however many files."""
    (folder,) = CASES.glob(f"{case}-*")
    first, *rest = threads_of(read_tree(fmt, folder / "input"))
    for thread in rest:
        first = fmt.merge(first, thread)
    return first


def tier(thread: Thread, name: str) -> Tier:
    found = thread.tier(name)
    assert found
    return found


def shape(left: Tier, right: Tier) -> list[Shape]:
    return [(list(r.left), list(r.right), r.outcome, r.basis) for r in align(left, right).rows]


def kept(left: int, right: int, basis: str = "identity") -> Shape:
    return ([left], [right], "kept", basis)


def test_01_the_range_of_the_summary_is_inferred_from_the_count() -> None:
    thread = read("01", strands_files.FORMAT)

    assert shape(tier(thread, "verbatim"), tier(thread, "compressed")) == [
        ([0, 1], [0], "summarized", "inferred_offset"),
        *(kept(n, n - 1) for n in range(2, 12)),
    ]
    usage = totals(tier(thread, "verbatim").messages)
    assert (usage.calls, usage.tokens.input_uncached, usage.tokens.output) == (6, 600, 120)
    assert usage.tokens.total == 720
    assert totals(tier(thread, "compressed").messages).calls == 5


def test_03_a_count_that_cannot_be_right_hides_no_message() -> None:
    thread = read("03", strands_files.FORMAT)

    assert shape(tier(thread, "verbatim"), tier(thread, "compressed")) == [
        ([n], [], "dropped", "none") for n in range(16)
    ]


def test_05_checkpoints_tell_which_messages_the_summary_replaced() -> None:
    thread = read("05", strands_snapshots.FORMAT)
    compressed = tier(thread, "compressed")
    first, second = (t for t in thread.tiers if t.kind == "checkpoint")

    assert shape(tier(thread, "verbatim"), compressed) == [
        ([0, 1, 2, 3], [0], "summarized", "identity"),
        *(kept(n, n - 3) for n in range(4, 10)),
    ]
    assert shape(second, compressed) == [
        ([0, 1, 2, 3], [0], "summarized", "identity"),
        *(kept(n, n - 3) for n in range(4, 8)),
        ([], [5], "added", "none"),
        ([], [6], "added", "none"),
    ]
    assert shape(first, second) == [
        *(kept(n, n) for n in range(4)),
        *(([], [n], "added", "none") for n in range(4, 8)),
    ]
    usage = totals(tier(thread, "verbatim").messages).tokens
    assert (usage.input_uncached, usage.output) == (500, 100)


def test_07_a_placeholder_without_its_original_is_the_same_in_both_tiers() -> None:
    thread = read("07", strands_snapshots.FORMAT)

    assert shape(tier(thread, "verbatim"), tier(thread, "compressed")) == [
        kept(n, n) for n in range(4)
    ]


def test_09_a_redaction_in_both_tiers_changes_nothing_between_them() -> None:
    thread = read("09", strands_snapshots.FORMAT)

    assert shape(tier(thread, "verbatim"), tier(thread, "compressed")) == [kept(0, 0), kept(1, 1)]


def test_11_an_answer_is_paired_with_itself_whatever_note_it_carries() -> None:
    thread = read("11", strands_snapshots.FORMAT)

    assert shape(tier(thread, "verbatim"), tier(thread, "compressed")) == [
        kept(n, n) for n in range(6)
    ]


def test_29_equal_texts_stand_beside_themselves() -> None:
    thread = read("29", strands_files.FORMAT)
    verbatim, compressed = tier(thread, "verbatim"), tier(thread, "compressed")
    rows = [kept(n, n - 5) for n in range(6, 12)]

    assert shape(verbatim, compressed) == [
        (list(range(6)), [0], "summarized", "inferred_offset"),
        *rows,
    ]
    without_summary = Tier(name="compressed", kind="compressed", messages=compressed.messages[1:])
    assert shape(verbatim, without_summary)[6:] == [kept(n, n - 6) for n in range(6, 12)]


def test_35_a_variant_is_aligned_by_index() -> None:
    thread = read("35", roboto_thread.FORMAT)

    assert shape(tier(thread, "verbatim"), tier(thread, "compressed")) == [
        kept(0, 0),
        ([1], [1], "tombstone", "identity"),
        ([2], [2], "filler", "identity"),
        ([3], [3], "rewritten", "identity"),
        kept(4, 4),
        kept(5, 5),
    ]


@pytest.mark.parametrize(
    ("case", "warnings"),
    [
        ("13", [("orphan_result", 2)]),
        ("15", [("repeated_tool_use_id", 3)]),
    ],
)
def test_unusual_pairs_of_calls_and_results_are_reported(
    case: str, warnings: list[tuple[str, int]]
) -> None:
    thread = read(case, strands_messages.FORMAT)
    calls = pair_calls(tier(thread, "verbatim").messages)

    assert [(w.code, w.count) for w in pairing_warnings(calls)] == warnings


def test_21_a_redacted_result_keeps_its_call() -> None:
    thread = read("21", strands_files.FORMAT)

    (call,) = pair_calls(tier(thread, "verbatim").messages)

    assert (call.tool_use_id, call.pairing, call.status) == ("tooluse_pat", "paired", "success")
    assert tier(thread, "verbatim").messages[2].redacted


def test_27_cached_tokens_are_counted_once() -> None:
    usage = totals(tier(read("27", strands_files.FORMAT), "verbatim").messages).tokens

    assert (usage.input_uncached, usage.cache_read, usage.cache_write) == (36, 5000, 5000)
    assert (usage.output, usage.prompt, usage.total) == (80, 10036, 10116)
