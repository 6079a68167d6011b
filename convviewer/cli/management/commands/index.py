"""Brings the search index up to date."""

from __future__ import annotations

from time import sleep
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from convviewer.core.text import count
from convviewer.importing.indexer import index_now, pending_messages

_LOOK_AGAIN_SECONDS: Final = 0.5


class Command(BaseCommand):
    """`index [--wait]`: without it, leaves the work to a worker that is at it already."""

    help = "Make all stored messages searchable. `serve` does the same in the background."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--wait",
            action="store_true",
            help="return when nothing is left, also where a server does the work",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        done = 0
        with _bar() as bar:
            task = bar.add_task("index", total=pending_messages())

            def note(messages: int) -> None:
                nonlocal done
                done += messages
                bar.update(task, completed=done, total=max(done, bar.tasks[task].total or 0))

            ours = index_now(note)
            while options["wait"] and (left := pending_messages()):
                bar.update(task, total=done + left)
                ours = index_now(note)
                if not ours:
                    sleep(_LOOK_AGAIN_SECONDS)
        self.stdout.write(_said(done, ours=ours or options["wait"]))


def _said(done: int, *, ours: bool) -> str:
    words = f"{count(done, 'message')} indexed"
    if ours:
        return f"{words}; everything stored can be searched"
    return f"{words}; another process is indexing, --wait waits for it"


def _bar() -> Progress:
    """A bar on a terminal; silent otherwise."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("Indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
