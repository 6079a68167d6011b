"""The list of threads, from imported files to read models."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from convviewer.queries.facets import Facets, list_facets
from convviewer.queries.paging import BadCursor, encode_cursor
from convviewer.queries.threads import (
    Sort,
    ThreadFilters,
    ThreadRow,
    Total,
    count_threads,
    list_threads,
)
from convviewer.store import models
from tests.factories.records import (
    Record,
    import_compressed,
    import_records,
    record,
    with_calls,
    with_words,
)

pytestmark = pytest.mark.django_db

SORTS: tuple[Sort, ...] = get_args(Sort)


def ids(filters: ThreadFilters | None = None, sort: Sort = "-updated") -> list[str]:
    page = list_threads(filters or ThreadFilters(), sort)
    return [row.external_id for row in page.items]


def walk(sort: Sort, limit: int) -> list[ThreadRow]:
    """Every page, one after the other."""
    rows: list[ThreadRow] = []
    after: str | None = ""
    while after is not None:
        page = list_threads(ThreadFilters(), sort, after, limit)
        assert len(page.items) <= limit
        rows += page.items
        after = page.next
    return rows


def named(facets: Facets, facet: str) -> dict[str, int]:
    (group,) = [group for group in facets.groups if group.name == facet]
    return {choice.value: choice.count for choice in group.choices}


def changed(thread_id: str, when: str, **fields: Any) -> Record:
    made = record(thread_id, **fields)
    made["messages"][0]["created"] = when
    return made | {"created": when}


def test_a_row_tells_what_the_record_holds(tmp_path: Path) -> None:
    made = with_calls(
        record("th_1", "Why?", title="Lidar", created_from_agent_id="ag_7"),
        ("read_log", "success"),
        ("read_log", "error"),
        ("delete", "declined"),
    )
    import_records(tmp_path, made)

    (row,) = list_threads(ThreadFilters()).items

    assert (row.external_id, row.format, row.format_label) == (
        "th_1",
        "roboto-thread",
        "Roboto AI thread",
    )
    assert (row.title, row.first_text, row.status) == ("Lidar", "Why?", "user_turn")
    assert (row.messages, row.turns, row.tool_calls) == (7, 1, 3)
    assert (row.failures, row.declined) == (1, 1)
    assert [(tier.name, tier.kind, tier.messages) for tier in row.tiers] == [
        ("verbatim", "verbatim", 7)
    ]
    assert (row.compressed, row.saved, row.tokens_after) == (False, None, None)
    assert row.changed_at == datetime(2026, 11, 1, 9, tzinfo=UTC)


def test_a_compressed_thread_tells_what_was_saved(tmp_path: Path) -> None:
    import_compressed(tmp_path, "th_1")

    (row,) = list_threads(ThreadFilters()).items

    assert [tier.name for tier in row.tiers] == ["verbatim", "deleted"]
    assert row.compressed
    assert row.tokens_after is not None
    assert row.saved is not None
    assert row.saved == pytest.approx(1 - row.tokens_after / row.tokens)
    assert 0 < row.saved < 1


@pytest.mark.parametrize("sort", SORTS)
def test_pages_of_threads_with_equal_values_show_each_thread_once(
    sort: Sort, tmp_path: Path
) -> None:
    import_records(tmp_path, *(record(f"th_{number:02d}") for number in range(23)))

    rows = walk(sort, limit=5)

    assert len(rows) == 23
    assert len({row.id for row in rows}) == 23


@pytest.mark.parametrize("sort", SORTS)
def test_pages_go_on_where_the_whole_list_would(sort: Sort, tmp_path: Path) -> None:
    records = [
        with_words(
            with_calls(
                changed(f"th_{number}", f"2026-11-{number + 1:02d}T09:00:00Z"),
                *[("tool", "error")] * (number % 3),
            ),
            number % 4,
        )
        for number in range(9)
    ]
    import_records(tmp_path / "plain", *records)
    import_compressed(tmp_path / "compressed", "th_c1")
    import_compressed(tmp_path / "compressed2", "th_c2")

    whole = list_threads(ThreadFilters(), sort, limit=50).items

    assert [row.id for row in walk(sort, limit=2)] == [row.id for row in whole]
    assert len(whole) == 11


@pytest.mark.parametrize(
    ("sort", "figure"),
    [("messages", "messages"), ("failures", "failures"), ("tokens", "tokens")],
)
def test_a_minus_turns_the_order_round(sort: Sort, figure: str, tmp_path: Path) -> None:
    import_records(
        tmp_path,
        with_calls(record("th_mid"), ("tool", "error")),
        record("th_low"),
        with_words(with_calls(record("th_top"), ("tool", "error"), ("tool", "error")), 3),
    )

    assert ids(sort=sort) == ["th_low", "th_mid", "th_top"]
    falling: Any = f"-{figure}"
    assert ids(sort=falling) == ["th_top", "th_mid", "th_low"]


@pytest.mark.parametrize("sort", ["saved", "-saved"])
def test_threads_without_compression_come_last_in_either_order_of_saving(
    sort: Sort, tmp_path: Path
) -> None:
    import_records(tmp_path / "plain", record("th_plain"))
    import_compressed(tmp_path / "compressed", "th_compressed")

    assert ids(sort=sort) == ["th_compressed", "th_plain"]


def test_the_last_change_comes_first(tmp_path: Path) -> None:
    import_records(
        tmp_path,
        changed("th_old", "2026-10-01T09:00:00Z"),
        changed("th_new", "2026-11-20T09:00:00+02:00"),
        changed("th_mid", "2026-11-02T09:00:00Z"),
    )

    assert ids() == ["th_new", "th_mid", "th_old"]
    assert ids(sort="updated") == ["th_old", "th_mid", "th_new"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (ThreadFilters(status=("agent_turn",)), ["th_b"]),
        (ThreadFilters(status=("agent_turn", "user_turn")), ["th_a", "th_b", "th_c"]),
        (ThreadFilters(agent=("ag_b",)), ["th_b"]),
        (ThreadFilters(tool=("read_log",)), ["th_a"]),
        (ThreadFilters(tool=("read_log", "find_gaps")), ["th_a", "th_b"]),
        (ThreadFilters(has_errors=True), ["th_b"]),
        (ThreadFilters(has_errors=False), ["th_a", "th_c"]),
        (ThreadFilters(format=("roboto-thread",)), ["th_a", "th_b", "th_c"]),
        (ThreadFilters(format=("strands-files",)), []),
        (ThreadFilters(compressed=True), []),
        (ThreadFilters(compressed=False), ["th_a", "th_b", "th_c"]),
        (ThreadFilters(introduced=True), ["th_c"]),
        (ThreadFilters(introduced=False), ["th_a", "th_b"]),
        (ThreadFilters(since=datetime(2026, 11, 2, 9, tzinfo=UTC)), ["th_b", "th_c"]),
        (ThreadFilters(until=datetime(2026, 11, 2, 9, tzinfo=UTC)), ["th_a"]),
        (ThreadFilters(q="GRIPPER"), ["th_b"]),
        (ThreadFilters(q="th_c"), ["th_c"]),
        (ThreadFilters(q="100%"), ["th_c"]),
        (ThreadFilters(q="100_"), []),
        (ThreadFilters(q="ag_b"), ["th_b"]),
        (ThreadFilters(has_errors=True, tool=("read_log",)), []),
    ],
)
def test_a_filter_leaves_the_threads_that_pass(
    filters: ThreadFilters, expected: list[str], tmp_path: Path
) -> None:
    import_records(
        tmp_path,
        with_calls(changed("th_a", "2026-11-01T09:00:00Z"), ("read_log", "success")),
        with_calls(
            changed(
                "th_b",
                "2026-11-02T09:00:00Z",
                text="Which gripper?",
                status="agent_turn",
                created_from_agent_id="ag_b",
            ),
            ("find_gaps", "error"),
        ),
        changed("th_c", "2026-11-03T09:00:00Z", title="All of it, 100%"),
    )
    models.Thread.objects.filter(external_id="th_c").update(introduced=2)

    assert sorted(ids(filters)) == expected
    assert count_threads(filters) == Total(count=len(expected), capped=False)


@pytest.mark.parametrize(
    "after",
    [
        "x",
        "!!!!",
        "\u00fc",
        "bnVsbA",
        encode_cursor(("-updated",)),
        encode_cursor(("-updated", "soon", 1)),
        encode_cursor(("-updated", "2026-13-40T00:00:00Z", 1)),
        encode_cursor(("-updated", "2026-11-30T00:00:00", 1)),
        encode_cursor(("-messages", 3, 1)),
        encode_cursor(("-updated", "2026-11-30T00:00:00Z", "1")),
        encode_cursor(("-updated", "2026-11-30T00:00:00Z\0", 1)),
    ],
)
def test_a_cursor_that_was_made_up_is_named(after: str) -> None:
    with pytest.raises(BadCursor, match='"after" is no place in this list'):
        list_threads(ThreadFilters(), after=after)


@pytest.mark.parametrize(
    ("sort", "value"),
    [
        ("-messages", 10**30),
        ("messages", -(10**30)),
        ("saved", 1e308),
        ("-created", "\ufffd"),
        ("created", ""),
    ],
)
def test_a_cursor_beyond_every_thread_is_taken(sort: Sort, value: Any, tmp_path: Path) -> None:
    import_records(tmp_path, record("th_1"))

    page = list_threads(ThreadFilters(), sort, encode_cursor((sort, value, 10**30)))

    assert len(page.items) <= 1


def test_titles_are_cut_between_whole_characters(tmp_path: Path) -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    import_records(tmp_path, record("th_1", title=family * 200))

    (row,) = list_threads(ThreadFilters()).items

    assert row.title == family * 59 + "\u2026"


def test_choices_are_counted_with_the_other_choices_applied(tmp_path: Path) -> None:
    import_records(
        tmp_path,
        with_calls(record("th_1"), ("read_log", "error")),
        with_calls(record("th_2"), ("read_log", "success"), ("find_gaps", "success")),
        record("th_3", status="agent_turn"),
    )

    everything = list_facets(ThreadFilters())
    failed = list_facets(ThreadFilters(has_errors=True))
    user = list_facets(ThreadFilters(status=("user_turn",)))

    assert named(everything, "tool") == {"read_log": 2, "find_gaps": 1}
    assert named(everything, "status") == {"user_turn": 2, "agent_turn": 1}
    assert named(everything, "problems") == {"true": 1}
    assert named(failed, "tool") == {"read_log": 1}
    assert named(failed, "problems") == {"true": 1}
    assert named(user, "status") == {"user_turn": 2, "agent_turn": 1}
    assert named(user, "format") == {"roboto-thread": 2}


def test_a_chosen_value_that_no_thread_has_stays_a_choice(tmp_path: Path) -> None:
    import_records(tmp_path, record("th_1"))

    facets = list_facets(ThreadFilters(tool=("gone",)))

    assert named(facets, "tool") == {"gone": 0}


def test_an_agent_is_found_by_its_id_and_counted_by_its_name(tmp_path: Path) -> None:
    import_records(tmp_path, record("th_1"), record("th_2"))
    models.Thread.objects.filter(external_id="th_1").update(agent_id="ag_1", agent_name="Assistant")

    facets = list_facets(ThreadFilters(agent=("ag_1",)))

    assert named(facets, "format") == {"roboto-thread": 1}
    assert named(facets, "agent") == {"Assistant": 1, "ag_1": 0}
    assert ids(ThreadFilters(agent=("ag_1",))) == ["th_1"]
    assert ids(ThreadFilters(agent=("Assistant",))) == ["th_1"]


def test_three_hundred_threads_take_as_many_queries_as_three(tmp_path: Path) -> None:
    import_records(tmp_path / "few", *(record(f"th_{number}") for number in range(3)))
    with CaptureQueriesContext(connection) as few:
        list_threads(ThreadFilters())
        list_facets(ThreadFilters())
        count_threads(ThreadFilters())
    import_records(
        tmp_path / "many",
        *(with_calls(record(f"tm_{number}"), ("tool", "error")) for number in range(297)),
    )
    with CaptureQueriesContext(connection) as many:
        list_threads(ThreadFilters())
        list_facets(ThreadFilters())
        count_threads(ThreadFilters())

    assert len(many) == len(few)
    assert len(many) <= 5


def test_no_message_is_read_for_the_list(tmp_path: Path) -> None:
    import_records(tmp_path, with_calls(record("th_1"), ("tool", "success")))

    with CaptureQueriesContext(connection) as queries:
        list_threads(ThreadFilters(q="x"))
        list_facets(ThreadFilters())

    sql = " ".join(query["sql"] for query in queries)
    assert "convviewer_message" not in sql
    assert '"facts"' not in sql
