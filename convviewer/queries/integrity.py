"""What does not add up in a thread, with links to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from convviewer.analysis import integrity as checks
from convviewer.queries.addresses import message_url, thread_url
from convviewer.queries.thread_head import ThreadHead, open_thread
from convviewer.queries.tier_lookup import thread_row
from convviewer.queries.tiers import load_tiers
from convviewer.store.load import load_thread

_SHOWN: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemItem:
    """A finding; `key` is "" where it is about a whole tier."""

    code: checks.Code
    key: str
    tier: str
    message: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityPage:
    """All findings, tier by tier."""

    items: tuple[ProblemItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsPage:
    """The page of findings; `more` were left out."""

    head: ThreadHead
    items: tuple[ProblemItem, ...]
    more: int


def findings_page(thread: str) -> FindingsPage:
    """The first 200 findings, under the head of the thread. Raises `Missing`."""
    items = integrity_of(thread).items
    return FindingsPage(
        head=open_thread(thread).head,
        items=items[:_SHOWN],
        more=max(0, len(items) - _SHOWN),
    )


def integrity_of(thread: str) -> IntegrityPage:
    """Check a thread; it is read whole for that. Raises `Missing`."""
    row = thread_row(thread)
    params = {tier.name: tier.param for tier in load_tiers(row)}
    problems = checks.integrity(load_thread(row))
    return IntegrityPage(
        items=tuple(_item(thread, problem, params.get(problem.tier, "")) for problem in problems)
    )


def _item(thread: str, problem: checks.Problem, tier: str) -> ProblemItem:
    return ProblemItem(
        code=problem.code,
        key=problem.key,
        tier=problem.tier,
        message=problem.message,
        url=message_url(thread, problem.key, tier) if problem.key else thread_url(thread),
    )
