"""Every address: pages and the API."""

from __future__ import annotations

from django.urls import include, path

from convviewer.api.api import api

handler400 = "convviewer.web.errors.bad_request"
handler403 = "convviewer.web.errors.permission_denied"
handler404 = "convviewer.web.errors.not_found"
handler500 = "convviewer.web.errors.server_error"

urlpatterns = [
    path("", include("convviewer.web.urls")),
    path("api/", api.urls),
]
