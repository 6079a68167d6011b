"""One message as Strands Agents (Python and npm) and Bedrock Converse store it."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.core.thread import Block, Message, Metrics, Text, Usage
from convviewer.formats.parts.blocks import Context, parse_message_content
from convviewer.formats.parts.numbers import finite_number


def read_message(
    record: dict[str, Json], context: Context, *, key: str, number: int | None, raw: bytes
) -> Message:
    """The message that `record` holds; `context` says where the record itself stands."""
    role = record.get("role")
    if not isinstance(role, str) or not role:
        context.note("bad_block", "a message without a role")
        role = ""
    metadata = record.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    content = Context(
        path=context.path, log=context.log, pointer=f"{context.pointer}/content", role=role
    )
    return Message(
        key=key,
        number=number,
        role=role,
        blocks=parse_message_content(record.get("content"), content),
        raw=raw,
        tracking_id=tracking_id_of(record),
        usage=usage_of(fields.get("usage")),
        metrics=metrics_of(fields.get("metrics")),
        custom=fields.get("custom"),
    )


def tracking_id_of(record: dict[str, Json]) -> str:
    """The message's durable id; "" where there is none. The npm SDK spells it trackingId."""
    value = record.get("tracking_id") or record.get("trackingId")
    return value if isinstance(value, str) else ""


def usage_of(value: Json) -> Usage | None:
    """Token counts under the names both SDKs and Bedrock use; absent figures stay None."""
    if not isinstance(value, dict):
        return None
    usage = Usage(
        input=_integer(value.get("inputTokens")),
        output=_integer(value.get("outputTokens")),
        total=_integer(value.get("totalTokens")),
        cache_read=_integer(value.get("cacheReadInputTokens")),
        cache_write=_integer(value.get("cacheWriteInputTokens")),
    )
    return None if usage == Usage() else usage


def metrics_of(value: Json) -> Metrics | None:
    """Latencies under the names both SDKs use; None when there are none."""
    if not isinstance(value, dict):
        return None
    metrics = Metrics(
        latency_ms=finite_number(value.get("latencyMs")),
        time_to_first_byte_ms=finite_number(value.get("timeToFirstByteMs")),
    )
    return None if metrics == Metrics() else metrics


def system_blocks(value: Json, context: Context) -> tuple[Block, ...]:
    """A system prompt: text, a list of {text | cachePoint | guardContent}, or null for none."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (Text(text=value),)
    return parse_message_content(value, context)


def _integer(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
