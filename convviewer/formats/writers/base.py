"""What a form of export must offer. A module in this folder with a `WRITER` is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from convviewer.core.thread import Message, Thread


class Writer(Protocol):
    """One form of export.

    `extension` has no dot. `all_tiers`: it holds every tier of a thread unless one is asked for;
    any other holds one tier. `write` yields the text, about a message at a time.
    """

    name: str
    label: str
    media_type: str
    extension: str
    all_tiers: bool

    def write(self, thread: Thread) -> Iterator[str]: ...


def messages_of(thread: Thread) -> tuple[Message, ...]:
    """The messages of the one tier that is to be written."""
    return thread.tiers[0].messages if thread.tiers else ()
