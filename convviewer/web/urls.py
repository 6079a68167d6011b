"""Addresses of pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from convviewer.web.health import health
from convviewer.web.imports import imports
from convviewer.web.lists import thread_list

urlpatterns: list[URLPattern] = [
    path("", thread_list, name="threads"),
    path("import/", imports, name="import"),
    path("-/health", health, name="health"),
]
