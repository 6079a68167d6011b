"""How fast an import is, what it costs in memory, and what repeating it costs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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


@dataclass(slots=True, kw_only=True)
class _Rounds:
    """What each round gave, as parts of the yardstick's rate and times faster than the first."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)


def _one_database(
    label: str, source: Path, folder: Path, *, limit: float, server: str = ""
) -> Iterator[Figure]:
    rounds = _Rounds()
    for number in range(ROUNDS):
        with _databases(server) as databases:
            _one_round(rounds, source, folder / str(number), databases)
    name = f"import, {label}"
    rate = median(rounds.rates)
    yield Figure(bench="import", name=f"{name}: messages a second", value=rate, unit="/s")
    part = f"{name}: part of the rate of decoding and inserting alone"
    yield Figure(
        bench="import",
        name=part,
        value=median(rounds.wall),
        unit="",
        limit=limit,
        better="more",
        note=f"of {ROUNDS} rounds {min(rounds.wall):.2f} to {max(rounds.wall):.2f}",
    )
    yield Figure(
        bench="import",
        name=f"{part}, by processor time",
        value=median(rounds.cpu),
        unit="",
        better="more",
        note="a server's own time is in neither" if server else "readers included",
    )
    yield Figure(
        bench="import",
        name=f"{name}: second import, times faster",
        value=median(rounds.again),
        unit="x",
        limit=20,
        better="more",
    )


def _one_round(rounds: _Rounds, source: Path, here: Path, databases: tuple[str, str]) -> None:
    """Import, import again, and do the yardstick's work in another database, one by one."""
    ours, theirs = databases
    run_step("migrate", data_dir=here / "a", database_url=ours)
    run_step("migrate", data_dir=here / "b", database_url=theirs)
    first = run_step("import_folder", str(source), data_dir=here / "a", database_url=ours)
    second = run_step("import_folder", str(source), data_dir=here / "a", database_url=ours)
    rows = str(here / "rows")
    run_step("dump", rows, data_dir=here / "a", database_url=ours)
    yard = run_step("yardstick", str(source), rows, data_dir=here / "b", database_url=theirs)
    shutil.rmtree(here)
    rounds.wall.append(yard["wall"] / first["wall"])
    rounds.cpu.append(yard["cpu"] / first["cpu"])
    rounds.rates.append(FILES * MESSAGES / first["wall"])
    rounds.again.append(first["wall"] / second["wall"])


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
    few, many = (_import_of(folder, files=files, messages=MESSAGES) for files in FEW_AND_MANY)
    yield Figure(
        bench="import",
        name=f"peak memory, {FEW_AND_MANY[1]:,} threads against {FEW_AND_MANY[0]:,}",
        value=many.peak / few.peak,
        unit="x",
        limit=1.1,
    )
    for took in (many, _import_of(folder, files=1, messages=20_000)):
        yield Figure(
            bench="import",
            name=f"peak memory over idle, largest thread of {took.largest:.1f} MB",
            value=took.peak - took.idle,
            unit="MB",
            limit=MEMORY_FLOOR_MB + MEMORY_TIMES * took.largest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memory:
    """Of one import, in MB; `peak` is that of all its processes."""

    idle: float
    peak: float
    largest: float


def _import_of(folder: Path, *, files: int, messages: int) -> _Memory:
    source = folder / f"{files}x{messages}"
    write_records(source, files=files, messages=messages)
    data = source.with_suffix(".data")
    run_step("migrate", data_dir=data)
    took = run_step("import_folder", str(source), data_dir=data)
    largest = max(file.stat().st_size for file in source.iterdir()) / 1e6
    return _Memory(idle=took["idle_mb"], peak=took["peak_mb"], largest=largest)
