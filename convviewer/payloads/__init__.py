"""JSON values to shapes: one module per payload type, found by being here.

`classify` names the payload type of a value, `views` lists how it can be seen, `shape_for` draws a
window of one view. The `stored` twins do the same for JSON text too large to decode.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from convviewer.core.json import Json, decode, level, resolve
from convviewer.core.raster import raster_type
from convviewer.payloads.base import (
    INLINE,
    RAW,
    TABLE,
    TEXT,
    TREE,
    Context,
    PayloadType,
    View,
    Window,
)
from convviewer.payloads.parts.cause import Cause, cause_of
from convviewer.payloads.parts.content import BytesPart, content_parts
from convviewer.payloads.parts.embedded import embedded_shape, embedded_views, parsed_json
from convviewer.payloads.parts.images import decode_base64
from convviewer.payloads.parts.stored import large_shape
from convviewer.payloads.parts.summary import describe, input_summary
from convviewer.payloads.parts.texts import code_of, raw_of
from convviewer.payloads.parts.trees import tree_of
from convviewer.payloads.shapes import Shape

__all__ = [
    "INLINE",
    "Cause",
    "Context",
    "PayloadType",
    "View",
    "Window",
    "all_payload_types",
    "cause_of",
    "classify",
    "describe",
    "embedded_bytes",
    "embedded_bytes_stored",
    "input_summary",
    "payload_type",
    "shape_for",
    "shape_for_stored",
    "views",
    "views_of_type",
]

DECODED_AT_MOST = 1_000_000
_FALLBACK = "json"


@cache
def all_payload_types() -> tuple[PayloadType, ...]:
    """Every payload type of this folder, by module name."""
    names = sorted(module.name for module in iter_modules(__path__))
    modules = (import_module(f"{__name__}.{name}") for name in names)
    return tuple(module.PAYLOAD_TYPE for module in modules if hasattr(module, "PAYLOAD_TYPE"))


def payload_type(name: str) -> PayloadType:
    """Return the type of that name; json for a name stored by a version that knew more."""
    by_name = {one.name: one for one in all_payload_types()}
    return by_name.get(name, by_name[_FALLBACK])


def classify(value: Json, *, status: str = "") -> str:
    """Return the name of the payload type; `status` is that of the tool result."""
    context = Context(status=status)
    return max(all_payload_types(), key=lambda one: one.match(value, context)).name


def views(value: Json, type_name: str = "") -> tuple[View, ...]:
    """Return how a value can be seen, default first, raw last."""
    offered = payload_type(type_name or classify(value)).offers
    taken = {view.name for view in offered}
    extras = (view for view in _extras(value) if view.name not in taken)
    return (*offered[:-1], *extras, RAW)


def views_of_type(type_name: str) -> tuple[View, ...]:
    """Return how every value of a type can be seen, for values that are not decoded."""
    return payload_type(type_name).offers


def shape_for(
    value: Json, view: str, window: Window = INLINE, *, pointer: str = "", type_name: str = ""
) -> Shape:
    """Return a window of one view of what stands at `pointer`; the default view if it has no such.

    Inside a string that is JSON text the pointer leads on into what it says. `type_name` is the
    stored payload type of the whole value. Raises PointerError when the pointer leads nowhere.
    """
    if pointer:
        whole = parsed_json(value) if isinstance(value, str) else value
        return shape_for(resolve(whole, pointer), view, replace(window, pointer=pointer))
    name = type_name or classify(value)
    offered = views(value, name)
    chosen = next((one for one in offered if one.name == view), offered[0])
    one = payload_type(name)
    if chosen == RAW:
        return raw_of(value, window)
    if chosen in one.offers:
        return one.shape(value, chosen.name, window)
    return _extra_shape(value, chosen, window)


def shape_for_stored(
    data: bytes, view: str, window: Window = INLINE, *, pointer: str = "", type_name: str = ""
) -> Shape:
    """Do as `shape_for` on stored JSON text (ASCII); what is large is read in slices.

    Raises JsonError when the text is not JSON, PointerError when the pointer leads nowhere.
    """
    if len(data) <= DECODED_AT_MOST or view == "image":
        return shape_for(decode(data), view, window, pointer=pointer, type_name=type_name)
    return large_shape(data, view, replace(window, pointer=pointer))


def embedded_bytes(value: Json, pointer: str) -> tuple[str, bytes]:
    """Return media type and bytes of what an Image or Download shape points at in a value.

    The media type is a raster type that the bytes prove, else application/octet-stream: safe to
    serve as it is. Raises PointerError when there is nothing, gives b"" for what is not base64.
    """
    text = resolve(value, pointer)
    return _bytes(text if isinstance(text, str) else "")


def embedded_bytes_stored(data: bytes, pointer: str) -> tuple[str, bytes]:
    """Do as `embedded_bytes` on stored JSON text, reading no more than the string pointed at."""
    return _bytes(level(data, pointer, limit=len(data)).text)


def _bytes(text: str) -> tuple[str, bytes]:
    match content_parts(text):
        case (BytesPart() as part,):
            data = decode_base64(part.encoded.data)
        case _:
            data = decode_base64(text)
    return raster_type(data[:16]) or "application/octet-stream", data


def _extras(value: Json) -> tuple[View, ...]:
    match value:
        case str() if value:
            return (TEXT, *embedded_views(value))
        case dict() | list() if value:
            return (TREE,)
        case _:
            return ()


def _extra_shape(value: Json, view: View, window: Window) -> Shape:
    if not isinstance(value, str):
        return tree_of(value, window)
    embedded = embedded_shape(value, view.name, window) if view in {TREE, TABLE} else None
    return embedded or code_of(value, window)
