"""A tier as a Markdown document."""

from __future__ import annotations

from collections.abc import Iterator

from convviewer.core.thread import Thread
from convviewer.formats.writers.parts.document import Section, facts_of, sections_of, title_of
from convviewer.formats.writers.parts.fences import code_span, fenced, open_fence
from convviewer.formats.writers.parts.pieces import Data, Note, Picture, Piece, Words


class Markdown:
    """Words stay as they were typed; values stand between fences, notes are quoted."""

    name = "markdown"
    label = "Markdown"
    media_type = "text/markdown; charset=utf-8"
    extension = "md"
    all_tiers = False

    def write(self, thread: Thread) -> Iterator[str]:
        """Yield the document a section at a time."""
        yield f"# {title_of(thread)}\n\n"
        yield from (f"- {name}: {line}\n" for name, line in facts_of(thread))
        for section in sections_of(thread):
            yield from _section(section)


WRITER = Markdown()


def _section(section: Section) -> Iterator[str]:
    yield f"\n## {section.title}\n"
    for piece in section.pieces:
        yield f"\n{_piece(piece)}"


def _piece(piece: Piece) -> str:
    match piece:
        case Words():
            fence = open_fence(piece.text)
            end = "" if piece.text.endswith("\n") else "\n"
            return f"{piece.text}{end}{fence}\n" if fence else f"{piece.text}{end}"
        case Note():
            return "".join(f"> {line}\n" for line in piece.text.split("\n"))
        case Data():
            detail = f" {code_span(piece.detail)}" if piece.detail else ""
            return f"**{piece.label}**{detail}\n\n{fenced(piece.text, piece.language)}"
        case Picture():
            return f"> {piece.caption}\n"
