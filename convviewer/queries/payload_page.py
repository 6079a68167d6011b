"""One payload on its own: a window of one view, the whole as a file, and bytes inside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from convviewer.core import thread as core
from convviewer.core.errors import PointerError
from convviewer.core.json import Json, decode, encode_strict
from convviewer.payloads import Window, embedded_bytes, embedded_bytes_stored
from convviewer.queries.missing import Alternative, Missing
from convviewer.queries.payload import (
    INPUT,
    Look,
    PayloadView,
    Place,
    show,
    stored_json,
    with_input,
)
from convviewer.queries.payload_value import Value, value_of
from convviewer.queries.thread_head import OpenThread, ThreadHead, open_thread
from convviewer.store import models
from convviewer.store.large import text_of_blob
from convviewer.store.load import load_blobs, load_message

_CHUNK = 64 * 1024
# Literals that strict JSON has no form for, and keys that the wire form must mark.
_NOT_STRICT = (b"NaN", b"Infinity", b'"$')


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadRequest:
    """Which payload, and what of it. `path` is a JSON pointer into it."""

    thread: str
    key: str
    block: int
    tier: str = ""
    part: int | None = None
    view: str = ""
    after: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadPage:
    """A payload on a page of its own. `path` says where in it the page begins, "" for the whole."""

    head: ThreadHead
    key: str
    name: str
    payload: PayloadView
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadFile:
    """A whole payload as a file."""

    name: str
    media_type: str
    data: bytes

    def chunks(self) -> Iterator[bytes]:
        """The bytes in pieces, so that a large file is not copied once more."""
        for start in range(0, len(self.data), _CHUNK):
            yield self.data[start : start + _CHUNK]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """`given` is the input of the call that a result answers."""

    opened: OpenThread
    message: core.Message
    place: Place
    value: Value
    given: Value | None


def payload_page(request: PayloadRequest, window: Window | None = None) -> PayloadPage:
    """Load a window of the payload. Raises Missing, also for a path that leads nowhere."""
    found = _find(request)
    look = Look(
        view=request.view, window=window or Window(after=request.after), pointer=request.path
    )
    try:
        payload = _view(found, look)
    except PointerError as error:
        raise _no_such(request, f"the payload has nothing at {request.path}") from error
    message = found.message
    return PayloadPage(
        head=found.opened.head,
        key=message.key,
        name=f"#{message.number}" if message.number is not None else message.key,
        payload=payload,
        path=request.path,
    )


def payload_file(request: PayloadRequest) -> PayloadFile:
    """The whole payload: a text as text, anything else as strict JSON. Raises Missing."""
    found = _find(request)
    value = found.given if request.view == INPUT and found.given else found.value
    name = f"{request.key}-{request.block}".replace("/", "-")
    data = _data(value)
    text = (
        text_of_blob(data) if data and value.stored and value.stored.of == "text" else value.value
    )
    if isinstance(text, str):
        encoded = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        return PayloadFile(name=f"{name}.txt", media_type="text/plain; charset=utf-8", data=encoded)
    return PayloadFile(
        name=f"{name}.json", media_type="application/json", data=_strict(data, value.value)
    )


def payload_bytes(request: PayloadRequest) -> tuple[str, bytes]:
    """Media type and bytes of what stands base64-encoded at the path. Raises Missing."""
    found = _find(request)
    data = _data(found.value)
    try:
        if data is not None and found.value.stored:
            return embedded_bytes_stored(stored_json(found.value.stored, data), request.path)
        return embedded_bytes(found.value.value, request.path)
    except PointerError as error:
        raise _no_such(request, f"the payload has nothing at {request.path}") from error


def _view(found: _Found, look: Look) -> PayloadView:
    has_input = found.given is not None
    if found.given is not None and look.view == INPUT:
        bare = show(found.value, found.place, has_input=has_input)
        return with_input(bare, found.given, data=_data(found.given), look=look)
    data = _data(found.value)
    return show(found.value, found.place, data=data, look=look, has_input=has_input)


def _find(request: PayloadRequest) -> _Found:
    opened = open_thread(request.thread, request.tier)
    tier = opened.head.tier
    entry = (
        models.Entry.objects.filter(
            tier_id=tier.pk if tier else 0, message__thread=opened.row, message__key=request.key
        )
        .select_related("message")
        .defer("message__raw", "message__original_raw")
        .first()
    )
    if entry is None or tier is None:
        raise _no_such(request, "there is no such message")
    message = load_message(entry.message)
    blocks = message.blocks[request.block : request.block + 1]
    value = value_of(blocks[0], request.part) if blocks else None
    if value is None:
        raise _no_such(request, f"block {request.block} of message {request.key} has no payload")
    place = Place(
        thread=request.thread,
        tier=tier.param,
        key=request.key,
        block=request.block,
        part=request.part,
    )
    given = _given(opened, entry, request) if isinstance(blocks[0], core.ToolResult) else None
    return _Found(opened=opened, message=message, place=place, value=value, given=given)


def _given(opened: OpenThread, entry: models.Entry, request: PayloadRequest) -> Value | None:
    """The input of the call that the result answers; None beside one of several parts."""
    call = models.ToolCall.objects.filter(
        tier_id=entry.tier_id, result_position=entry.position, result_block=request.block
    ).first()
    if call is None or call.use_position is None or request.part is not None:
        return None
    use_entry = (
        models.Entry.objects.select_related("message")
        .defer("message__raw", "message__original_raw")
        .get(tier_id=entry.tier_id, position=call.use_position)
    )
    use = load_message(use_entry.message).blocks[call.use_block or 0]
    if not isinstance(use, core.ToolUse) or (use.input is None and use.stored is None):
        return None
    return value_of(use)


def _data(value: Value) -> bytes | None:
    if value.stored is None:
        return None
    return load_blobs([value.stored.sha256]).get(value.stored.sha256)


def _strict(data: bytes | None, value: Json) -> bytes:
    if data is None:
        return encode_strict(value).encode()
    if any(mark in data for mark in _NOT_STRICT):
        return encode_strict(decode(data)).encode()
    return data


def _no_such(request: PayloadRequest, why: str) -> Missing:
    return Missing(
        f"No such payload: {why}",
        (Alternative(label="The thread", thread=request.thread, tier=request.tier),),
    )
