"""The thread-level fields of a Roboto AgentThreadRecord."""

from __future__ import annotations

from typing import Final

from convviewer.core.json import Json
from convviewer.core.thread import Agent, Goal, Place, Subtask, Task, Thread, Tier
from convviewer.formats.parts.blocks import Context

FORMAT_NAME: Final = "roboto-thread"
_IDS: Final = ("thread_id", "session_id", "chat_id")
_FORK_SOURCES: Final = ("forked_from_thread_id", "forked_from_session_id")


def read_thread(
    record: dict[str, Json], tiers: tuple[Tier, ...], context: Context, *, place: str
) -> Thread:
    """Return the thread of a record without its messages; what has no field stays in `facts`.

    A null says no more than an absent field. `context` is where the record stands; `place`, the
    short path of its file, names a thread that has no id of its own.
    """
    facts: dict[str, Json] = {name: value for name, value in record.items() if value is not None}
    external_id = _take_first(facts, _IDS, context)
    return Thread(
        format=FORMAT_NAME,
        external_id=external_id or place,
        lookup_id="" if external_id else place.rpartition("/")[2],
        tiers=tiers,
        title=_take(facts, "title"),
        status=_take(facts, "status"),
        activity=_take(facts, "activity"),
        created_at=_take(facts, "created"),
        created_by=_take(facts, "created_by"),
        visibility=_take(facts, "visibility"),
        origin=_take(facts, "origin"),
        forked_from=_take_first(facts, _FORK_SOURCES, context),
        forked_at=_take_number(facts, "forked_from_message_sequence_num"),
        agent=Agent(id=_take(facts, "created_from_agent_id"), model=_take(facts, "model_profile")),
        tasks=tuple(_task(raw) for raw in _take_list(facts, "tasks")),
        goals=tuple(_goal(raw) for raw in _take_list(facts, "goals")),
        facts=facts or None,
        warnings=context.log.all(),
    )


def _take_first(facts: dict[str, Json], names: tuple[str, ...], context: Context) -> str:
    """Return the first of the spellings that the record has; the others must agree with it."""
    spelled = [name for name in names if isinstance(facts.get(name), str) and facts[name]]
    if not spelled:
        return ""
    chosen, *others = spelled
    value = _take(facts, chosen)
    for other in others:
        if facts[other] == value:
            del facts[other]
        else:
            message = f"{other} {facts[other]} differs from {chosen} {value}, which is used"
            context.at(other).note("id_disagreement", message)
    return value


def _take(facts: dict[str, Json], name: str) -> str:
    value = facts.get(name)
    if not isinstance(value, str):
        return ""
    del facts[name]
    return value


def _take_number(facts: dict[str, Json], name: str) -> int | None:
    value = _number(facts.get(name))
    if value is not None:
        del facts[name]
    return value


def _take_list(facts: dict[str, Json], name: str) -> list[Json]:
    value = facts.get(name)
    if not isinstance(value, list):
        return []
    del facts[name]
    return value


def _task(raw: Json) -> Task:
    fields = _object(raw)
    subtasks = fields.get("subtasks")
    return Task(
        title=_text(fields, "title"),
        status=_text(fields, "status"),
        conclusion=_text(fields, "conclusion"),
        start=_place(fields.get("start")),
        end=_place(fields.get("end")),
        subtasks=tuple(map(_subtask, subtasks)) if isinstance(subtasks, list) else (),
        raw=raw,
    )


def _subtask(raw: Json) -> Subtask:
    fields = _object(raw)
    return Subtask(
        title=_text(fields, "title"),
        status=_text(fields, "status"),
        conclusion=_text(fields, "conclusion"),
    )


def _goal(raw: Json) -> Goal:
    fields = _object(raw)
    return Goal(
        title=_text(fields, "goal_type"),
        status=_text(fields, "status"),
        achieved_by=_text(fields, "achieve_tool_use_id"),
        raw=raw,
    )


def _place(raw: Json) -> Place | None:
    fields = _object(raw)
    message = _number(fields.get("message_sequence_num"))
    if message is None:
        return None
    return Place(message=message, block=_number(fields.get("content_sequence_num")))


def _object(raw: Json) -> dict[str, Json]:
    return raw if isinstance(raw, dict) else {}


def _text(fields: dict[str, Json], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _number(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
