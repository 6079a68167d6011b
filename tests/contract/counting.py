"""Counts blocks in raw records, and in pages, without the product's help."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from convviewer.core.json import decode
from tests.cases.seen import Node, Seen, get_page

# external id, agent id, tier
Place = tuple[str, str, str]


def blocks_in(root: Path) -> dict[Place, int]:
    """Blocks by thread and tier, counted in the files; only what is known without merging."""
    counts: dict[Place, int] = {}
    for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
        if path.is_file() and path.name not in {"session.json", ".DS_Store"}:
            for place, number in _blocks_of(path):
                counts[place] = counts.get(place, 0) + number
    return counts


def _blocks_of(path: Path) -> Iterator[tuple[Place, int]]:
    parts = path.parts
    if "messages" in parts and path.stem.removeprefix("message_").isdigit():
        if str(int(path.stem.removeprefix("message_"))) == path.stem.removeprefix("message_"):
            yield from _strands_message(path)
    elif path.name == "agent.json":
        yield from _strands_summary(path)
    elif "snapshots" in parts and "agent" in parts and path.suffix == ".json":
        yield from _snapshot(path)
    elif path.suffix == ".json":
        yield from _document(path)


def _strands_message(path: Path) -> Iterator[tuple[Place, int]]:
    record = _value(path)
    message = record["redact_message"] or record["message"]
    session, agent = _session_names(path)
    yield (session, agent, "verbatim"), len(message["content"])
    state = json.loads((path.parents[1] / "agent.json").read_text())
    removed = state["conversation_manager_state"].get("removed_message_count", 0)
    numbers = sorted(
        int(found.stem.removeprefix("message_"))
        for found in path.parent.glob("message_*.json")
        if found.stem.removeprefix("message_").isdigit()
    )
    if removed and record["message_id"] in sorted(set(numbers))[removed:]:
        yield (session, agent, "compressed"), len(message["content"])


def _strands_summary(path: Path) -> Iterator[tuple[Place, int]]:
    state = _value(path)["conversation_manager_state"]
    summary = state.get("summary_message")
    session, agent = _session_names(path)
    if summary and state.get("removed_message_count"):
        yield (session, agent, "compressed"), len(summary["content"])


def _value(path: Path) -> Any:
    """The file's JSON, which may nest deeper than Python's own decoder goes."""
    return decode(path.read_bytes())


def _session_names(path: Path) -> tuple[str, str]:
    names = {part.partition("_")[0]: part.partition("_")[2] for part in path.parts}
    return names["session"], names["agent"]


def _snapshot(path: Path) -> Iterator[tuple[Place, int]]:
    held = _value(path)["data"]["messages"]
    scopes = len(path.parts) - 1 - path.parts[::-1].index("scopes")
    session, agent = path.parts[scopes - 1], path.parts[scopes + 2]
    number = sum(_length(message["content"]) for message in held)
    if path.stem == "snapshot_latest":
        yield (session, agent, "latest"), number
    else:
        yield (session, agent, f"checkpoint:{path.stem.removeprefix('snapshot_')}"), number


def _document(path: Path) -> Iterator[tuple[Place, int]]:
    value = _value(path)
    if isinstance(value, list):
        yield (path.name, "", "verbatim"), _total(value)
    elif "output" in value:
        yield (path.name, "", "verbatim"), _total([value["output"]["message"]])
    elif "convviewer" not in value and "messages" in value:
        name = value.get("thread_id") or value.get("session_id") or value.get("chat_id")
        kinds = {
            block.get("content_type") for message in value["messages"] for block in _list(message)
        }
        tier = "deleted" if kinds & {"deleted", "compression_filler"} else "verbatim"
        yield (str(name or path.name), "", tier), _total(value["messages"])


def _total(messages: list[Any]) -> int:
    return sum(_length(message["content"]) for message in messages)


def _list(message: Any) -> list[Any]:
    return message["content"] if isinstance(message["content"], list) else []


def _length(content: Any) -> int:
    return len(content) if isinstance(content, list) else 1


# -- pages -----------------------------------------------------------------------------------------


def blocks_shown(thread: Seen, tier: str, *, windows: int) -> tuple[Counter[str], str]:
    """Blocks that the first windows of a tier show, by kind, and the key of the last message.

    A legacy context's line counts as hidden.
    """
    counts: Counter[str] = Counter()
    last = ""
    url: str | None = f"{thread.url}?tier={tier}"
    while url and windows:
        windows -= 1
        page = get_page(thread.client, url)
        for article in page.all("article"):
            counts += _shown(thread, article)
            last = article.attributes["id"].removeprefix("m-")
        main = page.one("main")
        following = [a for a in main.all("a", css="sentinel") if a.attributes["rel"] == "next"]
        url = following[0].attributes.get("href") if following else None
    return counts, last


def _shown(thread: Seen, article: Node) -> Counter[str]:
    (body,) = article.all("div", css="body")
    counts: Counter[str] = Counter()
    for node in body.children:
        if isinstance(node, Node):
            counts += Counter(_kinds(node))
    more = [a for a in body.all("a") if "first_block=" in a.attributes.get("href", "")]
    if more:
        page = get_page(thread.client, more[0].attributes["href"])
        counts += _shown(thread, page.one("article", id=article.attributes["id"]))
    return counts


def _kinds(node: Node) -> Iterator[str]:
    classes = set(node.attributes.get("class", "").split())
    outcome = node.attributes.get("data-outcome")
    if "parallel" in classes:
        for card in node.all("div", css="tool"):
            yield from _card(card)
    elif "tool" in classes:
        yield from _card(node)
    elif "media" in classes:
        yield from ["media"] * len(node.all("figure"))
    elif "chip" in classes:
        yield "viewing_context"
    elif "tombstone" in classes:
        # Tombstones in a row are one line that says how many they are.
        number = int(node.content.split()[0]) if outcome == "tombstone" else 1
        yield from ["filler" if outcome == "filler" else "deleted"] * number
    elif "note" in classes and any(_leads_up(link) for link in node.all("a")):
        yield from ["tool_result"] * sum(_leads_up(link) for link in node.all("a"))
    else:
        yield from _plain(classes)


def _plain(classes: set[str]) -> Iterator[str]:
    named = {
        "prose": "text",
        "aside": "reasoning",
        "guarded": "guard",
        "hairline": "cache_point",
        "marker": "marker",
        "unknown": "unknown",
    }
    for name, kind in named.items():
        if name in classes:
            yield kind
            return


def _card(card: Node) -> Iterator[str]:
    words = card.words
    if "Agent error" in words.split("error")[0] + "error":
        yield "error"
    elif card.attributes.get("data-pairing") == "no_call" or "The call stands in" in words:
        yield "tool_result"
    else:
        yield "tool_use"


def _leads_up(link: Node) -> bool:
    return link.attributes.get("href", "").startswith("#b-")
