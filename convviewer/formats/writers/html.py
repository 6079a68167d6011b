"""A tier as one HTML file that loads nothing and runs nothing.

It is built as a tree of elements, so that no stored text can become markup. Its own policy allows
its one style sheet, by hash, and images inside the file.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from convviewer.core.raster import raster_type
from convviewer.core.text import name_hidden, visible_runs
from convviewer.core.thread import Thread
from convviewer.formats.writers.parts.document import Section, facts_of, sections_of, title_of
from convviewer.formats.writers.parts.pieces import Data, Note, Picture, Piece, Words

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 50rem; margin: 0 auto; padding: 1rem; }
section { border-top: 1px solid GrayText; padding: 0.5rem 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.words, .note { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.5rem 0; }
.note { border-left: 3px solid GrayText; padding-left: 0.75rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid GrayText; padding: 0.5rem; }
figure { margin: 0.5rem 0; }
figcaption { overflow-wrap: anywhere; }
img { max-width: 100%; }
.ctl { border: 1px solid; font: 0.75em ui-monospace, monospace; padding: 0 0.2em; }
"""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


class Html:
    """Text is shown as it was typed; what shows nothing, or reorders text, is named."""

    name = "html"
    label = "HTML"
    media_type = "text/html; charset=utf-8"
    extension = "html"
    all_tiers = False

    def write(self, thread: Thread) -> Iterator[str]:
        """Yield the document a section at a time."""
        title = title_of(thread)
        yield f'<!DOCTYPE html>\n<html lang="en">\n{_text(_head(title))}\n<body>\n<main>\n'
        yield f"{_text(_opening(title, facts_of(thread)))}\n"
        for section in sections_of(thread):
            yield f"{_text(_section(section))}\n"
        yield "</main>\n</body>\n</html>\n"


WRITER = Html()


def _text(element: Element) -> str:
    return tostring(element, encoding="unicode", method="html")


def _head(title: str) -> Element:
    head = Element("head")
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY})
    SubElement(head, "meta", {"name": "referrer", "content": "no-referrer"})
    viewport = {"name": "viewport", "content": "width=device-width, initial-scale=1"}
    SubElement(head, "meta", viewport)
    SubElement(head, "title").text = title
    SubElement(head, "style").text = _STYLE
    return head


def _opening(title: str, facts: list[tuple[str, str]]) -> Element:
    header = Element("header")
    _show(SubElement(header, "h1", {"dir": "auto"}), title)
    listing = SubElement(header, "dl")
    for name, line in facts:
        SubElement(listing, "dt").text = name
        _show(SubElement(listing, "dd", {"dir": "auto"}), line)
    return header


def _section(section: Section) -> Element:
    element = Element("section")
    _show(SubElement(element, "h2"), section.title)
    for piece in section.pieces:
        element.append(_piece(piece))
    return element


def _piece(piece: Piece) -> Element:
    match piece:
        case Words():
            return _shown(Element("div", {"class": "words", "dir": "auto"}), piece.text)
        case Note():
            return _shown(Element("div", {"class": "note", "dir": "auto"}), piece.text)
        case Data():
            figure = Element("figure")
            _show(SubElement(figure, "figcaption"), f"{piece.label} {piece.detail}".rstrip())
            # A parser drops a line break right behind <pre>, but not behind <code>.
            code = SubElement(SubElement(figure, "pre", {"dir": "ltr"}), "code")
            _show(code, piece.text)
            return figure
        case Picture():
            return _picture(piece)


def _picture(picture: Picture) -> Element:
    figure = Element("figure")
    proven = raster_type(picture.data[:16]) if picture.data else ""
    if picture.data and proven:
        source = f"data:{proven};base64,{base64.b64encode(picture.data).decode()}"
        SubElement(figure, "img", {"src": source, "alt": picture.name})
    _show(SubElement(figure, "figcaption"), picture.caption)
    return figure


def _shown(element: Element, text: str) -> Element:
    _show(element, text)
    return element


def _show(element: Element, text: str) -> None:
    """Put the text into the empty element, hidden characters by their code points."""
    element.text = ""
    last: Element | None = None
    for run in visible_runs(text):
        if run.hidden:
            last = SubElement(element, "span", {"class": "ctl"})
            last.text = name_hidden(run.text)
        elif last is None:
            element.text = run.text
        else:
            last.tail = run.text
