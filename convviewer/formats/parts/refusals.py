"""The words in which a file that cannot be read is refused."""

from __future__ import annotations

from convviewer.core.errors import JsonError
from convviewer.formats.base import Refused


def not_json(path: str, error: JsonError) -> Refused:
    """Return the refusal of a file that is torn or damaged, with the place of the damage."""
    reason = f"not valid JSON at character {error.offset}: {error}; copy or export the file again"
    return Refused(path=path, reason=reason)


def expected(path: str, pointer: str, what: str) -> Refused:
    """Return the refusal of a file that lacks `what` at the pointer."""
    return Refused(path=path, pointer=pointer, reason=f"expected {what}; export the thread again")
