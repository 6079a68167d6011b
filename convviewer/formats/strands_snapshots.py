"""Sessions of the Strands SDKs' snapshot session managers, Python and npm.

The latest snapshot, the immutable ones and the stash of an agent are one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from convviewer.core.errors import JsonError, SourceError
from convviewer.core.json import Json, decode
from convviewer.core.thread import Agent, Thread, Tier
from convviewer.formats.base import Found, Ignored, Refused, Unit
from convviewer.formats.parts.head import outline
from convviewer.formats.parts.refusals import not_json
from convviewer.formats.parts.strands.captures import in_time
from convviewer.formats.parts.strands.multi_agent import read_multi_agent
from convviewer.formats.parts.strands.rebuild import Rebuilt, rebuild
from convviewer.formats.parts.strands.snapshot_layout import (
    Owner,
    is_snapshot_place,
    is_stash_place,
    owners,
    unit_folder,
)
from convviewer.formats.parts.strands.snapshot_merge import facts_of, merge_snapshots
from convviewer.formats.parts.strands.snapshot_record import Snapshot, agent_of, read_snapshot
from convviewer.formats.parts.warning_log import WarningLog
from convviewer.formats.source import SourceFile

_VERSIONS: Final = frozenset({"schema_version", "schemaVersion"})
_CAPTURED: Final = frozenset(
    {"data/messages", "data/state", "data/orchestrator_id", "data/orchestratorId"}
)


class StrandsSnapshots:
    """A session is a unit, its stash included; each agent, graph or swarm is a thread."""

    name = "strands-snapshots"
    label = "Strands snapshot session"

    def sniff(self, head: bytes, path: PurePosixPath) -> int:
        names = outline(head).paths
        if "scope" in names and names & _VERSIONS and names & _CAPTURED:
            return 95
        if is_stash_place(path) and head.lstrip()[:1] == b"{":
            return 80
        return 20 if is_snapshot_place(path) else 0

    def folder_of(self, path: PurePosixPath) -> PurePosixPath | None:
        return unit_folder(path)

    def read(self, unit: Unit) -> Iterator[Found]:
        found, strays = owners(unit.files)
        yield from strays
        for owner in found:
            yield from _read_owner(owner, unit)

    def merge(self, stored: Thread, incoming: Thread) -> Thread:
        """Derive the tiers anew from all snapshots that either of them holds."""
        return merge_snapshots(stored, incoming)


FORMAT = StrandsSnapshots()


def _read_owner(owner: Owner, unit: Unit) -> Iterator[Found]:
    log = WarningLog()
    files = [("latest", "", file) for file in owner.latest]
    files += [("checkpoint", identifier, file) for identifier, file in owner.checkpoints]
    snapshots: list[Snapshot] = []
    for kind, identifier, file in files:
        read = read_snapshot(
            file,
            kind="latest" if kind == "latest" else "checkpoint",
            identifier=identifier,
            log=log,
        )
        if isinstance(read, Refused):
            yield read
        else:
            snapshots.append(read)
    if not snapshots:
        yield from _unread_stash(owner)
        return
    newest = _newest(snapshots)
    thread = _thread(owner, unit, newest, snapshots)
    if newest.scope == "multiAgent":
        yield _multi_agent(thread, newest, log)
        return
    stash: dict[str, Json] = {}
    for ref, file in owner.stash.items():
        entry = _read_stash(file)
        if isinstance(entry, Refused):
            yield entry
        else:
            stash[ref] = entry
    for snapshot in snapshots:
        stash |= snapshot.inline_stash
    rebuilt = rebuild([snapshot.capture for snapshot in snapshots], stash, log)
    yield _agent_thread(thread, newest, rebuilt, log)


def _newest(snapshots: list[Snapshot]) -> Snapshot:
    last = in_time([snapshot.capture for snapshot in snapshots])[-1]
    return next(snapshot for snapshot in snapshots if snapshot.capture is last)


def _thread(owner: Owner, unit: Unit, newest: Snapshot, snapshots: list[Snapshot]) -> Thread:
    """The thread without its content: names come from folders, for a snapshot holds none."""
    first = in_time([snapshot.capture for snapshot in snapshots])[0]
    path = PurePosixPath(newest.path)
    named = owner.placed or owner.id
    short = next(file.short_path for file in unit.files if file.path == newest.path)
    return Thread(
        format=FORMAT.name,
        external_id=unit.name if named else short,
        lookup_id="" if named else path.name,
        agent_id=owner.id,
        created_at=first.captured_at,
        updated_at=newest.created_at,
        tiers=(Tier(name="verbatim", kind="verbatim", messages=()),),
        agent=Agent(id=owner.id),
        facts=facts_of(newest.app_data, incomplete=False),
    )


def _agent_thread(thread: Thread, newest: Snapshot, rebuilt: Rebuilt, log: WarningLog) -> Thread:
    agent = agent_of(newest, thread.agent_id)
    return replace(
        thread,
        agent=agent,
        tiers=rebuilt.tiers,
        unplaced=rebuilt.unplaced,
        facts=facts_of(newest.app_data, incomplete=rebuilt.incomplete),
        warnings=log.all(),
    )


def _multi_agent(thread: Thread, newest: Snapshot, log: WarningLog) -> Thread:
    data = newest.data
    identifier = data.get("orchestrator_id", data.get("orchestratorId"))
    name = identifier if isinstance(identifier, str) else thread.agent_id
    state = data.get("state")
    run = read_multi_agent(
        name, state if isinstance(state, dict) else {}, newest.context.at("data", "state")
    )
    return replace(
        thread,
        agent_id=name,
        title=name,
        status=run.status,
        multi_agent=run,
        agent=Agent(),
        warnings=log.all(),
    )


def _read_stash(file: SourceFile) -> Json | Refused:
    try:
        return decode(file.read())
    except JsonError as error:
        return not_json(file.path, error)
    except SourceError as error:
        return Refused(path=error.path, pointer=error.pointer, reason=error.reason)


def _unread_stash(owner: Owner) -> Iterator[Ignored]:
    """Without its snapshots nobody knows whether a text in the stash was redacted."""
    for file in owner.stash.values():
        reason = "a stashed original without its snapshots: import both folders together"
        yield Ignored(path=file.path, reason=reason)
