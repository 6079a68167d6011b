"""The API object: one router for each resource, put together."""

from __future__ import annotations

from ninja import NinjaAPI

from convviewer.api import (
    blobs,
    comparison,
    export,
    imports,
    messages,
    search,
    threads,
    tool_calls,
    usage,
)
from convviewer.api.answers import StrictRenderer
from convviewer.api.docs import Docs
from convviewer.api.errors import answer_errors

api = NinjaAPI(title="convviewer", version="1", renderer=StrictRenderer(), docs=Docs())
answer_errors(api)
for module in (threads, messages, tool_calls, usage, blobs, imports, search, export, comparison):
    api.add_router("", module.router)
