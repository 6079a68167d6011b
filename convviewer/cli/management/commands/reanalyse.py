"""Works out again what older versions worked out."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import Progress

from convviewer.importing.reanalyse import reanalyse


class Command(BaseCommand):
    """`reanalyse`; a second run finds nothing to do."""

    help = "Recompute alignments made by older versions."

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(stderr=True)
        with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
            task = bar.add_task("Aligning", total=0)
            renewed = reanalyse(lambda done, total: bar.update(task, completed=done, total=total))
        self.stdout.write(f"{renewed} comparisons were out of date")
