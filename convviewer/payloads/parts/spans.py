"""Text to spans: hidden characters named, long text in pieces, colours and tokens as classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Final

from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from rich.color import Color, ColorSystem
from rich.style import Style
from rich.text import Text as AnsiText

from convviewer.core.text import escape_hidden, join_surrogates, name_hidden, visible_runs
from convviewer.payloads.shapes import Span, Spans

PIECE: Final = 8_000
MAX_SPANS: Final = 1_000
MAX_HIGHLIGHTED: Final = 65_536

# One of the short names that pygments gives each family; fewer classes make fewer elements.
_TOKENS: Final = (
    (Token.Comment, "c"),
    (Token.Keyword.Constant, "kc"),
    (Token.Keyword, "k"),
    (Token.Operator.Word, "k"),
    (Token.Name.Tag, "nt"),
    (Token.Name.Function, "nf"),
    (Token.Name.Class, "nc"),
    (Token.Name.Attribute, "na"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "m"),
)
_COLOURS: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_TRAITS: Final = ("bold", "dim", "italic", "underline", "strike", "reverse")
# What a terminal would not print: control sequences and the text before a carriage return.
_OTHER_ESCAPES: Final = re.compile(r"\x1b(?![\[\]])[ -/]*[0-~]?|\x1b\[[0-?]*[ -/]*[@-ln-~]")


def text_spans(text: str, classes: str = "") -> Spans:
    """Return the spans of a plain text."""
    text = join_surrogates(text)
    return _bounded([(text, classes)], text)


def code_spans(text: str, language: str) -> Spans:
    """Return the spans of a text in a language that pygments knows; plain when it is long."""
    if not language or len(text) > MAX_HIGHLIGHTED:
        return text_spans(text)
    # A token may end between the two, and a carriage return alone would be named.
    text = join_surrogates(text.replace("\r\n", "\n"))
    tokens = get_lexer_by_name(language).get_tokens_unprocessed(text)
    return _bounded(((part, _token_class(token)) for _, token, part in tokens), text)


def ansi_spans(text: str) -> Spans:
    """Return the spans of terminal output; a line rewritten after a carriage return shows once."""
    text = join_surrogates(_OTHER_ESCAPES.sub("", text.replace("\r\n", "\n")))
    plain = AnsiText.from_ansi(text)
    return _bounded(_ansi_parts(plain), plain.plain)


def _bounded(parts: Iterable[tuple[str, str]], whole: str) -> Spans:
    """Return spans of (text, classes); once there are many, the rest is plain and escaped.

    The texts of all parts make up `whole`.
    """
    spans: list[Span] = []
    used = 0
    for text, classes in _joined(parts):
        for span, length in _spans(text, classes):
            if len(spans) == MAX_SPANS:
                return (*spans, *_pieces(escape_hidden(whole[used:]), "piece"))
            spans.append(span)
            used += length
    return tuple(spans)


def _joined(parts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Join neighbours of one class."""
    for classes, run in groupby(parts, key=itemgetter(1)):
        yield "".join(text for text, _ in run), classes


def _spans(text: str, classes: str) -> Iterator[tuple[Span, int]]:
    """Yield spans with the number of characters each stands for."""
    for run in visible_runs(text):
        if run.hidden:
            yield Span(text=name_hidden(run.text), classes="ctl"), len(run.text)
        else:
            yield from ((piece, len(piece.text)) for piece in _pieces(run.text, classes))


def _pieces(text: str, classes: str) -> Iterator[Span]:
    for start in range(0, len(text), PIECE):
        yield Span(text=text[start : start + PIECE], classes=classes or ("piece" if start else ""))


def _token_class(token: _TokenType) -> str:
    return next((name for kind, name in _TOKENS if _is_within(token, kind)), "")


def _is_within(token: _TokenType, kind: _TokenType) -> bool:
    return token[: len(kind)] == kind


def _ansi_parts(text: AnsiText) -> Iterator[tuple[str, str]]:
    at = 0
    for span in text.spans:
        if span.start > at:
            yield text.plain[at : span.start], ""
        style = span.style if isinstance(span.style, Style) else Style.null()
        yield text.plain[span.start : span.end], _style_classes(style)
        at = span.end
    yield text.plain[at:], ""


@lru_cache(maxsize=1_000)
def _style_classes(style: Style) -> str:
    names = [name for name in _TRAITS if getattr(style, name)]
    if style.color:
        names.append(_colour(style.color))
    if style.bgcolor:
        names.append(f"bg-{_colour(style.bgcolor)}")
    return " ".join(f"ansi-{name}" for name in names if name not in {"default", "bg-default"})


def _colour(colour: Color) -> str:
    """Return the nearest of the sixteen names: "red", "bright-red"."""
    number = colour.downgrade(ColorSystem.STANDARD).number
    if number is None:
        return "default"
    return f"bright-{_COLOURS[number - 8]}" if number >= len(_COLOURS) else _COLOURS[number]
