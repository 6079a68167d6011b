"""Stored bytes cannot act on the site."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.api.calls import get, get_bytes, import_case, import_json, messages

pytestmark = pytest.mark.django_db
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = 1</script></svg>'
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


def media_url(client: Client, folder: Path, kind: str, form: str, data: bytes) -> str:
    """Import a message that holds the bytes; their address."""
    source = {"bytes": {"__bytes_encoded__": True, "data": base64.b64encode(data).decode()}}
    content = [{kind: {"format": form, "name": "x", "source": source}}]
    thread = import_json(folder, [{"role": "user", "content": content}])
    url: str = messages(client, thread)[0]["blocks"][0]["blob_url"]
    return url


def test_a_verified_image_is_shown_and_a_document_is_only_downloaded(client: Client) -> None:
    _, image, document = messages(client, import_case("17"))[0]["blocks"]

    shown, saved = client.get(image["blob_url"]), client.get(document["blob_url"])

    assert shown["Content-Type"] == "image/png"
    assert "Content-Disposition" not in shown
    assert len(shown.content) == 70
    assert saved["Content-Disposition"] == "attachment"
    assert saved["Content-Type"] == "application/octet-stream"
    assert saved.content == b"%PDF-1.4\nfake\r\n" or len(saved.content) == 16
    for response in (shown, saved):
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in response["Content-Security-Policy"]
        assert "immutable" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("kind", "form", "data", "served_as", "attached"),
    [
        ("image", "png", PNG, "image/png", False),
        ("image", "jpeg", PNG, "image/png", False),
        ("image", "png", SVG, "application/octet-stream", True),
        ("image", "png", b"<script>alert(1)</script>", "application/octet-stream", True),
        ("document", "html", b"<script>alert(1)</script>", "application/octet-stream", True),
        ("document", "txt", PNG, "image/png", False),
        ("video", "mp4", b"<html>", "video/mp4", True),
    ],
)
def test_bytes_are_what_they_prove_to_be_not_what_they_claim(  # noqa: PLR0913, PLR0917
    client: Client,
    tmp_path: Path,
    kind: str,
    form: str,
    data: bytes,
    served_as: str,
    attached: bool,
) -> None:
    response = client.get(media_url(client, tmp_path, kind, form, data))

    assert response.content == data
    assert response["Content-Type"] == served_as
    assert response.has_header("Content-Disposition") == attached


def test_what_a_browser_has_is_not_sent_again(client: Client, tmp_path: Path) -> None:
    url = media_url(client, tmp_path, "image", "png", PNG)
    etag = client.get(url)["ETag"]

    again = client.get(url, HTTP_IF_NONE_MATCH=etag)

    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    assert client.get(url, HTTP_IF_NONE_MATCH='"other"').status_code == 200
    assert get(client, "/api/blobs/abc", 404)["detail"]


def test_a_large_value_is_downloaded_as_valid_text_or_strict_json(
    client: Client, tmp_path: Path
) -> None:
    rows: list[Any] = [{"n": n, "v": float("nan") if n == 7 else None} for n in range(4_000)]
    use = {"toolUseId": "u", "name": "t", "input": rows}
    content = [{"toolUse": use}, {"text": "a\ud83d" * 40_000}]
    import_json(tmp_path, [{"role": "assistant", "content": content}])
    from convviewer.store.models import Blob  # noqa: PLC0415 - the only place that lists hashes

    names = dict(Blob.objects.values_list("of", "sha256"))

    values = get(client, f"/api/blobs/{names['json']}")
    text = get_bytes(client, f"/api/blobs/{names['text']}").decode()

    assert (len(values), values[7]["v"]) == (4_000, {"$number": "NaN"})
    assert text == "a\ufffd" * 40_000
    assert client.get(f"/api/blobs/{names['json']}")["Content-Disposition"] == "attachment"
