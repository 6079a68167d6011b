"""Text of a speaker to HTML: Markdown through a library, then sanitised.

The words are not ours, so nothing in them may act on the page: raw HTML and entities are shown as
they were typed, images are links, links leave the site, headings nest under the page's own.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Final

import nh3
import pyromark
from django.utils.safestring import SafeString
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from convviewer.core.text import name_hidden, visible_runs

_OPTIONS: Final = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
)
# Any of these makes a text Markdown; without them it is shown as typed, line by line.
_MARKDOWN: Final = re.compile(
    r"^\s{0,3}(?:#{1,6}\s|[-*+]\s+\S|\d{1,9}[.)]\s+\S|>\s|```|~~~|(?:[-*_]\s*){3,}$|\|.*\|)"
    r"|`[^`\n]+`|\*\*\S|__\S|~~\S|\]\(|(?<![\w*])\*[^\s*][^*\n]*\*(?![\w*])"
    r"|(?<!\w)_[^\s_][^_\n]*_(?!\w)",
    re.MULTILINE,
)
_AUTOLINK: Final = re.compile(r"<(?:https?://[^\s<>]+|mailto:[^\s<>]+)>")
_HIGHLIGHTED_CHARACTERS: Final = 8_000
_MOST_ELEMENTS: Final = 1_000
# Rare punctuation that can stand in for a character Markdown would act on.
_STAND_INS: Final = [chr(code) for code in range(0x2E00, 0x2E30)]

_CLEANER: Final = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "em", "strong", "del", "code", "pre", "a", "blockquote", "span"),
        *("ul", "ol", "li", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
    },
    clean_content_tags=set(),
    attributes={"a": {"href"}, "ol": {"start"}, "code": {"dir"}},
    allowed_classes={
        "span": {"ctl", *STANDARD_TYPES.values()},
        "th": {"num", "middle"},
        "td": {"num", "middle"},
        "pre": {"highlight"},
    },
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)


def prose_html(text: str) -> SafeString:
    """Return the whole block of a text, ready for a page.

    What would take more elements than a page can bear is shown as typed, with as few as can be.
    """
    html = _markdown_html(text) if _MARKDOWN.search(text) else ""
    if html and _bearable(html):
        block = f'<div class="prose" dir="auto">{html}</div>'
    else:
        block = f'<div class="prose typed" dir="auto">{_typed_html(text)}</div>'
    # The only HTML that no template writes: sanitised, or escaped, on the lines above.
    return SafeString(block)


def _typed_html(text: str) -> str:
    runs = list(visible_runs(text.strip("\n")))
    html = "".join(
        f'<span class="ctl">{name_hidden(run.text)}</span>' if run.hidden else escape(run.text)
        for run in runs
    )
    if _bearable(html):
        return html
    return "".join(name_hidden(run.text) if run.hidden else escape(run.text) for run in runs)


def _bearable(html: str) -> bool:
    return html.count("<") <= 2 * _MOST_ELEMENTS


def _markdown_html(text: str) -> str:
    """Sanitised HTML.

    Stand-ins keep Markdown from acting on "<", "&" and hidden characters, in code and out of it.
    """
    less, amp, opened, closed = _stand_ins(text)
    source = "".join(
        f"{opened}{name_hidden(run.text)}{closed}" if run.hidden else run.text
        for run in visible_runs(text)
    )
    links = _AUTOLINK.findall(source)
    plain = [part.replace("<", less).replace("&", amp) for part in _AUTOLINK.split(source)]
    html = pyromark.html("".join(_alternate(plain, links)), options=_OPTIONS)
    html = _page_html(html, less=less, amp=amp)
    html = html.replace(less, "&lt;").replace(amp, "&amp;")
    html = html.replace(opened, '<span class="ctl">').replace(closed, "</span>")
    return _focusable(_CLEANER.clean(html))


def _stand_ins(text: str) -> list[str]:
    free = [character for character in _STAND_INS if character not in text]
    # A text that uses up the whole block of rare punctuation gets private characters.
    return (free + [chr(code) for code in range(0xF0000, 0xF0004)])[:4]


def _alternate(parts: list[str], between: list[str]) -> list[str]:
    joined = [part for pair in zip(parts, between, strict=False) for part in pair]
    return [*joined, parts[-1]]


# -- what CommonMark writes, made to fit the page --------------------------------------------------

_CODE: Final = re.compile(r'<pre><code(?: class="language-([^"]*)")?>(.*?)</code></pre>', re.DOTALL)
_HEADING: Final = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_IMAGE: Final = re.compile(r'<img src="([^"]*)" alt="([^"]*)"(?: title="[^"]*")? />')
_LINK_TITLE: Final = re.compile(r'(<a href="[^"]*") title="[^"]*"')
_LINK: Final = re.compile(r'<a href="[^"]*"')
_ALIGNED: Final = {
    ' style="text-align: right"': ' class="num"',
    ' style="text-align: center"': ' class="middle"',
    ' style="text-align: left"': "",
    '<input disabled="" type="checkbox"/>\n': "\u2610 ",
    '<input disabled="" type="checkbox" checked=""/>\n': "\u2611 ",
    "<br />\n": "<br>",
    "<code>": '<code dir="ltr">',
}


def _page_html(html: str, *, less: str, amp: str) -> str:
    encoded = {_percent(less): "%3C", _percent(amp): "&amp;"}

    def code(found: re.Match[str]) -> str:
        source = unescape(found[2]).replace(less, "<").replace(amp, "&")
        return _highlighted(source, unescape(found[1] or ""))

    def address(found: re.Match[str]) -> str:
        return _replaced(found[0], encoded)

    html = _IMAGE.sub(r'<a href="\1">image: \2</a>', _LINK_TITLE.sub(r"\1", html))
    html = _LINK.sub(address, html)
    return _nested(_replaced(_CODE.sub(code, html), _ALIGNED))


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _replaced(html: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        html = html.replace(old, new)
    return html


def _highlighted(source: str, info: str) -> str:
    """A code block; its language is the first word of the fence's info string."""
    language = info.partition(" ")[0].strip("{}.")
    if not language or len(source) > _HIGHLIGHTED_CHARACTERS:
        return f"<pre><code>{escape(source)}</code></pre>"
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return f"<pre><code>{escape(source)}</code></pre>"
    code = highlight(source, lexer, HtmlFormatter(nowrap=True))
    return f'<pre class="highlight"><code>{code}</code></pre>'


def _nested(html: str) -> str:
    """Headings below those of the page (1 and 2), and never a level left out."""
    level = 2

    def heading(found: re.Match[str]) -> str:
        nonlocal level
        level = min(int(found[1]) + 2, level + 1, 6)
        return f"<h{level}>{found[2]}</h{level}>"

    return _HEADING.sub(heading, html)


def _focusable(html: str) -> str:
    """Give what may scroll sideways a place in the tab order. Text holds no "<" any more."""
    return html.replace("<pre", '<pre tabindex="0"').replace("<table", '<table tabindex="0"')
