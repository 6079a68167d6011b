"""Everything that is done with stored JSON: one name to import from, parts in json_*.py.

A decoded value may hold what strict JSON cannot: NaN and the infinities, lone surrogates, integers
of any size, any depth. Nothing here recurses with the depth of a value.
"""

from __future__ import annotations

from convviewer.core.errors import JsonError, PointerError
from convviewer.core.json_decode import decode
from convviewer.core.json_encode import content_hash, encode, encoded_size
from convviewer.core.json_pointer import Pointer, format_pointer, parse_pointer, resolve
from convviewer.core.json_slices import Child, Kind, Level, level
from convviewer.core.json_special import SpecialCounts, count_special, is_plain, replace_surrogates
from convviewer.core.json_types import Json
from convviewer.core.json_wire import encode_strict, from_wire, to_wire

__all__ = [
    "Child",
    "Json",
    "JsonError",
    "Kind",
    "Level",
    "Pointer",
    "PointerError",
    "SpecialCounts",
    "content_hash",
    "count_special",
    "decode",
    "encode",
    "encode_strict",
    "encoded_size",
    "format_pointer",
    "from_wire",
    "is_plain",
    "level",
    "parse_pointer",
    "replace_surrogates",
    "resolve",
    "to_wire",
]
