"""JSON pointers (RFC 6901)."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from convviewer.core.errors import PointerError
from convviewer.core.json_types import Json

Pointer: TypeAlias = tuple[str | int, ...]

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,17}")
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")


def format_pointer(pointer: Pointer) -> str:
    """Return the text of a pointer: "" for the whole value, "/a/0" for a member's first item."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in pointer)


def parse_pointer(text: str) -> tuple[str, ...]:
    """Return the tokens of a pointer; PointerError when it does not start with "/"."""
    if not text:
        return ()
    if not text.startswith("/"):
        raise PointerError(f"expected a JSON pointer that is empty or starts with '/': {text!a}")
    if _BAD_ESCAPE.search(text):
        raise PointerError(f"expected '~0' or '~1' after each '~' in a JSON pointer: {text!a}")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in text[1:].split("/"))


def resolve(value: Json, pointer: str | Pointer) -> Json:
    """Return what the pointer leads to; PointerError when it leads nowhere."""
    tokens = parse_pointer(pointer) if isinstance(pointer, str) else pointer
    for depth, token in enumerate(tokens):
        match value:
            case dict() if str(token) in value:
                value = value[str(token)]
            case list() if (index := array_index(token)) is not None and index < len(value):
                value = value[index]
            case _:
                raise missing(tokens[: depth + 1])
    return value


def array_index(token: str | int) -> int | None:
    """Return the place in an array that a token names, or None when it names none."""
    return int(token) if _INDEX.fullmatch(str(token)) else None


def missing(pointer: Pointer) -> PointerError:
    """Return the error for a pointer that leads nowhere."""
    return PointerError(f"there is nothing at {format_pointer(pointer)!a}")
