"""The page that documents the API: Swagger UI from ninja's own files, so that it works offline."""

from __future__ import annotations

from typing import Any

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from ninja import NinjaAPI, Swagger


class Docs(Swagger):
    """Swagger UI in a template of ours; the template sees its settings as `page`."""

    # Its style sheet draws icons from data: URLs. This page alone may load them.
    @method_decorator(csp_update({"img-src": ["data:"]}))
    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        """The page."""
        settings = {**self.settings, "url": self.get_openapi_url(api, kwargs)}
        return render(request, "api/docs.html", {"page": settings})
