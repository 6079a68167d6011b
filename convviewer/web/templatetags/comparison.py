"""Links and figures of the comparison page."""

from __future__ import annotations

from django import template

from convviewer.queries.compare_pair import Param
from convviewer.queries.comparison import ComparisonPage

register = template.Library()


@register.simple_tag
def compare_link(page: ComparisonPage, **changes: str | int | None) -> str:
    """The address of this page with some of its parameters changed; a place in it is left out."""
    request = page.request
    state: dict[str, Param | None] = {
        "as": "" if request.shown_as == "stored" else request.shown_as,
        "mode": "" if request.mode == "split" else request.mode,
        "outcome": request.outcomes,
        "unfold": "1" if request.unfold else "",
        **changes,
    }
    return page.pair.url(**{name: value for name, value in state.items() if value is not None})


@register.simple_tag
def outcome_link(page: ComparisonPage, outcome: str) -> str:
    """The same page with this outcome's rows added to those shown, or taken away."""
    chosen = set(page.request.outcomes) ^ {outcome}
    shown = tuple(part.name for part in page.parts if part.name in chosen)
    request = page.request
    return page.pair.url(
        **{
            "as": "" if request.shown_as == "stored" else request.shown_as,
            "mode": "" if request.mode == "split" else request.mode,
            "outcome": shown,
        }
    )


@register.simple_tag
def swapped_link(page: ComparisonPage) -> str:
    """The same comparison the other way round."""
    mode = page.request.mode
    return page.pair.swapped_url(mode="" if mode == "split" else mode)


@register.filter
def delta(tokens: int) -> str:
    """A change in tokens with its sign, a real minus: -223 tok, +58 tok."""
    return f"{tokens:+,} tok".replace("-", "\u2212") if tokens else "0 tok"
