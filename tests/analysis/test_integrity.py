"""What does not add up in a thread, or was broken by its compression."""

from __future__ import annotations

from convviewer.analysis.integrity import integrity
from convviewer.core.thread import (
    Citation,
    Citations,
    Filler,
    Media,
    Message,
    Reasoning,
    Thread,
    ViewingContext,
)
from tests.analysis.build import assistant, result, tier, use, user


def found(
    verbatim: list[Message],
    compressed: list[Message] | None = None,
    *,
    stored_format: str = "roboto-thread",
    removed_count: int | None = None,
) -> list[tuple[str, str, str]]:
    """Code, tier and key of each finding."""
    tiers = [tier(*verbatim)]
    if compressed is not None:
        tiers.append(tier(*compressed, name="compressed", removed_count=removed_count))
    thread = Thread(format=stored_format, external_id="t", tiers=tuple(tiers))
    return [(problem.code, problem.tier, problem.key) for problem in integrity(thread)]


def test_halves_of_calls_are_found_in_the_tier_that_lacks_the_other() -> None:
    call = assistant(use("a"), key="1", tracking_id="1")
    answer = user(result("a"), key="2", tracking_id="2")
    last = assistant("Done.", key="3", tracking_id="3")

    assert found([call, answer, last], [answer, last]) == [
        ("result_without_use", "compressed", "2")
    ]
    assert found([call, last]) == [("use_without_result", "verbatim", "1")]


def test_roles_must_alternate_only_where_the_provider_wants_it() -> None:
    messages = [user("One.", key="0"), user("Two.", key="1"), assistant("Yes.", key="2")]

    assert found(messages, stored_format="strands-messages") == [
        ("same_role_twice", "verbatim", "1")
    ]
    assert found(messages) == []


def test_a_citation_of_a_removed_document_is_found() -> None:
    source = user(Media(kind="document", name="Manual"), key="0", tracking_id="0")
    answer = assistant(
        Citations(text="See there.", citations=(Citation(title="Manual"),)),
        key="1",
        tracking_id="1",
    )

    assert ("citation_source_removed", "compressed", "1") in found([source, answer], [answer])
    assert found([source, answer], [source, answer]) == []


def test_a_lost_reasoning_signature_is_found() -> None:
    before = assistant(Reasoning(text="Hm.", signature="s"), "Yes.", key="0", tracking_id="0")
    after = assistant(Reasoning(text="Hm."), "Yes.", key="0", tracking_id="0")

    assert found([before], [after]) == [("reasoning_signature_lost", "verbatim", "0")]


def test_filler_pins_and_missing_user_turns_are_found() -> None:
    pinned = user("Never forget this.", key="0", tracking_id="0", custom={"pinned": True})
    answer = assistant("Noted.", key="1", tracking_id="1")
    filled = assistant(Filler(), key="1", tracking_id="1")

    assert found([pinned, answer], [filled]) == [
        ("only_filler", "compressed", "1"),
        ("pin_dropped", "verbatim", "0"),
        ("user_turn_missing", "verbatim", "0"),
    ]


def test_summarized_user_turns_are_not_missing() -> None:
    messages = [user("Hello.", key="0", tracking_id="0"), user("Bye.", key="1", tracking_id="1")]
    summary = user("Greetings.", is_summary=True, key="s")

    assert found(messages, [summary, messages[1]], removed_count=1) == []


def test_a_count_that_disagrees_with_the_messages_is_found() -> None:
    messages = [assistant(f"Turn {n}", key=str(n), tracking_id=str(n)) for n in range(3)]

    assert found(messages, messages[2:], removed_count=28) == [
        ("count_disagrees", "compressed", "")
    ]
    assert found(messages, messages[2:], removed_count=2) == []


def test_viewing_context_that_no_compressed_message_carries_is_found() -> None:
    context = ViewingContext(context={"file_ids": ["f"]})
    before = user(context, "Hi.", key="0", tracking_id="0")
    after = user("Hi.", key="0", tracking_id="0")

    assert found([before], [after]) == [("viewing_context_lost", "verbatim", "0")]


def test_a_sound_thread_has_no_findings() -> None:
    messages = [user("Hi.", key="0"), assistant("Hello.", key="1")]

    assert found(messages, stored_format="strands-files") == []
    assert found([]) == []
