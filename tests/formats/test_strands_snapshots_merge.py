"""The order in which the parts of a snapshot session are imported changes nothing."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from convviewer.core.json import decode
from convviewer.core.thread import Marker, Text, Thread, ToolResult, Unplaced
from convviewer.formats.source import SourceFile
from convviewer.formats.strands_snapshots import FORMAT
from tests.formats.reading import only_thread, read_files
from tests.formats.strands_history import History

_STEPS = st.one_of(
    st.tuples(st.just("turn"), st.just(0)),
    st.tuples(st.just("drop"), st.integers(0, 12)),
    st.tuples(st.just("summarize"), st.integers(1, 8)),
    st.tuples(st.just("cut"), st.integers(1, 5)),
    st.tuples(st.just("save"), st.just(1)),
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    history = History()
    history.turn()
    for step, number in draw(st.lists(_STEPS, max_size=12)):
        match step:
            case "turn":
                history.turn()
            case "drop":
                history.drop(number)
            case "summarize":
                history.summarize(number)
            case "cut":
                history.cut(number)
            case _:
                history.save(checkpoint=True)
    history.save(checkpoint=False)
    return history


def read(files: list[SourceFile]) -> Thread:
    return only_thread(read_files(FORMAT, files))


@settings(max_examples=150, deadline=None)
@given(history=histories(), data=st.data())
def test_importing_parts_in_any_order_equals_importing_all_at_once(
    history: History, data: st.DataObject
) -> None:
    stash = history.stash_files()
    snapshots = history.snapshots()
    whole = read(snapshots + stash)
    shuffled = data.draw(st.permutations(snapshots))
    cuts = sorted(data.draw(st.sets(st.integers(1, max(len(snapshots) - 1, 1)))))
    bounds = [0, *(cut for cut in cuts if cut < len(snapshots)), len(snapshots)]
    parts = [shuffled[start:end] for start, end in pairwise(bounds)]
    merged = reduce(FORMAT.merge, [read(part + stash) for part in parts])
    assert_same(merged, whole)
    assert_same(FORMAT.merge(whole, merged), whole)


@settings(max_examples=100, deadline=None)
@given(history=histories(), data=st.data())
def test_importing_a_session_as_it_grows_gives_the_same_in_any_order(
    history: History, data: st.DataObject
) -> None:
    stash = history.stash_files()
    latest = history.snapshots()[-1]
    imports = [[file] for file in [*history.checkpoints, *history.overwritten]] + [[latest, *stash]]
    in_order = reduce(FORMAT.merge, [read(files) for files in imports])
    shuffled = data.draw(st.permutations(imports))
    assert_same(reduce(FORMAT.merge, [read(files) for files in shuffled]), in_order)


@settings(max_examples=50, deadline=None)
@given(history=histories())
def test_what_is_known_is_what_was_said(history: History) -> None:
    history.save(checkpoint=True)
    thread = read(history.snapshots() + history.stash_files())
    said = {str(message["tracking_id"]): message["content"] for message in history.said}
    order = list(said)
    shown = [message.tracking_id for message in thread.tiers[0].messages]
    assert shown == [name for name in order if name in shown]
    for message in thread.tiers[0].messages:
        record = decode(message.raw)
        assert isinstance(record, dict)
        assert record["content"] == said[message.tracking_id]


def assert_same(one: Thread, other: Thread) -> None:
    assert [tier.name for tier in one.tiers] == [tier.name for tier in other.tiers]
    for mine, theirs in zip(one.tiers, other.tiers, strict=True):
        assert mine == theirs
    assert one.unplaced == other.unplaced
    assert one.facts == other.facts
    assert one.agent == other.agent
    assert (one.created_at, one.updated_at) == (other.created_at, other.updated_at)
    missing = "stash_reference_missing"
    assert [w for w in one.warnings if w.code == missing] == [
        w for w in other.warnings if w.code == missing
    ]


def test_a_stash_that_arrives_later_fills_the_verbatim_tier() -> None:
    history = History()
    history.turn()
    history.drop(2)
    history.save(checkpoint=False)
    before = read(history.snapshots())
    assert [warning.code for warning in before.warnings] == ["stash_reference_missing"] * 2
    whole = read(history.snapshots() + history.stash_files())
    for merged in (FORMAT.merge(before, whole), FORMAT.merge(whole, before)):
        assert_same(merged, whole)
    (result,) = whole.tiers[0].messages[2].blocks
    assert isinstance(result, ToolResult)
    assert len(result.parts) == 2


def test_a_message_that_left_the_latest_snapshot_stays_known() -> None:
    history = History()
    history.turn()
    history.save(checkpoint=False)
    first = read(history.snapshots())
    history.turn()
    history.summarize(4)
    history.save(checkpoint=False)
    second = read(history.snapshots())
    for merged in (FORMAT.merge(first, second), FORMAT.merge(second, first)):
        assert len(merged.tiers[0].messages) == 8
        assert [message.number for message in merged.tiers[0].messages] == list(range(8))
        assert [tier.name for tier in merged.tiers] == ["verbatim", "compressed"]
        assert len(merged.tiers[1].messages) == 5
        assert merged.facts is None
    assert second.facts == {"usage_incomplete": True}


def test_an_original_listed_apart_takes_its_place_when_a_checkpoint_names_it() -> None:
    history = History()
    history.turn()
    history.drop(0)
    history.save(checkpoint=True)
    history.turn()
    history.cut(4)
    history.save(checkpoint=False)
    latest = read([history.snapshots()[-1], *history.stash_files()])
    question = f"{history.said[0]['tracking_id']}_0"
    assert Unplaced(ref=question, block=Text(text="Question 0")) in latest.unplaced
    checkpoint = read([history.checkpoints[0]])
    for first, second in permutations([latest, checkpoint]):
        merged = FORMAT.merge(first, second)
        assert merged.tiers[0].messages[0].blocks == (Text(text="Question 0"),)
        assert question not in {item.ref for item in merged.unplaced}


def test_a_marker_names_what_is_missing_in_every_tier() -> None:
    history = History()
    history.turn()
    history.drop(0)
    history.save(checkpoint=True)
    thread = read(history.snapshots())
    ref = f"{history.said[0]['tracking_id']}_0"
    for tier in thread.tiers:
        (marker,) = tier.messages[0].blocks
        assert isinstance(marker, Marker)
        assert marker.missing == (ref,)
