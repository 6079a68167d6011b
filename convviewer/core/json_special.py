"""What a decoded value may hold and strict JSON may not: lone surrogates, special numbers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

import msgspec

from convviewer.core.json_types import Json

_PLAIN: Final = msgspec.json.Decoder(msgspec.Raw)
_LONE_SURROGATE: Final = re.compile(
    "[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialCounts:
    """How much of a value cannot go out as it is.

    replaced_characters: lone surrogates in strings and keys, shown as U+FFFD.
    special_numbers: NaN, Infinity, -Infinity.
    depth: 0 for a scalar, 1 for a flat array or object.
    """

    replaced_characters: int = 0
    special_numbers: int = 0
    depth: int = 0


def is_plain(data: bytes) -> bool:
    """Say whether a text is strict JSON, free of lone surrogates, at most about 1,000 deep.

    Costs a small part of decoding it: most stored texts need no closer look.
    """
    try:
        _PLAIN.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def replace_surrogates(text: str) -> str:
    """Return the text with lone surrogates as U+FFFD and paired ones joined: valid Unicode."""
    if not has_surrogates(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def count_special(value: Json) -> SpecialCounts:
    """Count what `encode_strict` would have to rewrite, in one pass."""
    characters = numbers = depth = 0
    level: list[Json] = [value]
    while level:
        containers = []
        for item in level:
            if isinstance(item, str):
                characters += _lone_surrogates(item)
            elif isinstance(item, dict | list):
                containers.append(item)
            elif isinstance(item, float):
                numbers += not math.isfinite(item)
        depth += bool(containers)
        characters += sum(_lone_surrogates(k) for c in containers if isinstance(c, dict) for k in c)
        level = [child for c in containers for child in (c.values() if isinstance(c, dict) else c)]
    return SpecialCounts(replaced_characters=characters, special_numbers=numbers, depth=depth)


def has_surrogates(text: str) -> bool:
    """Tell whether the text is not valid Unicode: encoding is the fastest way to find out."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _lone_surrogates(text: str) -> int:
    return len(_LONE_SURROGATE.findall(text)) if has_surrogates(text) else 0
