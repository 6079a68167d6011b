"""Every thread that the repository holds: samples, recorded cases, sessions of the SDKs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from convviewer.formats.source import Source, open_source
from convviewer.importing.importer import import_paths
from convviewer.importing.units import Claim, claim_files
from tests.cases.seen import CASES, Imported

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "convviewer" / "samples"
SDK = ROOT / "tests" / "data" / "sdk"
SESSIONS = sorted(path for path in SDK.iterdir() if path.is_dir())
CASE_INPUTS = sorted(path / "input" for path in CASES.iterdir() if (path / "input").is_dir())
ROOTS = (SAMPLES, *CASE_INPUTS, *(session / "input" for session in SESSIONS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What is stored: the report of each root, and which session has which thread."""

    reports: dict[Path, Imported]

    @property
    def ids(self) -> list[str]:
        """Every thread once."""
        return sorted({line for report in self.reports.values() for line in report.ids})

    def of(self, root: Path) -> list[str]:
        """The threads of one root, each once."""
        return list(dict.fromkeys(self.reports[root].ids))


def stored_library(blocker: Any, roots: tuple[Path, ...] = ROOTS) -> Iterator[Library]:
    """Import the roots once; whatever is written goes away at the end.

    Tests that use it must not ask for a database of their own.
    """
    with blocker.unblock(), transaction.atomic():
        reports = {}
        for root in roots:
            report = import_paths([root])
            wire = json.loads(json.dumps(report.as_json()))
            reports[root] = Imported(report=wire, exit_code=report.exit_code)
        yield Library(reports=reports)
        transaction.set_rollback(True)


def claims_of(root: Path) -> tuple[Source, tuple[Claim, ...]]:
    """The units of a root with the format that reads each."""
    source = open_source(root)
    found = claim_files(source, source.files)
    assert not found.refused
    return source, found.claims


def short(path: Path) -> str:
    """A root's name in test names."""
    return path.parent.name if path.name == "input" else path.name


def rooted(*roots: Path) -> pytest.MarkDecorator:
    """One test for each root."""
    return pytest.mark.parametrize("root", roots or ROOTS, ids=short)
