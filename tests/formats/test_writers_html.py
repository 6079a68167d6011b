"""An HTML export is one file that loads nothing, runs nothing and shows text as it was typed."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

import pytest

from convviewer.core import thread as core
from convviewer.core.thread import Media, Text, ToolResult
from tests.formats.test_writers import message, thread_of, written

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "section", "h1", "h2"),
    *("dl", "dt", "dd", "div", "span", "figure", "figcaption", "pre", "code", "img"),
}


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text inside `div` and `code`."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._inside = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in {"div", "code"}:
            self.texts.append("")
            self._inside += 1

    def handle_endtag(self, tag: str) -> None:
        self._inside -= tag in {"div", "code"}

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[-1] += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(*blocks: core.Block, title: str = "t") -> Page:
    return Page(written("html", thread_of(message(*blocks), title=title)))


def test_its_own_policy_allows_its_style_sheet_and_images_inside_the_file_alone():
    html = written("html", thread_of(message(Text(text="Hello"))))
    style = html.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    policies = [
        meta["content"]
        for meta in Page(html).of("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    ]

    assert policies == [
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    ]
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize(
    "text",
    [
        "&lt;script&gt;alert(1)&lt;/script&gt; &#39; &nbsp; <b>",
        "</div></section><script>alert(1)</script><img src=x onerror=alert(1)>",
        "</code></pre></style></title><!-- --> ]]> <!DOCTYPE html>",
        "\"quoted\" 'quoted' `quoted` [a](javascript:alert(1)) ![b](https://a.example/b.png)",
        "\n\n  first\n\tsecond  \n",
    ],
)
def test_no_text_becomes_markup(text: str):
    result = ToolResult(tool_use_id="a", payload=text, payload_source="payload")
    unknown = core.Unknown(raw=text, reason=text)
    picture = Media(kind="image", format="png", name=text, data=PNG)

    page = page_of(Text(text=text), result, unknown, picture, title=text)

    assert page.texts[:2] == [text, text]
    assert {tag for tag, _ in page.elements} <= ELEMENTS
    names = {name for _, attributes in page.elements for name in attributes}
    assert names <= {
        *("lang", "charset", "http-equiv", "content", "name", "dir", "class", "src", "alt"),
    }


def test_an_image_is_in_the_file_where_its_bytes_prove_it():
    proven = Media(kind="image", format="svg", name="pump", media_type="image/svg+xml", data=PNG)

    (image,) = page_of(proven).of("img")

    assert image["alt"] == "pump"
    assert image["src"] == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def test_what_only_claims_to_be_an_image_is_named():
    medias = [
        Media(kind="image", format="png", media_type="image/png", data=SVG, size=71),
        Media(kind="image", format="png", location="https://a.example/pixel.png"),
        Media(kind="document", name="plan", format="pdf", data=PNG, size=70),
    ]

    html = written("html", thread_of(message(*medias)))

    page = Page(html)
    assert page.of("img") == []
    assert "<figcaption>image png 71 B</figcaption>" in html
    assert "<figcaption>image png https://a.example/pixel.png</figcaption>" in html
    assert "<figcaption>document plan pdf 70 B</figcaption>" in html


def test_characters_that_hide_or_reorder_text_are_named():
    text = "check user\u202e txt.exe\u202c and zero\u200bwidth \0"
    result = ToolResult(tool_use_id="a", payload=text, payload_source="payload")

    page = page_of(Text(text=text), result)

    shown = "check userU+202E txt.exeU+202C and zeroU+200Bwidth U+0000"
    assert page.texts == [shown, shown]
    assert len([span for span in page.of("span") if span["class"] == "ctl"]) == 8


def test_prose_takes_its_own_direction_and_values_run_left_to_right():
    result = ToolResult(tool_use_id="a", payload="ls -la", payload_source="payload")

    page = page_of(Text(text="\u05de\u05d4"), result)

    assert [element["dir"] for element in page.of("div")] == ["auto"]
    assert [element["dir"] for element in page.of("pre")] == ["ltr"]
