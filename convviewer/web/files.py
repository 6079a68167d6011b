"""Payloads as files that no browser runs: pictures in place, all else as attachments."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from convviewer.queries.payload_page import PayloadFile, PayloadRequest, payload_bytes, payload_file
from convviewer.web.http import names_what_is_missing
from convviewer.web.params import number_param, text_param

_SANDBOX = "default-src 'none'; sandbox"


@require_safe
@names_what_is_missing
def payload_download(request: HttpRequest, thread: str, key: str, block: int) -> HttpResponseBase:
    """A whole payload as an attachment."""
    return _attachment(payload_file(payload_request(request, thread, key, block)))


@require_safe
@names_what_is_missing
def payload_part(request: HttpRequest, thread: str, key: str, block: int) -> HttpResponse:
    """Bytes that stand base64-encoded in a payload."""
    media_type, data = payload_bytes(payload_request(request, thread, key, block))
    is_picture = media_type.startswith("image/")
    return _safe(HttpResponse(data, content_type=media_type), f"{key}-{block}", inline=is_picture)


def payload_request(request: HttpRequest, thread: str, key: str, block: int) -> PayloadRequest:
    """What the address asks of a payload."""
    return PayloadRequest(
        thread=thread,
        key=key,
        block=block,
        tier=text_param(request, "tier"),
        part=number_param(request, "part"),
        view=text_param(request, "view"),
        after=number_param(request, "after") or 0,
        path=text_param(request, "path"),
    )


def _attachment(file: PayloadFile) -> StreamingHttpResponse:
    response = StreamingHttpResponse(file.chunks(), content_type=file.media_type)
    response["Content-Length"] = str(len(file.data))
    response["Content-Disposition"] = _disposition(file.name, inline=False)
    return response


def _safe(response: HttpResponse, name: str, *, inline: bool) -> HttpResponse:
    """What no browser runs; SecurityMiddleware adds nosniff to every response."""
    response["Content-Security-Policy"] = _SANDBOX
    response["Content-Disposition"] = _disposition(name, inline=inline)
    return response


def _disposition(name: str, *, inline: bool) -> str:
    return content_disposition_header(as_attachment=not inline, filename=name) or "inline"
