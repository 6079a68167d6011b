"""Reads what belongs together into threads ready for the store; needs no database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from convviewer.core.errors import SourceError
from convviewer.core.thread import Thread
from convviewer.formats.base import Ignored, Refused
from convviewer.importing.units import Claim
from convviewer.store.prepare import Prepared, prepare

Reading: TypeAlias = Prepared | Ignored | Refused


def read_claim(claim: Claim) -> Iterator[Reading]:
    """Each thread of the unit, and each file that is refused or ignored, in the format's order."""
    try:
        for found in claim.format.read(claim.unit):
            yield prepare(found) if isinstance(found, Thread) else found
    except SourceError as error:
        yield Refused(path=error.path, pointer=error.pointer, reason=error.reason)
