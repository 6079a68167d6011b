"""What a benchmark says: a figure, what it must reach, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured figure. `limit` is None for figures that only inform."""

    bench: str
    name: str
    value: float
    unit: str
    limit: float | None = None
    better: Literal["more", "less"] = "less"
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the figure is within its limit."""
        if self.limit is None:
            return True
        return self.value >= self.limit if self.better == "more" else self.value <= self.limit
