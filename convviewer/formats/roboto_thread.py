"""Roboto AI: AgentThreadRecord, original or compressed, and AgentToolDetailResponse files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from convviewer.core.errors import JsonError
from convviewer.core.json import decode
from convviewer.core.thread import (
    Deleted,
    Filler,
    Message,
    Thread,
    Tier,
    ToolUse,
)
from convviewer.formats.base import Found, Refused, Unit, merge_tiers
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.head import outline
from convviewer.formats.parts.refusals import expected, not_json
from convviewer.formats.parts.roboto.blocks import (
    Problems,
    read_tool_result,
    read_tool_use,
)
from convviewer.formats.parts.roboto.context import place_contexts
from convviewer.formats.parts.roboto.message import read_message
from convviewer.formats.parts.roboto.record import FORMAT_NAME, read_thread
from convviewer.formats.parts.slices import items, members
from convviewer.formats.parts.warning_log import WarningLog, joined
from convviewer.formats.source import SourceFile

_IDS: Final = frozenset({"thread_id", "session_id", "chat_id"})
# Members that every record has and that no other format uses.
_OWN_MEMBERS: Final = frozenset({"continuation_token", "org_id", "created_by"})
# Members of its messages that other formats lack.
_OWN_PATHS: Final = frozenset({"messages/*/created", "messages/*/status"})
_TOOL_DETAIL: Final = frozenset({"tool_use/tool_use_id", "tool_result/tool_use_id"})


class RobotoThread:
    """A file is a record. Two records of one thread_id are two tiers of one thread."""

    name = FORMAT_NAME
    label = "Roboto AI thread"

    def sniff(self, head: bytes, path: PurePosixPath) -> int:
        """Rate by the names of members."""
        return _certainty(outline(head).paths)

    def folder_of(self, path: PurePosixPath) -> PurePosixPath | None:
        """A record stands alone."""
        return None

    def read(self, unit: Unit) -> Iterator[Found]:
        """Yield a thread of one tier for each file."""
        for file in unit.files:
            yield _read_file(file)

    def merge(self, stored: Thread, incoming: Thread) -> Thread:
        """Join the tiers; all else comes from the original's record where there is one."""
        merged = merge_tiers(stored, incoming)
        if len(merged.tiers) == len(incoming.tiers):
            return incoming
        original_is_stored = stored.tier("verbatim") and not incoming.tier("verbatim")
        leading = stored if original_is_stored else incoming
        return replace(
            leading, tiers=merged.tiers, warnings=joined(stored.warnings, incoming.warnings)
        )


FORMAT = RobotoThread()


def _certainty(paths: frozenset[str]) -> int:
    ids, own, of_messages = _IDS & paths, _OWN_MEMBERS & paths, _OWN_PATHS & paths
    if "convviewer" in paths:
        return 0
    if paths >= _TOOL_DETAIL or (ids and own):
        return 95
    if "messages" in paths and (len(own) > 1 or (ids and of_messages)):
        return 85
    if of_messages == _OWN_PATHS or "messages/*/content/*/content_type" in paths:
        return 70
    return 60 if "tool_use/tool_use_id" in paths else 0


def _read_file(file: SourceFile) -> Thread | Refused:
    context = Context(path=file.path, log=WarningLog())
    try:
        record = members(file.read())
    except JsonError as error:
        return not_json(file.path, error)
    if record is None:
        return expected(file.path, "", "an object with a list of messages")
    if "messages" not in record and record.keys() >= {"tool_use", "tool_result"}:
        return _read_tool_detail(record, context, place=file.short_path)
    messages = items(record.pop("messages", b"null"))
    if messages is None:
        return expected(file.path, "/messages", "a list of messages")
    return _read_record(record, messages, context, place=file.short_path)


def _read_record(
    record: dict[str, bytes], texts: list[bytes], context: Context, *, place: str
) -> Thread:
    place_of_messages = context.at("messages")
    messages = [
        read_message(decode(text), place_of_messages, number=number, raw=text)
        for number, text in enumerate(texts)
    ]
    tier = _tier(place_contexts(messages, place_of_messages))
    fields = {name: decode(text) for name, text in record.items()}
    return read_thread(fields, (tier,), context, place=place)


def _tier(messages: tuple[Message, ...]) -> Tier:
    """A record that holds stand-ins is what compression left: the original never has one."""
    if any(isinstance(block, Deleted | Filler) for entry in messages for block in entry.blocks):
        return Tier(name="deleted", kind="variant", messages=messages, aligned_by_number=True)
    return Tier(name="verbatim", kind="verbatim", messages=messages)


def _read_tool_detail(record: dict[str, bytes], context: Context, *, place: str) -> Thread:
    """Both halves of one call, as a thread of their own: no thread is named in the file."""
    use = _half(record["tool_use"], 0, "assistant", context.at("tool_use"))
    result = _half(record["tool_result"], 1, "roboto", context.at("tool_result"))
    title = next((block.name for block in use.blocks if isinstance(block, ToolUse)), "")
    tier = Tier(name="verbatim", kind="verbatim", messages=(use, result))
    return read_thread({"title": title}, (tier,), context, place=place)


def _half(text: bytes, number: int, role: str, context: Context) -> Message:
    fields = decode(text)
    problems: Problems = []
    read = read_tool_use if role == "assistant" else read_tool_result
    block = read(fields if isinstance(fields, dict) else {"value": fields}, problems)
    for problem in problems:
        context.note(problem.code, problem.message)
    return Message(key=str(number), number=number, role=role, blocks=(block,), raw=text)
