"""What a payload type must offer. A module in this folder with a `PAYLOAD_TYPE` is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from convviewer.core.json import Json
from convviewer.payloads.shapes import Shape

ViewName: TypeAlias = Literal[
    "table", "tree", "text", "terminal", "traceback", "diff", "image", "raw"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A way to see a payload: its value in `?view=` and its word on the switcher."""

    name: ViewName
    label: str


TABLE: Final = View(name="table", label="Table")
TREE: Final = View(name="tree", label="Tree")
TEXT: Final = View(name="text", label="Text")
TERMINAL: Final = View(name="terminal", label="Terminal")
TRACEBACK: Final = View(name="traceback", label="Traceback")
DIFF: Final = View(name="diff", label="Diff")
IMAGE: Final = View(name="image", label="Image")
RAW: Final = View(name="raw", label="Raw")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """How much to show, and from where.

    after: rows, members, lines or characters to skip. limit: rows, members or lines.
    characters: of text. cells: of a table. pointer: where in the payload the value stands.
    """

    after: int = 0
    limit: int = 100
    characters: int = 65_536
    cells: int = 3_000
    pointer: str = ""


INLINE: Final = Window(limit=20, characters=8_192, cells=300)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is known beside the value. status: of the tool result, "" for other texts."""

    status: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A value that must be classified as the type that gives it.

    shape: the kind of shape its first view has.
    """

    label: str
    value: Json
    shape: str
    status: str = ""


class PayloadType(Protocol):
    """One payload type.

    `offers` are the views it can draw, default first, raw last. `match` rates 0..100 how surely a
    value is of this type; the highest wins. `shape` draws one of the views offered, raw aside; it
    must draw something for any value, because a stored type may come with a value it does not fit.
    """

    name: str
    label: str
    offers: tuple[View, ...]
    examples: tuple[Example, ...]

    def match(self, value: Json, context: Context) -> int: ...

    def shape(self, value: Json, view: str, window: Window) -> Shape: ...
