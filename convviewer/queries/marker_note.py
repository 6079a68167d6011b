"""What a reduction left, as pages say it."""

from __future__ import annotations

from dataclasses import dataclass

from convviewer.core import thread as core


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerNote:
    """`refs` name originals that are stored, `missing` those that are not.

    `original`: the fullest tier has the message whole, and is not the one shown.
    """

    reduction: str
    refs: tuple[str, ...]
    missing: tuple[str, ...]
    original: bool

    @property
    def icon(self) -> str:
        return "truncated" if self.reduction == "elided" else self.reduction


def note_of(marker: core.Marker, *, original: bool) -> MarkerNote:
    """The note of a stored marker."""
    return MarkerNote(
        reduction=marker.reduction,
        refs=tuple(ref for ref in marker.refs if ref not in marker.missing),
        missing=marker.missing,
        original=original,
    )
