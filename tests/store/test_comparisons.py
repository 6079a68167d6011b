"""Alignments in the tables: made at import, made on demand, renewed when they are old."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command

from convviewer.importing.importer import import_paths
from convviewer.store import models
from convviewer.store.comparisons import VERSION, load_facts, load_rows, stored_comparison

pytestmark = pytest.mark.django_db

SNAPSHOTS = (
    Path(__file__).parents[2] / "convviewer" / "samples" / "snapshots" / "session" / "refund-auto"
)
CASES = Path(__file__).parents[1] / "data" / "cases"


@pytest.fixture
def tiers() -> dict[str, models.Tier]:
    import_paths([SNAPSHOTS])
    return {tier.name: tier for tier in models.Tier.objects.all()}


def test_an_import_aligns_the_verbatim_tier_with_every_other_one(
    tiers: dict[str, models.Tier],
) -> None:
    pairs = models.Comparison.objects.values_list("left__name", "right__name", "version")

    assert set(pairs) == {("verbatim", name, VERSION) for name in tiers if name != "verbatim"}


def test_the_threads_counters_are_those_of_its_default_pair(tiers: dict[str, models.Tier]) -> None:
    thread = models.Thread.objects.get()
    stored = stored_comparison(tiers["verbatim"].pk, tiers["compressed"].pk)

    found = load_facts(stored).retention

    assert found is not None
    assert (thread.lost, thread.introduced) == (found.lost_count, found.introduced_count)
    assert len(load_facts(stored).lost) == found.lost_count > 0


def test_every_pair_of_tiers_tiles_both_whichever_way_round(tiers: dict[str, models.Tier]) -> None:
    for left in tiers.values():
        for right in tiers.values():
            stored = stored_comparison(left.pk, right.pk)
            rows = load_rows(models.ComparisonRow.objects.filter(comparison=stored).order_by("row"))
            here = [at for stored_row in rows for at in stored_row.row.left]
            there = [at for stored_row in rows for at in stored_row.row.right]
            assert here == list(range(left.entries))
            assert there == list(range(right.entries))
            assert sum(band.share for band in load_facts(stored).bands) == pytest.approx(
                1, abs=0.01
            )


def test_a_tier_against_itself_is_all_kept(tiers: dict[str, models.Tier]) -> None:
    facts = load_facts(stored_comparison(tiers["compressed"].pk, tiers["compressed"].pk))

    assert facts.summary.outcomes == {"kept": tiers["compressed"].entries}
    assert facts.summary.saved_ratio == 0
    assert [band.outcome for band in facts.bands] == ["kept"]


def test_a_pair_is_made_once(tiers: dict[str, models.Tier]) -> None:
    checkpoint = next(tier for tier in tiers.values() if tier.kind == "checkpoint")

    first = stored_comparison(checkpoint.pk, tiers["compressed"].pk)

    assert stored_comparison(checkpoint.pk, tiers["compressed"].pk).pk == first.pk


def test_each_row_knows_the_tokens_before_it(tiers: dict[str, models.Tier]) -> None:
    stored = stored_comparison(tiers["verbatim"].pk, tiers["compressed"].pk)
    rows = load_rows(models.ComparisonRow.objects.filter(comparison=stored).order_by("row"))

    assert [row.before for row in rows[:1]] == [0]
    last = rows[-1]
    assert last.before + last.row.tokens.before == tiers["verbatim"].tokens


def test_what_an_older_version_made_is_made_again(tiers: dict[str, models.Tier]) -> None:
    models.Comparison.objects.update(version=0)
    models.Thread.objects.update(lost=999, introduced=999)
    first = stored_comparison(tiers["verbatim"].pk, tiers["compressed"].pk)
    assert first.version == VERSION

    call_command("reanalyse")

    assert not models.Comparison.objects.exclude(version=VERSION).exists()
    assert models.Comparison.objects.count() == len(tiers) - 1


def test_reanalyse_brings_the_threads_counters_up_to_date() -> None:
    import_paths([CASES / "01-pin-first-summary"])
    thread = models.Thread.objects.get()
    right = (thread.lost, thread.introduced)
    models.Comparison.objects.update(version=0)
    models.Thread.objects.update(lost=99, introduced=99)

    call_command("reanalyse")

    thread.refresh_from_db()
    assert (thread.lost, thread.introduced) == right == (1, 0)
