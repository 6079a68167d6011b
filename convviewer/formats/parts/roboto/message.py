"""One message of a Roboto AgentThreadRecord."""

from __future__ import annotations

from typing import Final

from convviewer.core.json import Json
from convviewer.core.thread import Block, Message, Text, Unknown
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.roboto.blocks import Problems, read_block

_NO_MESSAGE: Final = "a message is an object"
_NO_LIST: Final = "content is not a list of blocks"


def read_message(record: Json, parent: Context, *, number: int, raw: bytes) -> Message:
    """Return the message that `record` holds at `number` in the list at `parent`."""
    if not isinstance(record, dict):
        parent.at(number).note("bad_block", _NO_MESSAGE)
        unknown = Unknown(raw=record, reason=_NO_MESSAGE)
        return Message(key=str(number), number=number, role="", blocks=(unknown,), raw=raw)
    return Message(
        key=str(number),
        number=number,
        role=_text(record.get("role")),
        blocks=_blocks(record.get("content"), number, parent),
        raw=raw,
        status=_text(record.get("status")),
        created_at=_text(record.get("created")),
    )


def _blocks(content: Json, number: int, parent: Context) -> tuple[Block, ...]:
    if not isinstance(content, list):
        return _odd_content(content, parent.at(number, "content"))
    problems: Problems = []
    blocks = []
    for index, raw in enumerate(content):
        blocks.append(read_block(raw, problems))
        if problems:
            _note(problems, parent.at(number, "content", index))
            problems.clear()
    return tuple(blocks)


def _odd_content(content: Json, context: Context) -> tuple[Block, ...]:
    context.note("bad_block", _NO_LIST)
    match content:
        case None:
            return ()
        case str():
            return (Text(text=content),)
        case _:
            return (Unknown(raw=content, reason=_NO_LIST),)


def _note(problems: Problems, context: Context) -> None:
    for problem in problems:
        context.note(problem.code, problem.message)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
