"""Blocks as the comparison shows them; `templates/comparison/blocks/<kind>.html` draws each kind.

`n` is the block's number in its message. `fate` is what became of the block where its row does not
say it already, else "".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from convviewer.analysis.wording import Piece
from convviewer.payloads import Cause
from convviewer.queries.blocks import Clip
from convviewer.queries.media import Figure
from convviewer.queries.payload import PayloadView


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A text as its speaker said it, or typed (`mono`) where it is data."""

    kind: ClassVar[str] = "words"
    n: int
    text: str
    mono: bool
    clip: Clip | None
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Unchanged characters that a diff leaves out."""

    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """One side of a word diff: equal pieces, what is only here, and gaps between them.

    `stopped` says in words where the comparison of words ended, "" where it did not.
    """

    kind: ClassVar[str] = "diff"
    n: int
    pieces: tuple[Piece | Gap, ...]
    mono: bool
    stopped: str
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutHere:
    """The left side of a cut: what is only here, of which the start is shown.

    `hidden` characters are only here; `next` is where the rest of them starts in the text, None
    where all are shown.
    """

    kind: ClassVar[str] = "cut"
    n: int
    head: str
    lost: str
    tail: str
    hidden: int
    next: int | None
    mono: bool
    fate: str = ""

    @property
    def rest(self) -> int:
        """Characters only here that are not shown."""
        return self.hidden - len(self.lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutThere:
    """The right side of a cut: what was kept, with the tear between."""

    kind: ClassVar[str] = "torn"
    n: int
    head: str
    tail: str
    hidden: int
    mono: bool
    refs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    original: str = ""
    fate: str = ""


Body: TypeAlias = Words | Diff | CutHere | CutThere


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool use on one line; `body` is its input where that changed."""

    kind: ClassVar[str] = "call"
    n: int
    name: str
    args: str
    body: Body | None
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """A note that a reduction left; `original` is the key of the message that holds it whole."""

    kind: ClassVar[str] = "reduced"
    n: int
    reduction: str
    text: str
    refs: tuple[str, ...]
    missing: tuple[str, ...]
    original: str
    clip: Clip | None
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool result: its line, and its payload as a typed view, a diff or a cut."""

    kind: ClassVar[str] = "result"
    n: int
    name: str
    status: str
    tone: str
    icon: str
    cause: Cause | None
    payload: PayloadView | None
    body: Body | None
    parts: tuple[Reduced | Figure | PayloadView, ...]
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """Reasoning, folded."""

    kind: ClassVar[str] = "thought"
    n: int
    text: str
    redacted_bytes: int | None
    signed: bool
    body: Body | None
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A block that is one line: a tombstone, a filler, a cache point, a viewing context."""

    kind: ClassVar[str] = "note"
    n: int
    icon: str
    text: str
    code: str = ""
    outcome: str = ""
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A medium."""

    kind: ClassVar[str] = "picture"
    n: int
    figure: Figure
    fate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """A block no rule explains."""

    kind: ClassVar[str] = "raw"
    n: int
    reason: str
    payload: PayloadView
    fate: str = ""


CellBlock: TypeAlias = (
    Words | Diff | CutHere | CutThere | Call | Result | Reduced | Thought | Note | Picture | Raw
)
