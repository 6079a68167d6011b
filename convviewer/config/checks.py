"""What `manage.py check`, and every start of the server, says of the settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004


@register()
def data_folder_takes_files(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """The database, uploads and collected static files live there."""
    if os.access(settings.DATA_DIR, os.W_OK | os.X_OK):
        return []
    return [
        Error(
            f"The data folder {settings.DATA_DIR} cannot be written.",
            hint="Set CONVVIEWER_DATA_DIR to a folder of your own.",
            id="convviewer.E001",
        )
    ]


@register(Tags.security)
def no_debugging_in_public(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Debug pages show settings and source."""
    if not (settings.DEBUG and settings.ALLOW_REMOTE):
        return []
    return [
        Warning(
            "CONVVIEWER_DEBUG and CONVVIEWER_ALLOW_REMOTE are both on: error pages show "
            "settings and source to everyone who can reach the server.",
            hint="Turn CONVVIEWER_DEBUG off.",
            id="convviewer.W001",
        )
    ]
