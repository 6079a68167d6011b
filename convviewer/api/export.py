"""A thread as a file in another form; what redactions replaced is never in it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from ninja import Router
from pydantic import Field

from convviewer.api.answers import described
from convviewer.api.params import Text
from convviewer.queries.export import export, export_formats

router = Router(tags=["threads"])

Format: TypeAlias = Annotated[
    Text,
    Field(description="The form of the file.", json_schema_extra={"enum": list(export_formats())}),
]
Tier: TypeAlias = Annotated[
    Text,
    Field(
        description="A tier's name, or `compressed`; absent for verbatim, or all tiers in a bundle."
    ),
]


@router.get("/threads/{thread}/export", openapi_extra=described("application/octet-stream"))
def export_thread(
    request: HttpRequest,
    thread: Text,
    format: Format = "bundle",  # noqa: A002 - the parameter's name
    tier: Tier = "",
) -> StreamingHttpResponse:
    """Give the thread as an attachment: a bundle, Markdown, text, HTML, or an SDK's messages."""
    made = export(thread, format, tier)
    response = StreamingHttpResponse(made.parts, content_type=made.media_type)
    response["Content-Disposition"] = content_disposition_header(True, made.file_name)  # noqa: FBT003
    response["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response
