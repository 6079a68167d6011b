"""A tier as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from convviewer.core.thread import Thread
from convviewer.formats.writers.parts.document import Section, facts_of, sections_of, title_of
from convviewer.formats.writers.parts.fences import fenced
from convviewer.formats.writers.parts.pieces import Data, Note, Picture, Piece, Words


class PlainText:
    """Words stay as they were typed; values stand between fences, notes in brackets."""

    name = "text"
    label = "Plain text"
    media_type = "text/plain; charset=utf-8"
    extension = "txt"
    all_tiers = False

    def write(self, thread: Thread) -> Iterator[str]:
        """Yield the text a section at a time."""
        title = title_of(thread)
        yield f"{title}\n{'=' * len(title)}\n\n"
        yield from (f"{name}: {line}\n" for name, line in facts_of(thread))
        for section in sections_of(thread):
            yield from _section(section)


WRITER = PlainText()


def _section(section: Section) -> Iterator[str]:
    yield f"\n--- {section.title} ---\n"
    for piece in section.pieces:
        yield f"\n{_piece(piece)}"


def _piece(piece: Piece) -> str:
    match piece:
        case Words():
            return piece.text if piece.text.endswith("\n") else f"{piece.text}\n"
        case Note():
            return f"[{piece.text}]\n"
        case Data():
            detail = f" {piece.detail}" if piece.detail else ""
            return f"{piece.label}{detail}\n{fenced(piece.text, piece.language)}"
        case Picture():
            return f"[{piece.caption}]\n"
