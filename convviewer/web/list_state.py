"""The thread list's state and its address: what is asked for is in the URL, defaults left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import get_args
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import HttpRequest

from convviewer.queries.dates import BadDate, since_moment, until_moment
from convviewer.queries.threads import DEFAULT_SORT, Sort, ThreadFilters, format_label

MANY = ("format", "agent", "status", "tool")
FLAGS = ("has_errors", "compressed", "introduced")
LONGEST = 500
MOST_VALUES = 50
_FLAG_TEXTS = {None: "", True: "true", False: "false"}
_SORTS: dict[str, Sort] = {name: name for name in get_args(Sort)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """What the list shows. `since` and `until` are kept as they were written."""

    filters: ThreadFilters = field(default_factory=ThreadFilters)
    sort: Sort = DEFAULT_SORT
    since: str = ""
    until: str = ""
    after: str = ""

    @property
    def url(self) -> str:
        """The address of this state."""
        query = urlencode(self._params())
        return f"/?{query}" if query else "/"

    @property
    def filtered(self) -> bool:
        """Whether anything narrows the list."""
        return self.filters != ThreadFilters()

    def _params(self) -> list[tuple[str, str]]:
        filters = self.filters
        params = [("q", filters.q)]
        params += [(name, value) for name in MANY for value in getattr(filters, name)]
        params += [(name, _FLAG_TEXTS[getattr(filters, name)]) for name in FLAGS]
        params += [("since", self.since), ("until", self.until)]
        params += [("sort", "" if self.sort == DEFAULT_SORT else self.sort), ("after", self.after)]
        return [(name, value) for name, value in params if value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One active filter; `url` is the list without it."""

    label: str
    value: str
    url: str


def read_state(request: HttpRequest) -> ListState:
    """What the address asks for. A value that cannot be read is a `BadRequest` that says why."""
    since, until = _text(request, "since").strip(), _text(request, "until").strip()
    filters = ThreadFilters(
        q=_text(request, "q").strip(),
        since=_moment("since", since, since_moment),
        until=_moment("until", until, until_moment),
        format=_texts(request, "format"),
        agent=_texts(request, "agent"),
        status=_texts(request, "status"),
        tool=_texts(request, "tool"),
        has_errors=_flag(request, "has_errors"),
        compressed=_flag(request, "compressed"),
        introduced=_flag(request, "introduced"),
    )
    return ListState(
        filters=filters,
        sort=_sort(request),
        since=since,
        until=until,
        after=_text(request, "after"),
    )


def chips(state: ListState) -> tuple[Chip, ...]:
    """A chip for each active filter, in the order of the address."""
    return tuple(_chips(replace(state, after="")))


def _chips(state: ListState) -> Iterator[Chip]:
    filters = state.filters
    if filters.q:
        yield Chip(label="text", value=filters.q, url=_with(state, q=""))
    for name in MANY:
        values = getattr(filters, name)
        for value in values:
            rest = tuple(other for other in values if other != value)
            yield Chip(label=name, value=_shown(name, value), url=_with(state, **{name: rest}))
    for name in FLAGS:
        flag = getattr(filters, name)
        if flag is not None:
            value = "yes" if flag else "no"
            yield Chip(
                label=name.replace("_errors", " failures"),
                value=value,
                url=_with(state, **{name: None}),
            )
    if state.since:
        yield Chip(label="since", value=state.since, url=replace(state, since="").url)
    if state.until:
        yield Chip(label="until", value=state.until, url=replace(state, until="").url)


def _with(state: ListState, **changes: object) -> str:
    return replace(state, filters=replace(state.filters, **changes)).url  # type: ignore[arg-type]


def _shown(name: str, value: str) -> str:
    if name == "format":
        return format_label(value)
    return value.replace("_", " ") if name == "status" else value


def _text(request: HttpRequest, name: str) -> str:
    return _readable(name, request.GET.get(name, ""))


def _texts(request: HttpRequest, name: str) -> tuple[str, ...]:
    values = dict.fromkeys(_readable(name, value) for value in request.GET.getlist(name))
    values.pop("", None)
    if len(values) > MOST_VALUES:
        raise BadRequest(f'"{name}" has more than {MOST_VALUES} values')
    return tuple(values)


def _readable(name: str, text: str) -> str:
    if len(text) > LONGEST:
        raise BadRequest(f'"{name}" is longer than {LONGEST} characters')
    return text.replace("\0", "\ufffd")


def _flag(request: HttpRequest, name: str) -> bool | None:
    match request.GET.get(name, ""):
        case "":
            return None
        case "true" | "1":
            return True
        case "false" | "0":
            return False
        case _:
            raise BadRequest(f'"{name}" must be true or false')


def _sort(request: HttpRequest) -> Sort:
    text = request.GET.get("sort", "") or DEFAULT_SORT
    sort = _SORTS.get(text)
    if sort is None:
        raise BadRequest(f'"sort" must be one of: {", ".join(_SORTS)}')
    return sort


def _moment(name: str, text: str, read: Callable[[str], datetime]) -> datetime | None:
    if not text:
        return None
    try:
        return read(text)
    except BadDate as error:
        raise BadRequest(f'"{name}": {error}') from error
