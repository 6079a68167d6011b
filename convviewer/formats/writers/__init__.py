"""Core values to the forms of an export: one module per form, found by being here."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from convviewer.core.json import replace_surrogates
from convviewer.core.thread import Thread
from convviewer.formats.writers.base import Writer
from convviewer.formats.writers.parts.originals import with_originals

__all__ = ["Writer", "all_writers", "write"]


@cache
def all_writers() -> dict[str, Writer]:
    """Every writer of this folder under its name, by module name."""
    names = sorted(module.name for module in iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    writers = [module.WRITER for module in modules if hasattr(module, "WRITER")]
    return {writer.name: writer for writer in writers}


def write(writer: Writer, thread: Thread) -> Iterator[str]:
    """Yield the text of an export in parts, valid Unicode.

    The thread's values must be whole: nothing clipped, media with its bytes. `thread.tiers` are
    those to write: one, or none, unless the writer takes all. A message that carries what a
    redaction replaced (`original_raw`) is written with it: take it off for an export without.
    """
    if not writer.all_tiers:
        thread = with_originals(thread)
    return map(replace_surrogates, writer.write(thread))
