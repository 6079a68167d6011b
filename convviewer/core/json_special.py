"""What a decoded value may hold and strict JSON may not: lone surrogates, special numbers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from convviewer.core.json_types import Json

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


def replace_surrogates(text: str) -> str:
    """Return the text with lone surrogates as U+FFFD and paired ones joined: valid Unicode."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def count_special(value: Json) -> SpecialCounts:
    """Count what `encode_strict` would have to rewrite, in one pass."""
    characters = numbers = depth = 0
    level: list[Json] = [value]
    while level:
        characters += sum(_lone_surrogates(item) for item in level if isinstance(item, str))
        numbers += sum(isinstance(item, float) and not math.isfinite(item) for item in level)
        containers = [item for item in level if isinstance(item, list | dict)]
        depth += bool(containers)
        level = []
        for container in containers:
            if isinstance(container, dict):
                characters += sum(map(_lone_surrogates, container))
                level.extend(container.values())
            else:
                level.extend(container)
    return SpecialCounts(replaced_characters=characters, special_numbers=numbers, depth=depth)


def _lone_surrogates(text: str) -> int:
    return 0 if text.isascii() else len(_LONE_SURROGATE.findall(text))
