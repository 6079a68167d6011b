"""Our own interchange form: one JSON file with a thread and all its tiers.

bundle.schema.json describes it. Messages may be given as Roboto or Strands Agents store them, so
that any system can hand over its tiers; an export writes them as core values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from convviewer.core.errors import JsonError, SourceError
from convviewer.core.json import Json, decode, from_wire
from convviewer.core.thread import Message, Thread, Tier
from convviewer.formats.base import Found, Refused, Unit, merge_tiers
from convviewer.formats.parts.blocks import Context
from convviewer.formats.parts.bundle.codec import MismatchError, unpack
from convviewer.formats.parts.bundle.messages import read_entries, read_message, read_messages
from convviewer.formats.parts.bundle.write import VERSION, write_bundle
from convviewer.formats.parts.head import outline
from convviewer.formats.parts.refusals import not_json
from convviewer.formats.parts.roboto.record import read_thread
from convviewer.formats.parts.slices import items, members
from convviewer.formats.parts.strands.message import system_blocks
from convviewer.formats.parts.warning_log import WarningLog, joined
from convviewer.formats.source import SourceFile

__all__ = ["FORMAT", "Bundle", "write_bundle"]

_BODIES: Final = frozenset({"thread", "tiers"})
_TIER_PATHS: Final = frozenset({"tiers/*/name", "tiers/*/kind", "tiers/*/messages"})
_BODIES_OF_TIER: Final = frozenset({"messages", "variants"})


class Bundle:
    """A file is a thread with its tiers; one that was exported keeps the format it came from."""

    name = "bundle"
    label = "convviewer bundle"

    def sniff(self, head: bytes, path: PurePosixPath) -> int:
        """Rate by the members that every bundle has."""
        paths = outline(head).paths
        if "convviewer" in paths and _BODIES & paths:
            return 100
        return 70 if paths >= _TIER_PATHS else 0

    def folder_of(self, path: PurePosixPath) -> PurePosixPath | None:
        """A bundle stands alone."""
        return None

    def read(self, unit: Unit) -> Iterator[Found]:
        """Yield a thread for each file."""
        for file in unit.files:
            try:
                yield _read_file(file)
            except JsonError as error:
                yield not_json(file.path, error)
            except SourceError as error:
                yield Refused(path=error.path, pointer=error.pointer, reason=error.reason)

    def merge(self, stored: Thread, incoming: Thread) -> Thread:
        """Join the tiers."""
        return merge_tiers(stored, incoming)


FORMAT = Bundle()


def _read_file(file: SourceFile) -> Thread:
    """Raises JsonError, SourceError."""
    context = Context(path=file.path, log=WarningLog())
    bundle = members(file.read())
    if bundle is None or decode(bundle.get("convviewer", b"null")) != VERSION:
        raise _refusal(context.at("convviewer"), f"expected a bundle of version {VERSION}")
    texts = items(bundle.get("tiers", b"null"))
    if texts is None:
        raise _refusal(context.at("tiers"), "expected a list of tiers")
    tiers = _read_tiers(texts, context.at("tiers"))
    head = from_wire(decode(bundle.get("thread", b"null")))
    if not isinstance(head, dict):
        raise _refusal(context.at("thread"), "expected an object")
    if "external_id" in head:
        return _exported(head, tiers, context.at("thread"))
    return _handed_over(head, tiers, context.at("thread"), place=file.short_path)


def _exported(head: dict[str, Json], tiers: tuple[Tier, ...], context: Context) -> Thread:
    head.setdefault("format", FORMAT.name)
    try:
        thread: Thread = unpack(Thread, head, context, tiers=tiers)
    except MismatchError as error:
        raise _refusal(context, str(error)) from None
    return replace(thread, warnings=joined(thread.warnings, context.log.all()))


def _handed_over(
    head: dict[str, Json], tiers: tuple[Tier, ...], context: Context, *, place: str
) -> Thread:
    """The thread of another system, under the names that Roboto or Strands Agents use."""
    system = system_blocks(head.pop("system", None), context.at("system"))
    tools = head.pop("toolConfig", None)
    agent_id, updated_at = (_take_text(head, name) for name in ("agent_id", "updated_at"))
    if created_at := _take_text(head, "created_at"):
        head.setdefault("created", created_at)
    thread = read_thread(head, tiers, context, place=place)
    return replace(
        thread,
        format=FORMAT.name,
        agent_id=agent_id,
        updated_at=updated_at,
        agent=replace(thread.agent, id=thread.agent.id or agent_id, system=system, tools=tools),
    )


def _read_tiers(texts: list[bytes], context: Context) -> tuple[Tier, ...]:
    """The tiers with verbatim first: what the others leave out, they refer to."""
    heads = [_read_head(text, context.at(index)) for index, text in enumerate(texts)]
    order = sorted(range(len(heads)), key=lambda index: heads[index].kind != "verbatim")
    tiers: list[Tier] = []
    for index in order:
        at = context.at(index)
        if any(tier.name == heads[index].name for tier in tiers):
            raise _refusal(at.at("name"), "expected a name that no other tier has")
        tiers.append(_with_messages(heads[index], members(texts[index]) or {}, tiers, at))
    return tuple(tiers)


def _read_head(text: bytes, context: Context) -> Tier:
    """A tier still without its messages."""
    fields = members(text)
    if fields is None:
        raise _refusal(context, "expected an object with name, kind and messages")
    head = {name: decode(value) for name, value in fields.items() if name not in _BODIES_OF_TIER}
    head |= {"links": _with_text_keys(head.get("links", []))}
    try:
        tier: Tier = unpack(Tier, head, context, messages=())
    except MismatchError as error:
        raise _refusal(context, str(error)) from None
    return tier


def _with_messages(
    tier: Tier, fields: dict[str, bytes], before: list[Tier], context: Context
) -> Tier:
    verbatim = before[0].messages if before and before[0].kind == "verbatim" else ()
    if "variants" in fields:
        at = context.at("variants")
        messages = _variants(members(fields["variants"]), verbatim, at)
        return replace(tier, messages=messages, aligned_by_number=True)
    texts, at = items(fields.get("messages", b"null")), context.at("messages")
    if texts is None:
        raise _refusal(at, "expected a list of messages")
    first = {message.key: message for message in before[0].messages} if before else {}
    if tier.kind in {"verbatim", "variant"} or tier.aligned_by_number:
        return replace(tier, messages=read_messages(texts, at, first))
    summaries = {link.entry for link in tier.links if len(link.stands_for) > 1}
    entries = read_entries(texts, at, first, verbatim=verbatim, summaries=summaries)
    return replace(tier, messages=entries)


def _variants(
    variants: dict[str, bytes] | None, verbatim: tuple[Message, ...], context: Context
) -> tuple[Message, ...]:
    """The verbatim messages, with those replaced that the tier holds in another form."""
    if variants is None:
        raise _refusal(context, "expected an object of messages by their index")
    messages = list(verbatim)
    for index, text in variants.items():
        if not (index.isdecimal() and int(index) < len(verbatim)):
            raise _refusal(context.at(index), "expected the index of a verbatim message")
        said = verbatim[int(index)]
        variant = read_message(decode(text), context, number=int(index), raw=text, first={})
        messages[int(index)] = replace(variant, key=said.key, number=said.number)
    return tuple(messages)


def _with_text_keys(links: Json) -> Json:
    """The links with keys as text: the key of a message that is named by its place is a number."""
    return [_with_text_keys_in(link) for link in links] if isinstance(links, list) else links


def _with_text_keys_in(link: Json) -> Json:
    keys = link.get("stands_for") if isinstance(link, dict) else None
    if not isinstance(link, dict) or not isinstance(keys, list):
        return link
    return {**link, "stands_for": [str(key) for key in keys]}


def _take_text(fields: dict[str, Json], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        return ""
    del fields[name]
    return value


def _refusal(context: Context, reason: str) -> SourceError:
    return SourceError(context.path, context.pointer, f"{reason}; see bundle.schema.json")
