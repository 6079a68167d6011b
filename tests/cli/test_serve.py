"""`manage.py serve`, run as people run it."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.test import override_settings

from tests.factories.records import record

ROOT = Path(__file__).parents[2]
SECONDS = 60
Serve = Callable[..., "Server"]


class Server:
    """A running server, at the port that it told."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.line = process.stdout.readline()
        found = re.fullmatch(r"convviewer is at (http://([^/]+):(\d+)/)\n", self.line)
        assert found, self.line + process.stdout.read()
        self.url, self.host, self.port = found[1], found[2], int(found[3])

    def ask(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONVVIEWER_")}
    return {**kept, "CONVVIEWER_DATA_DIR": str(data_dir), **more}


def start(data_dir: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "manage.py", "serve", *arguments),
        cwd=ROOT,
        env=environment(data_dir, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def used_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as a first start leaves it."""
    folder = tmp_path_factory.mktemp("used") / "data"
    with start(folder, "--port", "0") as process:
        Server(process)
        process.terminate()
    return folder


@pytest.fixture
def serve(tmp_path: Path, used_folder: Path) -> Iterator[Serve]:
    """Start servers on a free port, all with one data folder of the test's own."""
    running: list[subprocess.Popen[str]] = []
    data_dir = tmp_path / "data"
    shutil.copytree(used_folder, data_dir)

    def start_one(*arguments: str, **more: str) -> Server:
        running.append(start(data_dir, "--port", "0", *arguments, **more))
        return Server(running[-1])

    yield start_one
    for process in running:
        process.kill()
        process.communicate(timeout=SECONDS)


def wait_for(check: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.05)
    pytest.fail("it did not come in time")


def test_pages_come_with_packed_static_files(serve: Serve) -> None:
    server = serve()

    status, headers, page = server.ask("GET", "/")
    sheet = re.search(r'href="(/static/css/app\.[0-9a-f]{12}\.css)"', page.decode())

    assert (status, server.host) == (200, "127.0.0.1")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "Server" not in headers
    assert sheet
    status, headers, _ = server.ask("GET", sheet[1], Accept_Encoding="gzip")
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert "immutable" in headers["Cache-Control"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    for asset in re.findall(r'(?:src|href)="(/static/[^"#]+)', page.decode()):
        assert server.ask("GET", asset)[0] == 200, asset


def test_a_second_start_collects_nothing(serve: Serve, tmp_path: Path) -> None:
    manifest = tmp_path / "data" / "static" / "staticfiles.json"
    before = manifest.stat().st_mtime_ns

    assert serve().ask("GET", "/-/health")[0] == 200

    assert manifest.stat().st_mtime_ns == before


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(serve: Serve, sent: signal.Signals) -> None:
    server = serve()
    assert server.ask("GET", "/-/health")[0] == 200

    server.process.send_signal(sent)
    output, _ = server.process.communicate(timeout=SECONDS)

    assert server.process.returncode == 0
    assert output == ""


def test_a_port_in_use_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start(tmp_path, "--port", str(port))
        output, _ = process.communicate(timeout=SECONDS)

    assert process.returncode == 1
    assert output == (
        f"CommandError: Cannot listen on port {port}: Address already in use. "
        "Choose another with --port, or a free one with --port 0.\n"
    )
    assert not (tmp_path / "convviewer.sqlite3").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])  # noqa: S104
def test_an_address_that_others_can_reach_is_refused(host: str) -> None:
    with pytest.raises(CommandError, match="CONVVIEWER_ALLOW_REMOTE=1"):
        call_command("serve", "--host", host, "--port", "0")


def test_serving_others_needs_the_names_they_use() -> None:
    with (
        override_settings(ALLOW_REMOTE=True, ALLOWED_HOSTS=["127.0.0.1", "localhost", "[::1]"]),
        pytest.raises(CommandError, match="CONVVIEWER_ALLOWED_HOSTS"),
    ):
        call_command("serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104


def test_others_are_served_under_the_names_that_are_set(serve: Serve) -> None:
    server = serve(
        "--host",
        "0.0.0.0",  # noqa: S104
        CONVVIEWER_ALLOW_REMOTE="1",
        CONVVIEWER_ALLOWED_HOSTS="threads.example",
    )

    assert server.ask("GET", "/", Host="threads.example")[0] == 200
    assert server.ask("GET", "/", Host="other.example")[0] == 400


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_number_that_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(CommandError, match=f"{port} is no port"):
        call_command("serve", "--port", port)


def test_a_name_for_this_machine_is_kept_in_the_address(serve: Serve) -> None:
    server = serve("--host", "localhost")

    assert server.url == f"http://localhost:{server.port}/"


def test_a_sent_file_is_imported_behind_the_request(serve: Serve) -> None:
    server = serve()
    _, headers, page = server.ask("GET", "/import/")
    cookie = SimpleCookie(headers["Set-Cookie"])["csrftoken"].value
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.decode())
    assert token
    sent = json.dumps(record("th_1", title="Lidar"))
    body = (
        '--b\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
        f"{token[1]}\r\n"
        '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a/t.json"\r\n\r\n'
        f"{sent}\r\n--b--\r\n"
    ).encode()

    status, headers, _ = server.ask(
        "POST",
        "/import/",
        body,
        Content_Type="multipart/form-data; boundary=b",
        Cookie=f"csrftoken={cookie}",
        Origin=server.url.rstrip("/"),
        Sec_Fetch_Site="same-origin",
    )

    assert status == 302
    report = wait_for(lambda: "done, 1 file" in server.ask("GET", headers["Location"])[2].decode())
    assert report
    assert b">Lidar</a>" in server.ask("GET", "/")[2]


def test_a_run_that_was_cut_off_is_marked_at_the_next_start(serve: Serve, tmp_path: Path) -> None:
    serve().process.kill()
    code = "from convviewer.store.runs import create_run; create_run('run1', 'threads.zip')"
    subprocess.run(
        (sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", code),
        cwd=ROOT,
        env=environment(tmp_path / "data"),
        check=True,
        timeout=SECONDS,
    )

    _, _, page = serve().ask("GET", "/import/?run=run1")

    assert "cut off when the server stopped" in page.decode()


def test_a_data_folder_that_cannot_be_made_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = start(tmp_path / "file" / "data")
    output, _ = process.communicate(timeout=SECONDS)

    assert process.returncode == 1
    assert output == (
        f"Settings: the data folder {tmp_path / 'file' / 'data'} cannot be used "
        "(Not a directory). Set CONVVIEWER_DATA_DIR to a folder of your own.\n"
    )


def test_debugging_in_public_is_warned_of() -> None:
    with override_settings(DEBUG=True, ALLOW_REMOTE=True):
        assert "convviewer.W001" in [message.id for message in run_checks()]
    with override_settings(DEBUG=True, ALLOW_REMOTE=False):
        assert "convviewer.W001" not in [message.id for message in run_checks()]


def test_a_data_folder_that_takes_no_files_is_an_error(tmp_path: Path) -> None:
    with override_settings(DATA_DIR=tmp_path / "missing"):
        assert "convviewer.E001" in [message.id for message in run_checks()]
    with override_settings(DATA_DIR=tmp_path):
        assert "convviewer.E001" not in [message.id for message in run_checks()]
