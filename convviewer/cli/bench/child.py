"""Runs one measured step in a process of its own, and prints what it took as JSON."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


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


def children_peak_mb() -> float:
    """The most memory that any one child held; only those count that have been waited for."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _main() -> None:
    import django  # noqa: PLC0415 - only this process sets Django up by itself

    django.setup()
    from convviewer.cli.bench import steps  # noqa: PLC0415 - needs Django

    name, *arguments = sys.argv[1:]
    answer = getattr(steps, name)(*arguments)
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    _main()
