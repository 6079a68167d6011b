"""Core values to stored JSON text and back.

A value becomes an object of its fields that differ from their defaults; a block also says what it
`is`. Unknown names in stored text are an error of this module, not of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from convviewer.core import thread as core
from convviewer.core.json import Json, decode, encode

IS = "is"
KINDS: dict[str, type[Any]] = {
    "text": core.Text,
    "reasoning": core.Reasoning,
    "tool_use": core.ToolUse,
    "tool_result": core.ToolResult,
    "json": core.JsonValue,
    "media": core.Media,
    "citations": core.Citations,
    "guard": core.Guard,
    "cache_point": core.CachePoint,
    "error": core.Error,
    "deleted": core.Deleted,
    "filler": core.Filler,
    "viewing_context": core.ViewingContext,
    "marker": core.Marker,
    "unknown": core.Unknown,
}
KIND_OF = {cls: kind for kind, cls in KINDS.items()}
_PLAIN = frozenset({str, int, float, bool, NoneType})


def pack(value: Any) -> Json:
    """A core value as JSON; media must have been moved to a blob before."""
    kind = type(value)
    if kind in _PLAIN:
        return cast("Json", value)
    if kind is tuple:
        return [pack(item) for item in value]
    if kind is range:
        return [value.start, value.stop]
    if hasattr(kind, "__dataclass_fields__"):
        return _pack_fields(value)
    return cast("Json", value)


def dump_block(block: core.Block) -> str:
    """One block as stored text."""
    return encode(pack(block))


def dump_text(text: str) -> str:
    """What `dump_block` gives for a plain text block, the commonest of all."""
    return f'{{"{IS}":"text","text":{encode(text)}}}'


def load_blocks(text: str) -> tuple[core.Block, ...]:
    """The blocks of a stored list."""
    return tuple(unpack(core.Block, item) for item in cast("list[Json]", decode(text)))


def unpack(expected: Any, data: Json) -> Any:
    """The value of type `expected` that `pack` wrote as `data`."""
    return _reader(expected)(data)


def _pack_fields(value: Any) -> Json:
    packed: dict[str, Json] = {}
    cls: Any = type(value)
    if cls in KIND_OF:
        packed[IS] = KIND_OF[cls]
    for name, default, raw_json in _plan(cls):
        item = getattr(value, name)
        # Most fields hold the very default, which costs less to see than that they are equal.
        if item is default or (item == default and type(item) is type(default)):
            continue
        packed[name] = item if raw_json else pack(item)
    return packed


@cache
def _plan(cls: Any) -> tuple[tuple[str, object, bool], ...]:
    hints = get_type_hints(cls)
    plan = []
    for item in fields(cls):
        default: object = item.default
        if item.default_factory is not MISSING:
            default = item.default_factory()
        plan.append((item.name, default, hints[item.name] is Json))
    return tuple(plan)


@cache
def _reader(expected: Any) -> Callable[[Json], Any]:
    if expected is Json:
        return lambda data: data
    if expected is range:
        return lambda data: range(*cast("list[int]", data))
    origin = get_origin(expected)
    if origin is tuple:
        item = _reader(get_args(expected)[0])
        return lambda data: tuple(item(entry) for entry in cast("list[Json]", data))
    if origin in (Union, UnionType):
        return _union_reader(tuple(arg for arg in get_args(expected) if arg is not NoneType))
    if is_dataclass(expected):
        return _class_reader(cast("type[Any]", expected))
    return lambda data: data


def _union_reader(options: tuple[Any, ...]) -> Callable[[Json], Any]:
    if not any(is_dataclass(option) for option in options):
        return lambda data: data
    if len(options) == 1:
        single = _reader(options[0])
        return lambda data: None if data is None else single(data)

    def read(data: Json) -> Any:
        packed = cast("dict[str, Json]", data)
        cls: Any = KINDS[cast("str", packed[IS])]
        return _reader(cls)(packed)

    return read


def _class_reader(cls: type[Any]) -> Callable[[Json], Any]:
    hints = get_type_hints(cls)
    readers: dict[str, Callable[[Json], Any]] = {}

    def read(data: Json) -> Any:
        if not readers:
            readers.update({item.name: _reader(hints[item.name]) for item in fields(cls)})
        packed = cast("dict[str, Json]", data)
        return cls(**{name: readers[name](item) for name, item in packed.items() if name != IS})

    return read
