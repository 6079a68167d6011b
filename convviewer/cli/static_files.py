"""Static files, collected for the server when they changed."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_static() -> None:
    """Bring STATIC_ROOT up to date; a second start finds nothing to do.

    Django compares times of single files, but would hash and pack each of them again.
    """
    if settings.DEBUG:
        return  # WhiteNoise serves them from where they are
    stamp = Path(settings.DATA_DIR, "static.stamp")
    digest = _digest()
    if stamp.exists() and stamp.read_text() == digest and Path(settings.STATIC_ROOT).is_dir():
        return
    stamp.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(digest)


def _digest() -> str:
    hasher = blake2b(django.__version__.encode(), digest_size=16)
    for path in sorted(_files()):
        status = path.stat()
        hasher.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return hasher.hexdigest()


def _files() -> Iterator[Path]:
    for finder in get_finders():
        for path, storage in finder.list([]):
            yield Path(storage.path(path))
