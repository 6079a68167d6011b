"""The list of threads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from convviewer.queries.facets import Facets, list_facets
from convviewer.queries.imports import ImportPage, import_page
from convviewer.queries.paging import BadCursor
from convviewer.queries.threads import (
    Sort,
    ThreadPage,
    Total,
    any_thread,
    count_threads,
    list_threads,
)
from convviewer.web.http import render_page, wants_fragment
from convviewer.web.list_state import Chip, ListState, chips, read_state

# In the order of the menu; each with the words for it.
SORTS: tuple[tuple[Sort, str], ...] = (
    ("-updated", "Last updated"),
    ("updated", "Longest untouched"),
    ("-created", "Newest"),
    ("created", "Oldest"),
    ("-messages", "Most messages"),
    ("messages", "Fewest messages"),
    ("-failures", "Most failures"),
    ("failures", "Fewest failures"),
    ("-tokens", "Most tokens"),
    ("tokens", "Fewest tokens"),
    ("-saved", "Most saved"),
    ("saved", "Least saved"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One way to sort, for the menu."""

    sort: Sort
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that sorts: where its head leads, and how the list is sorted by it now.

    `arrow` is "up", "down" or "", `aria_sort` the attribute's value or "".
    """

    url: str
    arrow: str
    aria_sort: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadListPage:
    """The page: rows, what they can be narrowed to, and where each control leads."""

    state: ListState
    threads: ThreadPage
    total: Total
    facets: Facets
    chips: tuple[Chip, ...]
    orders: tuple[Order, ...]
    columns: dict[str, Column]
    first_url: str
    next_url: str
    formats: ImportPage | None


def thread_list(request: HttpRequest) -> HttpResponse:
    """`/`: threads, filtered and sorted as the address says."""
    state = read_state(request)
    if not wants_fragment(request) and _has_defaults(request):
        return HttpResponseRedirect(state.url)
    template = "threads/list_swap.html" if wants_fragment(request) else "threads/list.html"
    response = render_page(request, template, _page(state))
    if wants_fragment(request):
        response["HX-Push-Url"] = state.url
    return response


def _has_defaults(request: HttpRequest) -> bool:
    """Whether a form without script sent values that say nothing."""
    return any(not value for values in request.GET.lists() for value in values[1])


def _page(state: ListState) -> ThreadListPage:
    try:
        threads = list_threads(state.filters, state.sort, state.after)
    except BadCursor as error:
        raise BadRequest(str(error)) from error
    first = replace(state, after="")
    empty = not threads.items and not any_thread()
    return ThreadListPage(
        state=state,
        threads=threads,
        total=count_threads(state.filters),
        facets=list_facets(state.filters),
        chips=chips(state),
        orders=tuple(
            Order(sort=sort, label=label, chosen=sort == state.sort) for sort, label in SORTS
        ),
        columns=_columns(first),
        first_url=first.url,
        next_url=replace(state, after=threads.next).url if threads.next else "",
        formats=import_page(max_bytes=settings.MAX_UPLOAD_BYTES, run=None) if empty else None,
    )


def _columns(state: ListState) -> dict[str, Column]:
    return {
        "updated": _column(state, "-updated", "updated"),
        "messages": _column(state, "-messages", "messages"),
        "failures": _column(state, "-failures", "failures"),
        "tokens": _column(state, "-tokens", "tokens"),
        "saved": _column(state, "-saved", "saved"),
    }


def _column(state: ListState, falling: Sort, rising: Sort) -> Column:
    """A first choice sorts downwards, a second one turns the order round."""
    if state.sort == falling:
        url = replace(state, sort=rising).url
        return Column(url=url, arrow="down", aria_sort="descending")
    url = replace(state, sort=falling).url
    if state.sort == rising:
        return Column(url=url, arrow="up", aria_sort="ascending")
    return Column(url=url, arrow="", aria_sort="")
