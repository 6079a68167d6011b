"""How fast an import is, what it costs in memory, and what repeating it costs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.conf import settings

from convviewer.cli.bench.child import run_step
from convviewer.cli.bench.figures import Figure
from convviewer.cli.bench.inputs import write_records

FILES = 1_000
MESSAGES = 100
ROUNDS = 3
# The largest thread of the input, and what an import may add to an idle process for it.
# Both fill a batch, so that only the number of threads differs.
FEW_AND_MANY = (300, 1_200)
MEMORY_FLOOR_MB = 150
MEMORY_TIMES = 5


def run() -> Iterator[Figure]:
    """100,000 messages in 1,000 files, into SQLite and, where one is set, PostgreSQL."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = folder / "in"
        write_records(source, files=FILES, messages=MESSAGES)
        yield from _one_database("SQLite", source, folder / "sqlite", limit=0.5)
        url = os.environ.get("CONVVIEWER_DATABASE_URL", "")
        if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
            yield from _one_database("PostgreSQL", source, folder / "pg", limit=0.4, server=url)
        yield from _memory(folder)


def _one_database(
    label: str, source: Path, folder: Path, *, limit: float, server: str = ""
) -> Iterator[Figure]:
    # A server works in a process of its own: only the wall clock sees all of it. Elsewhere the
    # processor's time is the same work with less noise from the neighbours.
    clock = "wall" if server else "cpu"
    ratios: list[float] = []
    rates: list[float] = []
    again: list[float] = []
    for round_number in range(ROUNDS):
        with _databases(server) as (ours, theirs):
            here = folder / str(round_number)
            run_step("migrate", data_dir=here / "a", database_url=ours)
            run_step("migrate", data_dir=here / "b", database_url=theirs)
            first = run_step("import_folder", str(source), data_dir=here / "a", database_url=ours)
            second = run_step("import_folder", str(source), data_dir=here / "a", database_url=ours)
            rows = str(here / "rows")
            run_step("dump", rows, data_dir=here / "a", database_url=ours)
            yard = run_step(
                "yardstick", str(source), rows, data_dir=here / "b", database_url=theirs
            )
        ratios.append(yard[clock] / first[clock])
        rates.append(FILES * MESSAGES / first["wall"])
        again.append(first["wall"] / second["wall"])
    name = f"import, {label}"
    yield Figure(bench="import", name=f"{name}: messages a second", value=median(rates), unit="/s")
    yield Figure(
        bench="import",
        name=f"{name}: part of the rate of decoding and inserting alone",
        value=median(ratios),
        unit="",
        limit=limit,
        better="more",
        note=f"of {ROUNDS} rounds {min(ratios):.2f} to {max(ratios):.2f}",
    )
    yield Figure(
        bench="import",
        name=f"{name}: second import, times faster",
        value=median(again),
        unit="x",
        limit=20,
        better="more",
    )


@contextmanager
def _databases(server: str) -> Iterator[tuple[str, str]]:
    """Two empty databases: files of the step's data folder, or made on the PostgreSQL server."""
    if not server:
        yield "", ""
        return
    names = ("convviewer_bench_a", "convviewer_bench_b")
    with psycopg.connect(server, autocommit=True) as admin:
        for name in names:
            admin.execute(f'DROP DATABASE IF EXISTS "{name}"')
            admin.execute(f'CREATE DATABASE "{name}"')
        try:
            yield _named(server, names[0]), _named(server, names[1])
        finally:
            for name in names:
                admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _named(server: str, database: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{database}"))


def _memory(folder: Path) -> Iterator[Figure]:
    """Peak memory: the same for few threads and for many, and bounded by the largest thread."""
    few, many = FEW_AND_MANY
    peaks = {}
    for files in FEW_AND_MANY:
        source = folder / f"memory{files}"
        write_records(source, files=files, messages=MESSAGES)
        run_step("migrate", data_dir=source.with_suffix(".data"))
        peaks[files] = run_step("import_folder", str(source), data_dir=source.with_suffix(".data"))
    yield Figure(
        bench="import",
        name=f"peak memory, {many} threads against {few}",
        value=peaks[many]["peak_mb"] / peaks[few]["peak_mb"],
        unit="x",
        limit=1.1,
    )
    source = folder / "large"
    size = write_records(source, files=1, messages=20_000)
    run_step("migrate", data_dir=folder / "large.data")
    took = run_step("import_folder", str(source), data_dir=folder / "large.data")
    yield Figure(
        bench="import",
        name=f"peak memory over idle, one thread of {size / 1e6:.0f} MB",
        value=took["peak_mb"] - took["idle_mb"],
        unit="MB",
        limit=MEMORY_FLOOR_MB + MEMORY_TIMES * size / 1e6,
    )
