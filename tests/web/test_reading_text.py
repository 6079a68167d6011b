"""What a speaker wrote: readable, literal, and unable to act on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from convviewer.web.rendering import prose_html
from tests.web.reading import (
    answer,
    content,
    html_of,
    import_case,
    import_strands,
    message_html,
    text,
    words,
)

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<iframe src="https://tracker.example"></iframe>',
    "<svg onload=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    '<p style="position:fixed">x</p>',
    '<form action="https://tracker.example"><input name=q></form>',
    "<!-- comment --><base href=https://tracker.example>",
    "</div></article></main><h1>Mine</h1>",
]


@pytest.mark.parametrize("said", HOSTILE)
@pytest.mark.parametrize("frame", ["{}", "**bold** {}", "- item {}", "| a |\n|---|\n| {} |"])
def test_html_in_a_text_is_shown_and_never_run(said: str, frame: str) -> None:
    html = prose_html(frame.format(said))

    assert said in content(html)
    tags = set(re.findall(r"<(\w+)", html))
    assert not tags & {"script", "img", "iframe", "svg", "form", "input", "base", "h1", "article"}
    assert "<!--" not in html
    assert not re.search(r"<[^>]* (?:style|on\w+)=", html)


def test_html_in_code_is_shown_as_it_was_typed() -> None:
    html = prose_html("Use `<b>&amp;</b>`:\n\n```html\n<script>x && y &lt; z</script>\n```\n")

    code = [content(found) for found in re.findall(r"<code[^>]*>(.*?)</code>", html, re.DOTALL)]
    assert code == ["<b>&amp;</b>", "<script>x && y &lt; z</script>\n"]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "/threads/", "//x.example"]
)
def test_a_link_leads_out_of_the_site_or_nowhere(address: str) -> None:
    html = prose_html(f"[here]({address}) and <{address}>")

    assert "href=" not in html
    assert "here" in content(html)


def test_a_link_to_the_web_tells_nothing_of_this_page() -> None:
    html = prose_html("[docs](https://docs.example/a?b=1&c=2 'title')")

    assert html.count("<a ") == 1
    assert 'href="https://docs.example/a?b=1&amp;c=2"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert "title=" not in html


def test_a_picture_of_the_web_becomes_a_link() -> None:
    html = prose_html("See ![the plot](https://tracker.example/p.png) here")

    assert "<img" not in html
    assert '<a href="https://tracker.example/p.png"' in html
    assert "image: the plot" in content(html)


@pytest.mark.parametrize(
    "typed",
    [
        "first line\nsecond line\n    kept blanks   here",
        "5 < 6 && 7 > 2",
        "snake_case_name and 2*3*4 and C:\\temp\\new",
        "AT&T &copy; &#39; &nbsp;",
        "1.5 is not a list",
        "#hashtag and a - b",
    ],
)
def test_a_text_without_markdown_is_shown_exactly_as_typed(typed: str) -> None:
    html = prose_html(typed)

    assert 'class="prose typed"' in html
    assert content(html) == typed


def test_markdown_is_drawn() -> None:
    html = prose_html(
        "# Report\n\n- *one*\n- ~~two~~\n\n1. **three**\n\n> quoted\n\n"
        "| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n"
    )

    for tag in ("<h3>", "<em>", "<del>", "<strong>", "<blockquote>", "<ol>", "<table"):
        assert tag in html
    assert '<td class="num">2</td>' in html
    assert "\u2611 done" in content(html)
    assert "\u2610 open" in content(html)


def test_headings_nest_under_those_of_the_page_without_a_gap() -> None:
    html = prose_html("#### Deep\n\n# Top\n\n###### Deepest\n")

    assert re.findall(r"<h(\d)>", html) == ["3", "3", "4"]


def test_code_is_coloured_by_classes_alone() -> None:
    html = prose_html("```python\nprint('a')\n```")

    assert '<pre tabindex="0" class="highlight">' in html
    assert '<span class="nb">print</span>' in html
    assert "style=" not in html


def test_an_unknown_language_is_plain_code() -> None:
    assert '<code dir="ltr">x\n</code>' in prose_html("```no-such-language {.x}\nx\n```")


def test_a_text_may_hold_the_stand_ins_themselves() -> None:
    said = "**all** " + "".join(chr(code) for code in range(0x2E00, 0x2E30)) + " <b> & \0"

    assert said.replace("**", "").replace("\0", "U+0000") in content(prose_html(said))


@pytest.mark.parametrize("frame", ["{}", "**bold** {}", "`{}`"])
def test_hidden_characters_are_named(frame: str) -> None:
    html = prose_html(frame.format("invoice\u202egnp.exe\u200b\0"))

    assert "\u202e" not in html
    assert '<span class="ctl">U+202E</span>' in html
    assert "U+200B U+0000" in content(html)


def test_the_text_of_ten_thousand_brackets_is_drawn_in_time() -> None:
    html = prose_html("**x** " + "[" * 8_000 + "*" * 8_000)

    assert content(html).count("[") == 8_000


@pytest.mark.django_db
def test_right_to_left_words_have_their_direction_and_code_its_own(client: Client) -> None:
    (thread,) = import_case("49-rtl-and-bidi-controls")

    html = html_of(client, f"/threads/{thread}/")

    for key in ("0", "1"):
        assert re.search(r'<div class="prose[^"]*" dir="auto">', message_html(html, key))
    assert '<code dir="ltr">pump_7/status.json</code>' in message_html(html, "0")
    assert "\u202e" not in html
    assert "U+202E" in words(message_html(html, "2"))
    title = re.search(r"<h1[^>]*>(.*?)</h1>", html, re.DOTALL)
    assert title
    assert "\ufffd" not in title[1]
    assert title[1].rstrip("\u2026").endswith("\U0001f466")


@pytest.mark.django_db
def test_lone_surrogates_and_nul_never_break_a_page(client: Client) -> None:
    for thread in import_case("39-lone-surrogates"):
        html = html_of(client, f"/threads/{thread}/")
        assert html.encode()
        assert "\0" not in html


@pytest.mark.django_db
def test_hostile_words_everywhere_leave_the_page_strict(client: Client, tmp_path: Path) -> None:
    bad = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    call = {"toolUse": {"toolUseId": bad, "name": bad, "input": {bad: bad}}}
    result = {"toolResult": {"toolUseId": bad, "status": "error", "content": [{"text": bad}]}}
    document = {"format": bad, "name": bad, "source": {"location": {"type": "s3", "uri": bad}}}
    thread = import_strands(
        tmp_path,
        text(bad),
        answer({"text": bad}, call, {"document": document}, {bad: bad}),
        {"role": "user", "content": [result]},
        {"role": bad, "content": [{"text": bad}]},
    )

    for address in ("", "messages/1/", "messages/1/inspector/", "messages/2/blocks/0/payload/"):
        html = html_of(client, f"/threads/{thread}/{address}")
        assert "<script>alert" not in html
        assert "<img src=x" not in html
        assert not re.search(r"<[^>]*\sonerror=", re.sub(r'"[^"]*"', '""', html))
