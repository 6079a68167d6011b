"""What a redaction replaced is served nowhere by default."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from tests.cases.build import (
    assistant,
    summarising,
    tool_result,
    tool_use,
    tracked,
    user,
    write_session,
    write_snapshot,
)
from tests.cases.seen import Seen, everything, import_case, import_tree, search, see

pytestmark = pytest.mark.django_db

CANARY = "CANARY-7741"


def assert_nowhere(client: Client, canary: str, *threads: str) -> None:
    """The canary is on no page, and in no answer, export or search result."""
    for url, body in everything(client, *threads):
        assert canary.encode() not in body, url
    assert search(client, canary) == []
    assert search(client, canary[2:]) == []
    for url in (f"/search/?q={canary}", f"/?q={canary}"):
        page = client.get(url).content.decode()
        assert page.count(canary) <= _echoes(page, canary), url


def _echoes(page: str, canary: str) -> int:
    """How often the page only repeats what was asked for: no thread is found for it."""
    assert "/threads/" not in page, f"{canary} finds a thread"
    return page.count(canary)


# -- 09: the stash keeps what a guardrail redacted -------------------------------------------------


def test_09_redacted_text_of_the_stash_is_served_nowhere(client: Client) -> None:
    done = import_case("09")

    assert "4711-ZEBRA" not in json.dumps(done.report)
    assert_nowhere(client, "4711-ZEBRA", *done.ids)


def test_09_both_tiers_show_the_replacement(client: Client) -> None:
    thread = see(client, "09")

    for tier in ("verbatim", "compressed"):
        assert thread.said(tier)[0] == "[User input redacted.]"
        assert "[User input redacted.]" in thread.main("" if tier == "verbatim" else tier).words


def test_09_the_unused_entry_is_counted_and_not_quoted() -> None:
    done = import_case("09")

    assert done.warnings() == {"stash_entry_unused": 1}
    assert "door code" not in json.dumps(done.report)


@pytest.mark.parametrize("position", [0, 2, 4])
@pytest.mark.parametrize("agent", ["red", "north"])
def test_a_stashed_text_that_differs_from_its_message_is_served_nowhere(
    client: Client, tmp_path: Path, position: int, agent: str
) -> None:
    messages = [
        tracked("m0", user("Hello.")),
        tracked("m1", assistant("Hi.")),
        tracked("m2", user("Which pump?")),
        tracked("m3", assistant("Pump 4.")),
        tracked("m4", user("Thanks.")),
    ]
    stash = {f"m{n}_0": m["content"][0] for n, m in enumerate(messages)}
    stash[f"m{position}_0"] = {"text": f"My code is {CANARY}."}
    messages[position] = tracked(f"m{position}", user("[User input redacted.]"))

    done = import_tree(write_snapshot(tmp_path, messages, stash=stash, agent=agent))

    assert done.warnings() == {"stash_entry_unused": 1}
    assert CANARY not in json.dumps(done.report)
    assert_nowhere(client, CANARY, *done.ids)


def test_a_redaction_that_came_after_a_checkpoint_holds_in_every_tier(
    client: Client, tmp_path: Path
) -> None:
    before = [tracked("m0", user(f"My code is {CANARY}.")), tracked("m1", assistant("Well."))]
    after = [tracked("m0", user("[User input redacted.]")), before[1]]
    stash = {"m0_0": {"text": f"My code is {CANARY}."}}

    done = import_tree(write_snapshot(tmp_path, after, stash=stash))

    assert_nowhere(client, CANARY, *done.ids)


# -- 21: a redacted tool result --------------------------------------------------------------------


def test_21_the_redacted_result_is_paired_and_shown_as_text(client: Client) -> None:
    thread = see(client, "21")

    (call,) = thread.calls()
    block = thread.block("2")
    (card,) = thread.cards("1")

    assert (call["tool_use_id"], call["pairing"]) == ("tooluse_pat", "paired")
    assert call["result"]["key"] == "2"
    assert block["payload"] == "[Tool result redacted.]"
    assert block["payload_type"] == "text"
    assert "[Tool result redacted.]" in card.one("div", css="view").words
    assert card.one("div", css="view").attributes["data-view"] == "text"
    assert thread.messages()[2]["redacted"] is True
    assert "redacted" in thread.inspector("2").words.lower()


def test_21_the_first_result_is_served_nowhere(client: Client) -> None:
    done = import_case("21")

    assert_nowhere(client, "CANARY-NAME", *done.ids)


def test_21_message_0_is_shown_as_it_was(client: Client) -> None:
    thread = see(client, "21")

    assert thread.said()[0] == "Look up the patient."
    assert thread.messages()[0]["redacted"] is False
    assert "Look up the patient." in thread.shown("0").words


def test_21_an_explicit_export_gives_the_original_back(client: Client) -> None:
    thread = see(client, "21")
    out = StringIO()

    call_command("export_thread", thread.id, "--format", "bundle", "--include-redacted", stdout=out)

    assert "CANARY-NAME" in out.getvalue()


REDACTABLE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (user(f"I am {CANARY}."), user("[redacted]")),
    (assistant(f"You are {CANARY}."), assistant("[redacted]")),
    (assistant(tool_use("t1", name_of=CANARY)), assistant(tool_use("t1", name_of="[redacted]"))),
    (
        assistant({"reasoningContent": {"reasoningText": {"text": f"It is {CANARY}."}}}, "Yes."),
        assistant("Yes."),
    ),
    (user(tool_result("t1", {"json": [{"who": CANARY}]})), user(tool_result("t1", "[redacted]"))),
    (user({"newBlock": {"who": CANARY}}), user("[redacted]")),
    (
        user({"document": {"format": "txt", "name": CANARY, "source": {"text": CANARY}}}),
        user("[redacted]"),
    ),
]


@pytest.mark.parametrize("original", range(len(REDACTABLE)))
def test_a_redaction_of_any_block_holds_everywhere(
    client: Client, tmp_path: Path, original: int
) -> None:
    said, replacement = REDACTABLE[original]
    messages = [user("Hello."), said, assistant("Done.")]
    write_session(tmp_path, messages, redacted={1: replacement}, agent="guard")

    done = import_tree(tmp_path)

    assert CANARY not in json.dumps(done.report)
    assert_nowhere(client, CANARY, *done.ids)
    assert Seen(client=client, id=done.line["id"]).messages()[1]["redacted"] is True


def test_a_redacted_first_message_names_no_thread(client: Client, tmp_path: Path) -> None:
    first = user(f"Title with {CANARY}")
    write_session(
        tmp_path,
        [first, assistant("Fine."), user("More."), assistant("Fine.")],
        redacted={0: user("[User input redacted.]")},
        manager=summarising(2, "All was fine."),
    )

    done = import_tree(tmp_path)

    assert done.line["title"] != f"Title with {CANARY}"
    assert_nowhere(client, CANARY, *done.ids)
