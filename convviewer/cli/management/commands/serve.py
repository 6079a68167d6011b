"""Serves the threads in the browser."""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
import tempfile
import webbrowser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.wsgi import get_wsgi_application
from django.db import connection
from waitress import create_server

from convviewer.cli.static_files import collect_static
from convviewer.importing.indexer import start_indexer
from convviewer.importing.runs import mark_interrupted_runs
from convviewer.importing.uploads import uploads_folder

LARGEST_PORT = 65_535
WORKERS = 8


class Command(BaseCommand):
    """`serve [--port N] [--host H] [--open]`: migrate, then a production-grade server."""

    help = "Serve the stored threads in the browser, on this machine only unless settings say more."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
        parser.add_argument("--open", action="store_true", help="open the page in a browser")

    def handle(self, *args: Any, **options: Any) -> None:
        host = options["host"]
        _refuse_remote(host)
        # The port comes first: whoever holds it may be our own server, with imports under way.
        with _listen(host, options["port"]) as listener:
            signal.signal(signal.SIGTERM, _stop)
            call_command("migrate", verbosity=0, interactive=False)
            collect_static()
            mark_interrupted_runs()
            connection.close()
            url = _url(host, listener)
            self.stdout.write(f"convviewer is at {url}")
            self.stdout.flush()
            if options["open"]:
                webbrowser.open(url)
            end_indexing = start_indexer()
            try:
                _serve(listener)
            finally:
                end_indexing()


def _refuse_remote(host: str) -> None:
    if _is_loopback(host):
        return
    if not settings.ALLOW_REMOTE:
        raise CommandError(
            f"{host} can be reached from other machines, and anyone there could read every thread. "
            "Leave out --host, or set CONVVIEWER_ALLOW_REMOTE=1 if that is what you want."
        )
    if all(map(_is_loopback, settings.ALLOWED_HOSTS)):
        raise CommandError(
            "Set CONVVIEWER_ALLOWED_HOSTS to the names or addresses by which people reach this "
            "server, comma-separated; all others are refused."
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= LARGEST_PORT:
        raise CommandError(f"{port} is no port; choose one from 1 to {LARGEST_PORT}, or 0.")
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind)
    except OSError as error:
        raise CommandError(f"Cannot listen on {host}: {error.strerror}.") from error
    try:
        # A port that our last run has just left is free to take again.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise CommandError(
            f"Cannot listen on port {port}: {error.strerror}. "
            f"Choose another with --port, or a free one with --port 0."
        ) from error
    return listener


def _url(host: str, listener: socket.socket) -> str:
    name = f"[{host.strip('[]')}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}/"


def _serve(listener: socket.socket) -> None:
    """Answer requests until SIGTERM or SIGINT."""
    # The server keeps the body of a large request in a file until it is whole.
    tempfile.tempdir = str(uploads_folder())
    server = create_server(
        get_wsgi_application(),
        sockets=[listener],
        threads=WORKERS,
        ident="",
        # Beyond our own limit, so that what is a little too large gets a page that says so.
        max_request_body_size=2 * settings.MAX_UPLOAD_BYTES,
    )
    server.run()


def _stop(*_: object) -> None:
    sys.exit(0)
