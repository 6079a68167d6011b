"""Cases of hard texts: lone surrogates, entities, right-to-left and hidden characters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import regex
from django.test import Client

from tests.cases.build import record, with_payload, write_record
from tests.cases.seen import (
    Node,
    Seen,
    everything,
    get_body,
    get_page,
    import_case,
    import_tree,
    search,
    see,
)

pytestmark = pytest.mark.django_db


def see_record(client: Client, folder: Path, value: Any) -> Seen:
    return Seen(client=client, id=import_tree(write_record(folder, value)).line["id"])


# -- 39: lone surrogates ---------------------------------------------------------------------------


def test_39_everything_answers_in_utf8_with_the_good_characters_whole(client: Client) -> None:
    done = import_case("39")
    thread = Seen(client=client, id=done.line["id"])

    for _, body in everything(client, thread.id):
        body.decode("utf-8")
    assert search(client, "broken half") != []
    assert done.warnings() == {"replaced_characters": 3}
    card = thread.cards("1")[0].words
    assert "\U0001f600" in card
    assert "\U0001d54f" in thread.shown("3").words
    for halves in ("\ud83d", "\udc88", "\ud835"):
        assert halves not in thread.page().content
    assert thread.block("2")["payload"] == {
        "line": "cut emoji \ufffd end",
        "tail": "\ufffd raw byte",
        "good": "\U0001f600",
    }
    assert thread.said()[3] == "A broken half \ufffd and a whole \U0001d54f."


@pytest.mark.parametrize("place", ["title", "tool", "input", "key", "text", "id"])
def test_a_half_character_anywhere_breaks_no_answer(
    client: Client, tmp_path: Path, place: str
) -> None:
    half = r"x\ud83dy"
    plain = {
        "title": "T",
        "tool": "head",
        "input": "v",
        "key": "k",
        "text": "hello",
        "id": "at_s",
    }
    at = {**plain, place: half}
    text = (
        f'{{"thread_id": "{at["id"]}", "created": "2026-03-01T09:00:00Z", "org_id": "og",'
        f' "status": "user_turn", "title": "{at["title"]}", "messages": ['
        '{"role": "user", "status": "completed", "created": "2026-03-01T09:00:00Z",'
        f' "content": [{{"text": "{at["text"]}"}}]}},'
        '{"role": "assistant", "status": "completed", "created": "2026-03-01T09:00:01Z",'
        f' "content": [{{"content_type": "tool_use", "tool_name": "{at["tool"]}",'
        f' "tool_use_id": "t", "input": {{"{at["key"]}": "{at["input"]}"}}}}]}}]}}'
    )
    done = import_tree(write_record(tmp_path, text))

    assert done.warnings().get("replaced_characters") == 1
    for _, body in everything(client, *done.ids):
        body.decode("utf-8")
    assert search(client, "x") is not None


# -- 41: entities ----------------------------------------------------------------------------------

ENTITIES = "&lt;script&gt;alert(1)&lt;/script&gt; &#39; &nbsp; <b>"


def test_41_the_payload_view_shows_the_stored_string(client: Client) -> None:
    thread = see(client, "41")

    (card,) = thread.cards("1")
    page = get_page(client, f"{thread.url}messages/1/blocks/0/payload/?view=text")

    assert len(ENTITIES) == 54
    assert card.one("div", css="view").one("pre").content == ENTITIES
    assert ENTITIES in [node.content for node in page.all("pre")]
    assert thread.block("1")["payload"] == ENTITIES


def test_41_copy_download_and_exports_give_the_stored_string(client: Client) -> None:
    thread = see(client, "41")
    (card,) = thread.cards("1")

    (copied,) = [
        n.attributes["data-copy-url"] for n in card.walk() if "data-copy-url" in n.attributes
    ]

    assert get_body(client, copied).decode() == ENTITIES
    assert ENTITIES in thread.export("text")
    assert ENTITIES in thread.export("markdown")
    assert ENTITIES in thread.export("bundle")
    assert ENTITIES in thread.export("strands")


def test_41_prose_shows_entities_character_for_character(client: Client) -> None:
    thread = see(client, "41")

    asked = thread.shown("0").one("div", css="prose").content.strip()
    answer = thread.shown("2").one("div", css="prose")

    assert asked == "Escape &lt;b&gt; please, and 5 &lt; 6 &amp;&amp; 7"
    codes = [node.content for node in answer.all("code")]
    assert codes[0] == "&amp;lt;"
    assert codes[-1].strip() == "indented &lt;code&gt;"


STRINGS = [
    "<img src=x onerror=alert(1)>",
    "&amp;amp;lt; &copy; &#x3C; &NotAnEntity;",
    "</pre></div><script>document.title='PWNED'</script>",
    "{{ page.title }} {% load x %}",
    "a\u00a0b\u2003c\td",
    "'\" onload='x' \"=`",
    "<!-- comment --> <![CDATA[x]]>",
]


@pytest.mark.parametrize("text", STRINGS)
def test_a_payload_of_any_characters_is_shown_as_it_is(
    client: Client, tmp_path: Path, text: str
) -> None:
    thread = see_record(client, tmp_path, with_payload("at_e", text))

    (card,) = thread.cards("1")

    assert card.one("div", css="view").one("pre").content == text
    assert thread.block("2")["payload"] == text
    page = thread.page()
    assert page.one("title").content.startswith("Thread at_e")
    assert all(node.attributes.get("src") for node in page.all("script"))
    (copied,) = [
        n.attributes["data-copy-url"] for n in card.walk() if "data-copy-url" in n.attributes
    ]
    assert get_body(client, copied).decode() == text


@pytest.mark.parametrize("text", STRINGS[:3])
def test_a_speakers_words_run_no_script(client: Client, tmp_path: Path, text: str) -> None:
    value = record("at_w", ("user", text), ("assistant", f"`{text}`"), title=text)
    thread = see_record(client, tmp_path, value)

    main = thread.main()

    assert not main.all("script")
    assert not main.all("img")
    assert text in [node.content for node in thread.shown("1").all("code")]
    assert thread.page().one("h1").content == text


# -- 49: direction and hidden characters -----------------------------------------------------------


def test_49_right_to_left_prose_has_its_own_direction(client: Client) -> None:
    thread = see(client, "49")

    for key in ("0", "1"):
        assert _direction_of_prose(thread.shown(key)) == "auto"
    for code in (n for key in ("0", "1") for n in thread.shown(key).all("code")):
        assert code.content.strip()
    assert "pump_7/status.json" in [n.content for n in thread.shown("0").all("code")]


def _direction_of_prose(article: Node) -> str:
    prose = article.one("div", css="prose")
    blocks = [node for node in prose.children if isinstance(node, Node)]
    own = {node.attributes.get("dir", "") for node in blocks if node.words}
    return prose.attributes.get("dir") or own.pop()


def test_49_hidden_characters_are_named_and_reverse_nothing(client: Client) -> None:
    thread = see(client, "49")

    article = thread.shown("2")

    named = [node.content for node in article.all("span", css="ctl")]
    assert named == ["U+202E", "U+202C", "U+200B"]
    assert not set("\u202e\u202c\u200b") & set(thread.page().content)
    assert thread.messages()[2]["blocks"][0]["text"].count("\u202e") == 1


def test_49_titles_and_previews_are_cut_between_whole_emoji(client: Client) -> None:
    thread = see(client, "49")
    title = thread.api()["title"]
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"

    for page in (get_page(client, "/"), thread.page()):
        assert "\ufffd" not in page.content
        for run in regex.findall(r"(?:\p{Extended_Pictographic}|\u200d)+", page.content):
            if "\u200d" in run:
                assert run.replace(family, "").strip("\U0001f9ea") in {
                    "",
                    "\U0001f469\U0001f3fd\u200d\U0001f680",
                } or set(run.replace(family, "")) <= set("\U0001f469\u200d\U0001f680"), run
    assert title.startswith("\U0001f9ea ")


@pytest.mark.parametrize(
    "hidden", ["\u202d", "\u2066", "\u2069", "\u200e", "\u200f", "\u2060", "\ufeff", "\x00", "\x1b"]
)
def test_a_hidden_character_is_named_in_words_titles_tools_and_payloads(
    client: Client, tmp_path: Path, hidden: str
) -> None:
    text = f"pay{hidden}load.txt"
    value = with_payload("at_h", {"name": text})
    value["title"] = value["messages"][0]["content"][0]["text"] = text
    value["messages"][1]["content"][0]["tool_name"] = text
    thread = see_record(client, tmp_path, value)

    page = thread.page()

    assert hidden not in page.content
    assert hidden not in get_page(client, "/").content
    assert f"U+{ord(hidden):04X}" in thread.shown("0").words
    assert thread.block("2")["payload"] == {"name": text}
    assert thread.said()[0] == text


@pytest.mark.parametrize(
    "cluster",
    [
        "\U0001f469\U0001f3fd\u200d\U0001f680",
        "\u00f8\u0301\u0323",
        "\U0001f1f8\U0001f1ea",
        "\u0e19\u0e49\u0e33",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_a_preview_ends_behind_a_whole_character(
    client: Client, tmp_path: Path, cluster: str
) -> None:
    value = record("at_c", ("user", cluster * 400), title="")
    thread = see_record(client, tmp_path, value)

    for page in (get_page(client, "/"), thread.page()):
        cut = [*page.all("title"), *page.all("h1"), *page.all("td", css="main")]
        previews = [node.content for node in cut if cluster[0] in node.content]
        assert previews
        for text in previews:
            whole = text.replace(cluster, "")
            assert not set(cluster) & set(whole), text
            assert "\ufffd" not in text
