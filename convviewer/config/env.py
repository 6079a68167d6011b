"""Typed readers of `CONVVIEWER_*` variables."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

PREFIX = "CONVVIEWER_"


def env_text(name: str, default: str) -> str:
    """The variable's text, or the default when it is unset or empty."""
    return os.environ.get(PREFIX + name) or default


def env_flag(name: str) -> bool:
    """True for 1, true, yes, on; False for 0, false, no, off and unset."""
    text = env_text(name, "0").lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{PREFIX}{name} must be 1 or 0, not {text!r}.")


def env_int(name: str, default: int) -> int:
    """A whole number from 1."""
    text = env_text(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be a whole number from 1, not {text!r}.")
    return int(text)


def env_list(name: str) -> list[str]:
    """Comma-separated values without blanks."""
    return [part.strip() for part in env_text(name, "").split(",") if part.strip()]


def env_path(name: str, default: Path) -> Path:
    """An absolute path."""
    return Path(env_text(name, str(default))).expanduser().resolve()
