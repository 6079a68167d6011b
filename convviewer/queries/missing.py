"""What a query raises when the thing asked for is not stored."""

from __future__ import annotations

from dataclasses import dataclass

from convviewer.core.errors import ConvviewerError


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Something that is stored; `tier` and `key` are "" where they do not matter."""

    label: str
    thread: str
    tier: str = ""
    key: str = ""


class Missing(ConvviewerError):
    """No such thread, tier, message, block or payload; `alternatives` name what there is."""

    def __init__(self, what: str, alternatives: tuple[Alternative, ...] = ()) -> None:
        super().__init__(what)
        self.what = what
        self.alternatives = alternatives
