"""A tier as the body of a Bedrock Converse request."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from convviewer.core.json import Json
from convviewer.core.thread import Thread
from convviewer.formats.writers.base import messages_of
from convviewer.formats.writers.parts.model_blocks import (
    content_of,
    content_of_blocks,
    role_of,
    strict_text,
)


class Converse:
    """{"messages", "system", "toolConfig"}, the last two where the thread holds them.

    Messages in a row of one speaker become one, for Bedrock wants speakers to take turns; messages
    of which nothing is for the model are left out. Bytes are base64. Special numbers stand in the
    wire form, in messages that hold any.
    """

    name = "converse"
    label = "Bedrock Converse request"
    media_type = "application/json"
    extension = "json"
    all_tiers = False

    def write(self, thread: Thread) -> Iterator[str]:
        """Yield strict JSON, a message on a line."""
        yield '{"messages":['
        separator = "\n"
        for role, content in _turns(thread):
            yield f"{separator}{strict_text({'role': role, 'content': content})}"
            separator = ",\n"
        yield "\n]"
        system = content_of_blocks(thread.agent.system, "converse")
        if system:
            yield f',\n"system":{strict_text(system)}'
        if _is_tool_config(thread.agent.tools):
            yield f',\n"toolConfig":{strict_text(thread.agent.tools)}'
        yield "}\n"


WRITER = Converse()


def _turns(thread: Thread) -> Iterator[tuple[str, list[Json]]]:
    spoken = (
        (role_of(message), content_of(message, "converse")) for message in messages_of(thread)
    )
    with_content = (pair for pair in spoken if pair[1])
    for role, turn in groupby(with_content, key=lambda pair: pair[0]):
        yield role, [block for _, content in turn for block in content]


def _is_tool_config(tools: Json) -> bool:
    return isinstance(tools, dict) and isinstance(tools.get("tools"), list)
