"""The comparison page, the context over time, and what does not add up."""

from __future__ import annotations

from typing import Final, cast

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from convviewer.queries.compare_pair import ALL_OUTCOMES, As
from convviewer.queries.comparison import CompareRequest, Mode, comparison
from convviewer.queries.context_over_time import context_page
from convviewer.queries.integrity import findings_page
from convviewer.web.http import names_what_is_missing, render_page
from convviewer.web.params import choice_param, number_param, text_param

_AS: Final = ("stored", "sent")
_MODES: Final = ("split", "unified")


@require_safe
@names_what_is_missing
def compare(request: HttpRequest, thread: str) -> HttpResponse:
    """Two tiers side by side; htmx gets a window of their rows alone."""
    page = comparison(
        CompareRequest(
            thread=thread,
            left=text_param(request, "left"),
            right=text_param(request, "right"),
            shown_as=cast("As", choice_param(request, "as", _AS) or "stored"),
            mode=cast("Mode", choice_param(request, "mode", _MODES) or "split"),
            outcomes=_outcomes(request),
            row=number_param(request, "row"),
            after=number_param(request, "after"),
            before=number_param(request, "before"),
            first=number_param(request, "first"),
            last=number_param(request, "last"),
            unfold=bool(choice_param(request, "unfold", ("1",))),
        )
    )
    return render_page(request, "comparison/compare.html", page, partial="window")


@require_safe
@names_what_is_missing
def context(request: HttpRequest, thread: str) -> HttpResponse:
    """The context of each model call."""
    page = context_page(thread, number_param(request, "after") or 0)
    return render_page(request, "comparison/context.html", page)


@require_safe
@names_what_is_missing
def integrity(request: HttpRequest, thread: str) -> HttpResponse:
    """What does not add up in the thread."""
    return render_page(request, "comparison/integrity.html", findings_page(thread))


def _outcomes(request: HttpRequest) -> tuple[str, ...]:
    """The outcomes asked for, in the order of the legend."""
    asked = set(filter(None, request.GET.getlist("outcome")))
    if asked - set(ALL_OUTCOMES):
        raise BadRequest(f'"outcome" must be some of: {", ".join(ALL_OUTCOMES)}')
    return tuple(outcome for outcome in ALL_OUTCOMES if outcome in asked)
