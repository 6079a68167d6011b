"""`export_thread` through the front door: sources in, files out, and in again."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

import convviewer
from convviewer.core.json import decode, from_wire
from convviewer.core.thread import Thread
from convviewer.formats.parts.bundle.write import write_bundle
from convviewer.queries.export import export_formats
from convviewer.store import models
from tests.importing.build import CASES, case, record, run, stored, write

pytestmark = pytest.mark.django_db

SAMPLES = Path(convviewer.__file__).parent / "samples"
SOURCES = sorted([*SAMPLES.iterdir(), *CASES.glob("*/input")])
ONE_TIER = [name for name in export_formats() if name != "bundle"]


def exported(thread: str, form: str, *options: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("export_thread", thread, "--format", form, *options, stdout=out)
    return out.getvalue()


def imported(number: str) -> str:
    """Import a case; the address of its only thread."""
    (address,) = {line.id for line in run(case(number)).threads}
    return address


def text_of(thread: Thread) -> str:
    """All that a thread holds: unlike the thread itself, equal where it holds a NaN."""
    return "".join(write_bundle(thread, include_redacted=True))


def export_all(folder: Path, *options: str) -> None:
    """A bundle of every stored thread."""
    folder.mkdir()
    for number, row in enumerate(models.Thread.objects.order_by("id")):
        path = folder / f"{number:03d}.json"
        call_command("export_thread", row.public_id, "--format", "bundle", *options, "-o", path)


def import_anew(folder: Path) -> list[str]:
    """What the bundles of a folder hold, imported into an empty store."""
    models.Thread.objects.all().delete()
    models.ImportedUnit.objects.all().delete()
    models.Blob.objects.all().delete()
    report = run(folder)
    assert (report.refused, report.ignored) == ([], [])
    return sorted(text_of(thread) for thread in stored().values())


# -- bundles lose nothing --------------------------------------------------------------------------


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(path.parents[1])))
def test_importing_an_export_gives_equal_threads(source: Path, tmp_path: Path):
    """With what redactions replaced, equal to the source; without, to what may be shown."""
    run(source)
    before = sorted(text_of(thread) for thread in stored().values())
    assert before
    export_all(tmp_path / "shown")
    export_all(tmp_path / "whole", "--include-redacted")

    assert import_anew(tmp_path / "whole") == before

    import_anew(tmp_path / "shown")
    export_all(tmp_path / "again")
    assert _contents(tmp_path / "again") == _contents(tmp_path / "shown")


def _contents(folder: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in folder.iterdir())


def test_a_bundle_of_one_tier_holds_that_tier(tmp_path: Path):
    thread = imported("35")
    whole = json.loads(exported(thread, "bundle"))

    chosen = json.loads(exported(thread, "bundle", "--tier", "compressed"))

    assert [tier["name"] for tier in whole["tiers"]] == ["verbatim", "deleted"]
    assert [tier["name"] for tier in chosen["tiers"]] == ["deleted"]


# -- what is hidden stays hidden -------------------------------------------------------------------


@pytest.mark.parametrize("form", export_formats())
@pytest.mark.parametrize(("number", "canary"), [("09", "4711-ZEBRA"), ("21", "CANARY-NAME")])
def test_what_a_redaction_replaced_is_in_no_export(number: str, canary: str, form: str):
    thread = imported(number)

    for tier in ("", "compressed"):
        text = exported(thread, form, "--tier", tier)
        assert canary not in text
        assert "redacted." in text


@pytest.mark.parametrize("form", export_formats())
def test_what_a_redaction_replaced_is_written_when_it_is_asked_for(form: str):
    text = exported(imported("21"), form, "--include-redacted")

    assert "CANARY-NAME" in text
    assert ("[Tool result redacted.]" in text) is (form == "bundle")


@pytest.mark.parametrize("form", ONE_TIER)
@pytest.mark.parametrize("options", [(), ("--include-redacted",)])
def test_viewing_context_is_in_no_conversation(form: str, options: tuple[str, ...]):
    text = exported(imported("33"), form, *options)

    assert "ds_CANARYCTX" not in text
    assert "visualizer_state" not in text
    assert "not json" not in text
    assert "It marks the viewing context." in text


def test_a_marker_that_a_user_quotes_is_text_and_numbers_are_those_of_the_record():
    text = exported(imported("33"), "markdown")

    assert '\nWhat does <ctx>{"a":1}</ctx> mean in the log?\n' in text
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert [line.split()[1] for line in headings] == ["#0", "#2", "#3", "#4", "#6", "#7"]


def test_a_bundle_holds_the_viewing_context():
    bundle = exported(imported("33"), "bundle")

    assert "ds_CANARYCTX" in bundle
    assert "a </ctx> inside a string" in bundle


# -- right values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["markdown", "text", "html"])
def test_special_numbers_can_be_told_from_text(form: str):
    text = exported(imported("25"), form).replace("&quot;", '"')

    assert '"mean": NaN,\n  "max": Infinity,\n  "min": -Infinity,\n  "label": "NaN"' in text


@pytest.mark.parametrize("form", ["bundle", "converse", "strands"])
def test_special_numbers_come_back_from_strict_json(form: str):
    text = exported(imported("25"), form)

    value = from_wire(json.loads(text, parse_constant=pytest.fail))

    found = _object_with(value, "label")
    assert found["mean"] != found["mean"]
    assert (found["max"], found["min"]) == (float("inf"), float("-inf"))
    assert found["label"] == "NaN"


def _object_with(value: Any, key: str) -> Any:
    if isinstance(value, dict) and key in value:
        return value
    children = value.values() if isinstance(value, dict) else value
    nested = (child for child in children if isinstance(child, dict | list))
    return next((found for child in nested if (found := _object_with(child, key))), None)


@pytest.mark.parametrize("form", export_formats())
def test_integers_keep_every_digit(form: str):
    text = exported(imported("53"), form)

    for number in (
        *("107505301260286111", "-9223372036854775808", "9007199254740993"),
        *("18446744073709551615", "123456789012345678901234567890", "1764500000123456789"),
    ):
        assert number in text
    assert '"9007199254740993"' in text


@pytest.mark.parametrize("form", export_formats())
def test_messages_stand_in_the_order_of_the_record(form: str):
    text = exported(imported("37"), form)

    said = [f"{word} {n}" for n in range(6) for word in ("Question", "Answer")]
    places = [text.index(words) for words in said]
    assert places == sorted(places)


@pytest.mark.parametrize("form", ["markdown", "text"])
def test_entities_stay_as_they_were_typed(form: str):
    text = exported(imported("41"), form)

    assert "\nEscape &lt;b&gt; please, and 5 &lt; 6 &amp;&amp; 7\n" in text
    assert "\n&lt;script&gt;alert(1)&lt;/script&gt; &#39; &nbsp; <b>\n" in text
    assert "\nUse `&amp;lt;` and\n\n    indented &lt;code&gt;\n" in text


def test_entities_are_shown_in_html_as_they_were_typed():
    text = exported(imported("41"), "html")

    assert "<code>&amp;lt;script&amp;gt;alert(1)" in text
    assert "&amp;amp;lt;" in text


def test_a_payload_of_many_megabytes_is_exported_whole(tmp_path: Path):
    rows = [{"row": number, "value": "x" * 80} for number in range(20_000)]
    made = record("at_1", "Export it")
    answer = {"content_type": "tool_result", "tool_name": "export", "tool_use_id": "tu"}
    made["messages"][0]["content"].append(
        {**answer, "status": "success", "runtime_ms": 3, "payload": rows}
    )
    (line,) = run(write(tmp_path / "a.json", made)).threads

    text = exported(line.id, "markdown")

    fenced = text.partition("```json\n")[2].partition("\n```\n")[0]
    assert decode(fenced) == rows


# -- the command -----------------------------------------------------------------------------------


def test_the_default_is_the_verbatim_tier_and_compressed_its_alias():
    thread = imported("35")

    assert exported(thread, "text") == exported(thread, "text", "--tier", "verbatim")
    compressed = exported(thread, "text", "--tier", "compressed")
    assert compressed == exported(thread, "text", "--tier", "deleted")
    assert "Deleted by compression" in compressed
    assert "Deleted by compression" not in exported(thread, "text")


def test_a_variant_without_its_original_is_exported_as_it_is(tmp_path: Path):
    made = record("at_1", "Hello", "Hi")
    made["messages"][1]["content"] = [{"content_type": "compression_filler"}]
    run(write(tmp_path / "a.json", made))

    assert "All content deleted by compression" in exported("at_1", "markdown")


def test_a_thread_is_found_by_the_id_in_its_record():
    thread = imported("33")

    assert exported("at_demo01", "text") == exported(thread, "text")


def test_an_unknown_thread_or_tier_and_a_shared_id_are_errors_that_name_what_there_is(
    tmp_path: Path,
):
    write(tmp_path / "a.json", record("at_1", "Hello"))
    write(tmp_path / "b.json", record("at_1", "Something else"))
    first, second = (line.id for line in run(tmp_path).threads)

    for thread, options, said in [
        ("at_2", (), 'There is no thread "at_2"; give its id, or the id in its record'),
        ("at_1", (), f"{first} (roboto-thread), {second} (roboto-thread)"),
        (first, ("--tier", "x"), f'Thread "{first}" has no tier "x"; its tiers: verbatim'),
    ]:
        with pytest.raises(CommandError) as error:
            exported(thread, "text", *options)
        assert said in str(error.value)
        assert error.value.returncode == 2


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path):
    thread = imported("33")

    with pytest.raises(CommandError, match="cannot be written: No such file") as error:
        exported(thread, "markdown", "-o", str(tmp_path / "none" / "a.md"))

    assert error.value.returncode == 1


def test_a_file_holds_what_is_printed_line_ends_included(tmp_path: Path):
    (line,) = run(write(tmp_path / "a.json", record("at_1", "one\r\ntwo\rthree é"))).threads
    path = tmp_path / "a.txt"

    exported(line.id, "text", "-o", str(path))

    assert path.read_bytes().decode("utf-8") == exported(line.id, "text")
    assert "one\r\ntwo\rthree é".encode() in path.read_bytes()
