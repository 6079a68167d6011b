"""The notes that the Strands SDKs leave in place of content they reduced.

Only the exact texts that strands-agents 1.62 (Python) and @strands-agents/sdk 1.19 (npm) write are
markers; anything else in brackets is somebody's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from convviewer.core.thread import Block, Marker, Message, Reduction, ToolResult
from convviewer.formats.parts.warning_log import WarningLog

# The npm SDK writes numbers as the machine's locale does: 3,586 or 3.586 or 3 586.
_N: Final = r"\d[\d.,'\u2019\u00a0\u2009\u202f]*"
_REFS: Final = re.compile(r" \[refs?: ([^\[\]\n]+)\]\Z")
_STASHED: Final = re.compile(r"\n\n\[Stashed\] \[refs?: [^\[\]\n]+\]\Z")
_STORED_REFS: Final = re.compile(r"^ {2}(\S+) \(", re.MULTILINE)
_PIPED_REF: Final = re.compile(r" \| ref: ([^\[\]\n]+)\]\Z")
_REF_TAIL: Final = r"(?: \[refs?: [^\[\]\n]+\])?"

_PREVIEW: Final = re.compile(
    rf"\[Truncated: {_N} blocks?, ~{_N} tokens\]\n\n(?s:.*)\[\.\.\. {_N} chars elided \.\.\.\]"
)
_SUMMARY: Final = re.compile(rf"\[Summarized: ([^\[\]\n]+), ~{_N} tokens\](?=\n\n|\Z| \[ref)")
_SUMMARY_OF_MESSAGES: Final = re.compile(rf"{_N} messages?")
_REMOVAL: Final = re.compile(
    rf"\[(?:Summarized: {_N} messages?, |Dropped: {_N} messages?\]|\.\.\. {_N} messages? elided )"
)
_WHOLE: Final[tuple[tuple[re.Pattern[str], Reduction], ...]] = (
    (re.compile(rf"\[Dropped\]{_REF_TAIL}"), "dropped"),
    (re.compile(rf"\[Dropped: {_N} messages?\]"), "dropped"),
    (re.compile(rf"\[\.\.\. {_N} messages? elided \.\.\.\]"), "elided"),
    (re.compile(rf"\[Offloaded: ~{_N} tokens\]{_REF_TAIL}"), "offloaded"),
)

# Only ever written inside a tool result.
_RESULT_PREVIEW: Final = re.compile(r"\[Offloaded: \d+ blocks, ~" + _N + r" tokens\]\nTool result ")
_RESULT_MEDIA: Final = re.compile(
    r"\[(?:image|video|document): [^\[\]\n]+?, (?:source: \w+|(?:source: bytes, )?\d+ bytes)"
    r"(?: \| ref: [^\[\]\n]+)?\]|\[json: \d+ chars\]"
)
_RESULT_CUT: Final = re.compile(
    rf"\.\.\.\n\n\.\.\. \[truncated: {_N} chars removed\] \.\.\.\n\n\.\.\."
    rf'|\n<truncated chars="{_N}"/>\n'
)


def read_marker(text: str, *, role: str) -> Marker | None:
    """The marker that a text block of a message is, or None when it is the speaker's words.

    A bare "[Dropped]" under the user's name stays text: a person types that, and nothing in it
    says otherwise. With a reference behind it, it is the SDK's.
    """
    if not text.endswith("]") and not text.startswith("["):
        return None
    if text == "[Dropped]" and role == "user":
        return None
    reduction = _reduction(text)
    return _marker(reduction, text, _refs(text)) if reduction else None


def read_result_marker(text: str) -> Marker | None:
    """The marker that a text part of a tool result is, or None when the tool said it."""
    reduction = _reduction(text) or _result_reduction(text)
    if reduction is None:
        return None
    refs = _stored_refs(text) if _RESULT_PREVIEW.match(text) else _refs(text)
    return _marker(reduction, text, refs)


def markers_in(blocks: Iterable[Block]) -> Iterator[Marker]:
    """The markers among blocks and among the parts of tool results."""
    for block in blocks:
        match block:
            case Marker():
                yield block
            case ToolResult(parts=parts):
                yield from (part for part in parts if isinstance(part, Marker))
            case _:
                pass


def note_missing(messages: Iterable[Message], log: WarningLog) -> None:
    """Warn of each original that a marker names and the import lacks."""
    markers = (marker for message in messages for marker in markers_in(message.blocks))
    for ref in sorted({ref for marker in markers for ref in marker.missing}):
        log.add("stash_reference_missing", f"{ref}: the stashed original is not in the import")


def is_removal(marker: Marker) -> bool:
    """Whether the marker stands for whole messages, not for a block of the one it is in."""
    return _REMOVAL.match(marker.text) is not None


def _marker(reduction: Reduction, text: str, refs: tuple[str, ...]) -> Marker:
    """Whoever reads a stash too says which of the references are not missing."""
    return Marker(reduction=reduction, text=text, refs=refs, missing=refs)


def _reduction(text: str) -> Reduction | None:
    if text.startswith("["):
        if _PREVIEW.match(text):
            return "truncated"
        if _SUMMARY.match(text):
            return "summarized"
        for pattern, reduction in _WHOLE:
            if pattern.fullmatch(text):
                return reduction
    return "offloaded" if text.endswith("]") and _STASHED.search(text) else None


def _result_reduction(text: str) -> Reduction | None:
    if _RESULT_PREVIEW.match(text):
        return "offloaded"
    if text.startswith("[") and _RESULT_MEDIA.fullmatch(text):
        return "offloaded" if _PIPED_REF.search(text) else "dropped"
    if ("[truncated: " in text or "<truncated " in text) and _RESULT_CUT.search(text):
        return "truncated"
    return None


def _refs(text: str) -> tuple[str, ...]:
    """The keys at the end of a placeholder.

    A summary of whole messages carries none: a bracket at its end is part of the summary.
    """
    summary = _SUMMARY.match(text)
    if summary and _SUMMARY_OF_MESSAGES.fullmatch(summary[1]):
        return ()
    found = _REFS.search(text) or _PIPED_REF.search(text)
    return tuple(ref for ref in found[1].split(", ") if ref) if found else ()


def _stored_refs(text: str) -> tuple[str, ...]:
    _, _, listing = text.rpartition("[Stored references:]\n")
    return tuple(_STORED_REFS.findall(listing))
