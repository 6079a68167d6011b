from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convviewer.payloads import Window, shape_for
from convviewer.payloads.parts.spans import MAX_SPANS, code_spans, text_spans
from convviewer.payloads.shapes import Code, Diff, Spans, Stack, Terminal

DIFF = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -10,3 +10,3 @@ def f():
 same
--- not a file head
+new
 end
\\ No newline at end of file
"""


def test_terminal_colours_become_classes():
    shape = shape_for("\x1b[1;31mfail\x1b[0m ok \x1b[92mgreen\x1b[0m \x1b[44mb\x1b[0m", "")
    assert isinstance(shape, Terminal)
    assert [(span.text, span.classes) for span in shape.spans] == [
        ("fail", "ansi-bold ansi-red"),
        (" ok ", ""),
        ("green", "ansi-bright-green"),
        (" ", ""),
        ("b", "ansi-bg-blue"),
    ]


def test_a_line_that_a_program_rewrote_shows_its_last_state():
    shape = shape_for("\x1b[2K10%\r\x1b[2K100%\ndone", "terminal")
    assert isinstance(shape, Terminal)
    assert plain(shape.spans) == "100%\ndone"


def test_streams_of_a_command_are_drawn_apart_below_its_exit_code():
    shape = shape_for({"stdout": "a\n", "stderr": "\x1b[31mbad\x1b[0m", "exit_code": 2}, "")
    assert isinstance(shape, Stack)
    assert [part.kind for part in shape.parts] == ["pairs", "terminal", "terminal"]
    stderr = shape.parts[2]
    assert isinstance(stderr, Terminal)
    assert (stderr.title, stderr.spans[0].classes) == ("stderr", "ansi-red")


def test_diff_lines_carry_their_mark_and_their_numbers():
    shape = shape_for(DIFF, "diff")
    assert isinstance(shape, Diff)
    assert [(line.mark, line.old, line.new) for line in shape.lines] == [
        ("head", None, None),
        ("head", None, None),
        ("head", None, None),
        ("hunk", None, None),
        ("same", 10, 10),
        ("del", 11, None),
        ("ins", None, 11),
        ("same", 12, 12),
        ("note", None, None),
    ]


def test_a_diff_goes_on_by_lines_with_the_right_numbers():
    body = "".join(f"+line {i}\n" for i in range(500))
    shape = shape_for(f"@@ -0,0 +1,500 @@\n{body}", "diff", Window(after=400))
    assert isinstance(shape, Diff)
    assert (plain(shape.lines[0].spans), shape.lines[0].new) == ("+line 399", 400)
    assert (shape.extent.total, shape.extent.next) == (501, 500)


def test_a_text_goes_on_after_a_whole_line():
    code = shape_for("word " * 1_000 + "\n" + "next " * 1_000, "text", Window(characters=8_000))
    assert isinstance(code, Code)
    assert code.extent.next == 5_001


def test_special_numbers_are_one_token_in_raw_json():
    raw = shape_for([float("nan"), float("-inf")], "raw")
    assert isinstance(raw, Code)
    assert {"NaN", "-Infinity"} <= {span.text for span in raw.spans if span.classes}


@pytest.mark.parametrize("language", ["python", "json5", "javascript", "html", "bash", "sql", "go"])
@given(text=st.text(alphabet="ab \n\r\t\"'`{}[]()<>/*#$-+=:;,.\\0123é", max_size=200))
def test_highlighting_changes_no_character(language: str, text: str):
    seen = [span.text for span in code_spans(text, language) if span.classes != "ctl"]
    kept = [span.text for span in text_spans(text) if span.classes != "ctl"]
    assert "".join(seen) == "".join(kept).replace("\r\n", "\n")


def test_a_text_full_of_hidden_characters_stays_small():
    spans = text_spans("a\x00" * 30_000)
    assert len(spans) <= MAX_SPANS + 60_000 * 7 // 8_000 + 1
    assert plain(spans).endswith(r"a\u0000")


def plain(spans: Spans) -> str:
    return "".join(span.text for span in spans)
