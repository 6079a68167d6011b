"""`/import/`: what is sent, what runs behind it, and what the page says of it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from convviewer.importing import runs
from convviewer.importing.importer import import_paths
from convviewer.importing.uploads import safe_path
from convviewer.queries.imports import import_run
from convviewer.store import models
from convviewer.store.runs import create_run
from tests.factories.records import record
from tests.web.pages import Page, get_page

pytestmark = pytest.mark.django_db
BOUNDARY = "files-of-a-form"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
CASES = Path(__file__).parents[1] / "data" / "cases"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an import inside its request: a thread of its own would not see the test's database."""
    monkeypatch.setattr(runs, "_in_background", runs.run_import)


def body(*files: tuple[str, bytes], token: str = "") -> bytes:
    """A multipart body as browsers write it, file names with their folders."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files[]"; filename="{name}"\r\n'
        "Content-Type: application/json\r\n\r\n".encode()
        + data
        + b"\r\n"
        for name, data in files
    ]
    field = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
    parts.insert(0, f"{field}{token}\r\n".encode())
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def send(client: Client, *files: tuple[str, bytes], **headers: Any) -> Any:
    return client.post("/import/", body(*files), content_type=MULTIPART, **headers)


def send_and_follow(client: Client, *files: tuple[str, bytes]) -> Page:
    response = send(client, *files)
    assert response.status_code == 302, response.content[:500]
    return get_page(client, response["Location"])


def as_file(thread_id: str, **fields: Any) -> bytes:
    return json.dumps(record(thread_id, **fields)).encode()


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def left_behind() -> list[Path]:
    folder = Path(settings.DATA_DIR, "uploads")
    return list(folder.iterdir()) if folder.exists() else []


def counts(page: Page) -> dict[str, str]:
    """The figures of a run's card."""
    words = page.text.split()
    names = ("created", "updated", "unchanged", "ignored", "refused")
    return {name: words[words.index(name) + 1] for name in names}


@pytest.mark.usefixtures("at_once")
def test_a_sent_file_becomes_a_thread_that_the_report_links(client: Client) -> None:
    page = send_and_follow(client, ("t.json", as_file("th_1", title="Lidar")))

    row = models.Thread.objects.get()
    assert row.external_id == "th_1"
    assert page.links["Lidar"] == f"/threads/{row.public_id}/"
    assert counts(page) == {
        "created": "1",
        "updated": "0",
        "unchanged": "0",
        "ignored": "0",
        "refused": "0",
    }
    assert "messages: verbatim 1" in page.text
    assert left_behind() == []
    assert not models.ImportedUnit.objects.exists()


@pytest.mark.usefixtures("at_once")
def test_a_folder_keeps_its_paths(client: Client, tmp_path: Path) -> None:
    source = CASES / "23-stray-files-and-order" / "input"
    files = [path for path in sorted(source.rglob("*")) if path.is_file()]

    page = send_and_follow(
        client, *((f"input/{path.relative_to(source)}", path.read_bytes()) for path in files)
    )

    sent = {(row.external_id, row.agent_id, row.messages) for row in models.Thread.objects.all()}
    models.Thread.objects.all().delete()
    import_paths([source])
    read = {(row.external_id, row.agent_id, row.messages) for row in models.Thread.objects.all()}
    assert sent == read
    assert sent
    assert "ignored" in page.text


@pytest.mark.usefixtures("at_once")
def test_a_zip_is_read_like_the_folder_it_holds(client: Client) -> None:
    packed = zipped(**{"a/one.json": as_file("th_1"), "a/two.json": as_file("th_2")})

    page = send_and_follow(client, ("threads.zip", packed), ("three.json", as_file("th_3")))

    ids = sorted(models.Thread.objects.values_list("external_id", flat=True))
    assert ids == ["th_1", "th_2", "th_3"]
    assert counts(page)["created"] == "3"
    assert "2 files" in page.text


@pytest.mark.usefixtures("at_once")
def test_sending_the_same_again_changes_nothing(client: Client) -> None:
    send_and_follow(client, ("t.json", as_file("th_1")))

    page = send_and_follow(client, ("t.json", as_file("th_1")))

    assert counts(page)["unchanged"] == "1"
    assert models.Thread.objects.count() == 1


@pytest.mark.usefixtures("at_once")
def test_each_file_that_is_not_read_has_its_reason(client: Client) -> None:
    torn = as_file("th_torn")[:-20]

    page = send_and_follow(
        client,
        ("notes.txt", b"remember the milk"),
        ("torn.json", torn),
        ("t.json", as_file("th_1")),
    )

    run = import_run(page.links["All 3"].partition("run=")[2])
    report = json.loads(run.report)
    assert [line["path"] for line in report["ignored"]] == ["notes.txt"]
    assert [line["path"] for line in report["refused"]] == ["torn.json"]
    for line in (*report["ignored"], *report["refused"]):
        assert line["path"] in page.text
        assert " ".join(line["reason"].split()) in page.text
    problems = get_page(client, page.links["Problems 2"])
    assert "torn.json" in problems.text
    assert "Hello" not in problems.links


@pytest.mark.usefixtures("at_once")
def test_a_long_report_goes_on_behind_a_link(client: Client) -> None:
    files = [(f"note-{number:03d}.txt", b"no thread") for number in range(130)]

    first = send_and_follow(client, *files)
    second = get_page(client, first.links["More"])

    assert "note-099.txt" in first.text
    assert "note-100.txt" not in first.text
    assert "note-129.txt" in second.text
    assert "More" not in second.links


@pytest.mark.usefixtures("at_once")
def test_names_from_the_browser_stay_in_their_folder(client: Client, tmp_path: Path) -> None:
    names = (
        "../../../escaped.json",
        "/etc/absolute.json",
        "C:\\\\Users\\\\me\\\\drive.json",
        "..\\\\..\\\\back.json",
        "a/./b/../c.json",
    )

    send_and_follow(client, *((name, as_file(f"th_{n}")) for n, name in enumerate(names)))

    assert models.Thread.objects.count() == len(names)
    assert left_behind() == []
    outside = Path(settings.DATA_DIR)
    assert not list(outside.rglob("*escaped*")) + list(outside.parent.glob("*escaped*"))


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a.json", "a.json"),
        ("session_1/agents/agent_a/agent.json", "session_1/agents/agent_a/agent.json"),
        ("../../a.json", "a.json"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\Users\\me\\a.json", "Users/me/a.json"),
        ("a/../../b.json", "a/b.json"),
        ("a\0b\n.json", "a_b_.json"),
        ("..", "."),
        ("", "."),
        ("\u00fcber.json", "\u00fcber.json"),
        ("/".join(["d"] * 60) + "/a.json", "/".join(["d"] * 39) + "/a.json"),
    ],
)
def test_a_file_name_becomes_a_safe_relative_path(name: str, path: str) -> None:
    assert safe_path(name) == PurePosixPath(path)


def test_a_long_name_keeps_its_suffix_and_fits() -> None:
    path = safe_path("\u00fc" * 300 + ".json")

    assert len(path.name.encode()) <= 200
    assert path.suffix == ".json"


@pytest.mark.usefixtures("at_once")
def test_two_files_of_one_name_are_both_read(client: Client) -> None:
    page = send_and_follow(
        client,
        ("t.json", as_file("th_1")),
        ("t.json", as_file("th_2")),
        ("t.json/inner.json", as_file("th_3")),
    )

    assert counts(page)["created"] == "3"


def test_an_upload_without_a_file_is_explained(client: Client) -> None:
    for response in (send(client), send(client, ("", b"x")), client.post("/import/", {"a": "b"})):
        assert response.status_code == 400
        assert "No file was sent" in response.content.decode()
    response = client.post("/import/", b"{}", content_type="application/json")
    assert response.status_code == 400
    assert not models.ImportRun.objects.exists()
    assert left_behind() == []


def test_an_upload_over_the_limit_is_explained(client: Client, settings: LazySettings) -> None:
    settings.MAX_UPLOAD_BYTES = 1_000

    response = send(client, ("t.json", b" " * 1_000))

    assert response.status_code == 413
    assert "larger than 1.0 KB" in response.content.decode()
    assert left_behind() == []


def test_an_upload_of_too_many_files_is_explained(client: Client, settings: LazySettings) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 2

    response = send(client, *((f"{number}.json", b"{}") for number in range(3)))

    assert response.status_code == 413
    assert "more than 2 files" in response.content.decode()
    assert left_behind() == []


def test_a_torn_upload_is_explained_and_leaves_nothing(client: Client) -> None:
    whole = body(("t.json", as_file("th_1")))
    response = client.post("/import/", whole, content_type="multipart/form-data; boundary=\u00fc")

    assert response.status_code == 400
    assert left_behind() == []


def test_a_form_without_its_token_is_refused(client: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    get_page(strict, "/import/")

    response = send(strict, ("t.json", as_file("th_1")))

    assert response.status_code == 403
    assert "This form is out of date" in response.content.decode()
    assert not models.ImportRun.objects.exists()
    assert left_behind() == []


@pytest.mark.usefixtures("at_once")
def test_a_form_with_its_token_is_taken() -> None:
    strict = Client(enforce_csrf_checks=True)
    page = get_page(strict, "/import/")
    (token,) = {
        str(field["value"])
        for field in page.attributes("input")
        if field.get("name") == "csrfmiddlewaretoken"
    }

    response = strict.post(
        "/import/",
        body(("t.json", as_file("th_1")), token=token),
        content_type=MULTIPART,
        HTTP_ORIGIN="http://testserver",
    )

    assert response.status_code == 302
    assert models.Thread.objects.count() == 1


def test_a_run_is_polled_until_it_is_over(client: Client) -> None:
    create_run("run1", "threads.zip")
    models.ImportRun.objects.update(state="running", done=3, total=8)

    page = get_page(client, "/import/?run=run1")
    poll = client.get("/import/?run=run1", HTTP_HX_REQUEST="true").content.decode()

    (card,) = [tag for tag in page.attributes("section") if tag.get("id") == "run"]
    assert card["hx-get"] == "/import/?run=run1"
    assert card["hx-trigger"] == "load delay:1s"
    assert "3 of 8 files" in page.text
    assert any(tag.get("aria-live") == "polite" for tag in page.attributes("div"))
    assert "<html" not in poll
    assert "hx-swap-oob" not in poll


def test_the_last_poll_brings_the_report(client: Client) -> None:
    create_run("run1", "threads.zip")
    report = {"threads": [], "ignored": [{"path": "a", "reason": "no"}], "refused": []}
    models.ImportRun.objects.update(state="done", report=json.dumps(report))

    poll = Page(client.get("/import/?run=run1", HTTP_HX_REQUEST="true").content.decode())

    assert not any(tag.get("hx-get") for tag in poll.attributes("section"))
    assert any(tag.get("hx-swap-oob") == "true" for tag in poll.attributes("section"))


def test_a_run_that_a_restart_cut_off_is_marked_so(client: Client) -> None:
    folder = Path(settings.DATA_DIR, "uploads", "run1")
    folder.mkdir(parents=True)
    create_run("run1", "threads.zip")
    create_run("run2", "other.zip")
    models.ImportRun.objects.filter(public_id="run2").update(state="done")

    runs.mark_interrupted_runs()

    assert import_run("run1").state == "interrupted"
    assert import_run("run2").state == "done"
    assert not folder.exists()
    assert "cut off when the server stopped" in get_page(client, "/import/?run=run1").text


def test_a_database_that_fails_ends_the_run_with_a_reason(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DatabaseError("disk is full")

    monkeypatch.setattr(runs, "_in_background", runs.run_import)
    monkeypatch.setattr(runs, "import_paths", fail)

    page = send_and_follow(client, ("t.json", as_file("th_1")))

    assert "stopped before its end" in page.text
    assert "the import stopped (disk is full)" in page.text
    assert left_behind() == []


def test_an_error_that_nobody_foresaw_ends_the_run_too(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(runs, "_in_background", lambda public_id: None)
    monkeypatch.setattr(runs, "import_paths", fail)
    address = send(client, ("t.json", as_file("th_1")))["Location"]

    with pytest.raises(RuntimeError):
        runs.run_import(address.partition("run=")[2])

    assert "log says why" in get_page(client, address).text
    assert left_behind() == []


def test_a_run_that_is_not_stored_is_named(client: Client) -> None:
    get_page(client, "/import/?run=nosuch", status=404)
    get_page(client, "/import/?run=nosuch&after=x", status=400)


@pytest.mark.usefixtures("at_once")
def test_the_page_takes_as_many_queries_for_many_runs_as_for_few(client: Client) -> None:
    page = send_and_follow(client, ("t.json", as_file("th_1")))
    address = page.links["All 1"]
    with CaptureQueriesContext(connection) as few:
        get_page(client, address)
    for number in range(30):
        create_run(f"run{number}", "threads.zip")
    with CaptureQueriesContext(connection) as many:
        get_page(client, address)

    assert len(many) == len(few)


def test_djangos_own_way_of_sending_files_works_too(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_in_background", runs.run_import)
    sent = SimpleUploadedFile("t.json", as_file("th_1"), "application/json")

    response = client.post("/import/", {"files": sent})

    assert response.status_code == 302
    assert models.Thread.objects.count() == 1
