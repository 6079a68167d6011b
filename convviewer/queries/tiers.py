"""The tiers of a thread, and which of them a name means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from convviewer.queries.missing import Alternative, Missing
from convviewer.store import models


@dataclass(frozen=True, slots=True, kw_only=True)
class TierView:
    """A tier as pages name it.

    `param` is its value in `?tier=`, "" for the fullest one, which is the default. `saved` is the
    share of the default tier's tokens that this one does without; None for the default itself.
    """

    pk: int
    name: str
    kind: str
    label: str
    param: str
    entries: int
    tokens: int
    captured_at: str
    strategy: str
    base: bool
    saved: float | None

    @property
    def change(self) -> float | None:
        """The change in tokens against the default tier, below zero where some were saved."""
        return None if self.saved is None else -self.saved


def load_tiers(thread: models.Thread) -> tuple[TierView, ...]:
    """The tiers in stored order, the fullest first; one query."""
    rows = list(models.Tier.objects.filter(thread=thread).order_by("ordinal").defer("facts"))
    base = next((row for row in rows if row.base), None)
    numbers = count(1)
    return tuple(_view(row, base.tokens if base else 0, _label(row, numbers)) for row in rows)


def find_tier(tiers: Sequence[TierView], name: str, thread: str) -> TierView:
    """The tier of that name, the fullest for "". Raises Missing when there is none."""
    found = named_tier(tiers, name)
    if found is None:
        known = tuple(
            Alternative(label=tier.label, thread=thread, tier=tier.param) for tier in tiers
        )
        what = f'This thread has no tier "{name}"' if name else "This thread has no messages"
        raise Missing(what, known)
    return found


def named_tier(tiers: Sequence[TierView], name: str) -> TierView | None:
    """As `find_tier`. `compressed` means the latest that a model would see."""
    if not name:
        return next((tier for tier in tiers if tier.base), None)
    exact = next((tier for tier in tiers if tier.name == name), None)
    if exact or name != "compressed":
        return exact
    variants = [tier for tier in tiers if tier.kind == "variant"]
    return variants[-1] if variants else named_tier(tiers, "verbatim")


def compressed_tier(tiers: Sequence[TierView]) -> TierView | None:
    """What stands beside the verbatim tier by default; None where nothing was compressed."""
    if not any(tier.name == "verbatim" for tier in tiers):
        return None
    found = named_tier(tiers, "compressed")
    return None if found is None or found.base else found


def _view(row: models.Tier, base_tokens: int, label: str) -> TierView:
    saved = None if row.base or not base_tokens else 1 - row.tokens / base_tokens
    return TierView(
        pk=row.id,
        name=row.name,
        kind=row.kind,
        label=label,
        param="" if row.base else row.name,
        entries=row.entries,
        tokens=row.tokens,
        captured_at=row.captured_at,
        strategy=row.strategy,
        base=row.base,
        saved=saved,
    )


def _label(row: models.Tier, checkpoints: Iterator[int]) -> str:
    """The tier's word; checkpoints are counted, their ids are too alike to be told apart."""
    match row.kind:
        case "checkpoint":
            return f"Checkpoint {next(checkpoints)}"
        case "variant":
            return f"{row.name.capitalize()} variant"
        case _:
            return row.name.capitalize()
