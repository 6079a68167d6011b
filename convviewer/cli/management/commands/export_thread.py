"""Writes a stored thread in another form."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from convviewer.core.errors import ConvviewerError
from convviewer.queries.export import export, export_formats
from convviewer.queries.named_thread import thread_named

_USAGE: Final = 2


class Command(BaseCommand):
    """`export_thread ID --format NAME`.

    Exit code 1 when the file cannot be written, 2 when the thread or a tier is none, or is not one.
    """

    help = "Write a stored thread as a bundle, Markdown, plain text, HTML or messages of an SDK."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", metavar="ID", help="its id, or the id in its record")
        parser.add_argument("--format", required=True, choices=export_formats())
        parser.add_argument(
            "--tier",
            default="",
            metavar="NAME",
            help="a tier's name, or compressed; default: verbatim, all tiers in a bundle",
        )
        parser.add_argument(
            "--include-redacted",
            action="store_true",
            help="also write what redactions replaced",
        )
        parser.add_argument("-o", "--output", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made = export(
                thread_named(options["id"]),
                options["format"],
                options["tier"],
                include_redacted=options["include_redacted"],
            )
        except ConvviewerError as error:
            raise CommandError(str(error), returncode=_USAGE) from error
        if options["output"] is None:
            self._print(made.parts)
        else:
            _write_file(options["output"], made.parts)

    def _print(self, parts: Iterator[str]) -> None:
        """Print the text as UTF-8, whatever the locale, and without changing a line's end."""
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", newline="")
        try:
            for part in parts:
                self.stdout.write(part, ending="")
            self.stdout.flush()
        except BrokenPipeError:  # whoever read it, `head` for one, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_file(path: Path, parts: Iterator[str]) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(parts)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
