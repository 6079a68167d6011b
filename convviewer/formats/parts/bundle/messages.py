"""The messages of a bundle: as an export writes them, or as Roboto or Strands store them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Final

from convviewer.core.json import Json, content_hash, decode, from_wire
from convviewer.core.thread import Block, Message
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.bundle.codec import MismatchError, pack, unpack, unpack_blocks
from convviewer.formats.parts.roboto.context import place_contexts
from convviewer.formats.parts.roboto.message import read_message as read_roboto_message
from convviewer.formats.parts.strands.message import read_message as read_strands_message

_KEY_LENGTH: Final = 12


def read_messages(
    texts: Sequence[bytes], context: Context, first: Mapping[str, Message]
) -> tuple[Message, ...]:
    """Return the messages of a tier, each under its own key, else under its place.

    `first` holds the messages of the first tier by key: {"same_as": key} is one of them.
    """
    values = [decode(text) for text in texts]
    messages = [
        read_message(value, context, number=number, raw=text, first=first)
        for number, (value, text) in enumerate(zip(values, texts, strict=True))
    ]
    if any(isinstance(value, dict) and "content" in value for value in values):
        messages = list(place_contexts(messages, context))
    return _with_unique_keys(messages)


def read_entries(
    texts: Sequence[bytes],
    context: Context,
    first: Mapping[str, Message],
    *,
    verbatim: Sequence[Message],
    summaries: Container[int],
) -> tuple[Message, ...]:
    """Return the messages of a compressed tier, each under its own key, else by what it is.

    An entry that the verbatim tier holds too, by its tracking id or equal content, has its key
    and number. Any other is named by a hash, and has no number: it was never said. `summaries`
    are the places of entries that stand for several messages.
    """
    entries = list(read_messages(texts, context, first))
    unnamed = [place for place, text in enumerate(texts) if not _names_itself(decode(text))]
    if not unnamed:
        return tuple(entries)
    by_tracking_id = {entry.tracking_id: entry for entry in verbatim if entry.tracking_id}
    by_content = {_content(entry): entry for entry in reversed(verbatim)}
    for place in unnamed:
        entry = entries[place]
        said = by_tracking_id.get(entry.tracking_id) or by_content.get(_content(entry))
        entries[place] = _named(entry, said, is_summary=place in summaries)
    return _with_unique_keys(entries)


def read_message(
    value: Json, context: Context, *, number: int, raw: bytes, first: Mapping[str, Message]
) -> Message:
    """Return the message that `value` is, at `number` in the list at `context`."""
    fields = value if isinstance(value, dict) else {}
    shared, at = fields.get("same_as"), context.at(number)
    if isinstance(shared, str) and shared in first:
        return first[shared]
    if "blocks" in fields:
        return _exported(fields, raw, number, at)
    if _is_strands(fields):
        message = read_strands_message(fields, at, key=str(number), number=number, raw=raw)
    else:
        message = read_roboto_message(value, context, number=number, raw=raw)
    return replace(message, key=_key(value) or message.key)


def _named(message: Message, said: Message | None, *, is_summary: bool) -> Message:
    if said is None:
        key = content_hash(message.tracking_id or _content(message))[:_KEY_LENGTH]
        return replace(message, key=key, number=None, is_summary=is_summary)
    if said.raw == message.raw:
        return said
    return replace(message, key=said.key, number=said.number)


def _content(message: Message) -> str:
    return content_hash([message.role, pack(message.blocks)])


def _with_unique_keys(messages: Sequence[Message]) -> tuple[Message, ...]:
    named: dict[str, Message] = {}
    for message in messages:
        key, repeats = message.key, 1
        while key in named:
            repeats += 1
            key = f"{message.key}-{repeats}"
        named[key] = message if key == message.key else replace(message, key=key, number=None)
    return tuple(named.values())


def _names_itself(value: Json) -> bool:
    return isinstance(value, dict) and ("same_as" in value or _key(value) != "")


def _exported(value: Json, text: bytes, place: int, context: Context) -> Message:
    fields = from_wire(value)
    if not isinstance(fields, dict):
        fields = {}
    role, number, raw = fields.get("role"), fields.get("number", place), _text_of(fields, "raw")
    if not isinstance(role, str):
        context.at("role").note("bad_block", "expected text")
    message: Message = unpack(
        Message,
        fields,
        context,
        key=_key(fields) or str(place),
        number=number if isinstance(number, int) else None,
        role=role if isinstance(role, str) else "",
        blocks=_blocks(fields.get("blocks"), context.at("blocks")),
        raw=text if raw is None else raw,
        original_raw=_text_of(fields, "original_raw"),
    )
    return message


def _blocks(value: Json, context: Context) -> tuple[Block, ...]:
    try:
        return unpack_blocks(value, context)
    except MismatchError as error:
        context.note("bad_block", str(error))
        return ()


def _text_of(fields: dict[str, Json], name: str) -> bytes | None:
    """The record's own JSON, or None where the entry has none; base64 where it is no UTF-8."""
    text, coded = fields.get(name), fields.get(f"{name}_base64")
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if not isinstance(coded, str):
        return None
    try:
        return base64.b64decode(coded, validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_strands(fields: dict[str, Json]) -> bool:
    """Whether nothing in a message is Roboto's own."""
    if not fields or fields.get("role") == "roboto" or "created" in fields or "status" in fields:
        return False
    content = fields.get("content")
    blocks = content if isinstance(content, list) else []
    return not any(isinstance(block, dict) and "content_type" in block for block in blocks)


def _key(value: Json) -> str:
    """The key a record gives itself: text, or a number."""
    key = value.get("key") if isinstance(value, dict) else None
    return str(key) if isinstance(key, str | int) and not isinstance(key, bool) else ""
