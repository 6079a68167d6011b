"""Importing in the browser: send files, watch the run, read its report."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from convviewer.importing.runs import start_import
from convviewer.importing.uploads import Upload, UploadRefused, receive_upload
from convviewer.queries.imports import ImportRunPage, Show, import_page, import_run_page
from convviewer.web.http import names_what_is_missing, render_page, wants_fragment
from convviewer.web.params import choice_param, number_param, text_param


# Django's check of the form's token would read the body before we can stream it to disk.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def imports(request: HttpRequest) -> HttpResponse:
    """`/import/`: the form and a run's report; a POST starts a run."""
    return _receive(request) if request.method == "POST" else _show(request)


@names_what_is_missing
def _show(request: HttpRequest) -> HttpResponse:
    run = _run(request)
    part = run is not None and wants_fragment(request)
    page = import_page(max_bytes=settings.MAX_UPLOAD_BYTES, run=run)
    return render_page(request, "imports/swap.html" if part else "imports/import.html", page)


def _run(request: HttpRequest) -> ImportRunPage | None:
    public_id = text_param(request, "run")
    if not public_id:
        return None
    show = cast("Show", choice_param(request, "show", ("problems",)))
    return import_run_page(public_id, show=show, after=number_param(request, "after") or 0)


def _receive(request: HttpRequest) -> HttpResponse:
    try:
        upload = receive_upload(request)
    except UploadRefused as refusal:
        page = import_page(max_bytes=settings.MAX_UPLOAD_BYTES, run=None, refusal=str(refusal))
        return render_page(request, "imports/import.html", page, status=refusal.status)
    response = _start(request, upload)
    if response.status_code == 403:  # noqa: PLR2004
        upload.discard()
    return response


@csrf_protect
def _start(request: HttpRequest, upload: Upload) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('import')}?run={start_import(upload)}")
