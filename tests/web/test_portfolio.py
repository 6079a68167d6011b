"""The page of all payload types."""

from __future__ import annotations

from django.test import Client

from convviewer.payloads import all_payload_types


def test_every_payload_type_is_drawn_with_its_examples(client: Client) -> None:
    response = client.get("/-/shapes/")

    page = response.content.decode()
    assert response.status_code == 200
    for kind in all_payload_types():
        assert f'id="type-{kind.name}"' in page
        assert page.count(f'id="example-{kind.name}-') == len(kind.examples)
