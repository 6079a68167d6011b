"""Core values to the JSON of a bundle, and back with every type checked.

An object holds the fields of its value by name, without those that have their default. Blocks and
parts also say their `kind`. Bytes are base64. What the store keeps apart (`stored`) has no place
here: values are written whole.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from convviewer.core import thread as core
from convviewer.core.json import Json
from convviewer.formats.parts.blocks import Context

_Reader = Callable[[Json, Context], Any]

_KIND: Final = "kind"
KINDS: Final[dict[str, type[Any]]] = {
    "text": core.Text,
    "reasoning": core.Reasoning,
    "tool_use": core.ToolUse,
    "tool_result": core.ToolResult,
    "json": core.JsonValue,
    "citations": core.Citations,
    "guard": core.Guard,
    "cache_point": core.CachePoint,
    "error": core.Error,
    "deleted": core.Deleted,
    "filler": core.Filler,
    "viewing_context": core.ViewingContext,
    "marker": core.Marker,
    "unknown": core.Unknown,
    # Of media the kind is a field: image, document, audio, video.
    **dict.fromkeys(get_args(core.MediaKind), core.Media),
}
_KIND_OF: Final = {cls: kind for kind, cls in KINDS.items() if cls is not core.Media}


class MismatchError(Exception):
    """A value that is not of the type its place asks for; the text says what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    name: str
    hint: Any
    default: object

    @property
    def required(self) -> bool:
        return self.default is MISSING


def pack(value: object) -> Json:
    """Return the JSON of a core value."""
    if is_dataclass(value) and not isinstance(value, type):
        kind = _KIND_OF.get(type(value))
        return pack_fields(value) if kind is None else {_KIND: kind, **pack_fields(value)}
    if isinstance(value, tuple):
        return [pack(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return cast("Json", value)


def pack_fields(value: Any, *, without: frozenset[str] = frozenset()) -> dict[str, Json]:
    """Return the fields of a dataclass instance that differ from their defaults, as JSON."""
    packed: dict[str, Json] = {}
    cls: Any = type(value)
    for field in _fields(cls):
        item = getattr(value, field.name)
        is_default = type(item) is type(field.default) and item == field.default
        if field.name not in without and not is_default:
            packed[field.name] = item if field.hint is Json else pack(item)
    return packed


def unpack(cls: Any, data: Json, context: Context, **given: Any) -> Any:
    """Return the value of a core class that `pack` wrote, some of its fields given.

    A field of another type than its own is left at its default and noted as `bad_block`; what
    cannot do without it raises MismatchError. `context` is where the data stands.
    """
    if not isinstance(data, dict):
        raise MismatchError("expected an object")
    values = dict(given)
    for field in _fields(cls):
        if field.name in given:
            continue
        if field.name not in data:
            if field.required:
                raise MismatchError(f"expected {field.name}")
            continue
        try:
            values[field.name] = _reader(field.hint)(data[field.name], context.at(field.name))
        except MismatchError as error:
            if field.required:
                raise MismatchError(f"{field.name}: {error}") from None
            context.at(field.name).note("bad_block", f"left out: {error}")
    return cls(**values)


def unpack_blocks(data: Json, context: Context) -> tuple[core.Block, ...]:
    """Return blocks, or MismatchError; a block that is wrong inside is kept as `Unknown`."""
    blocks: tuple[core.Block, ...] = _reader(tuple[core.Block, ...])(data, context)
    return blocks


@cache
def _fields(cls: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(cls)
    return tuple(
        _Field(
            name=field.name,
            hint=hints[field.name],
            default=field.default if field.default_factory is MISSING else field.default_factory(),
        )
        for field in fields(cls)
        if field.name != "stored"
    )


@cache
def _reader(hint: Any) -> _Reader:
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, options = get_origin(hint), get_args(hint)
    if origin is tuple:
        return _tuple_reader(options[0])
    if origin is Literal:
        return _choice_reader(options)
    if origin in {Union, UnionType}:
        return _union_reader(options)
    return lambda data, context: unpack(hint, data, context)


def _scalar_reader(accepted: type | UnionType, expected: str) -> _Reader:
    def read(data: Json, context: Context) -> Any:
        if not isinstance(data, accepted) or (isinstance(data, bool) and accepted is not bool):
            raise MismatchError(f"expected {expected}")
        return data

    return read


def _choice_reader(options: tuple[Any, ...]) -> _Reader:
    def read(data: Json, context: Context) -> Any:
        if data not in options:
            raise MismatchError(f"expected one of {', '.join(options)}")
        return data

    return read


def _tuple_reader(item: Any) -> _Reader:
    def read(data: Json, context: Context) -> Any:
        if not isinstance(data, list):
            raise MismatchError("expected a list")
        values = []
        for index, entry in enumerate(data):
            try:
                values.append(_reader(item)(entry, context.at(index)))
            except MismatchError as error:
                context.at(index).note("bad_block", f"left out: {error}")
        return tuple(values)

    return read


def _union_reader(options: tuple[Any, ...]) -> _Reader:
    if NoneType in options:
        (other,) = (option for option in options if option is not NoneType)
        return lambda data, context: None if data is None else _reader(other)(data, context)
    return _block_reader(options)


def _block_reader(options: tuple[Any, ...]) -> _Reader:
    def read(data: Json, context: Context) -> Any:
        kind = data.get(_KIND) if isinstance(data, dict) else None
        cls = KINDS.get(kind) if isinstance(kind, str) else None
        if cls is None or cls not in options:
            context.note("unknown_block", "not understood and kept as it is: kind")
            return core.Unknown(raw=data, reason="no block of a known kind")
        try:
            return unpack(cls, data, context)
        except MismatchError as error:
            context.note("bad_block", f"{kind} block: {error}")
            return core.Unknown(raw=data, reason=str(error))

    return read


def _read_bytes(data: Json, context: Context) -> bytes:
    if not isinstance(data, str):
        raise MismatchError("expected base64")
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise MismatchError("expected base64") from None


_SIMPLE: Final[dict[Any, _Reader]] = {
    Json: lambda data, context: data,
    bytes: _read_bytes,
    str: _scalar_reader(str, "text"),
    bool: _scalar_reader(bool, "true or false"),
    int: _scalar_reader(int, "an integer"),
    float: _scalar_reader(int | float, "a number"),
}
