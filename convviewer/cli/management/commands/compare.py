"""Compares two tiers of a thread, for people and for scripts."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from convviewer.cli.conditions import BadCondition, Condition, figure_of, parse_condition
from convviewer.core.json import Json, encode_strict
from convviewer.core.text import count
from convviewer.queries.compare_pair import ALL_OUTCOMES, Pair, open_pair
from convviewer.queries.compare_rows import SummaryItem, summary_item
from convviewer.queries.missing import Missing
from convviewer.queries.named_thread import thread_named

_USAGE: Final = 2
_HOLDS: Final = 3
_FACTS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    condition: Condition
    value: float

    @property
    def holds(self) -> bool:
        return self.condition.holds(self.value)


class Command(BaseCommand):
    """`compare THREAD LEFT RIGHT [--json] [--fail-if COND]...`.

    Exit code 3 when a condition holds, 2 when the thread, a tier or a condition is none.
    """

    help = "Compare two tiers of a thread; fail when a condition such as lost>0 holds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("thread", help="its id, or the id in its record")
        parser.add_argument("left", help="a tier, such as verbatim")
        parser.add_argument("right", help="a tier, such as compressed")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--fail-if",
            action="append",
            default=[],
            metavar="COND",
            help="such as lost>0, introduced>0, saved<0.3, dropped>0",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            conditions = [parse_condition(text) for text in options["fail_if"]]
            pair = open_pair(thread_named(options["thread"]), options["left"], options["right"])
        except (BadCondition, Missing) as error:
            raise CommandError(str(error), returncode=_USAGE) from error
        summary = summary_item(pair)
        checked = [_Checked(condition=one, value=figure_of(one, summary)) for one in conditions]
        if options["json"]:
            self.stdout.write(encode_strict(_as_json(pair, summary, checked)))
        else:
            self._write(pair, summary, checked)
        if any(one.holds for one in checked):
            sys.exit(_HOLDS)

    def _write(self, pair: Pair, summary: SummaryItem, checked: list[_Checked]) -> None:
        tokens, messages = summary.tokens, summary.messages
        saved = "" if tokens.saved_ratio is None else f", {tokens.saved_ratio:.1%} saved"
        self.stdout.write(f"{pair.left.name} against {pair.right.name}")
        self.stdout.write(f"messages    {messages.before:,} to {messages.after:,}")
        self.stdout.write(f"tokens      {tokens.before:,} to {tokens.after:,}{saved}, estimated")
        shown = (name for name in ALL_OUTCOMES if summary.count(name))
        self.stdout.write(
            "outcomes    " + ", ".join(f"{name} {summary.count(name):,}" for name in shown)
        )
        self._write_facts("lost", summary.lost_identifiers, pair)
        self._write_facts("introduced", summary.introduced_identifiers, pair)
        for one in checked:
            verdict = "holds" if one.holds else "does not hold"
            self.stdout.write(f"{one.condition.text}: {verdict}, it is {one.value:g}")

    def _write_facts(self, what: str, number: int, pair: Pair) -> None:
        facts = pair.facts.lost if what == "lost" else pair.facts.introduced
        self.stdout.write(f"{what:<11} {count(number, 'fact')}")
        for placed in facts[:_FACTS_SHOWN]:
            fact = placed.fact
            self.stdout.write(f"  {fact.kind:<8} {fact.value}  in {', '.join(fact.keys[:3])}")
        if len(facts) > _FACTS_SHOWN:
            self.stdout.write(f"  and {number - _FACTS_SHOWN:,} more")


def _as_json(pair: Pair, summary: SummaryItem, checked: list[_Checked]) -> Json:
    return {
        "thread": pair.thread,
        "url": pair.url(),
        "summary": _plain(asdict(summary)),
        "lost": [_plain(asdict(placed.fact)) for placed in pair.facts.lost],
        "introduced": [_plain(asdict(placed.fact)) for placed in pair.facts.introduced],
        "conditions": [
            {"condition": one.condition.text, "value": one.value, "holds": one.holds}
            for one in checked
        ],
    }


def _plain(fields: dict[str, Any]) -> Json:
    return {name: list(item) if isinstance(item, tuple) else item for name, item in fields.items()}
