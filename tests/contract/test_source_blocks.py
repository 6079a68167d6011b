"""Every block that a source holds is stored; each root has the store to itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from convviewer.importing.importer import import_paths
from tests.cases.seen import Seen
from tests.contract.counting import blocks_in
from tests.contract.library import rooted

pytestmark = pytest.mark.django_db


@rooted()
def test_every_block_of_the_source_is_stored(root: Any) -> None:
    stored: dict[tuple[str, str, str], int] = {}
    for thread_id in dict.fromkeys(line.id for line in import_paths([root]).threads):
        thread = Seen(client=Client(), id=thread_id)
        head = thread.api()
        for tier in head["tiers"]:
            place = (head["external_id"].rpartition("/")[2], head["agent_id"], tier["name"])
            number = sum(len(message["blocks"]) for message in thread.messages(tier["name"]))
            stored[place] = max(stored.get(place, 0), number)

    for (name, agent, tier), number in blocks_in(root).items():
        latest = "compressed" if (name, agent, "compressed") in stored else "verbatim"
        place = (name, agent, latest if tier == "latest" else tier)
        assert stored[place] == number, place
