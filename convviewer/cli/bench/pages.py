"""What a reading page costs in a long thread, against a short one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from convviewer.cli.bench.child import run_step
from convviewer.cli.bench.figures import Figure
from convviewer.cli.bench.inputs import write_records

SHORT, LONG = 200, 50_000
PERMALINK = 45_000
MAX_HTML = 300_000
MAX_NODES = 3_000
MAX_SLOWER = 1.5
MAX_VISIBLE_SECONDS = 1.0


def run() -> Iterator[Figure]:
    """The first window, and a permalink far inside, of a thread of 50,000 messages."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        threads = {}
        for messages in (SHORT, LONG):
            source = folder / f"in{messages}"
            write_records(source, files=1, messages=messages)
            here = folder / f"data{messages}"
            run_step("migrate", data_dir=here)
            run_step("import_folder", str(source), data_dir=here)
            threads[messages] = here
        keys = {SHORT: str(SHORT // 2), LONG: str(PERMALINK)}
        took = {
            messages: run_step("read_pages", keys[messages], data_dir=here)
            for messages, here in threads.items()
        }
        for page in ("first", "permalink"):
            yield from _page(page, took[SHORT][page], took[LONG][page])
        shown = run_step("show_pages", keys[LONG], data_dir=threads[LONG])
        for page in ("first", "permalink"):
            yield Figure(
                bench="pages",
                name=f"reading page, {page} of {LONG:,} messages: visible in Chromium",
                value=shown[page],
                unit="s",
                limit=MAX_VISIBLE_SECONDS,
            )


def _page(page: str, short: dict[str, Any], long: dict[str, Any]) -> Iterator[Figure]:
    name = f"reading page, {page} of {LONG:,} messages"
    yield Figure(
        bench="pages",
        name=f"{name}: server time against {SHORT} messages",
        value=long["seconds"] / short["seconds"],
        unit="x",
        limit=MAX_SLOWER,
        note=f"{long['seconds'] * 1000:.0f} ms against {short['seconds'] * 1000:.0f} ms",
    )
    limits = (("html", "bytes", MAX_HTML), ("nodes", "nodes", MAX_NODES))
    for key, unit, limit in limits:
        yield Figure(bench="pages", name=f"{name}: {key}", value=long[key], unit=unit, limit=limit)
    yield Figure(
        bench="pages",
        name=f"{name}: queries more than of {SHORT}",
        value=long["queries"] - short["queries"],
        unit="",
        limit=0,
        note=f"{long['queries']} queries",
    )
