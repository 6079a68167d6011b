"""An exported bundle gives back the thread, is strict JSON, and fits the published schema."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from convviewer.core import thread as core
from convviewer.core.thread import Media, Message, Text, Thread, Tier, ToolResult
from convviewer.formats import bundle
from convviewer.formats.parts.bundle.codec import KINDS
from tests.factories.sources import read_thread
from tests.factories.threads import THREADS

SCHEMA = Path(bundle.__file__).with_name("bundle.schema.json")
SAMPLES = Path(bundle.__file__).parents[1] / "samples" / "bundles"
# Threads are large values: what is slow here is making them up.
FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])


def written(thread: Thread, *, include_redacted: bool = False) -> str:
    return "".join(bundle.write_bundle(thread, include_redacted=include_redacted))


def read_back(text: str) -> Thread:
    return read_thread(bundle.FORMAT, text.encode("utf-8"))


@cache
def validator() -> Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def one_message(*blocks: Any, **fields_of_message: Any) -> Thread:
    message = Message(key="0", number=0, role="user", blocks=blocks, raw=b"{}", **fields_of_message)
    tier = Tier(name="verbatim", kind="verbatim", messages=(message,))
    return Thread(format="strands-files", external_id="s1", tiers=(tier,))


@FEW
@given(thread=THREADS)
def test_reading_an_export_gives_back_the_whole_thread(thread: Thread):
    assert read_back(written(thread, include_redacted=True)) == thread


@FEW
@given(thread=THREADS)
def test_an_export_is_strict_json_that_fits_the_schema(thread: Thread):
    value = json.loads(written(thread), parse_constant=_fail)

    assert [error.message for error in validator().iter_errors(value)] == []


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.name)
def test_sample_bundles_fit_the_schema_and_are_read_without_a_warning(sample: Path):
    value = json.loads(sample.read_bytes())

    assert [error.message for error in validator().iter_errors(value)] == []
    thread = read_thread(bundle.FORMAT, value, sample.name)
    assert thread.warnings == ()
    assert read_back(written(thread)) == thread


def test_what_a_redaction_replaced_is_written_on_demand_only():
    thread = one_message(Text(text="***"), redacted=True, original_raw=b'{"text": "SECRET"}')

    assert "SECRET" not in written(thread)
    (message,) = read_back(written(thread)).tiers[0].messages
    assert (message.redacted, message.original_raw) == (True, None)
    assert read_back(written(thread, include_redacted=True)) == thread


def test_a_message_that_tiers_share_is_written_once_and_shared_again():
    (verbatim,) = one_message(Text(text="the only words")).tiers
    seen = replace(verbatim, name="compressed", kind="compressed")
    thread = Thread(format="bundle", external_id="s1", tiers=(verbatim, seen))

    text = written(thread)

    assert text.count("the only words") == 1
    again = read_back(text)
    assert again == thread
    assert again.tiers[0].messages[0] is again.tiers[1].messages[0]


def test_special_values_survive_in_their_wire_form():
    payload: Any = {"$id": float("inf"), "n": 2**70, "$number": "NaN", "deep": [-0.5, "\x00"]}
    thread = one_message(
        ToolResult(tool_use_id="a", payload=payload, payload_source="payload"),
        Media(kind="image", format="png", data=b"\x89PNG"),
    )

    text = written(thread)

    assert '"$$id":{"$number":"Infinity"}' in text
    assert str(2**70) in text
    assert read_back(text) == thread


def test_lone_surrogates_become_replacement_characters_and_stay_in_the_original():
    raw = rb'{"role": "user", "content": [{"text": "half \ud83d"}]}'
    thread = one_message(Text(text="half \ud83d"))
    message = replace(thread.tiers[0].messages[0], raw=raw)
    thread = replace(thread, tiers=(replace(thread.tiers[0], messages=(message,)),))

    (again,) = read_back(written(thread)).tiers[0].messages

    assert again.blocks == (Text(text="half \ufffd"),)
    assert again.raw == raw


def test_a_payload_of_five_thousand_levels_is_written_and_read():
    payload: Any = "BOTTOM"
    for _ in range(5000):
        payload = [payload]
    thread = one_message(ToolResult(tool_use_id="a", payload=payload, payload_source="payload"))

    text = written(thread)

    assert "[" * 5000 + '"BOTTOM"' in text
    assert written(read_back(text)) == text


def test_the_schema_names_every_field_of_the_core_values():
    definitions = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    classes: dict[str, Any] = {
        **{kind: cls for kind, cls in KINDS.items() if cls is not Media},
        "media": Media,
        "citation": core.Citation,
        "exported_message": Message,
        "usage": core.Usage,
        "metrics": core.Metrics,
        "tier": Tier,
        "link": core.Link,
        "agent": core.Agent,
        "place": core.Place,
        "task": core.Task,
        "subtask": core.Subtask,
        "goal": core.Goal,
        "node": core.Node,
        "multi_agent": core.MultiAgent,
        "unplaced": core.Unplaced,
        "warning": core.Warning,
        "exported_thread": Thread,
    }
    missing = {
        name: unnamed
        for name, cls in classes.items()
        if (unnamed := _field_names(cls) - definitions[name]["properties"].keys())
    }

    assert missing == {}


def _field_names(cls: Any) -> set[str]:
    """The fields of a class; the tiers of a thread stand beside it."""
    return {field.name for field in fields(cls)} - {"stored", "tiers"}


def _fail(constant: str) -> Any:
    raise AssertionError(f"{constant} is not strict JSON")
