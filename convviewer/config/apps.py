"""Makes Django know our checks of the settings."""

from __future__ import annotations

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Registers the checks; there is nothing else in it."""

    name = "convviewer.config"

    def ready(self) -> None:
        """Import what registers itself."""
        from convviewer.config import checks  # noqa: F401, PLC0415 - registers itself
