"""Pages as a person reads them: text, links and the head's promises."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.test import Client

CSP = "default-src 'none'"


class Page(HTMLParser):
    """What tests look for in a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.links: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._link: str | None = None
        self._words: list[str] = []
        self._label: list[str] = []
        self.feed(html)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._words).split())

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "a":
            self._link, self._label = dict(attrs).get("href"), []

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._link is not None:
            self.links[" ".join(" ".join(self._label).split())] = self._link
            self._link = None

    def handle_data(self, data: str) -> None:
        self._words.append(data)
        self._label.append(data)


def get_page(client: Client, url: str, status: int = 200, **headers: Any) -> Page:
    """The page at the address, which keeps what every page promises."""
    response = client.get(url, **headers)
    assert response.status_code == status, response.content[:2000]
    assert CSP in response["Content-Security-Policy"]
    assert "unsafe" not in response["Content-Security-Policy"]
    assert response["X-Content-Type-Options"] == "nosniff"
    page = Page(response.content.decode())
    assert_strict(page)
    return page


def assert_strict(page: Page) -> None:
    """Nothing that the content security policy would refuse, or that names another host."""
    for tag, attributes in page.tags:
        assert "style" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), tag
        assert tag != "script" or attributes.get("src"), tag
        assert tag != "style"
        address = attributes.get("src") or attributes.get("href") or ""
        assert not address.startswith(("http:", "https:", "//", "javascript:")), address
