"""Importing: what is read, what is skipped, and what the tables hold after anything."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

from convviewer.store import models
from tests.importing.build import SDK, case, record, run, stored, write

pytestmark = pytest.mark.django_db


def test_a_second_import_reports_unchanged_and_opens_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a.json", record("at_a", "Hello", "Hi"))
    shutil.copytree(case("01"), tmp_path / "sessions")
    first = run(tmp_path)
    assert [thread.action for thread in first.threads] == ["created", "created"]

    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("a file was opened"))
    second = run(tmp_path)

    assert [thread.action for thread in second.threads] == ["unchanged", "unchanged"]
    assert {thread.id for thread in second.threads} == {thread.id for thread in first.threads}
    assert second.exit_code == 0


def test_a_touched_file_with_the_same_content_is_unchanged(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", record("at_a", "Hello", "Hi"))
    run(tmp_path)
    os.utime(path, ns=(1, 1))

    assert [thread.action for thread in run(tmp_path).threads] == ["unchanged"]


def test_a_changed_thread_is_updated_at_its_address(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", record("at_a", "Hello", "Hi"))
    (before,) = run(tmp_path).threads
    write(path, record("at_a", "Hello", "Hi", "More?", "No."))

    (after,) = run(tmp_path).threads

    assert (after.action, after.id) == ("updated", before.id)
    assert after.tiers[0].messages == 4
    (thread,) = stored().values()
    assert [message.key for message in thread.tiers[0].messages] == ["0", "1", "2", "3"]


def test_a_new_message_file_in_a_session_folder_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(case("29"), tmp_path / "in")
    (before,) = run(tmp_path).threads
    messages = next(tmp_path.rglob("messages"))
    last = json.loads((messages / "message_11.json").read_text())
    last["message_id"] = 12
    last["message"]["tracking_id"] = "11111111-2222-4333-8444-555555555555"
    write(messages / "message_12.json", last)

    (after,) = run(tmp_path).threads

    assert (after.action, after.id) == ("updated", before.id)
    assert after.tiers[0].messages == 13


def test_a_stash_that_arrives_later_restores_what_was_cut(tmp_path: Path) -> None:
    sample = SDK / "context-truncate-durable" / "input"
    shutil.copytree(sample / "session", tmp_path / "in" / "session")
    (before,) = run(tmp_path / "in").threads
    assert any(warning.code == "stash_reference_missing" for warning in before.warnings)
    shutil.copytree(sample / "context", tmp_path / "in" / "context")

    (after,) = run(tmp_path / "in").threads

    assert (after.action, after.id) == ("updated", before.id)
    assert not any(warning.code == "stash_reference_missing" for warning in after.warnings)


@pytest.mark.parametrize("number", ["01", "05", "13", "35", "17", "19"])
def test_moving_or_zipping_the_folder_changes_nothing(number: str, tmp_path: Path) -> None:
    shutil.copytree(case(number), tmp_path / "here")
    before = {thread.id for thread in run(tmp_path / "here").threads}
    threads = stored()
    (tmp_path / "there").mkdir()
    shutil.copytree(case(number), tmp_path / "there" / "moved")
    zipped = shutil.make_archive(str(tmp_path / "packed"), "zip", case(number))
    above = shutil.make_archive(str(tmp_path / "above"), "zip", case(number).parent, "input")

    for path in (tmp_path / "there" / "moved", tmp_path / "there", Path(zipped), Path(above)):
        report = run(path)
        assert {thread.action for thread in report.threads} == {"unchanged"}, path
        assert {thread.id for thread in report.threads} == before

    assert stored() == threads


def test_tiers_of_one_thread_meet_in_any_order(tmp_path: Path) -> None:
    for order in (("original", "compressed"), ("compressed", "original")):
        models.Thread.objects.all().delete()
        models.ImportedUnit.objects.all().delete()
        for name in order:
            run(case("35") / f"{name}.json")
        (thread,) = stored().values()
        assert [(tier.name, len(tier.messages)) for tier in thread.tiers] == [
            ("verbatim", 6),
            ("deleted", 6),
        ]


def test_equal_ids_with_nothing_in_common_are_two_threads(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.json", record("default", "Where is my parcel?", "Here."))
    write(tmp_path / "two" / "a.json", record("default", "Book a room.", "Done."))

    ids = [thread.id for thread in run(tmp_path).threads]

    assert len(set(ids)) == 2
    again = run(tmp_path / "two" / "a.json")
    assert [thread.action for thread in again.threads] == ["unchanged"]


def test_what_cannot_be_read_is_refused_by_file_and_the_rest_goes_in(tmp_path: Path) -> None:
    write(tmp_path / "good.json", record("at_good", "Hello", "Hi"))
    text = json.dumps(record("at_torn", "Hello", "Hi"))
    (tmp_path / "torn.json").write_text(text[: len(text) // 2])

    report = run(tmp_path)

    assert report.exit_code == 1
    assert [thread.external_id for thread in report.threads] == ["at_good"]
    (refused,) = report.refused
    assert refused.path == "torn.json"
    torn_at = text[: len(text) // 2].rindex('"')
    assert f"at character {torn_at}:" in refused.reason
    assert "export the file again" in refused.reason
    again = run(tmp_path)
    assert again.exit_code == 1
    assert [line.path for line in again.refused] == ["torn.json"]


def test_nothing_to_read_is_exit_code_two(tmp_path: Path) -> None:
    assert run(tmp_path / "nowhere").exit_code == 2
    (tmp_path / "notes.txt").write_text("no thread")
    report = run(tmp_path)
    assert report.exit_code == 2
    assert [line.path for line in report.ignored] == ["notes.txt"]


def test_links_and_paths_out_of_a_zip_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.json", record("at_secret", "Secret", "Yes"))
    inside = tmp_path / "in"
    write(inside / "a.json", record("at_a", "Hello", "Hi"))
    (inside / "link.json").symlink_to(outside)
    with zipfile.ZipFile(inside / "evil.zip", "w") as archive:
        archive.writestr("../outside.json", outside.read_text())

    report = run(inside, inside / "evil.zip")

    assert [thread.external_id for thread in report.threads] == ["at_a"]
    reasons = {line.path: line.reason for line in report.ignored}
    assert "link" in reasons["link.json"]
    assert "out of the zip" in reasons["../outside.json"]


def test_a_bomb_in_a_zip_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.json", b"[" + b" " * 50_000_000 + b"]")

    report = run(path)

    assert report.exit_code == 2
    assert "tighter" in report.ignored[0].reason


def test_large_values_and_media_come_back_whole(tmp_path: Path) -> None:
    text = "row \U0001f600 \ud800 " * 20_000
    rows = [{"id": number, "name": f"file_{number}.bag"} for number in range(5_000)]
    block = {
        "content_type": "tool_result",
        "tool_name": "list",
        "tool_use_id": "t1",
        "runtime_ms": 3,
        "status": "success",
        "payload": rows,
    }
    data = record("at_large", text, "ok")
    data["messages"][1]["content"].append(block)
    write(tmp_path / "a.json", data)
    run(tmp_path)

    (thread,) = stored().values()

    first, second = thread.tiers[0].messages
    assert first.blocks[0].text == text
    assert second.blocks[1].payload == rows
    assert models.Blob.objects.count() == 2
    assert max(len(row.blocks) for row in models.Message.objects.all()) < 40_000


KILLED = """
import sys
from pathlib import Path
import django
django.setup()
from convviewer.importing.importer import import_paths
import_paths([Path(sys.argv[1])])
"""


@pytest.mark.django_db(transaction=True)
def test_a_killed_import_leaves_every_thread_whole(tmp_path: Path) -> None:
    _write_threads(tmp_path, "old")
    _import_and_kill(tmp_path, models.Thread.objects.exists)
    assert _assert_whole() > 0
    run(tmp_path)
    assert _assert_whole() == THREADS
    _write_threads(tmp_path, "new")
    _import_and_kill(tmp_path, lambda: bool(_said("new")))
    assert _assert_whole() == THREADS
    run(tmp_path)
    assert _assert_whole() == THREADS
    assert not _said("old")


THREADS, MESSAGES = 220, 60


def _write_threads(folder: Path, word: str) -> None:
    """The first message stays the same, so that the thread does."""
    for number in range(THREADS):
        texts = [f"{word} {place} of {number} " + "x" * 400 for place in range(MESSAGES)]
        write(folder / f"{number:03d}.json", record(f"at_{number:03d}", "Hello", *texts))


def _said(word: str) -> int:
    return models.Message.objects.filter(blocks__contains=f'"{word} 1 of').count()


def _import_and_kill(folder: Path, under_way: Callable[[], bool]) -> None:
    """Import in a process of its own, and kill it as soon as some of it is stored."""
    environment = {
        **os.environ,
        "CONVVIEWER_DATABASE_URL": _database_url(),
        "DJANGO_SETTINGS_MODULE": "convviewer.config.settings",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)],
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    while not under_way():
        assert process.poll() is None, "the import ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()


def _database_url() -> str:
    """The test database, as another process reaches it."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    place = f"{database['HOST']}:{database['PORT']}"
    user = f"{database['USER']}:{quote(database['PASSWORD'], safe='')}"
    return f"postgresql://{user}@{place}/{database['NAME']}"


def _assert_whole() -> int:
    """Every stored thread has all its messages, all old or all new; returns how many there are."""
    for thread in models.Thread.objects.all():
        tier = models.Tier.objects.get(thread=thread)
        rows = models.Message.objects.filter(entry__tier=tier).order_by("entry__position")
        words = {row.blocks.split('"text":"')[1].split(" ")[0] for row in rows[1:]}
        assert rows.count() == MESSAGES + 1 == tier.entries == thread.messages
        assert len(words) == 1, words
        assert models.Message.objects.filter(thread=thread).count() == MESSAGES + 1
    return models.Thread.objects.count()


def test_names_that_are_no_utf_8_are_imported_and_keep_their_threads(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    write(folder / os.fsdecode(b"one\xff.json"), record("at_1", "Hello"))
    write(folder / os.fsdecode(b"two\xff.json"), [{"role": "user", "content": [{"text": "Hi"}]}])
    first, second = run(folder), run(folder)

    assert [thread.action for thread in first.threads] == ["created", "created"]
    assert first.threads[1].external_id == "two\\xff.json"
    assert [thread.action for thread in second.threads] == ["unchanged", "unchanged"]
    assert first.exit_code == second.exit_code == 0
    alone = run(folder / os.fsdecode(b"one\xff.json"))
    assert [thread.action for thread in alone.threads] == ["unchanged"]


def test_a_damaged_member_of_a_zip_is_refused_whatever_packed_it(tmp_path: Path) -> None:
    for method in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED):
        path = tmp_path / f"{method}.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("a.json", json.dumps(record("at_1", "Hello")))
        data = bytearray(path.read_bytes())
        data[36:60] = b"\xff" * 24
        path.write_bytes(data)

        (refused,) = run(path).refused

        assert refused.path == "a.json"
        assert "damaged in the zip" in refused.reason


def test_a_zip_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "threads.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", json.dumps(record("at_1", "Hello")))
    path.write_bytes(path.read_bytes()[:-40])

    report = run(path)

    assert [(line.path, line.reason) for line in report.refused] == [
        ("threads.zip", "a zip without its end; make it again")
    ]
    assert report.exit_code == 2


def test_a_name_too_long_for_a_file_is_refused(tmp_path: Path) -> None:
    report = run(tmp_path / ("n" * 5_000))

    assert "cannot be opened" in report.refused[0].reason
    assert report.exit_code == 2
