"""A thread as a bundle: all of it, to be imported again without loss."""

from __future__ import annotations

from collections.abc import Iterator

from convviewer.core.thread import Thread
from convviewer.formats.parts.bundle.write import write_bundle


class Bundle:
    """Every tier with viewing context and media; originals of redactions as far as given."""

    name = "bundle"
    label = "Bundle"
    media_type = "application/json"
    extension = "json"
    all_tiers = True

    def write(self, thread: Thread) -> Iterator[str]:
        """Yield strict JSON that bundle.schema.json describes."""
        return write_bundle(thread, include_redacted=True)


WRITER = Bundle()
