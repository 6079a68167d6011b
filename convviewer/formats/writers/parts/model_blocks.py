"""Blocks as Bedrock Converse and Strands Agents write them; the two differ in little.

Viewing context and tombstones have no form there: a model never sees them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from convviewer.core import thread as core
from convviewer.core.json import Json, count_special, decode, encode, encode_strict
from convviewer.formats.parts.media import bytes_of
from convviewer.formats.writers.parts.model_parts import Dialect, bytes_form, part_form, result_form

# What a model is given for a message of which compression left nothing.
_FILLER: Final = "<Deleted in compression>"


def content_of(message: core.Message, dialect: Dialect) -> list[Json]:
    """The message's content, in order."""
    content: list[Json] = []
    for index, block in enumerate(message.blocks):
        if isinstance(block, core.Reasoning) and block.redacted_bytes is not None:
            content += _encrypted_reasoning(message, index, dialect)
        else:
            content += content_of_blocks((block,), dialect)
    return content


def content_of_blocks(blocks: Sequence[core.Block], dialect: Dialect) -> list[Json]:
    """The blocks, in order; what a model never sees is left out."""
    return [form for block in blocks for form in _forms(block, dialect)]


def role_of(message: core.Message) -> str:
    """Who speaks, to a model: tool results and all that is not the assistant's are the user's."""
    return "assistant" if message.role == "assistant" else "user"


def strict_text(value: Json) -> str:
    """Strict JSON of the value, on one line.

    A value that strict JSON cannot carry (NaN, the infinities, lone surrogates) goes out in the
    wire form: {"$number": "NaN"}, and keys that start with "$" get one more. Any other keeps its
    keys, those of a JSON schema above all.
    """
    special = count_special(value)
    if special.special_numbers or special.replaced_characters:
        return encode_strict(value)
    return encode(value)


def _forms(block: core.Block, dialect: Dialect) -> tuple[Json, ...]:
    match block:
        case core.ViewingContext() | core.Deleted():
            return ()
        case core.ToolUse():
            use: Json = {"toolUseId": block.id, "name": block.name, "input": block.input}
            return ({"toolUse": use},)
        case core.ToolResult():
            return ({"toolResult": result_form(block, dialect)},)
        case core.Media() | core.Marker() | core.Unknown():
            return (part_form(block, dialect),)
        case core.Reasoning() | core.Citations() | core.Guard() | core.CachePoint():
            return (_around_the_words(block, dialect),)
        case core.Text() | core.Error() | core.Filler():
            return _words(block, dialect)


def _words(block: core.Text | core.Error | core.Filler, dialect: Dialect) -> tuple[Json, ...]:
    match block:
        case core.Text():
            # Bedrock refuses a blank text.
            blank = dialect == "converse" and not block.text.strip()
            return () if blank else ({"text": block.text},)
        case core.Error():
            text = f"{block.code}: {block.message}" if block.code else block.message
            return ({"text": text},)
        case core.Filler():
            return ({"text": _FILLER},)


def _around_the_words(
    block: core.Reasoning | core.Citations | core.Guard | core.CachePoint, dialect: Dialect
) -> Json:
    match block:
        case core.Reasoning():
            signature: dict[str, Json] = {"signature": block.signature} if block.signature else {}
            return {"reasoningContent": {"reasoningText": {"text": block.text, **signature}}}
        case core.Citations():
            citations: list[Json] = [_citation(citation, dialect) for citation in block.citations]
            content: list[Json] = [{"text": block.text}]
            return {"citationsContent": {"content": content, "citations": citations}}
        case core.Guard():
            text: dict[str, Json] = {"text": block.text}
            if block.qualifiers:
                text["qualifiers"] = list(block.qualifiers)
            return {"guardContent": {"text": text}}
        case core.CachePoint():
            ttl: dict[str, Json] = {"ttl": block.ttl} if block.ttl else {}
            return {"cachePoint": {"type": block.type or "default", **ttl}}


def _citation(citation: core.Citation, dialect: Dialect) -> Json:
    form: dict[str, Json] = {}
    if citation.title:
        form["title"] = citation.title
    if citation.source_text:
        form["sourceContent"] = [{"text": citation.source_text}]
    if citation.location is not None:
        form["location"] = _location(citation.location, dialect)
    return form


def _location(location: Json, dialect: Dialect) -> Json:
    """The npm SDK says the kind of a place inside it, Bedrock around it."""
    kind = location.get("type") if isinstance(location, dict) else None
    if dialect == "strands" or not isinstance(location, dict) or not isinstance(kind, str):
        return location
    return {kind: {name: value for name, value in location.items() if name != "type"}}


def _encrypted_reasoning(message: core.Message, index: int, dialect: Dialect) -> tuple[Json, ...]:
    """The bytes that only the provider can read, from the record: no core value holds them."""
    match _recorded_content(message)[index : index + 1]:
        case [{"reasoningContent": dict(fields)} | {"reasoning": dict(fields)}]:
            data = bytes_of(fields.get("redactedContent"))
        case _:
            data = None
    if data is None:
        return ()
    return ({"reasoningContent": {"redactedContent": bytes_form(data, dialect)}},)


def _recorded_content(message: core.Message) -> list[Json]:
    record = decode(message.raw)
    if isinstance(record, dict) and isinstance(record.get("message"), dict):
        record = record["message"]
    content = record.get("content") if isinstance(record, dict) else None
    return content if isinstance(content, list) else []
