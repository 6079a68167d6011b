"""Conditions of `compare --fail-if`: a figure of the comparison against a number."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from convviewer.core.errors import ConvviewerError
from convviewer.queries.compare_pair import ALL_OUTCOMES
from convviewer.queries.compare_rows import SummaryItem

_OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_FIGURES: Final = (
    *("lost", "introduced", "kept_identifiers", "saved"),
    *("tokens_before", "tokens_after", "messages_before", "messages_after"),
)
_CONDITION: Final = re.compile(r"\s*(\w+)\s*(>=|<=|==|!=|>|<|=)\s*(-?\d+(?:\.\d+)?)\s*(%?)\s*")


class BadCondition(ConvviewerError):
    """A condition that is none; says which figures there are."""

    def __init__(self, text: str) -> None:
        names = ", ".join((*_FIGURES, *ALL_OUTCOMES))
        super().__init__(
            f'"{text}" is no condition; write one as lost>0 or saved<0.3, with one of {names}'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A figure, an operator and a bound, as in `saved<0.3`. `text` is how it was written."""

    text: str
    figure: str
    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether the figure's value meets it."""
        return _OPERATORS[self.sign](value, self.bound)


def parse_condition(text: str) -> Condition:
    """Read a condition; a bound in percent is one of a hundred. Raises BadCondition."""
    found = _CONDITION.fullmatch(text)
    if found is None or found[1] not in {*_FIGURES, *ALL_OUTCOMES}:
        raise BadCondition(text)
    bound = float(found[3])
    return Condition(
        text=text, figure=found[1], sign=found[2], bound=bound / 100 if found[4] else bound
    )


def figure_of(condition: Condition, summary: SummaryItem) -> float:
    """The value that the condition speaks of; the share saved is 0 where there was nothing."""
    values: dict[str, float] = {
        "lost": summary.lost_identifiers,
        "introduced": summary.introduced_identifiers,
        "kept_identifiers": summary.kept_identifiers,
        "saved": summary.tokens.saved_ratio or 0.0,
        "tokens_before": summary.tokens.before,
        "tokens_after": summary.tokens.after,
        "messages_before": summary.messages.before,
        "messages_after": summary.messages.after,
    }
    return values.get(condition.figure, summary.count(condition.figure))
