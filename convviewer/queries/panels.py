"""What a thread page shows beside the messages: tasks, goals, system prompt, other records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from convviewer.analysis.tokens import estimate_blocks
from convviewer.analysis.usage import UsageReading, UsageTotals
from convviewer.core import thread as core
from convviewer.core.json import Json, decode
from convviewer.queries.multi_agent import MultiAgentView, multi_agent_view
from convviewer.queries.thread_head import OpenThread
from convviewer.store import models

_TONES: Final = {
    "done": ("ok", "ok"),
    "completed": ("ok", "ok"),
    "achieved": ("ok", "ok"),
    "in_progress": ("active", "active"),
    "active": ("active", "active"),
    "declined": ("warn", "declined"),
    "cancelled": ("warn", "declined"),
    "failed": ("err", "error"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A task, a step of one, or a goal; `key` is the message to jump to, "" for none."""

    title: str
    status: str
    tone: str
    icon: str
    conclusion: str
    key: str = ""
    number: int | None = None
    steps: tuple[TaskView, ...] = ()

    @property
    def status_label(self) -> str:
        return self.status or "no status"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPrompt:
    """Texts of the system prompt; `tokens` are estimated."""

    texts: tuple[str, ...]
    tokens: int
    cache_points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """What the thread's panels show.

    `usage` adds up the model calls of the fullest tier, None where no figure is recorded.
    `usage_incomplete`: messages are known to be missing from the record. `warnings` are those of
    the import that last wrote the thread. `unplaced` counts originals whose order and speaker
    are not recorded.
    """

    tasks: tuple[TaskView, ...]
    goals: tuple[TaskView, ...]
    system: SystemPrompt | None
    multi_agent: MultiAgentView | None
    usage: UsageTotals | None
    usage_incomplete: bool
    warnings: tuple[core.Warning, ...]
    unplaced: int

    @property
    def tasks_done(self) -> int:
        return sum(task.tone == "ok" for task in self.tasks)

    @property
    def goals_achieved(self) -> int:
        return sum(goal.tone == "ok" for goal in self.goals)


def load_panels(opened: OpenThread) -> Panels:
    """Load the panels; two queries, and one where goals name the call that achieved them."""
    values = opened.values
    return Panels(
        tasks=_tasks(values.tasks, opened),
        goals=_goals(values.goals, opened),
        system=_system(values.agent.system),
        multi_agent=multi_agent_view(values.multi_agent, opened.head.id),
        usage=_usage(opened.row.usage),
        usage_incomplete=_has_fact(values.facts, "usage_incomplete"),
        warnings=values.warnings,
        unplaced=models.Unplaced.objects.filter(thread=opened.row).count(),
    )


def _tasks(tasks: Sequence[core.Task], opened: OpenThread) -> tuple[TaskView, ...]:
    places = {place.message for task in tasks if (place := task.end or task.start)}
    entries = models.Entry.objects.filter(
        tier__thread=opened.row, tier__base=True, position__in={-1, *places}
    ).values_list("position", "message__key")
    keys = dict(entries)
    return tuple(_task(task, keys) for task in tasks)


def _task(task: core.Task, keys: Mapping[int, str]) -> TaskView:
    place = task.end or task.start
    tone, icon = _TONES.get(task.status, ("calm", "pending"))
    return TaskView(
        title=task.title,
        status=task.status.replace("_", " "),
        tone=tone,
        icon=icon,
        conclusion=task.conclusion,
        key=keys.get(place.message, "") if place else "",
        number=place.message if place else None,
        steps=tuple(_step(step) for step in task.subtasks),
    )


def _step(step: core.Subtask) -> TaskView:
    tone, icon = _TONES.get(step.status, ("calm", "pending"))
    return TaskView(
        title=step.title,
        status=step.status.replace("_", " "),
        tone=tone,
        icon=icon,
        conclusion=step.conclusion,
    )


def _goals(goals: Sequence[core.Goal], opened: OpenThread) -> tuple[TaskView, ...]:
    ids = {goal.achieved_by for goal in goals if goal.achieved_by}
    if not ids:
        return tuple(_goal(goal, {}) for goal in goals)
    calls = models.ToolCall.objects.filter(
        tier__thread=opened.row, base=True, tool_use_id__in=ids, use_key__isnull=False
    ).values_list("tool_use_id", "use_key")
    return tuple(_goal(goal, dict(calls)) for goal in goals)


def _goal(goal: core.Goal, calls: Mapping[str, str | None]) -> TaskView:
    tone, icon = _TONES.get(goal.status, ("calm", "pending"))
    return TaskView(
        title=goal.title,
        status=goal.status.replace("_", " "),
        tone=tone,
        icon=icon,
        conclusion="",
        key=calls.get(goal.achieved_by) or "",
    )


def _has_fact(facts: Json, name: str) -> bool:
    return isinstance(facts, dict) and facts.get(name) is True


def _usage(stored: str) -> UsageTotals | None:
    if not stored:
        return None
    totals = cast("dict[str, Any]", decode(stored))
    tokens = UsageReading(**totals["tokens"])
    if tokens == UsageReading():
        return None
    return UsageTotals(tokens=tokens, calls=totals["calls"], unreported=totals["unreported"])


def _system(blocks: Sequence[core.Block]) -> SystemPrompt | None:
    if not blocks:
        return None
    return SystemPrompt(
        texts=tuple(block.text for block in blocks if isinstance(block, core.Text)),
        tokens=estimate_blocks(blocks),
        cache_points=sum(isinstance(block, core.CachePoint) for block in blocks),
    )
