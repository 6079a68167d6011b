"""The index of either database: what it finds, how, and that it keeps up with the tables."""

from __future__ import annotations

import random
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from convviewer.core.folding import fold
from convviewer.importing.indexer import index_now, pending_messages, start_indexer
from convviewer.store import models
from convviewer.store.search import Span, TimeUp, engine
from convviewer.store.search.indexing import (
    LEASE,
    LeaseLost,
    index_batch,
    release_lease,
    take_lease,
    watermark,
)
from convviewer.store.search.texts import load_texts
from tests.factories.searching import answer, index, keys, make_searchable, store, thread

pytestmark = pytest.mark.django_db

EVERYTHING = Span(first=0, end=2**62)


def found(*terms: str, span: Span = EVERYTHING, limit: int = 1_000) -> list[int]:
    with engine().time_limit(30):
        return engine().find(terms, span, limit)


def test_the_index_finds_exactly_the_texts_that_hold_all_terms(tmp_path: Path) -> None:
    chance = random.Random(11)
    alphabet = "abAB é\n\"'%_\\-.中文"
    texts = ["".join(chance.choices(alphabet, k=chance.randint(3, 40))) for _ in range(300)]
    make_searchable(tmp_path, thread("at_1", *texts))
    rows = dict(models.Message.objects.values_list("key", "id"))
    ids = {rows[str(number)]: fold(text) for number, text in enumerate(texts)}

    for _ in range(150):
        source = fold(chance.choice(texts))
        start = chance.randrange(len(source))
        term = source[start : start + chance.randint(3, 8)]
        if len(term) < 3:
            continue
        other = chance.choice(("a", "é", "文", term[:2]))
        terms = (term, fold(other))
        expected = sorted((pk for pk, text in ids.items() if all(t in text for t in terms)))[::-1]
        assert found(*terms) == expected, terms
        with engine().time_limit(30):
            assert engine().scan(terms, EVERYTHING, 1_000) == expected, terms


def test_the_index_is_used_and_no_table_is_read_through(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", *[f"message number {n}" for n in range(400)]))
    with engine().time_limit(30):
        plan = "\n".join(engine().explain(("number 7",), EVERYTHING, 50))
    if connection.vendor == "postgresql":
        assert "Bitmap Index Scan on convviewer_searchtext_trigrams" in plan
        assert "Seq Scan" not in plan
    else:
        assert "VIRTUAL TABLE INDEX" in plan
        assert "SEARCH t USING" in plan
        assert "SCAN t" not in plan


def test_find_keeps_to_its_span_and_its_limit_and_gives_the_last_first(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", *["needle"] * 6))
    ids = list(models.Message.objects.order_by("id").values_list("pk", flat=True))
    assert found("needle", limit=2) == [ids[5], ids[4]]
    assert found("needle", span=Span(first=ids[1], end=ids[3])) == [ids[2], ids[1]]


def test_a_statement_stops_at_its_time_limit(tmp_path: Path) -> None:
    endless = {
        "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT max(i) FROM n",
        "postgresql": "SELECT pg_sleep(60)",
    }
    with pytest.raises(TimeUp), engine().time_limit(0.05), connection.cursor() as cursor:
        cursor.execute(endless[connection.vendor])
    make_searchable(tmp_path, thread("at_1", "needle"))
    assert keys("needle") == ["0"]


# -- keeping up ------------------------------------------------------------------------------------


def test_a_replaced_thread_leaves_nothing_in_the_index(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "steady", "passing remark"))
    store(tmp_path, thread("at_1", "steady", "other words"))
    assert found("passing") == []
    assert models.SearchText.objects.count() == 0
    index()
    assert (len(found("steady")), len(found("other words")), found("passing")) == (1, 1, [])


def test_indexing_goes_on_where_it_stopped(tmp_path: Path) -> None:
    make_searchable(tmp_path, thread("at_1", "one", "two"))
    assert (pending_messages(), index()) == (0, 0)
    store(tmp_path, thread("at_2", "three"))
    assert pending_messages() == 1
    assert index() == 1
    assert watermark() == models.Message.objects.order_by("-id")[0].pk


def test_one_worker_indexes_at_a_time(tmp_path: Path) -> None:
    store(tmp_path, thread("at_1", "needle"))
    assert take_lease("other")
    assert index_now(lambda _: None) is False
    assert pending_messages() == 1
    release_lease("other")
    assert index_now(lambda _: None) is True
    assert pending_messages() == 0


def test_a_worker_that_died_is_replaced_and_one_that_lost_its_lease_writes_nothing(
    tmp_path: Path,
) -> None:
    store(tmp_path, thread("at_1", "needle"))
    assert take_lease("dead")
    models.SearchState.objects.update(lease_until=timezone.now() - LEASE - timedelta(seconds=1))
    assert take_lease("heir")
    with pytest.raises(LeaseLost):
        index_batch("dead")
    assert models.SearchText.objects.count() == 0
    assert index_batch("heir") == 1


def test_messages_that_an_import_replaced_meanwhile_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, thread("at_1", "steady", "old words"))
    replaced = thread("at_1", "steady", "new words")

    def replace_then_load(rows: list[models.Message]) -> object:
        loaded = load_texts(rows)
        monkeypatch.undo()
        store(tmp_path, replaced)
        return loaded

    monkeypatch.setattr("convviewer.store.search.indexing.load_texts", replace_then_load)
    index()
    assert [item["snippet"] for item in answer("words")["items"]] == ["new words"]
    index()
    assert models.SearchText.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_the_background_indexer_takes_what_arrives(tmp_path: Path) -> None:
    done = threading.Event()
    end = start_indexer()
    try:
        store(tmp_path, thread("at_1", "needle"))
        for _ in range(300):
            if not pending_messages():
                break
            done.wait(0.1)
        assert pending_messages() == 0
        assert len(found("needle")) == 1
    finally:
        end()
