"""Stored formats to core values: one module per format, found by being here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from convviewer.formats.base import Format


@cache
def all_formats() -> tuple[Format, ...]:
    """Every format of this folder, by module name."""
    names = sorted(module.name for module in iter_modules(__path__))
    modules = (import_module(f"{__name__}.{name}") for name in names if not name.startswith("_"))
    return tuple(module.FORMAT for module in modules if hasattr(module, "FORMAT"))
