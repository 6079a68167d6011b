"""`manage.py index`."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from convviewer.store.search.indexing import release_lease, take_lease
from tests.factories.searching import keys, store, thread

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("index", *arguments, stdout=out)
    return out.getvalue().strip()


def test_it_makes_everything_searchable_and_says_how_much(tmp_path: Path) -> None:
    store(tmp_path, thread("at_1", "one", "two"))
    assert run() == "2 messages indexed; everything stored can be searched"
    assert run("--wait") == "0 messages indexed; everything stored can be searched"
    assert keys("two") == ["1"]


def test_it_leaves_the_work_to_a_worker_that_is_at_it(tmp_path: Path) -> None:
    store(tmp_path, thread("at_1", "one"))
    take_lease("server")
    assert run() == "0 messages indexed; another process is indexing, --wait waits for it"


def test_waiting_takes_over_when_the_other_worker_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, thread("at_1", "one"))
    take_lease("server")
    monkeypatch.setattr(
        "convviewer.cli.management.commands.index.sleep", lambda _: release_lease("server")
    )
    assert run("--wait") == "1 message indexed; everything stored can be searched"
