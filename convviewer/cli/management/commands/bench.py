"""Runs the benchmarks and says which limits hold."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.table import Table

from convviewer.cli.bench import importing, pages
from convviewer.cli.bench.figures import Figure

BENCHES = {"import": importing.run, "pages": pages.run}


class Command(BaseCommand):
    """`bench [NAME] [--json]`; exit code 1 when a limit is missed."""

    help = "Measure against yardsticks of the same run; needs the development packages."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", choices=sorted(BENCHES))
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        names = [options["name"]] if options["name"] else list(BENCHES)
        figures = [figure for name in names for figure in BENCHES[name]()]
        if options["json"]:
            lines = [{**asdict(figure), "holds": figure.holds} for figure in figures]
            self.stdout.write(json.dumps({"figures": lines}))
        else:
            Console().print(_table(figures))
        if not all(figure.holds for figure in figures):
            sys.exit(1)


def _table(figures: list[Figure]) -> Table:
    table = Table("what", "measured", "must reach", "holds", "note")
    for figure in figures:
        sign = "≥" if figure.better == "more" else "≤"
        limit = "" if figure.limit is None else f"{sign} {figure.limit:,.4g}"
        holds = "" if figure.limit is None else "yes" if figure.holds else "NO"
        value = f"{figure.value:,.4g} {figure.unit}".strip()
        table.add_row(figure.name, value, limit, holds, figure.note)
    return table
