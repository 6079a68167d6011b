"""Terminal output: coloured text, and results of commands as streams with an exit code."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from convviewer.core.json import Json, format_pointer
from convviewer.payloads.base import INLINE, RAW, TERMINAL, Context, Example, Window
from convviewer.payloads.parts.spans import ansi_spans
from convviewer.payloads.parts.stacks import stack
from convviewer.payloads.parts.tables import pairs_of
from convviewer.payloads.parts.texts import raw_of, text_slice
from convviewer.payloads.shapes import Pairs, Shape, Terminal

_COLOURED: Final = re.compile(r"\x1b\[[0-9;:]{0,40}[A-Za-z]")
_HEAD: Final = 65_536
_STREAMS: Final = ("stdout", "stderr", "output")
_CODES: Final = (
    "exit_code", "exitCode", "returncode", "return_code", "exit_status", "interrupted", "isImage",
)  # fmt: skip


class TerminalOutput:
    """What a program printed."""

    name = "terminal"
    label = "Terminal"
    offers = (TERMINAL, RAW)
    examples = (
        Example(
            label="colours",
            value="\x1b[32m12 passed\x1b[0m, \x1b[1;31m1 failed\x1b[0m in 0.8 s\n",
            shape="terminal",
        ),
        Example(
            label="a command",
            value={"stdout": "a.bag\nb.bag\n", "stderr": "ls: c: not found", "exit_code": 1},
            shape="stack",
        ),
    )

    def match(self, value: Json, context: Context) -> int:
        """Escape sequences, or an object with streams and little else."""
        del context
        match value:
            case str():
                return 86 if _COLOURED.search(value[:_HEAD]) else 0
            case dict():
                return 87 if _is_command(value) else 0
            case _:
                return 0

    def shape(self, value: Json, view: str, window: Window) -> Shape:
        """Draw the output; of several streams each starts here and goes on by its pointer."""
        del view
        match value:
            case str():
                return _terminal(value, window)
            case dict():
                return _command(value, window)
            case _:
                return raw_of(value, window)


def _is_command(value: dict[str, Json]) -> bool:
    streams = [name for name in _STREAMS if isinstance(value.get(name), str)]
    named = "stdout" in streams or "stderr" in streams
    coded = any(name in value for name in _CODES)
    return bool(streams) and (named or coded) and len(value) <= len(streams) + 5


def _command(value: dict[str, Json], window: Window) -> Shape:
    streams = {name: text for name in _STREAMS if isinstance(text := value.get(name), str) and text}
    facts = {name: item for name, item in value.items() if name not in streams}
    shapes: list[Terminal | Pairs] = [pairs_of(facts, replace(window, after=0))] if facts else []
    for name, text in streams.items():
        place = window.pointer + format_pointer((name,))
        inside = replace(window, after=0, pointer=place, characters=INLINE.characters)
        shapes.append(_terminal(text, inside, title=name))
    return stack(*shapes)


def _terminal(text: str, window: Window, title: str = "") -> Terminal:
    piece = text_slice(text, window)
    return Terminal(spans=ansi_spans(piece.text), extent=piece.extent, title=title)


PAYLOAD_TYPE = TerminalOutput()
