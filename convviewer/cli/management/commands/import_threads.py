"""Imports threads from files, folders and zips."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from convviewer.core.json import encode_strict
from convviewer.importing.importer import import_paths
from convviewer.importing.report import ImportReport, ThreadLine


class Command(BaseCommand):
    """`import_threads PATH... [--json]`; exit codes 0, 1, 2 as interfaces.md states them."""

    help = "Import stored threads from files, folders or zips."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(stderr=True)
        with _bar(console) as bar:
            report = import_paths(options["paths"], progress=_Bar(bar))
        if options["json"]:
            self.stdout.write(encode_strict(report.as_json()))
        else:
            self._write_lines(report)
        if report.exit_code:
            sys.exit(report.exit_code)

    def _write_lines(self, report: ImportReport) -> None:
        for thread in report.threads:
            self._write_thread(thread)
        for ignored in report.ignored:
            self.stdout.write(f"ignored    {ignored.path}: {ignored.reason}")
        for refused in report.refused:
            place = f"{refused.path} at {refused.pointer}" if refused.pointer else refused.path
            self.stdout.write(f"refused    {place}: {refused.reason}")
        self.stdout.write(
            f"{report.count('created')} created, {report.count('updated')} updated, "
            f"{report.count('unchanged')} unchanged, {len(report.ignored)} files ignored, "
            f"{len(report.refused)} refused, in {report.seconds:.1f} s"
        )

    def _write_thread(self, thread: ThreadLine) -> None:
        tiers = ", ".join(f"{tier.name} {tier.messages}" for tier in thread.tiers)
        name = f"{thread.external_id} {thread.agent_id}".strip()
        if thread.action != "unchanged" or thread.warnings:
            self.stdout.write(f"{thread.action:<10} {thread.format} {name} ({tiers})")
        for warning in thread.warnings:
            self.stdout.write(f"  {warning.code}: {warning.message}")


def _bar(console: Console) -> Progress:
    """A bar on a terminal; silent otherwise."""
    return Progress(
        TextColumn("Importing"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


class _Bar:
    """Import progress on a terminal's bar."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("import", total=0)
        self._total = 0

    def begin(self, total_bytes: int, total_files: int) -> None:
        """Add one more source's bytes."""
        self._total += total_bytes
        self._bar.update(self._task, total=self._total)

    def advance(self, done_bytes: int, done_files: int) -> None:
        """Move on."""
        self._bar.advance(self._task, done_bytes)
