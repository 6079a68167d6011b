"""What the checks need from the machine: PostgreSQL and Chromium, found or else installed."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_PACKAGES = ("chromium", "fonts-liberation")
POSTGRESQL_PACKAGES = ("postgresql",)

# A test database is worth nothing after a crash.
SERVER_OPTIONS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"


class MachineError(Exception):
    """A tool is missing or does not start; the message says what a person must do."""


def find_chromium() -> Path | None:
    """Return the first Chromium on PATH."""
    return next((Path(path) for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


def ensure_chromium() -> None:
    """Install Debian's Chromium when there is none."""
    if find_chromium() is None:
        _install(CHROMIUM_PACKAGES)


@contextmanager
def private_postgresql() -> Iterator[str]:
    """Run a fresh cluster on a free loopback port, and leave nothing of it behind.

    Yields the postgresql:// URL of a superuser. The server refuses to run as root, so root hands
    it to an unprivileged user.
    """
    binaries = _postgresql_binaries()
    folder = Path(tempfile.mkdtemp(prefix="convviewer-postgresql-"))
    owner = _server_owner()
    password = secrets.token_hex(16)
    try:
        _create_cluster(binaries, folder, owner, password)
        port = _free_port()
        _start_server(binaries, folder, owner, port)
        try:
            url = f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"
            _require_trigrams(url)
            yield url
        finally:
            _pg_ctl(binaries, folder, owner, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _postgresql_binaries() -> Path:
    if (found := _find_postgresql_binaries()) is not None:
        return found
    _install(POSTGRESQL_PACKAGES)
    if (found := _find_postgresql_binaries()) is not None:
        return found
    raise MachineError("apt-get installed postgresql, but there is still no initdb")


def _find_postgresql_binaries() -> Path | None:
    """Return the newest of Debian's versions, which are not on PATH, or else what PATH offers."""
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    if newest := max(versions, key=lambda path: int(path.parts[-3]), default=None):
        return newest.parent
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


def _server_owner() -> pwd.struct_passwd:
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    names = {entry.pw_name for entry in pwd.getpwall()}
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")


def _create_cluster(binaries: Path, folder: Path, owner: pwd.struct_passwd, password: str) -> None:
    password_file = folder / "password"
    password_file.write_text(password, encoding="ascii")
    for path in (folder, password_file):
        os.chown(path, owner.pw_uid, owner.pw_gid)
    _run_as(
        owner,
        str(binaries / "initdb"),
        *("--pgdata", str(folder / "data"), "--username", "postgres"),
        *("--auth", "scram-sha-256", "--pwfile", str(password_file)),
        *("--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"),
    )


def _start_server(binaries: Path, folder: Path, owner: pwd.struct_passwd, port: int) -> None:
    log = folder / "log"
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k '' {SERVER_OPTIONS}"
    try:
        _pg_ctl(binaries, folder, owner, "-l", str(log), "-o", options, "start")
    except MachineError as error:
        raise MachineError(f"{error}; its log:\n{log.read_text(errors='replace')}") from error


def _pg_ctl(binaries: Path, folder: Path, owner: pwd.struct_passwd, *arguments: str) -> None:
    _run_as(owner, str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-w", *arguments)


def _run_as(owner: pwd.struct_passwd, *command: str) -> None:
    """Run without output but errors, as the given user when we are root."""
    is_root = os.geteuid() == 0
    done = subprocess.run(
        command,
        check=False,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        user=owner.pw_uid if is_root else None,
        group=owner.pw_gid if is_root else None,
        extra_groups=[] if is_root else None,
    )
    if done.returncode != 0:
        raise MachineError(f"{Path(command[0]).name} failed")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _require_trigrams(url: str) -> None:
    with psycopg.connect(url) as connection:
        query = "SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'"
        if connection.execute(query).fetchone() is None:
            raise MachineError("PostgreSQL lacks pg_trgm; install its contrib package")


def _install(packages: tuple[str, ...]) -> None:
    """Install Debian packages as root or by sudo without a password."""
    wanted = f"apt-get install {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise MachineError(f"install the equivalent of: {wanted}")
    prefix = _become_root()
    if prefix is None:
        raise MachineError(f"run as root: {wanted}")
    print(f"Installing: {wanted}", flush=True)
    apt = (*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq")
    apt = (*apt, "-o", "DPkg::Lock::Timeout=300")
    # One unreachable repository need not matter; what is missing then shows at the install.
    subprocess.run((*apt, "update"), check=False, stdin=subprocess.DEVNULL)
    installing = subprocess.run(
        (*apt, "install", "--yes", "--no-install-recommends", *packages),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    if installing.returncode != 0:
        raise MachineError(f"this failed: {wanted}")


def _become_root() -> tuple[str, ...] | None:
    if os.geteuid() == 0:
        return ()
    sudo = ("sudo", "-n")
    if shutil.which("sudo") and subprocess.run((*sudo, "true"), check=False).returncode == 0:
        return sudo
    return None
