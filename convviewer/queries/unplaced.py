"""Stored originals whose order and speaker are not recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from convviewer.core import thread as core
from convviewer.core.json import decode
from convviewer.payloads import INLINE, shape_for
from convviewer.payloads.shapes import Shape
from convviewer.queries.payload_value import value_of
from convviewer.queries.thread_head import ThreadHead, open_thread
from convviewer.store import models
from convviewer.store.codec import unpack

_PAGE: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplacedView:
    """An original by its name in the stash; `shape` is None for what has no words or data."""

    ordinal: int
    ref: str
    kind: str
    shape: Shape | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplacedPage:
    """`next` is the ordinal to go on after; None at the end."""

    head: ThreadHead
    items: tuple[UnplacedView, ...]
    next: int | None


def unplaced_page(thread: str, after: int) -> UnplacedPage:
    """The originals from ordinal `after` on. Raises Missing."""
    opened = open_thread(thread)
    rows = models.Unplaced.objects.filter(thread=opened.row, ordinal__gte=after)
    items = list(rows.order_by("ordinal")[: _PAGE + 1])
    return UnplacedPage(
        head=opened.head,
        items=tuple(_view(item) for item in items[:_PAGE]),
        next=items[_PAGE].ordinal if len(items) > _PAGE else None,
    )


def _view(item: models.Unplaced) -> UnplacedView:
    block = cast("core.Block", unpack(core.Block, decode(item.block)))
    value = value_of(block)
    kind = type(block).__name__.lower()
    shape = shape_for(value.value, "", INLINE) if value and value.value is not None else None
    return UnplacedView(ordinal=item.ordinal, ref=item.ref, kind=kind, shape=shape)
