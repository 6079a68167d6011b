"""Payloads as pages show them: one view, one window of it, and what else there is to see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from convviewer.core import thread as core
from convviewer.core.json import Json, decode, encode, level
from convviewer.core.text import count, format_bytes
from convviewer.payloads import (
    View,
    Window,
    classify,
    describe,
    shape_for,
    shape_for_stored,
    views,
    views_of_type,
)
from convviewer.payloads.shapes import Code, Notice, Shape, Stack
from convviewer.queries.payload_value import Value
from convviewer.store.large import text_of_blob

INPUT: Final = "input"
# What a message shows of a payload that nobody has asked for yet.
PREVIEW: Final = Window(limit=20, characters=2_000, cells=200)
# A stored value of at most this size is decoded to find out what it is; of a larger one, a sample.
_DECODED: Final = 1_000_000
_SAMPLE: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The address of a payload; `tier` is the value of `?tier=`, `part` one of several results."""

    thread: str
    tier: str
    key: str
    block: int
    part: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadView:
    """One payload. `shape` is None where it is too large to be shown before it is asked for.

    `facts` say how much there is ("4 rows · 1.1 KB"); `guessed` marks an unwrapped {"items": []}.
    `told`: the card says all of it already, so that only the switcher is needed.
    """

    place: Place
    views: tuple[View, ...]
    view: str
    shape: Shape | None
    facts: str
    label: str
    type_name: str
    guessed: bool = False
    has_input: bool = False
    told: bool = False

    @property
    def region(self) -> str:
        """A name that no other payload of the page has."""
        return f"{self.label} {self.place.block + 1} of message {self.place.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a reader asks to see: a view ("" for the default), a window, a place in the payload."""

    view: str = ""
    window: Window = PREVIEW
    pointer: str = ""


def show(
    value: Value,
    place: Place,
    *,
    data: bytes | None = None,
    look: Look | None = None,
    has_input: bool = False,
) -> PayloadView:
    """Draw what `look` asks for; `data` are the bytes of the payload's blob, where it has one.

    Raises PointerError when the pointer leads nowhere.
    """
    look = look or Look()
    type_name = _type_name(value, data)
    offered = views_of_type(type_name) if value.stored else views(value.value, type_name)
    chosen = next((one.name for one in offered if one.name == look.view), offered[0].name)
    return PayloadView(
        place=place,
        views=offered,
        view=chosen,
        shape=_shape(value, data, replace(look, view=chosen), type_name),
        facts=_facts(value, type_name),
        label=value.label,
        type_name=type_name,
        guessed=value.guessed,
        has_input=has_input,
    )


def with_input(
    payload: PayloadView, given: Value, *, data: bytes | None, look: Look
) -> PayloadView:
    """The card's payload with the call's input in its view."""
    type_name = _type_name(given, data)
    offered = views_of_type(type_name) if given.stored else views(given.value, type_name)
    shape = _shape(given, data, replace(look, view=offered[0].name), type_name)
    return replace(payload, view=INPUT, shape=shape, label=given.label)


def without_cause(payload: PayloadView) -> PayloadView:
    """The payload for a card that has told its cause: the view of an error begins with it."""
    match payload.shape:
        case Notice(tone="err"):
            return replace(payload, told=True)
        case Stack(parts=(Notice(tone="err"), rest)):
            return replace(payload, shape=rest)
        case Stack(parts=(Notice(tone="err"), *rest)) as stack:
            return replace(payload, shape=replace(stack, parts=tuple(rest)))
        case _:
            return payload


def stored_json(stored: core.Stored, data: bytes) -> bytes:
    """A stored value as ASCII JSON text."""
    return data if stored.of == "json" else encode(text_of_blob(data)).encode("ascii")


def _type_name(value: Value, data: bytes | None) -> str:
    stored = value.stored
    if stored is None:
        return classify(value.value, status=value.status)
    if data is not None and stored.size <= _DECODED:
        whole = text_of_blob(data) if stored.of == "text" else decode(data)
        return classify(whole, status=value.status)
    if stored.of == "text" or data is None:
        return classify(value.value or "", status=value.status)
    return classify(_sample(data))


def _sample(data: bytes) -> Json:
    """The first few members of a large value, what is large in them left out."""
    here = level(data, "", limit=_SAMPLE)
    if here.kind == "array":
        return [child.value for child in here.items]
    return {
        str(child.key): [{}, {}] if child.kind == "array" and child.value is None else child.value
        for child in here.items
    }


def _shape(value: Value, data: bytes | None, look: Look, type_name: str) -> Shape | None:
    if value.stored is None:
        return shape_for(
            value.value, look.view, look.window, pointer=look.pointer, type_name=type_name
        )
    if data is None:
        return _clipped(value, value.stored) if isinstance(value.value, str) else None
    text = stored_json(value.stored, data)
    return shape_for_stored(text, look.view, look.window, pointer=look.pointer, type_name=type_name)


def _clipped(value: Value, stored: core.Stored) -> Shape:
    """The start of a long text, with the way to the rest of it."""
    shown = shape_for(value.value, "text", PREVIEW, type_name="text")
    if not isinstance(shown, Code):
        return shown
    end = shown.extent.shown
    return replace(shown, extent=replace(shown.extent, total=stored.length, next=end))


def _facts(value: Value, type_name: str) -> str:
    stored = value.stored
    if stored is None:
        return describe(value.value)
    noun = "character" if stored.of == "text" else "row" if type_name == "records" else "item"
    return f"{count(stored.length, noun)} · {format_bytes(stored.size)}"
