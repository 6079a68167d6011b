"""The thread that a person means by an id on the command line."""

from __future__ import annotations

from convviewer.queries.missing import Missing
from convviewer.store import models

_NAMED = 5


def thread_named(name: str) -> str:
    """The public id of the thread with that public id or, if only one has it, external id.

    Raises `Missing`, naming the threads that share an external id.
    """
    if models.Thread.objects.filter(public_id=name).exists():
        return name
    found = models.Thread.objects.filter(external_id=name).order_by("id")
    rows = list(found.values_list("public_id", "format", "agent_id")[: _NAMED + 1])
    if not rows:
        raise Missing(f'There is no thread "{name}"; give its id, or the id in its record')
    if len(rows) > 1:
        raise Missing(f'Several threads are named "{name}": {_listed(rows)}')
    return rows[0][0]


def _listed(rows: list[tuple[str, str, str]]) -> str:
    named = (
        f"{public_id} ({' '.join(part for part in (format_name, agent_id) if part)})"
        for public_id, format_name, agent_id in rows[:_NAMED]
    )
    more = ", and more" if len(rows) > _NAMED else ""
    return f"{', '.join(named)}{more}"
