"""Bundles that other systems hand over: tiers, variants, links, and what is refused."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

import pytest

from convviewer.core.thread import (
    Agent,
    Deleted,
    Goal,
    Link,
    Text,
    Thread,
    Tier,
    ToolUse,
    Unknown,
    ViewingContext,
)
from convviewer.formats.bundle import FORMAT
from tests.factories.sources import as_bytes, read_refusal, read_thread


def strands(role: str, *texts: str, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": [{"text": text} for text in texts], **fields}


def roboto(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "status": "completed", "created": "t0", "content": list(blocks)}


def bundle(*tiers: dict[str, Any], **thread: Any) -> dict[str, Any]:
    return {"convviewer": 1, "thread": {"thread_id": "th_1"} | thread, "tiers": list(tiers)}


def tier(name: str, *messages: Any, **fields: Any) -> dict[str, Any]:
    kind = name.partition(":")[0]
    return {"name": name, "kind": kind, "messages": list(messages)} | fields


def named(thread: Thread, name: str) -> Tier:
    found = thread.tier(name)
    assert found is not None
    return found


SAID = [
    strands("user", "Plan the firing.", tracking_id="tr_0"),
    strands("assistant", "Ten hours.", tracking_id="tr_1"),
    strands("user", "The pots are wet."),
    strands("assistant", "Four hours more."),
]


# -- the thread ------------------------------------------------------------------------------------


def test_the_thread_is_read_under_the_names_of_other_systems():
    thread = read_thread(
        FORMAT,
        bundle(
            tier("verbatim"),
            agent_id="studio",
            title="Kiln",
            created_at="2026-11-15T07:00:00Z",
            updated_at="2026-11-16T07:00:00Z",
            model_profile="standard",
            system="Be brief.",
            toolConfig={"tools": []},
            goals=[{"goal_type": "plan", "status": "pending"}],
            forked_from_session_id="th_0",
            studio_room=7,
        ),
    )

    assert (thread.format, thread.external_id, thread.agent_id) == ("bundle", "th_1", "studio")
    assert (thread.title, thread.forked_from) == ("Kiln", "th_0")
    assert (thread.created_at, thread.updated_at) == (
        "2026-11-15T07:00:00Z",
        "2026-11-16T07:00:00Z",
    )
    assert thread.agent == Agent(
        id="studio", model="standard", system=(Text(text="Be brief."),), tools={"tools": []}
    )
    assert thread.goals == (
        Goal(title="plan", status="pending", raw={"goal_type": "plan", "status": "pending"}),
    )
    assert thread.facts == {"studio_room": 7}


def test_a_thread_without_id_is_named_by_its_place():
    values = {"convviewer": 1, "thread": {}, "tiers": [tier("verbatim")]}

    thread = read_thread(FORMAT, values, "kiln/thursday.json")

    assert (thread.external_id, thread.lookup_id) == ("kiln/thursday.json", "thursday.json")


# -- tiers and messages ----------------------------------------------------------------------------


def test_messages_of_roboto_and_of_strands_are_read_each_in_its_way():
    use = {"content_type": "tool_use", "tool_name": "query", "tool_use_id": "tu_1", "input": {}}
    messages = [
        roboto("user", {"text": "why?"}),
        roboto("roboto", {"text": '<ctx>{"dataset_ids": ["ds_1"]}</ctx>'}),
        roboto("assistant", use),
        strands("user", "thanks"),
    ]

    thread = read_thread(FORMAT, bundle(tier("verbatim", *messages)))

    said = named(thread, "verbatim").messages
    assert [m.blocks for m in said] == [
        (Text(text="why?"), ViewingContext(context={"dataset_ids": ["ds_1"]})),
        (),
        (ToolUse(id="tu_1", name="query", input={}),),
        (Text(text="thanks"),),
    ]
    assert [(m.key, m.number, m.created_at) for m in said] == [
        ("0", 0, "t0"),
        ("1", 1, "t0"),
        ("2", 2, "t0"),
        ("3", 3, ""),
    ]
    assert [json.loads(m.raw) for m in said] == messages


def test_entries_of_a_compressed_tier_are_found_in_the_verbatim_tier():
    summary = strands("user", "Summary: ten hours.")
    links = [{"entry": 0, "stands_for": [0, 1]}, {"entry": 1, "stands_for": ["2"]}]
    compressed = tier("compressed", summary, SAID[2], SAID[3], links=links, strategy="oldest")
    before = tier("checkpoint:a", strands("user", "Plan it.", tracking_id="tr_0"), captured_at="t1")

    thread = read_thread(FORMAT, bundle(compressed, before, tier("verbatim", *SAID)))

    assert [(t.name, t.kind) for t in thread.tiers] == [
        ("verbatim", "verbatim"),
        ("compressed", "compressed"),
        ("checkpoint:a", "checkpoint"),
    ]
    said, seen = named(thread, "verbatim").messages, named(thread, "compressed")
    assert (seen.strategy, seen.links) == (
        "oldest",
        (Link(entry=0, stands_for=("0", "1")), Link(entry=1, stands_for=("2",))),
    )
    made, *kept = seen.messages
    assert (made.number, made.is_summary, made.blocks) == (
        None,
        True,
        (Text(text="Summary: ten hours."),),
    )
    assert made.key not in {m.key for m in said}
    assert kept == [said[2], said[3]]
    (changed,) = named(thread, "checkpoint:a").messages
    assert (changed.key, changed.number, changed.blocks) == ("0", 0, (Text(text="Plan it."),))
    assert named(thread, "checkpoint:a").captured_at == "t1"


def test_the_key_of_a_made_entry_is_the_same_wherever_the_entry_stands():
    summary = strands("user", "Summary.")
    one = read_thread(FORMAT, bundle(tier("compressed", summary, SAID[3])))
    other = read_thread(FORMAT, bundle(tier("compressed", SAID[3], summary)))

    keys = [[m.key for m in named(thread, "compressed").messages] for thread in (one, other)]

    assert keys[0] == keys[1][::-1]


def test_equal_entries_have_keys_of_their_own():
    thread = read_thread(FORMAT, bundle(tier("compressed", *[strands("user", "again")] * 3)))

    keys = [m.key for m in named(thread, "compressed").messages]
    assert keys == [keys[0], f"{keys[0]}-2", f"{keys[0]}-3"]


def test_keys_of_their_own_are_kept():
    messages = [strands("user", "a", key=10), strands("user", "b", key="b1"), strands("user", "c")]

    thread = read_thread(FORMAT, bundle(tier("verbatim", *messages)))

    assert [m.key for m in named(thread, "verbatim").messages] == ["10", "b1", "2"]


def test_variants_stand_in_place_of_the_verbatim_messages():
    variants = {"1": roboto("assistant", {"content_type": "deleted"})}
    deleted = {"name": "deleted", "kind": "variant", "variants": variants}

    thread = read_thread(FORMAT, bundle(deleted, tier("verbatim", *SAID)))

    said, variant = named(thread, "verbatim").messages, named(thread, "deleted")
    assert variant.aligned_by_number
    assert (variant.messages[0], variant.messages[2:]) == (said[0], said[2:])
    changed = variant.messages[1]
    assert (changed.key, changed.number, changed.blocks) == ("1", 1, (Deleted(),))
    assert thread.tier("compressed") == variant


def test_wrong_parts_of_messages_are_kept_and_named():
    messages = [
        "no message",
        {"role": "user", "blocks": [{"kind": "text", "text": 5}, {"kind": "hologram"}, 7]},
        {"role": 5, "blocks": "none", "usage": {"input": "many", "output": 3}},
    ]

    thread = read_thread(FORMAT, bundle(tier("verbatim", *messages)))

    first, second, third = named(thread, "verbatim").messages
    assert first.blocks == (Unknown(raw="no message", reason="a message is an object"),)
    assert second.blocks == (
        Unknown(raw={"kind": "text", "text": 5}, reason="text: expected text"),
        Unknown(raw={"kind": "hologram"}, reason="no block of a known kind"),
        Unknown(raw=7, reason="no block of a known kind"),
    )
    assert (third.role, third.blocks) == ("", ())
    assert third.usage is not None
    assert (third.usage.input, third.usage.output) == (None, 3)
    assert json.loads(third.raw) == messages[2]
    assert [(w.code, w.pointer) for w in thread.warnings] == [
        ("bad_block", "/tiers/0/messages/0"),
        ("bad_block", "/tiers/0/messages/1/blocks/0"),
        ("unknown_block", "/tiers/0/messages/1/blocks/1"),
        ("bad_block", "/tiers/0/messages/2/role"),
        ("bad_block", "/tiers/0/messages/2/blocks"),
        ("bad_block", "/tiers/0/messages/2/usage/input"),
    ]


# -- sniffing and refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (bundle(tier("verbatim", *SAID)), 100),
        (bundle(tier("verbatim", strands("user", "x" * 100_000))), 100),
        ({"tiers": [tier("verbatim", *SAID * 90)], "thread": {}, "convviewer": 1}, 70),
        ({"tiers": [{"name": "gold", "price": 3}], "thread": {}}, 0),
        ({"convviewer": {"theme": "dark"}}, 0),
        (SAID, 0),
        ({"messages": SAID, "thread_id": "a", "org_id": "o"}, 0),
        (b"", 0),
    ],
)
def test_bundles_are_recognised_by_their_members(value: Any, expected: int):
    assert FORMAT.sniff(as_bytes(value)[: 64 * 1024], PurePosixPath("a.json")) == expected


@pytest.mark.parametrize(
    ("value", "pointer", "reason"),
    [
        ([], "/convviewer", "expected a bundle of version 1"),
        ({"convviewer": 2, "thread": {}, "tiers": []}, "/convviewer", "expected a bundle of"),
        ({"convviewer": 1, "thread": {}}, "/tiers", "expected a list of tiers"),
        ({"convviewer": 1, "thread": [], "tiers": []}, "/thread", "expected an object"),
        (bundle({"name": "verbatim"}), "/tiers/0", "expected kind"),
        (bundle(tier("verbatim", kind="original")), "/tiers/0", "kind: expected one of"),
        (bundle({"name": "a", "kind": "verbatim"}), "/tiers/0/messages", "expected a list of"),
        (bundle(tier("verbatim"), tier("verbatim")), "/tiers/1/name", "expected a name that no"),
        (
            bundle({"name": "a", "kind": "variant", "variants": {"0": SAID[0]}}),
            "/tiers/0/variants/0",
            "expected the index of a verbatim message",
        ),
    ],
)
def test_a_bundle_without_its_frame_is_refused_with_the_place(
    value: Any, pointer: str, reason: str
):
    refusal = read_refusal(FORMAT, value, "a.json")

    assert (refusal.path, refusal.pointer) == ("a.json", pointer)
    assert refusal.reason.startswith(reason)
    assert refusal.reason.endswith("see bundle.schema.json")


def test_a_torn_bundle_is_refused_with_the_place_of_the_damage():
    refusal = read_refusal(FORMAT, as_bytes(bundle(tier("verbatim", *SAID)))[:-30])

    assert refusal.reason.startswith("not valid JSON at character ")
