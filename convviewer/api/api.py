"""The API object."""

from __future__ import annotations

from ninja import NinjaAPI

api = NinjaAPI(title="convviewer", version="1")
