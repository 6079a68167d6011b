"""Loose messages of Strands Agents and Bedrock Converse: arrays, lines, requests, responses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final

from convviewer.core.errors import JsonError
from convviewer.core.json import Json, decode
from convviewer.core.thread import Agent, Message, Thread, Tier, Unknown
from convviewer.formats.base import Found, Refused, Unit, merge_tiers
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.head import Outline, outline
from convviewer.formats.parts.refusals import expected, not_json
from convviewer.formats.parts.slices import items, members
from convviewer.formats.parts.strands.message import (
    metrics_of,
    read_message,
    system_blocks,
    usage_of,
)
from convviewer.formats.parts.warning_log import WarningLog
from convviewer.formats.source import SourceFile

_SPEAKER: Final = re.compile(rb'"role"\s*:\s*"(?:user|assistant)"')
_OWN_BLOCKS: Final = ("toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent")
# Members of messages and blocks in what other systems store.
_FOREIGN: Final = ("tool_calls", "tool_call_id", "content/*/type", "created", "status", "uuid")
_NO_MESSAGE: Final = "a message is an object with role and content"
_OPENING_BYTES: Final = 256


class StrandsMessages:
    """A file is a thread of one tier; its path in the import is its id."""

    name = "strands-messages"
    label = "Strands or Converse messages"

    def sniff(self, head: bytes, path: PurePosixPath) -> int:
        """Rate by the names of members, and by who speaks."""
        found = outline(head)
        place = _message_place(found)
        if place is None or any(f"{place}{name}" in found.paths for name in _FOREIGN):
            return 0
        if any(f"{place}content/*/{name}" in found.paths for name in _OWN_BLOCKS):
            return 90
        if not _SPEAKER.search(head):
            return 0
        return 75 if f"{place}content/*/text" in found.paths else 40

    def folder_of(self, path: PurePosixPath) -> PurePosixPath | None:
        """A file stands alone."""
        return None

    def read(self, unit: Unit) -> Iterator[Found]:
        """Yield a thread for each file."""
        for file in unit.files:
            try:
                yield _read_file(file)
            except JsonError as error:
                yield not_json(file.path, error)

    def merge(self, stored: Thread, incoming: Thread) -> Thread:
        """Return the incoming thread: a file is the whole thread."""
        return merge_tiers(stored, incoming)


FORMAT = StrandsMessages()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """The texts of a file's messages with their places, and the members that stand beside them.

    `one_call`: the file is what one model call gave.
    """

    placed: list[tuple[bytes, Context]]
    beside: dict[str, bytes] = field(default_factory=dict)
    one_call: bool = False


def _message_place(found: Outline) -> str | None:
    """Where the file keeps its messages, as the start of their members' paths."""
    places = ["*/"] if found.opening == "[" else ["messages/*/", "output/message/", ""]
    if "stop_reason" in found.paths:
        places.append("message/")
    return next((place for place in places if f"{place}content" in found.paths), None)


def _read_file(file: SourceFile) -> Thread | Refused:
    """Raises JsonError."""
    data, context = file.read(), Context(path=file.path, log=WarningLog())
    layout = _lay_out(data, context)
    if isinstance(layout, Refused):
        return layout
    beside = {name: decode(text) for name, text in layout.beside.items()}
    messages = tuple(_message(text, number, at) for number, (text, at) in enumerate(layout.placed))
    if layout.one_call:
        messages = tuple(_with_call(message, beside) for message in messages)
    tier = Tier(name="verbatim", kind="verbatim", messages=messages)
    return Thread(
        format=FORMAT.name,
        external_id=file.short_path,
        lookup_id=PurePosixPath(file.short_path).name,
        tiers=(tier,),
        agent=Agent(
            model=_take_text(beside, "modelId"),
            system=system_blocks(beside.pop("system", None), context.at("system")),
            tools=beside.pop("toolConfig", None),
        ),
        facts=beside or None,
        warnings=context.log.all(),
    )


def _lay_out(data: bytes, context: Context) -> _Layout | Refused:
    if lines := _json_lines(data):
        return _Layout(placed=[(line, context.at(n)) for n, line in enumerate(lines)])
    opens_array = outline(data[:_OPENING_BYTES]).opening == "["
    texts = items(data) if opens_array else None
    if texts is not None:
        return _Layout(placed=[(text, context.at(n)) for n, text in enumerate(texts)])
    record = members(data)
    if record is None:
        return expected(context.path, "", "an array of messages, or an object that holds them")
    if "role" in record and "messages" not in record:
        return _Layout(placed=[(data.strip(), context)])
    return _lay_out_object(record, context)


def _json_lines(data: bytes) -> list[bytes]:
    """The lines of a file that holds an object a line; none where it is one JSON text."""
    first = data.lstrip().partition(b"\n")[0].strip()
    if not (first.startswith(b"{") and first.endswith(b"}")):
        return []
    lines = [line.strip() for line in data.split(b"\n") if line.strip()]
    return lines if len(lines) > 1 else []


def _lay_out_object(record: dict[str, bytes], context: Context) -> _Layout | Refused:
    """A request or an agent with its messages, or the one message of a response or result."""
    if "messages" in record:
        texts = items(record.pop("messages"))
        if texts is None:
            return expected(context.path, "/messages", "a list of messages")
        at = context.at("messages")
        placed = [(text, at.at(n)) for n, text in enumerate(texts)]
        return _Layout(placed=placed, beside=record)
    output = members(record.get("output", b"null"))
    if output is not None and "message" in output:
        del record["output"]
        placed = [(output["message"], context.at("output", "message"))]
    elif "message" in record:
        placed = [(record.pop("message"), context.at("message"))]
    else:
        return expected(context.path, "/messages", "a list of messages")
    return _Layout(placed=placed, beside=record, one_call=True)


def _message(text: bytes, number: int, context: Context) -> Message:
    try:
        record = decode(text)
    except JsonError as error:  # only a line can be damaged by itself
        context.note("damaged_row", f"a line that is not valid JSON: {error}")
        return _odd_message(text.decode(errors="surrogateescape"), text, number)
    if isinstance(record, dict):
        return read_message(record, context, key=str(number), number=number, raw=text)
    context.note("bad_block", _NO_MESSAGE)
    return _odd_message(record, text, number)


def _odd_message(value: Json, text: bytes, number: int) -> Message:
    block = Unknown(raw=value, reason=_NO_MESSAGE)
    return Message(key=str(number), number=number, role="", blocks=(block,), raw=text)


def _with_call(message: Message, beside: dict[str, Json]) -> Message:
    """What a response says of its model call belongs to the message that it holds."""
    return replace(
        message,
        usage=usage_of(beside.pop("usage", None)) or message.usage,
        metrics=metrics_of(beside.pop("metrics", None)) or message.metrics,
        stop_reason=_take_text(beside, "stopReason") or _take_text(beside, "stop_reason"),
    )


def _take_text(fields: dict[str, Json], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        return ""
    del fields[name]
    return value
