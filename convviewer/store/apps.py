"""The Django app that owns the tables."""

from __future__ import annotations

from django.apps import AppConfig


class StoreConfig(AppConfig):
    """Tables are named convviewer_*."""

    name = "convviewer.store"
    label = "convviewer"
