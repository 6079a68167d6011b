"""The closed set of shapes that payloads are drawn as; `templates/shapes/<kind>.html` draws each.

Every shape is bounded: it holds one window of its payload, and its `extent` says how much there is
and where the next window starts. Text is cut into spans that a page shows as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from convviewer.core.json import Kind

Tone: TypeAlias = Literal["calm", "active", "ok", "warn", "err"]
DiffMark: TypeAlias = Literal["head", "hunk", "del", "ins", "same", "note"]
CellKind: TypeAlias = Kind | Literal["absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """At most 8,000 characters of one look. No two neighbours lack classes.

    classes: "" or CSS classes; "ctl" names hidden characters, "piece" only parts long text.
    """

    text: str
    classes: str = ""


Spans: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """What part of the whole a shape shows.

    start: offset of the first unit shown; total: units in the whole; unit: singular noun.
    next: the `after` of the following window, None at the end.
    pointer: the place in the payload whose units are counted; goes back as `path`.
    """

    start: int
    shown: int
    total: int
    unit: str
    next: int | None = None
    pointer: str = ""

    @property
    def end(self) -> int:
        """Offset after the last unit shown."""
        return self.start + self.shown


# -- text ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Markdown source, to be rendered and sanitised by the template."""

    kind: ClassVar[str] = "prose"
    text: str
    extent: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Preformatted text; `language` is "" for plain text."""

    kind: ClassVar[str] = "code"
    spans: Spans
    extent: Extent
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Terminal output, colours as `ansi-*` classes. `title` tells streams apart ("stderr")."""

    kind: ClassVar[str] = "terminal"
    spans: Spans
    extent: Extent
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line with its mark and its number on each side, where it has one."""

    mark: DiffMark
    spans: Spans
    old: int | None = None
    new: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """A unified diff."""

    kind: ClassVar[str] = "diff"
    lines: tuple[DiffLine, ...]
    extent: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A stack frame; `code` is the source line where the trace quotes it."""

    place: Spans
    function: Spans
    code: Spans = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One exception of a chain. `relation` to the one before it: "caused by", "while handling".

    `frames` are the innermost last, as raised; `hidden_frames` more stood before them.
    """

    type: str
    message: Spans
    frames: tuple[Frame, ...]
    hidden_frames: int = 0
    relation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traceback:
    """An exception and its causes, the one that surfaced first. `before`: what was printed first.

    `language` is python, node, java or go.
    """

    kind: ClassVar[str] = "traceback"
    language: str
    raised: tuple[Raised, ...]
    before: Spans = ()
    after: Spans = ()


# -- values ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value in one line.

    spans: a scalar whole or clipped, a container's preview; a string that could be taken for
    another kind of value stands in quotes. pointer: where to read on; "" when this is all.
    """

    kind: CellKind
    spans: Spans
    pointer: str = ""

    @property
    def css(self) -> str:
        """The class of the value: string, number, or another literal."""
        return _css(self.kind)

    @property
    def numeric(self) -> bool:
        """Aligned as figures are."""
        return self.kind in {"number", "special"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column; numeric when each value it shows is a number."""

    name: Spans
    numeric: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row; `number` counts from 0 over the whole table."""

    number: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under columns. `total_columns` of which only those in `columns` are shown."""

    kind: ClassVar[str] = "table"
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    total_columns: int
    extent: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A name and its value."""

    name: Spans
    cell: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The members of an object."""

    kind: ClassVar[str] = "pairs"
    rows: tuple[Pair, ...]
    extent: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value in a tree.

    name: member name or index; () for the root. size: members, items or characters.
    spans: the value of a scalar; () for a container.
    children: the whole inside of a small container; else () and `pointer` says where to fetch it.
    pointer: "" when everything is here.
    """

    name: Spans
    kind: Kind
    size: int
    spans: Spans = ()
    children: tuple[Node, ...] = ()
    pointer: str = ""

    @property
    def css(self) -> str:
        """The class of the value: string, number, or another literal."""
        return _css(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """One level of a value with what is small inlined. `of`: the kind of value at the level."""

    kind: ClassVar[str] = "tree"
    of: Kind
    nodes: tuple[Node, ...]
    extent: Extent


# -- media and notes -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture whose bytes are verified to be of `media_type` (a raster type).

    Its bytes are a blob (`sha256`), or stand in the payload at `pointer`. Sizes in pixels, None
    where the bytes do not say.
    """

    kind: ClassVar[str] = "image"
    media_type: str
    alt: str
    size: int
    width: int | None = None
    height: int | None = None
    pointer: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Bytes that are offered as a file and never shown in the page; `size` in bytes."""

    kind: ClassVar[str] = "download"
    name: str
    media_type: str
    size: int | None
    pointer: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A sentence of ours about the payload, with a name and a code where it is an error."""

    kind: ClassVar[str] = "notice"
    tone: Tone
    text: Spans
    title: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Several shapes in order: the parts of a content list, or facts above a table."""

    kind: ClassVar[str] = "stack"
    parts: tuple[Shape, ...]
    extent: Extent


Shape: TypeAlias = (
    Prose
    | Code
    | Table
    | Pairs
    | Tree
    | Diff
    | Terminal
    | Traceback
    | Image
    | Download
    | Notice
    | Stack
)


def _css(kind: CellKind) -> str:
    return {"string": "s", "number": "n", "special": "n special"}.get(kind, "lit")
