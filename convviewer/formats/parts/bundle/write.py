"""A thread as a bundle: everything of it that may be shown, in one strict JSON text."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from convviewer.core.json import Json, encode_strict
from convviewer.core.thread import Message, Thread
from convviewer.formats.parts.bundle.codec import pack_fields

VERSION: Final = 1
_BYTES_OF_MESSAGE: Final = frozenset({"raw", "original_raw"})
_MESSAGES: Final = frozenset({"messages"})
_TIERS: Final = frozenset({"tiers"})


def write_bundle(thread: Thread, *, include_redacted: bool = False) -> Iterator[str]:
    """Yield the text of a bundle, about a message at a time, as bundle.schema.json describes it.

    The thread's values must be whole: nothing clipped, media with its bytes. A message that is
    also one of the first tier is written there only; other tiers say {"same_as": its key}. What a
    redaction replaced is written only on demand.
    """
    head = encode_strict(pack_fields(thread, without=_TIERS))
    yield f'{{"convviewer":{VERSION},"thread":{head},"tiers":['
    first = {id(message): message for tier in thread.tiers[:1] for message in tier.messages}
    for index, tier in enumerate(thread.tiers):
        opening = encode_strict(pack_fields(tier, without=_MESSAGES)).removesuffix("}")
        yield f'{"," if index else ""}{opening},"messages":['
        for place, message in enumerate(tier.messages):
            if index and id(message) in first:
                entry: dict[str, Json] = {"same_as": message.key}
            else:
                entry = _entry(message, include_redacted=include_redacted)
            yield f"{',' if place else ''}{encode_strict(entry)}"
        yield "]}"
    yield "]}\n"


def _entry(message: Message, *, include_redacted: bool) -> dict[str, Json]:
    entry = pack_fields(message, without=_BYTES_OF_MESSAGE) | _stored_text("raw", message.raw)
    if include_redacted and message.original_raw is not None:
        entry |= _stored_text("original_raw", message.original_raw)
    return entry


def _stored_text(name: str, text: bytes) -> dict[str, Json]:
    """The record's own JSON as text; as base64 where its bytes are no UTF-8."""
    try:
        return {name: text.decode("utf-8")}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(text).decode()}
