"""Every address: pages and the API."""

from __future__ import annotations

from django.urls import include, path

from convviewer.api.api import api

urlpatterns = [
    path("", include("convviewer.web.urls")),
    path("api/", api.urls),
]
