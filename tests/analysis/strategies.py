"""Generated tiers: messages of a thread, and what compressions make of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from convviewer.core.json import Json
from convviewer.core.thread import (
    Block,
    Deleted,
    Filler,
    Marker,
    Message,
    Reasoning,
    Text,
    Tier,
    ToolResult,
    ToolUse,
)

# Few texts, so that they repeat.
TEXTS = st.sampled_from(["Continue.", "Yes.", "Show the pump.", "Show the pumps.", "x" * 90, ""])
IDS = st.sampled_from(["search", "t1", "t2", "t3"])
CUSTOM: st.SearchStrategy[Json] = st.sampled_from([None, None, {"pinned": True}])
RARELY = st.sampled_from([False] * 5 + [True])
NOTES = st.sampled_from(
    [
        "[Summarized: 2 messages, ~9 tokens]\n\nAll fine.",
        "[Dropped: 3 messages]",
        "[... 1 message elided ...]",
        "[Dropped]",
    ]
)
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(Text, text=TEXTS),
    st.builds(Reasoning, text=TEXTS, signature=st.sampled_from(["", "s"])),
    st.builds(ToolUse, id=IDS, name=st.just("search"), input=st.none() | TEXTS),
    st.builds(
        ToolResult,
        tool_use_id=IDS,
        status=st.sampled_from(["success", "error"]),
        payload=TEXTS,
        payload_source=st.just("content"),
    ),
    st.builds(Marker, reduction=st.sampled_from(["summarized", "dropped", "elided"]), text=NOTES),
    st.builds(Deleted),
    st.builds(Filler),
)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    blocks = tuple(draw(st.lists(BLOCKS, max_size=3)))
    return Message(
        key=draw(st.sampled_from("0123456789")),
        number=draw(st.none() | st.integers(0, 9)),
        role=draw(st.sampled_from(["user", "assistant"])),
        blocks=blocks,
        raw=repr(blocks).encode(),
        tracking_id=draw(st.sampled_from(["", "", "a", "b", "c", "d"])),
        redacted=draw(RARELY),
        is_summary=draw(RARELY),
        custom=draw(CUSTOM),
    )


@st.composite
def tier_pairs(draw: st.DrawFn) -> tuple[Tier, Tier]:
    """A tier, and one made from some of its messages, copies and new ones, perhaps shuffled."""
    left = draw(st.lists(messages(), max_size=12))
    kept = [m for m in left if draw(st.booleans())]
    copies = [replace(m, blocks=m.blocks) if draw(st.booleans()) else m for m in kept]
    right = copies + draw(st.lists(messages(), max_size=4))
    right = draw(st.permutations(right)) if draw(st.booleans()) else right
    return (
        Tier(name="verbatim", kind="verbatim", messages=tuple(left)),
        Tier(
            name="compressed",
            kind="compressed",
            messages=tuple(right),
            removed_count=draw(st.none() | st.integers(0, 15)),
            aligned_by_number=draw(st.booleans()),
        ),
    )
