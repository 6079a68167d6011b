"""A tool call and its result as one card."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from convviewer.core import thread as core
from convviewer.payloads import Cause, cause_of, input_summary
from convviewer.queries.marker_note import MarkerNote, note_of
from convviewer.queries.media import Figure, figure_of
from convviewer.queries.payload import INPUT, PayloadView, Place, show, with_input, without_cause
from convviewer.queries.payload_value import shown_parts, value_of
from convviewer.queries.scene import Scene
from convviewer.store import models

PARTS_SHOWN: Final = 10
_LABELS: Final = {
    "repeated_id": "id used more than once",
    "late": "late result",
    "duplicate": "duplicate result",
    "stale": "stale: a later call has this id",
}
_PAIRINGS: Final = {"no_result": "no result", "no_call": "no matching call"}
_ICONS: Final = {
    "success": "ok",
    "error": "error",
    "declined": "declined",
    "unknown": "unknown",
    "pending": "wait",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """Where the call or its result stands; `here`: in the window that is shown."""

    key: str
    block: int
    name: str
    here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPart:
    """One of several parts of a result: a payload or a medium; `note` where a reduction left it."""

    note: MarkerNote | None = None
    payload: PayloadView | None = None
    figure: Figure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCard:
    """A call, its result, or both.

    `key` and `n` say where the card stands. `status` is the result's, `pending` while the thread
    waits for it. `use` and `result` are the halves; None where the record has none. `labels` are
    plain words. `cause` comes before anything else. `more_parts` were left out.
    """

    key: str
    n: int
    id: str
    name: str
    summary: str
    status: str
    icon: str
    verdict: str
    runtime_ms: float | None
    pairing: str
    labels: tuple[str, ...]
    use: Half | None
    result: Half | None
    cause: Cause | None
    input_note: str
    internal_keys: tuple[str, ...]
    payload: PayloadView | None
    parts: tuple[CardPart, ...]
    more_parts: int

    @property
    def empty(self) -> bool:
        """Whether the result is here and holds nothing."""
        return bool(self.result and self.result.here and not self.payload and not self.parts)


def card_of_use(use: core.ToolUse, at: Place, call: models.ToolCall, scene: Scene) -> ToolCard:
    """The card that stands where the call does; the result is on it when it is in the window."""
    found = scene.block_at(call.result_position, call.result_block)
    if not isinstance(found, core.ToolResult):
        return _card(call, at, (use, None), _input(use, at, scene), scene)
    place = replace(at, key=call.result_key or "", block=call.result_block or 0)
    return _card(call, at, (use, found), _payload(found, use, place, scene), scene)


def card_of_result(
    result: core.ToolResult, at: Place, call: models.ToolCall, scene: Scene
) -> ToolCard:
    """The card of a result whose call is not in the window, or nowhere."""
    return _card(call, at, (None, result), _payload(result, None, at, scene), scene)


def _card(
    call: models.ToolCall,
    at: Place,
    halves: tuple[core.ToolUse | None, core.ToolResult | None],
    payload: PayloadView | None,
    scene: Scene,
) -> ToolCard:
    use, result = halves
    status = _status(call, scene)
    cause = _cause(result) if result else None
    parts, more = _parts(result, call, at, scene) if result else ((), 0)
    return ToolCard(
        key=at.key,
        n=at.block,
        id=call.tool_use_id,
        name=call.name,
        summary=_summary(use),
        status=status,
        icon=_ICONS[status],
        verdict=_verdict(call, status),
        runtime_ms=call.runtime_ms,
        pairing=call.pairing,
        labels=_labels(call),
        use=_half(call.use_position, call.use_key, call.use_block, scene),
        result=_half(call.result_position, call.result_key, call.result_block, scene),
        cause=cause,
        input_note=use.input_note if use else "",
        internal_keys=use.internal_keys if use else (),
        payload=without_cause(payload) if payload and cause else payload,
        parts=parts,
        more_parts=more,
    )


def _summary(use: core.ToolUse | None) -> str:
    if use is None:
        return ""
    if use.stored is not None and use.input is None:
        return f"{use.stored.length:,} members"
    return input_summary(use.input)


def _status(call: models.ToolCall, scene: Scene) -> str:
    waits = call.pairing == "no_result" and scene.waits_at == call.use_position
    return "pending" if waits else call.status


def _verdict(call: models.ToolCall, status: str) -> str:
    if status == "pending":
        return "waiting"
    if call.pairing == "no_result":
        return _PAIRINGS["no_result"]
    return "status not recorded" if status == "unknown" else status


def _labels(call: models.ToolCall) -> tuple[str, ...]:
    names = [name for name in call.labels.split(",") if name]
    pairing = _PAIRINGS.get(call.pairing, "")
    if call.pairing == "no_result" or "duplicate" in names:
        pairing = ""
    return tuple(label for label in (pairing, *(_LABELS[name] for name in names)) if label)


def _half(position: int | None, key: str | None, block: int | None, scene: Scene) -> Half | None:
    if position is None or key is None:
        return None
    message = scene.messages.get(position)
    number = message.number if message else None
    name = f"#{number}" if number is not None else f"#{key}" if key.isdigit() else key
    return Half(key=key, block=block or 0, name=name, here=message is not None)


def _input(use: core.ToolUse, place: Place, scene: Scene) -> PayloadView | None:
    value = value_of(use)
    if value is None or (use.input is None and use.stored is None):
        return None
    return show(value, place, data=scene.data(value.stored), look=scene.look_at(place))


def _payload(
    result: core.ToolResult, use: core.ToolUse | None, place: Place, scene: Scene
) -> PayloadView | None:
    look = scene.look_at(place)
    given = value_of(use) if use and (use.input is not None or use.stored) else None
    value = value_of(result)
    if value is None:
        return None
    view = show(value, place, data=scene.data(value.stored), look=look, has_input=given is not None)
    if given is not None and look.view == INPUT:
        return with_input(view, given, data=scene.data(given.stored), look=look)
    return view


def _cause(result: core.ToolResult) -> Cause | None:
    if result.status != "error":
        return None
    values = [result.payload, *(value.value for value in map(value_of, _readable(result)) if value)]
    causes = (cause_of(value, "error") for value in values if value is not None)
    return next((cause for cause in causes if cause), None)


def _readable(result: core.ToolResult) -> tuple[core.Block, ...]:
    return tuple(part for part in result.parts if isinstance(part, core.Text))


def _parts(
    result: core.ToolResult, call: models.ToolCall, at: Place, scene: Scene
) -> tuple[tuple[CardPart, ...], int]:
    numbers = shown_parts(result)
    place = replace(at, key=call.result_key or "", block=call.result_block or 0)
    shown = tuple(
        _part(result, replace(place, part=number), scene) for number in numbers[:PARTS_SHOWN]
    )
    return shown, max(0, len(numbers) - PARTS_SHOWN)


def _part(result: core.ToolResult, place: Place, scene: Scene) -> CardPart:
    number = place.part or 0
    part = result.parts[number]
    if isinstance(part, core.Media):
        picture = scene.is_picture(part.sha256)
        return CardPart(figure=figure_of(part, number, picture=picture))
    value = value_of(result, number)
    if value is None:
        return CardPart()
    look = scene.look_at(place)
    note = None
    if isinstance(part, core.Marker):
        note = note_of(part, original=place.key in scene.in_base)
    payload = show(value, place, data=scene.data(value.stored), look=look)
    return CardPart(note=note, payload=payload)
