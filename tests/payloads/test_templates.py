"""Each shape has one template, and the page shows exactly what the shape holds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args

import pytest
from django.conf import settings
from django.template.loader import render_to_string

from convviewer.core.json import Json, encode
from convviewer.payloads import Window, all_payload_types, shape_for, shape_for_stored, views
from convviewer.payloads.shapes import Shape

MORE_URL = "/threads/t1/messages/4/?view=x&block=0"
SHOWN = [
    pytest.param(example.value, one.name, view.name, id=f"{one.name}: {example.label}: {view.name}")
    for one in all_payload_types()
    for example in one.examples
    for view in views(example.value, one.name)
]


def test_each_shape_has_exactly_one_template():
    folder = Path(settings.BASE_DIR) / "templates" / "shapes"
    assert {path.stem for path in folder.glob("*.html")} == {s.kind for s in get_args(Shape)}


@pytest.mark.parametrize(("value", "type_name", "view"), SHOWN)
def test_an_example_is_drawn_without_inline_style_or_script(value: Json, type_name: str, view: str):
    html = drawn(shape_for(value, view, type_name=type_name))
    assert not re.search(r"<[^>]+\s(style|on\w+)=", html)
    assert "<script" not in html
    assert "data:" not in html.replace("data:image/png;base64", "").replace("data:image/svg", "")


@pytest.mark.parametrize(
    "text",
    [
        "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &nbsp;",
        "<b>x</b>\n  two\n\n",
        "a {{ b }} c",
    ],
)
def test_text_is_shown_character_for_character(text: str):
    page = parsed(drawn(shape_for(text, "text", type_name="text")))
    assert page.inside("pre") == text


def test_hidden_characters_are_elements_of_their_own():
    html = drawn(shape_for("invoice_\u202egpj.exe\u200b", "text"))
    assert '<span class="ctl">U+202E</span>' in html
    assert "\u202e" not in html
    assert "\u200b" not in html


@pytest.mark.parametrize("view", ["text", "raw", "tree", "table", "terminal"])
@pytest.mark.parametrize(
    "value",
    [
        "A" * 90_000,
        "word " * 20_000,
        ["B" * 90_000] * 3,
        [{"c": "C" * 50_000}] * 4,
        {"k" * 30_000: 1},
    ],
)
def test_no_text_node_is_longer_than_20000_characters(value: Json, view: str):
    page = parsed(drawn(shape_for(value, view, Window())))
    assert page.longest <= 20_000


def test_lone_surrogates_leave_as_valid_unicode():
    value: Json = {"a\ud800": ["x\udfff" * 300], "b": {"\ud83d": {"c": list(range(300))}}}
    for view in "table", "tree", "raw":
        drawn(shape_for(value, view)).encode()


def test_the_next_window_is_a_link_that_works_without_script():
    data = encode([{"i": i} for i in range(500)]).encode()
    html = drawn(shape_for_stored(data, "table", Window(limit=100)))
    assert 'href="/threads/t1/messages/4/?view=x&amp;block=0&amp;after=100"' in html
    assert 'hx-target="closest tr"' in html
    assert "100 of 500 rows" in html


def test_a_folded_node_links_to_its_place():
    html = drawn(shape_for({"a b/c": list(range(300))}, "tree"))
    assert "&amp;path=%2Fa%20b~1c" in html


def test_a_table_scrolls_in_a_box_that_takes_focus():
    html = drawn(shape_for([{"a": 1}, {"a": 2}], "table"))
    assert '<div class="scroll-x" tabindex="0" role="region" aria-label="' in html


def test_a_number_is_aligned_and_its_text_twin_is_not():
    html = drawn(shape_for([{"n": 9007199254740993, "s": "9007199254740993"}] * 2, "table"))
    assert '<td class="num" data-kind="number">9007199254740993</td>' in html
    assert '<td data-kind="string">&quot;9007199254740993&quot;</td>' in html


def drawn(shape: Shape) -> str:
    context = {"shape": shape, "more_url": MORE_URL, "file_url": "/file/?x=1"}
    return render_to_string(f"shapes/{shape.kind}.html", context)


def parsed(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    return page


class Page(HTMLParser):
    """Text nodes of a page: what stands between two tags."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.longest = 0
        self._open: list[str] = []
        self._texts: list[tuple[tuple[str, ...], str]] = []

    def inside(self, tag: str) -> str:
        return "".join(text for place, text in self._texts if tag in place)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"img", "use"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self._texts.append((tuple(self._open), data))
        self.longest = max(self.longest, len(data))
