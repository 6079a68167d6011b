"""Formats against each other, the store against the formats, a second import against the first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from convviewer.core.thread import Thread
from convviewer.formats import all_formats
from convviewer.formats.base import Format
from convviewer.formats.source import SourceFile
from convviewer.importing.importer import import_paths
from convviewer.store import models
from convviewer.store.load import load_thread
from tests.contract.library import (
    ROOT,
    ROOTS,
    SAMPLES,
    Library,
    claims_of,
    rooted,
    short,
    stored_library,
)

FORMATS = {form.name: form for form in all_formats()}


@pytest.fixture(scope="module")
def library(django_db_setup: None, django_db_blocker: Any) -> Iterator[Library]:
    yield from stored_library(django_db_blocker)


def owner(path: str) -> str:
    """The format of a file of the samples, by where its writer put it."""
    top = path.split("/", maxsplit=1)[0]
    return {
        "strands": "strands-files",
        "snapshots": "strands-snapshots",
        "typescript": "strands-snapshots",
        "typescript-older": "strands-snapshots",
        "messages": "strands-messages",
        "converse": "strands-messages",
        "roboto": "roboto-thread",
        "bundles": "bundle",
    }[top]


def sample_files() -> dict[str, SourceFile]:
    source, _ = claims_of(SAMPLES)
    return {file.path: file for file in source.files}


def test_every_module_with_a_format_is_found() -> None:
    folder = ROOT / "convviewer" / "formats"
    modules = {
        path.stem.replace("_", "-")
        for path in folder.glob("*.py")
        if "\nFORMAT" in path.read_text()
    }

    assert set(FORMATS) == modules


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_a_format_has_samples_and_wins_them_and_no_others(form: Format) -> None:
    files = sample_files()
    own = [file for path, file in files.items() if owner(path) == form.name]

    assert own
    for file in files.values():
        scores = {
            name: other.sniff(file.head(), PurePosixPath(file.path))
            for name, other in FORMATS.items()
        }
        others = max(score for name, score in scores.items() if name != form.name)
        if owner(file.path) == form.name and max(scores.values()):
            assert scores[form.name] > others, file.path
        elif owner(file.path) != form.name:
            assert scores[form.name] == 0 or scores[form.name] < others, file.path


@pytest.mark.parametrize("head", [b"", b"\0" * 40, b"{", b"[", b"[]", b"{}", b"null", b"\xff\xfe{"])
def test_no_format_claims_what_is_no_thread(head: bytes) -> None:
    for form in FORMATS.values():
        assert form.sniff(head, PurePosixPath("notes.json")) == 0, form.name


def test_every_format_is_in_a_recorded_case_or_sample() -> None:
    names = {claim.format.name for root in ROOTS for claim in claims_of(root)[1]}

    assert names == set(FORMATS)


def threads_read(root: Path) -> dict[tuple[str, str, str], Thread]:
    """The threads of a root as their formats make them, parts of one thread merged in order."""
    threads: dict[tuple[str, str, str], Thread] = {}
    for claim in claims_of(root)[1]:
        for found in claim.format.read(claim.unit):
            if isinstance(found, Thread):
                key = (found.format, found.external_id, found.agent_id)
                known = threads.get(key)
                threads[key] = claim.format.merge(known, found) if known else found
    return threads


@pytest.fixture
def deep_comparisons() -> Iterator[None]:
    """Room to compare values that nest thousands deep."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(40_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.django_db
@rooted()
@pytest.mark.usefixtures("deep_comparisons")
def test_what_is_read_is_stored_and_loaded_equal(root: Path) -> None:
    read = threads_read(root)

    import_paths([root])

    loaded = {}
    for row in models.Thread.objects.all():
        thread = load_thread(row)
        loaded[thread.format, thread.external_id, thread.agent_id] = thread
    assert loaded.keys() == read.keys()
    for key, thread in read.items():
        assert comparable(loaded[key]) == comparable(thread), key


def comparable(thread: Thread) -> dict[str, Any]:
    """A thread's parts by name, so that a difference is named; media by hash as stored."""
    parts: dict[str, Any] = {
        name: getattr(thread, name)
        for name in ("title", "status", "agent", "tasks", "goals", "multi_agent", "unplaced")
    }
    parts["facts"] = thread.facts
    for tier in thread.tiers:
        for number, message in enumerate(tier.messages):
            parts[f"{tier.name} {number}"] = message
        parts[f"{tier.name} kind"] = (tier.kind, tier.strategy, tier.captured_at)
    return parts


@rooted()
def test_a_second_import_changes_nothing(library: Library, root: Path) -> None:
    first = library.reports[root]

    again = import_paths([root])

    assert {line.action for line in again.threads} <= {"unchanged"}, short(root)
    assert [line.id for line in again.threads] == first.ids
    assert len(again.ignored) == len(first.report["ignored"])
    assert again.exit_code == first.exit_code == 0
