"""Threads of every shape that core values allow, for properties that hold for all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from convviewer.core import thread as core
from convviewer.core.json import encode

TEXTS = st.text(max_size=12)
NAMES = st.text(min_size=1, max_size=8)
COUNTS = st.integers(min_value=0, max_value=10**12)
MILLISECONDS = st.floats(min_value=0, max_value=1e9) | COUNTS
FLAGS = st.booleans()
KEYS = st.sampled_from(["$number", "$$x", "items", "kind", "text"]) | TEXTS

# Everything a stored value may be, NaN aside: it is not equal to itself.
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | FLAGS
    | st.integers()
    | st.floats(allow_nan=False)
    | TEXTS
    | st.just({"$number": "NaN"}),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(KEYS, children, max_size=3),
    max_leaves=6,
)


def tuples_of(items: st.SearchStrategy[Any], *, most: int = 2) -> st.SearchStrategy[Any]:
    return st.lists(items, max_size=most).map(tuple)


TEXT_BLOCKS = st.builds(core.Text, text=TEXTS, refusal=FLAGS)
MARKERS = st.builds(
    core.Marker,
    reduction=st.sampled_from(["summarized", "truncated", "elided", "dropped", "offloaded"]),
    text=TEXTS,
    refs=tuples_of(NAMES),
    missing=tuples_of(NAMES),
)
MEDIA = st.builds(
    core.Media,
    kind=st.sampled_from(["image", "document", "audio", "video"]),
    format=TEXTS,
    name=TEXTS,
    media_type=TEXTS,
    size=st.none() | COUNTS,
    data=st.none() | st.binary(max_size=20),
    sha256=TEXTS,
    location=TEXTS,
    text=TEXTS,
)
UNKNOWN = st.builds(core.Unknown, raw=VALUES, reason=TEXTS)
PARTS = TEXT_BLOCKS | st.builds(core.JsonValue, value=VALUES) | MEDIA | MARKERS | UNKNOWN

BLOCKS: st.SearchStrategy[Any] = st.one_of(
    TEXT_BLOCKS,
    st.builds(core.Reasoning, text=TEXTS, signature=TEXTS, redacted_bytes=st.none() | COUNTS),
    st.builds(
        core.ToolUse,
        id=TEXTS,
        name=TEXTS,
        input=VALUES,
        answered_by_server=st.none() | FLAGS,
        internal_keys=tuples_of(NAMES),
        input_note=TEXTS,
    ),
    st.builds(
        core.ToolResult,
        tool_use_id=TEXTS,
        name=TEXTS,
        status=st.sampled_from(["success", "error", "declined", "unknown"]),
        runtime_ms=st.none() | MILLISECONDS,
        payload=VALUES,
        payload_source=st.sampled_from(["payload", "envelope", "output", "content", "none"]),
        payload_guessed=FLAGS,
        parts=tuples_of(PARTS),
    ),
    MEDIA,
    st.builds(
        core.Citations,
        text=TEXTS,
        citations=tuples_of(
            st.builds(core.Citation, title=TEXTS, source_text=TEXTS, url=TEXTS, location=VALUES)
        ),
    ),
    st.builds(core.Guard, text=TEXTS, qualifiers=tuples_of(NAMES)),
    st.builds(core.CachePoint, type=TEXTS, ttl=TEXTS),
    st.builds(core.Error, message=TEXTS, code=TEXTS),
    st.just(core.Deleted()),
    st.just(core.Filler()),
    st.builds(core.ViewingContext, context=VALUES, unreadable=TEXTS),
    MARKERS,
    UNKNOWN,
)

USAGE = st.none() | st.builds(
    core.Usage,
    input=st.none() | COUNTS,
    output=st.none() | COUNTS,
    total=st.none() | COUNTS,
    cache_read=st.none() | COUNTS,
    cache_write=st.none() | COUNTS,
)
RAW = VALUES.map(lambda value: encode(value).encode()) | st.binary(max_size=12)
MESSAGES = st.builds(
    core.Message,
    key=NAMES,
    number=st.none() | COUNTS,
    role=st.sampled_from(["user", "assistant", "roboto", ""]),
    blocks=tuples_of(BLOCKS, most=3),
    raw=RAW,
    status=TEXTS,
    created_at=TEXTS,
    updated_at=TEXTS,
    tracking_id=TEXTS,
    author=TEXTS,
    label=TEXTS,
    model=TEXTS,
    stop_reason=TEXTS,
    redacted=FLAGS,
    is_summary=FLAGS,
    usage=USAGE,
    metrics=st.none()
    | st.builds(
        core.Metrics,
        latency_ms=st.none() | MILLISECONDS,
        time_to_first_byte_ms=st.none() | MILLISECONDS,
    ),
    custom=VALUES,
    original_raw=st.none() | RAW,
)


@st.composite
def tiers(draw: st.DrawFn) -> tuple[core.Tier, ...]:
    """A verbatim tier, or none, and others that share some of its messages."""
    said = draw(_messages())
    names = draw(st.lists(NAMES.filter(lambda name: name != "verbatim"), max_size=2, unique=True))
    others = [_other_tier(draw, name, said) for name in names]
    if not draw(FLAGS):
        return tuple(others)
    return (core.Tier(name="verbatim", kind="verbatim", messages=said), *others)


def _other_tier(draw: st.DrawFn, name: str, said: tuple[core.Message, ...]) -> core.Tier:
    kept = [message for message in said if draw(FLAGS)]
    made = [entry for entry in draw(_messages()) if entry.key not in {m.key for m in kept}]
    link = st.builds(core.Link, entry=COUNTS, stands_for=tuples_of(NAMES))
    return core.Tier(
        name=name,
        kind=draw(st.sampled_from(["compressed", "checkpoint", "variant"])),
        messages=(*made, *kept),
        captured_at=draw(TEXTS),
        strategy=draw(TEXTS),
        removed_count=draw(st.none() | COUNTS),
        aligned_by_number=draw(FLAGS),
        links=draw(tuples_of(link)),
    )


def _messages() -> st.SearchStrategy[tuple[core.Message, ...]]:
    unique = st.lists(MESSAGES, max_size=3, unique_by=lambda message: message.key)
    return unique.map(tuple)


PLACES = st.none() | st.builds(core.Place, message=COUNTS, block=st.none() | COUNTS)
SUBTASKS = st.builds(core.Subtask, title=TEXTS, status=TEXTS, conclusion=TEXTS)
TASKS = st.builds(
    core.Task,
    title=TEXTS,
    status=TEXTS,
    conclusion=TEXTS,
    start=PLACES,
    end=PLACES,
    subtasks=tuples_of(SUBTASKS),
    raw=VALUES,
)
NODES = st.builds(
    core.Node,
    id=TEXTS,
    status=TEXTS,
    result=tuples_of(BLOCKS),
    usage=USAGE,
    runtime_ms=st.none() | MILLISECONDS,
    raw=VALUES,
)
MULTI_AGENT = st.builds(
    core.MultiAgent,
    id=TEXTS,
    kind=TEXTS,
    status=TEXTS,
    task=tuples_of(BLOCKS),
    nodes=tuples_of(NODES),
    usage=USAGE,
    runtime_ms=st.none() | MILLISECONDS,
    raw=VALUES,
)
AGENTS = st.builds(
    core.Agent,
    id=TEXTS,
    name=TEXTS,
    description=TEXTS,
    model=TEXTS,
    system=tuples_of(BLOCKS),
    tools=VALUES,
    state=VALUES,
    manager=TEXTS,
    details=VALUES,
)
WARNINGS = st.lists(
    st.builds(
        core.Warning,
        code=st.sampled_from(["bad_block", "unknown_block", "message_gap"]),
        message=TEXTS,
        path=TEXTS,
        pointer=TEXTS,
        count=COUNTS,
    ),
    max_size=2,
    unique_by=lambda warning: (warning.code, warning.message),
).map(tuple)
THREADS = st.builds(
    core.Thread,
    format=st.sampled_from(["bundle", "roboto-thread", "strands-files"]),
    external_id=TEXTS,
    tiers=tiers(),
    agent_id=TEXTS,
    lookup_id=TEXTS,
    title=TEXTS,
    status=TEXTS,
    activity=TEXTS,
    created_at=TEXTS,
    updated_at=TEXTS,
    created_by=TEXTS,
    visibility=TEXTS,
    origin=TEXTS,
    forked_from=TEXTS,
    forked_at=st.none() | COUNTS,
    agent=AGENTS,
    tasks=tuples_of(TASKS),
    goals=tuples_of(st.builds(core.Goal, title=TEXTS, status=TEXTS, achieved_by=TEXTS, raw=VALUES)),
    multi_agent=st.none() | MULTI_AGENT,
    unplaced=tuples_of(st.builds(core.Unplaced, ref=TEXTS, block=BLOCKS)),
    facts=VALUES,
    warnings=WARNINGS,
)
