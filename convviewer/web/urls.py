"""Addresses of pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from convviewer.web import comparison, files, reading
from convviewer.web.health import health
from convviewer.web.imports import imports
from convviewer.web.lists import thread_list
from convviewer.web.portfolio import shapes
from convviewer.web.search import search

# A bundle may name its messages by any text.
_MESSAGE = "threads/<str:thread>/messages/<path:key>"
_BLOCK = f"{_MESSAGE}/blocks/<int:block>"

urlpatterns: list[URLPattern] = [
    path("", thread_list, name="threads"),
    path("threads/<str:thread>/", reading.thread, name="thread"),
    path("threads/<str:thread>/unplaced/", reading.unplaced, name="unplaced"),
    path(f"{_BLOCK}/payload/", reading.payload, name="payload"),
    path(f"{_BLOCK}/payload/bytes/", files.payload_part, name="payload_bytes"),
    path(f"{_BLOCK}/payload/download/", files.payload_download, name="payload_file"),
    path(f"{_MESSAGE}/inspector/", reading.inspector, name="inspector"),
    path(f"{_MESSAGE}/raw/", reading.raw, name="message_raw"),
    path(f"{_MESSAGE}/", reading.thread, name="message"),
    path("threads/<str:thread>/compare/", comparison.compare, name="compare"),
    path("threads/<str:thread>/context/", comparison.context, name="context"),
    path("threads/<str:thread>/integrity/", comparison.integrity, name="integrity"),
    path("search/", search, name="search"),
    path("import/", imports, name="import"),
    path("-/health", health, name="health"),
    path("-/shapes/", shapes, name="shapes"),
]
