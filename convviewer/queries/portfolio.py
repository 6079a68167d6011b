"""Every payload type with its examples, drawn in each of its views."""

from __future__ import annotations

from dataclasses import dataclass

from convviewer.payloads import INLINE, all_payload_types, shape_for
from convviewer.payloads.shapes import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One view of an example."""

    view: str
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleDrawings:
    """One example in all views of its type; `anchor` is unique on the page."""

    anchor: str
    label: str
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDrawings:
    """One payload type."""

    name: str
    label: str
    examples: tuple[ExampleDrawings, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Portfolio:
    """What the page shows."""

    types: tuple[TypeDrawings, ...]


def portfolio() -> Portfolio:
    """Draw everything; needs no stored thread."""
    return Portfolio(
        types=tuple(
            TypeDrawings(
                name=kind.name,
                label=kind.label,
                examples=tuple(
                    ExampleDrawings(
                        anchor=f"{kind.name}-{number}",
                        label=example.label,
                        drawings=tuple(
                            Drawing(
                                view=view.label,
                                shape=shape_for(
                                    example.value, view.name, INLINE, type_name=kind.name
                                ),
                            )
                            for view in kind.offers
                        ),
                    )
                    for number, example in enumerate(kind.examples)
                ),
            )
            for kind in all_payload_types()
        )
    )
