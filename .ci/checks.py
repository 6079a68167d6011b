"""Runs every check, each under its heading, and fails at the end if any of them failed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from machine import MachineError, ensure_chromium, private_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent
# A file stays with one worker, so that what its tests share is made once.
PYTEST = (str(TOOLS / "pytest"), "--tb=short", "--numprocesses=2", "--dist=loadfile")
# The other rooms are pure: no database could change what their tests see.
WITH_DATABASE = tuple(
    f"tests/{room}"
    for room in ("api", "cases", "cli", "contract", "importing", "queries", "store", "web")
)

Environment = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one check ended; `closing` is the last line it wrote."""

    title: str
    passed: bool
    seconds: float
    closing: str


def main() -> int:
    """Return the exit code: 0 when every check passed."""
    # The default would leave PostgreSQL running; SystemExit unwinds.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="convviewer-checks-") as folder:
        environment = _own_environment(folder)
        outcomes = list(_run_all(environment))
    return _summarize(outcomes)


def _own_environment(folder: str) -> Environment:
    """The environment without the settings of whoever runs the checks; all files go to `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONVVIEWER_")}
    data_dir = str(Path(folder, "data"))
    return {**kept, "CONVVIEWER_DATA_DIR": data_dir, "TMPDIR": folder, "PYTHONUNBUFFERED": "1"}


def _run_all(environment: Environment) -> Iterator[Outcome]:
    for title, command in _static_checks():
        yield _run(title, command, environment)
    yield _run("pytest on SQLite", (*PYTEST, "-m", "not browser"), environment)
    yield _run_on_postgresql(environment)
    yield _run_in_browser(environment)


def _static_checks() -> Iterator[tuple[str, tuple[str, ...]]]:
    manage = (sys.executable, "manage.py")
    templates = sorted(str(path) for path in (ROOT / "templates").rglob("*.html"))
    yield "ruff check", (str(TOOLS / "ruff"), "check", "--output-format=concise")
    yield "ruff format", (str(TOOLS / "ruff"), "format", "--check")
    yield "mypy", (str(TOOLS / "mypy"),)
    yield "import-linter", (str(TOOLS / "lint-imports"), "--no-logo")
    yield "djade", (str(TOOLS / "djade"), "--check", *templates)
    yield "django check", (*manage, "check", "--fail-level", "WARNING")
    yield "django migrations", (*manage, "makemigrations", "--check", "--dry-run")


def _run_on_postgresql(environment: Environment) -> Outcome:
    title = "pytest on PostgreSQL"
    try:
        with private_postgresql() as url:
            with_url = {**environment, "CONVVIEWER_DATABASE_URL": url}
            return _run(title, (*PYTEST, "-m", "not browser", *WITH_DATABASE), with_url)
    except (MachineError, psycopg.Error) as error:
        return _not_run(title, error)


def _run_in_browser(environment: Environment) -> Outcome:
    title = "pytest in the browser"
    try:
        ensure_chromium()
    except MachineError as error:
        return _not_run(title, error)
    return _run(title, (*PYTEST, "-m", "browser"), environment)


def _run(title: str, command: tuple[str, ...], environment: Environment) -> Outcome:
    """Run one check, passing its output on as it comes."""
    print(f"\n## {title}", flush=True)
    started = time.monotonic()
    closing = ""
    with _start(command, environment) as process:
        try:
            for line in process.stdout or ():
                print(line, end="", flush=True)
                closing = line.strip("= \n") or closing
            process.wait()
        finally:
            process.terminate()  # does nothing to one that has ended
    return Outcome(
        title=title,
        passed=process.returncode == 0,
        seconds=time.monotonic() - started,
        closing=closing,
    )


def _start(command: tuple[str, ...], environment: Environment) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def _not_run(title: str, error: Exception) -> Outcome:
    print(f"\n## {title}\nCould not run: {error}", flush=True)
    return Outcome(title=title, passed=False, seconds=0, closing=f"could not run: {error}")


def _summarize(outcomes: list[Outcome]) -> int:
    print("\n## summary")
    for outcome in outcomes:
        word = "passed" if outcome.passed else "FAILED"
        print(f"{word}  {outcome.seconds:6.1f} s  {outcome.title}: {outcome.closing}")
    failed = sum(not outcome.passed for outcome in outcomes)
    print(f"{failed} of {len(outcomes)} checks failed" if failed else "Every check passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
