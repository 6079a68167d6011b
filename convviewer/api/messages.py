"""Messages of a tier, their original JSON, and their payloads step by step."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Field, Path, Query, Router, Schema

from convviewer.api.answers import json_answer, stored_json_answer
from convviewer.api.params import After, Limit, Text
from convviewer.core.json import Json
from convviewer.queries.messages import (
    MessageItem,
    MessagePage,
    message_page,
    one_message,
    raw_message,
)
from convviewer.queries.payload_level import BlockPlace, PayloadLevel, Window, payload_level

router = Router(tags=["messages"])

MESSAGES = "/threads/{thread}/tiers/{tier}/messages"


@router.get(MESSAGES, response=MessagePage)
def messages(
    request: HttpRequest, thread: Text, tier: Text, after: After = "", limit: Limit = 50
) -> HttpResponse:
    """List the messages of a tier in the record's order; a heavy page ends early."""
    return json_answer(message_page(thread, tier, after=after, limit=limit))


@router.get(f"{MESSAGES}/{{key}}", response=MessageItem)
def message(request: HttpRequest, thread: Text, tier: Text, key: Text) -> HttpResponse:
    """Give one message."""
    return json_answer(one_message(thread, tier, key))


@router.get(f"{MESSAGES}/{{key}}/raw", response=Json)
def raw(request: HttpRequest, thread: Text, tier: Text, key: Text) -> HttpResponse:
    """Give the record's own JSON, byte for byte where it is strict JSON.

    A redacted message gives its replacement.
    """
    return stored_json_answer(raw_message(thread, tier, key))


class BlockPath(Schema):
    """A block of a message, by number from 0."""

    thread: Text
    tier: Text
    key: Text
    block: int


class LevelQuery(Schema):
    """`path` is a JSON pointer into the payload, `part` one of several parts of a tool result."""

    path: str = ""
    part: Annotated[int | None, Field(ge=0)] = None
    after: Annotated[int, Field(ge=0, le=2**53)] = 0
    limit: Annotated[int | None, Field(ge=1)] = None


@router.get(f"{MESSAGES}/{{key}}/blocks/{{int:block}}/payload", response=PayloadLevel)
def payload(request: HttpRequest, where: Path[BlockPath], query: Query[LevelQuery]) -> HttpResponse:
    """Give one level of a payload, or one slice of a text."""
    place = BlockPlace(**where.dict(), part=query.part)
    window = Window(after=query.after, limit=query.limit)
    return json_answer(payload_level(place, query.path, window))
