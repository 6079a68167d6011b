"""Reading beside the writer: the same content in the store, the same errors, nobody left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import active_children
from pathlib import Path
from typing import Any, cast

import pytest
from django.apps import apps
from django.conf import settings

from convviewer.formats.base import Refused
from convviewer.formats.source import open_source
from convviewer.importing import readers
from convviewer.importing.importer import import_paths
from convviewer.importing.units import Claim, claim_files
from tests.importing.build import CASES, record, write

ROOT = Path(__file__).parents[2]
# Times, and the counters of ids, which go on where they were.
_OWN = {"imported_at", "sort_at", "id", "pk"}


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little there is to read, another process reads it."""
    monkeypatch.setattr(readers, "WORTH_BYTES", 0)
    monkeypatch.setattr(readers, "reader_count", lambda: 1)


class _Watched:
    """Progress that notes whether other processes are at work."""

    def __init__(self) -> None:
        self.helped = False

    def begin(self, total_bytes: int, total_files: int) -> None:
        """Nothing to note."""

    def advance(self, done_bytes: int, done_files: int) -> None:
        self.helped = self.helped or bool(active_children())


@pytest.mark.django_db
def test_the_store_and_the_report_are_the_same_whoever_reads(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for folder in CASES.glob("*/input"):
        shutil.copytree(folder, tmp_path / folder.parent.name)
    alone = _imported(tmp_path)
    _empty_the_store()
    request.getfixturevalue("beside")
    progress = _Watched()

    together = _imported(tmp_path, progress)

    assert progress.helped
    assert together == alone
    assert not active_children()


def _imported(folder: Path, progress: _Watched | None = None) -> dict[str, Any]:
    report = import_paths([folder], progress).as_json()
    totals = {**cast("dict[str, Any]", report["totals"]), "seconds": 0}
    rows = {
        name: [
            {key: value for key, value in row.items() if key not in _OWN and "_id" not in key}
            for row in apps.get_model("convviewer", name).objects.order_by("pk").values()
        ]
        for name in ("Thread", "Tier", "Message", "ToolCall", "OutlineItem", "ComparisonRow")
    }
    return {"report": {**report, "totals": totals}, **rows}


def _empty_the_store() -> None:
    for name in ("Thread", "Blob", "ImportedUnit"):
        apps.get_model("convviewer", name).objects.all().delete()


@pytest.mark.parametrize("reads", ["alone", "beside"])
def test_a_file_that_is_gone_when_it_is_read_is_refused_by_name(
    reads: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if reads == "beside":
        request.getfixturevalue("beside")
    write(tmp_path / "a.json", record("at_a", "Hello", "Hi"))
    write(tmp_path / "b.json", record("at_b", "Hello", "Hi"))
    source = open_source(tmp_path)
    claims = claim_files(source, source.files).claims
    (tmp_path / "a.json").unlink()

    with readers.readers(source, source.files) as reading:
        (gone,), (kept,) = [list(found) for _, found in reading.read(claims)]

    reason = "cannot be read (No such file or directory); check its permissions"
    assert gone == Refused(path="a.json", pointer="", reason=reason)
    assert not isinstance(kept, Refused)


@pytest.mark.parametrize("reads", ["alone", "beside"])
def test_an_error_that_nobody_foresaw_is_raised_where_the_import_runs(
    reads: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if reads == "beside":
        request.getfixturevalue("beside")
    write(tmp_path / "a.json", record("at_a", "Hello", "Hi"))
    source = open_source(tmp_path)
    (claim,) = claim_files(source, source.files).claims
    broken = _Broken()

    with (
        pytest.raises(ZeroDivisionError, match="nobody foresaw"),
        readers.readers(source, source.files) as reading,
    ):
        _drain(reading, [Claim(format=broken, unit=claim.unit, folder=None)])

    assert not active_children()


def _drain(reading: readers.Readers, claims: list[Claim]) -> None:
    for _, found in reading.read(claims):
        list(found)


class _Broken:
    """A format with a fault of its own."""

    name = label = "broken"

    def sniff(self, head: bytes, path: Any) -> int:
        return 0

    def folder_of(self, path: Any) -> None:
        return None

    def read(self, unit: Any) -> Any:
        raise ZeroDivisionError("nobody foresaw this")

    def merge(self, kept: Any, incoming: Any) -> Any:
        return incoming


KILLED = """
import sys
from pathlib import Path
import django
django.setup()
from convviewer.importing import readers
from convviewer.importing.importer import import_paths
readers.WORTH_BYTES = 0
readers.reader_count = lambda: 2
readers.GROUP_BYTES = 1
import_paths([Path(sys.argv[1])])
"""


def test_readers_leave_with_an_import_that_is_killed(tmp_path: Path) -> None:
    for number in range(3_000):
        write(tmp_path / "in" / f"{number}.json", record(f"at_{number}", *["word " * 200] * 10))
    environment = {
        **os.environ,
        "CONVVIEWER_DATA_DIR": str(tmp_path),
        "CONVVIEWER_DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE,
    }
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, env=environment, cwd=ROOT, check=True)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "in")], env=environment, cwd=ROOT
    )
    _wait_for(lambda: len(_children(process.pid)) > 2)  # two readers, and their tracker
    children = _children(process.pid)

    process.send_signal(signal.SIGKILL)
    process.wait()

    _wait_for(lambda: not any(map(_is_alive, children)))


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not come to pass within a minute"
        time.sleep(0.02)
