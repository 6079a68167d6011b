"""Which files were read before, and what came of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

from convviewer.core.json import Json, decode, encode
from convviewer.store import models

_IDS_PER_QUERY = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownUnit:
    """Files that were read together. `folder` is None when only its members belong to it."""

    folder: str | None
    digest: str
    members: tuple[str, ...]
    outcome: dict[str, Json]
    pk: int | None = None


def known_units(root: str) -> list[KnownUnit]:
    """What earlier imports of this root read."""
    return [
        KnownUnit(
            pk=row.pk,
            folder=None if row.folder == "*" else row.folder,
            digest=row.digest,
            members=tuple(cast("list[str]", decode(row.members))),
            outcome=cast("dict[str, Json]", decode(row.outcome)),
        )
        for row in models.ImportedUnit.objects.filter(root=root).order_by("pk")
    ]


def forget_units(pks: Collection[int]) -> None:
    """Drop what is known of units that are about to be read again."""
    models.ImportedUnit.objects.filter(pk__in=list(pks)).delete()


def forget_root(root: str) -> None:
    """Drop what is known of a root that is gone for good."""
    models.ImportedUnit.objects.filter(root=root).delete()


def remember_units(root: str, units: Collection[KnownUnit]) -> None:
    """Note what came of the units; inside the transaction that writes their threads."""
    models.ImportedUnit.objects.bulk_create(
        models.ImportedUnit(
            root=root,
            folder="*" if unit.folder is None else unit.folder,
            digest=unit.digest,
            members=encode(list(unit.members)),
            outcome=encode(unit.outcome),
        )
        for unit in units
    )


def missing_threads(public_ids: Collection[str]) -> set[str]:
    """Those of the ids that no stored thread has."""
    wanted = sorted(public_ids)
    found: set[str] = set()
    for start in range(0, len(wanted), _IDS_PER_QUERY):
        part = wanted[start : start + _IDS_PER_QUERY]
        rows = models.Thread.objects.filter(public_id__in=part)
        found.update(rows.values_list("public_id", flat=True))
    return set(wanted) - found
