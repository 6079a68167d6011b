"""A recorded case as a person meets it: the import command, pages, the API, exports, search."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from django.core.management import call_command
from django.test import Client

CASES = Path(__file__).parents[1] / "data" / "cases"
FORMATS = ("bundle", "markdown", "text", "converse", "html", "strands")
# The deepest case has 5,000 levels; each costs the json module a few calls.
_DEEP = 40_000
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]
)
# Attributes of pages that name further addresses.
_ADDRESSES = (
    "href",
    "src",
    "hx-get",
    "data-inspector-url",
    "data-copy-url",
    "data-next-url",
    "data-previous-url",
)


# -- HTML ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Node:
    """An element, by a tolerant parser; children are elements and texts in order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def content(self) -> str:
        """The DOM's textContent: exact."""
        return "".join(
            child if isinstance(child, str) else child.content for child in self.children
        )

    @property
    def words(self) -> str:
        """The text as it is read: blanks joined, a blank between elements."""
        return " ".join(" ".join(self.texts()).split())

    def texts(self) -> Iterator[str]:
        """Each text node."""
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child.texts()

    def walk(self) -> Iterator[Node]:
        """The element itself and all below it, in order."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str = "", css: str = "", **attributes: str) -> list[Node]:
        """Elements below by tag, class and attributes; "_" in a name stands for "-"."""
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            node
            for node in self.walk()
            if (not tag or node.tag == tag)
            and (not css or css in node.attributes.get("class", "").split())
            and all(node.attributes.get(name) == value for name, value in wanted.items())
        ]

    def one(self, tag: str = "", css: str = "", **attributes: str) -> Node:
        """The only such element."""
        found = self.all(tag, css, **attributes)
        assert len(found) == 1, f"{len(found)} of {tag} {css} {attributes}: {self.words[:2000]}"
        return found[0]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        if tag not in _VOID and not self.get_starttag_text().endswith("/>"):  # type: ignore[union-attr]
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        tags = [node.tag for node in self._open]
        if tag in tags[1:]:
            del self._open[len(tags) - 1 - tags[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def parse(html: str) -> Node:
    """The tree of a page or of a fragment."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


# -- import ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A report of `import_threads --json`, and how the command ended."""

    report: dict[str, Any]
    exit_code: int

    @property
    def ids(self) -> list[str]:
        return [line["id"] for line in self.report["threads"]]

    @property
    def line(self) -> dict[str, Any]:
        """The only thread."""
        (line,) = self.report["threads"]
        return dict(line)

    def warnings(self) -> dict[str, int]:
        """Warnings by code."""
        counts: dict[str, int] = {}
        for line in self.report["threads"]:
            for warning in line["warnings"]:
                counts[warning["code"]] = counts.get(warning["code"], 0) + warning["count"]
        return counts

    def said(self, code: str) -> list[str]:
        """The messages of the warnings with that code."""
        return [
            warning["message"]
            for line in self.report["threads"]
            for warning in line["warnings"]
            if warning["code"] == code
        ]


def import_tree(*paths: Path) -> Imported:
    """Run the command as a user does, and read its one object strictly."""
    out = StringIO()
    code = 0
    try:
        call_command("import_threads", *map(str, paths), "--json", stdout=out)
    except SystemExit as stop:
        code = int(str(stop.code))
    return Imported(report=strict(out.getvalue()), exit_code=code)


def input_of(number: str) -> Path:
    """The input folder of the case with that number."""
    (folder,) = CASES.glob(f"{number}-*")
    return folder / "input"


def import_case(number: str) -> Imported:
    """Import a case; nothing of it may be refused."""
    done = import_tree(input_of(number))
    assert done.exit_code == 0
    assert done.report["refused"] == []
    return done


# -- what is served --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One stored thread, through the front doors."""

    client: Client
    id: str

    @property
    def url(self) -> str:
        return f"/threads/{self.id}/"

    @property
    def api_url(self) -> str:
        return f"/api/threads/{self.id}"

    def page(self, tier: str = "", address: str = "") -> Node:
        """The reading page."""
        query = f"?tier={quote(tier)}" if tier else ""
        return get_page(self.client, f"{self.url}{address}{query}")

    def main(self, tier: str = "", address: str = "") -> Node:
        """What the page shows beside head, rail and inspector."""
        return self.page(tier, address).one("main")

    def shown(self, key: str, tier: str = "") -> Node:
        """One message on the reading page."""
        return self.page(tier, f"messages/{key}/").one("article", id=f"m-{key}")

    def cards(self, key: str, tier: str = "") -> list[Node]:
        """The tool calls that a message shows."""
        return self.shown(key, tier).all("div", css="tool")

    def inspector(self, key: str, tier: str = "") -> Node:
        """The inspector of a message."""
        return self.page(tier, f"messages/{key}/inspector/").one("main")

    def keys(self, tier: str = "") -> list[str]:
        """Keys of the messages that the first window shows, in order."""
        return [node.attributes["id"].removeprefix("m-") for node in self.main(tier).all("article")]

    def api(self, path: str = "", status: int = 200) -> Any:
        """A JSON answer below the thread's address."""
        return get_json(self.client, f"{self.api_url}{path}", status)

    def messages(self, tier: str = "verbatim", limit: int = 200) -> list[Any]:
        """Every message of a tier, through all pages."""
        url = f"{self.api_url}/tiers/{quote(tier)}/messages"
        return pages_of(self.client, url, limit)

    def said(self, tier: str = "verbatim") -> list[str]:
        """The text of each message."""
        return [text_of(message) for message in self.messages(tier)]

    def block(self, key: str, n: int = 0, tier: str = "verbatim") -> dict[str, Any]:
        """One block over the API."""
        message = self.api(f"/tiers/{quote(tier)}/messages/{key}")
        return dict(message["blocks"][n])

    def calls(self) -> list[Any]:
        """The thread's tool calls, in order."""
        return pages_of(self.client, f"{self.api_url}/tool-calls", 200)

    def export(self, form: str, tier: str = "") -> str:
        """An export, which the command and the API give alike."""
        query = f"?format={form}" + (f"&tier={quote(tier)}" if tier else "")
        over_http = get_body(self.client, f"{self.api_url}/export{query}").decode()
        out = StringIO()
        options = ["--tier", tier] if tier else []
        call_command("export_thread", self.id, "--format", form, *options, stdout=out)
        assert out.getvalue() == over_http
        return over_http

    def api_text(self) -> str:
        """The thread as plain text over the API."""
        return get_body(self.client, f"{self.api_url}/text").decode()

    def hits(self, query: str, *places: str) -> list[Any]:
        """Search hits in this thread; the index is brought up to date first."""
        return [hit for hit in search(self.client, query, *places) if hit["thread"] == self.id]


def see(client: Client, number: str) -> Seen:
    """Import a case that holds one thread."""
    return Seen(client=client, id=import_case(number).line["id"])


def search(client: Client, query: str, *places: str) -> list[Any]:
    """Search hits over everything stored, all pages."""
    call_command("index", "--wait", stdout=StringIO())
    narrowed = "".join(f"&in={place}" for place in places)
    return pages_of(client, f"/api/search?q={quote(query)}{narrowed}", 200)


def text_of(message: dict[str, Any]) -> str:
    """The text blocks of an API message, joined."""
    return "\n".join(block["text"] for block in message["blocks"] if block["kind"] == "text")


def get_body(client: Client, url: str, status: int = 200) -> bytes:
    """The bytes of an answer."""
    response = client.get(url)
    body = b"".join(response) if response.streaming else response.content
    assert response.status_code == status, (url, response.status_code, body[:2000])
    assert response["X-Content-Type-Options"] == "nosniff"
    return body


def get_page(client: Client, url: str, status: int = 200) -> Node:
    """A page as a tree; its bytes are UTF-8."""
    return parse(get_body(client, url, status).decode())


def get_json(client: Client, url: str, status: int = 200) -> Any:
    """A JSON answer, parsed strictly."""
    return strict(get_body(client, url, status).decode())


def pages_of(client: Client, url: str, limit: int) -> list[Any]:
    """The items of all pages."""
    joined = "&" if "?" in url else "?"
    items: list[Any] = []
    after: str | None = ""
    while after is not None:
        page = get_json(client, f"{url}{joined}limit={limit}&after={quote(after)}")
        assert len(page["items"]) <= limit
        items += page["items"]
        after = page["next"]
    return items


def strict(text: str) -> Any:
    """JSON as a strict parser reads it: no NaN, no half characters; thousands of levels deep."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_DEEP)
    try:
        value = json.loads(text, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()
    finally:
        sys.setrecursionlimit(limit)
    return value


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


# -- everything that is served ---------------------------------------------------------------------


def crawl(client: Client, *starts: str, most: int = 1500) -> Iterator[tuple[str, bytes]]:
    """Every page, file and answer of threads that links lead to, each once; none may fail."""
    waiting, met = list(starts), set(starts)
    while waiting:
        url = waiting.pop(0)
        response = client.get(url)
        body = b"".join(response) if response.streaming else response.content
        assert response.status_code == 200, (url, response.status_code)
        yield url, body
        if not response["Content-Type"].startswith("text/html") or url.startswith("/api/"):
            continue
        for found in _links(body.decode(), url):
            if (
                found not in met
                and found.startswith(("/threads/", "/api/"))
                and not _repeats(found)
            ):
                met.add(found)
                waiting.append(found)
        assert len(met) <= most, "a crawl without an end"


def _repeats(url: str) -> bool:
    """Whether there are too many of its kind to try them all.

    Choices of a comparison combined, and places more than eight levels deep in a payload.
    """
    depth = unquote(url).partition("path=")[2].count("/")
    return ("/compare/" in url and "&" in url) or depth > 8


def _links(html: str, base: str) -> Iterator[str]:
    for node in parse(html).walk():
        for name in _ADDRESSES:
            address = node.attributes.get(name, "")
            parts = urlsplit(address)
            if address and not parts.scheme and not parts.netloc and not address.startswith("#"):
                yield urljoin(base, re.sub(r"#.*", "", address))


def everything(client: Client, *threads: str) -> Iterator[tuple[str, bytes]]:
    """Whatever pages, API, exports and search indexing serve of the threads by default."""
    yield from crawl(client, "/", *(f"/threads/{thread}/" for thread in threads))
    for thread in threads:
        api = f"/api/threads/{thread}"
        yield from _answers(client, api, "", "/unplaced", "/usage", "/tool-calls", "/text")
        for tier in get_json(client, api)["tiers"]:
            base = f"/tiers/{quote(tier['name'])}/messages"
            for message in pages_of(client, f"{api}{base}", 200):
                one = f"{base}/{quote(message['key'])}"
                blocks = (f"{one}/blocks/{n}/payload" for n in _payloads(message))
                yield from _answers(client, api, base, one, f"{one}/raw", *blocks)
        exports = (f"/export?format={form}" for form in FORMATS)
        yield from _answers(client, api, *exports)
    yield from _answers(client, "/api/", "threads", "tool-calls")


def _payloads(message: dict[str, Any]) -> Iterator[int]:
    for n, block in enumerate(message["blocks"]):
        if block["kind"] == "tool_result" and block["payload_source"] != "none":
            yield n


def _answers(client: Client, base: str, *paths: str) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        yield base + path, get_body(client, base + path)
