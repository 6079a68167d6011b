"""A tier as Strands Agents hold it: the list of an agent's messages."""

from __future__ import annotations

from collections.abc import Iterator

from convviewer.core.json import Json
from convviewer.core.thread import Message, Metrics, Thread, Usage
from convviewer.formats.writers.base import messages_of
from convviewer.formats.writers.parts.model_blocks import content_of, role_of, strict_text


class Strands:
    """A JSON array of messages, one for each of the tier but those that only held hidden things.

    Bytes are in the form that session managers write. Special numbers stand in the wire form, in
    messages that hold any.
    """

    name = "strands"
    label = "Strands messages"
    media_type = "application/json"
    extension = "json"
    all_tiers = False

    def write(self, thread: Thread) -> Iterator[str]:
        """Yield strict JSON, a message on a line."""
        separator = "[\n"
        for message in messages_of(thread):
            content = content_of(message, "strands")
            if content or _may_be_empty(message):
                yield f"{separator}{strict_text(_form(message, content))}"
                separator = ",\n"
        yield "[]\n" if separator == "[\n" else "\n]\n"


WRITER = Strands()


def _may_be_empty(message: Message) -> bool:
    """Whether a message without content was one: not where only hidden things were in it."""
    return not message.blocks and message.role in {"user", "assistant"}


def _form(message: Message, content: list[Json]) -> dict[str, Json]:
    form: dict[str, Json] = {"role": role_of(message), "content": content}
    if message.tracking_id:
        form["tracking_id"] = message.tracking_id
    metadata: dict[str, Json] = {}
    if message.usage is not None:
        metadata["usage"] = _usage(message.usage)
    if message.metrics is not None:
        metadata["metrics"] = _metrics(message.metrics)
    if message.custom is not None:
        metadata["custom"] = message.custom
    if metadata:
        form["metadata"] = metadata
    return form


def _usage(usage: Usage) -> Json:
    return _known(
        inputTokens=usage.input,
        outputTokens=usage.output,
        totalTokens=usage.total,
        cacheReadInputTokens=usage.cache_read,
        cacheWriteInputTokens=usage.cache_write,
    )


def _metrics(metrics: Metrics) -> Json:
    return _known(latencyMs=metrics.latency_ms, timeToFirstByteMs=metrics.time_to_first_byte_ms)


def _known(**figures: float | None) -> Json:
    return {name: figure for name, figure in figures.items() if figure is not None}
