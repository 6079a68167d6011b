"""Runs one measured step in a process of its own, and prints what it took as JSON."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

_LOOK_SECONDS: Final = 0.05
_OWN_MEMORY: Final = re.compile(r"RssAnon:\s+(\d+) kB")


def run_step(name: str, *arguments: str, data_dir: Path, database_url: str = "") -> dict[str, Any]:
    """The step's answer."""
    environment = {
        **os.environ,
        "CONVVIEWER_DATA_DIR": str(data_dir),
        "CONVVIEWER_DATABASE_URL": database_url,
        "DJANGO_SETTINGS_MODULE": "convviewer.config.settings",
    }
    command = [sys.executable, "-m", "convviewer.cli.bench.child", name, *arguments]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)  # noqa: S603
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measured(work: Callable[[], Any]) -> dict[str, float]:
    """Seconds of wall clock and processor that the work took, with the children it waited for."""
    wall, cpu = time.perf_counter(), _processor_seconds()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": _processor_seconds() - cpu}


def peak_mb() -> float:
    """The most memory this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def children_watched() -> Iterator[dict[int, float]]:
    """The most memory of its own, in MB, that each child held in the block, by its process id.

    Looked up in /proc: what the system counts for ended children starts with their parent's size.
    Libraries that a child maps are in memory once, and counted with this process.
    """
    peaks: dict[int, float] = {}
    ended = Event()
    watcher = Thread(target=_watch_children, args=(peaks, ended))
    watcher.start()
    try:
        yield peaks
    finally:
        ended.set()
        watcher.join()


def _watch_children(peaks: dict[int, float], ended: Event) -> None:
    own = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
    while not ended.wait(_LOOK_SECONDS):
        for pid in Path(own).read_text().split():
            with suppress(OSError):  # gone meanwhile
                found = _OWN_MEMORY.search(Path(f"/proc/{pid}/status").read_text())
                if found:
                    peaks[int(pid)] = max(peaks.get(int(pid), 0.0), int(found[1]) / 1024)


def _processor_seconds() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in used)


def _main() -> None:
    import django  # noqa: PLC0415 - only this process sets Django up by itself

    django.setup()
    from convviewer.cli.bench import steps  # noqa: PLC0415 - needs Django

    name, *arguments = sys.argv[1:]
    answer = getattr(steps, name)(*arguments)
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    _main()
