"""The state of a graph or swarm as the Strands SDKs store it: results, never transcripts."""

from __future__ import annotations

from convviewer.core.json import Json
from convviewer.core.thread import Block, Error, MultiAgent, Node
from convviewer.formats.parts.blocks import Context, parse_message_content
from convviewer.formats.parts.numbers import finite_number
from convviewer.formats.parts.strands.message import usage_of


def read_multi_agent(identifier: str, state: dict[str, Json], context: Context) -> MultiAgent:
    """The run that `state` records; Python and npm name and nest its parts differently."""
    if "node_results" not in state and "nodes" in state:
        return _from_npm(identifier, state, context)
    return _from_python(identifier, state, context)


def _from_python(identifier: str, state: dict[str, Json], context: Context) -> MultiAgent:
    results = _object(state.get("node_results"))
    order = _strings(state.get("execution_order")) or _strings(state.get("node_history"))
    names = dict.fromkeys([*order, *results, *_strings(state.get("next_nodes_to_execute"))])
    return MultiAgent(
        id=identifier,
        kind=_string(state.get("type")),
        status=_string(state.get("status")),
        task=_task(state.get("current_task"), context.at("current_task")),
        nodes=tuple(
            _python_node(name, results.get(name), context.at("node_results", name))
            for name in names
        ),
        usage=usage_of(state.get("accumulated_usage")),
        runtime_ms=finite_number(state.get("execution_time")),
        raw=state,
    )


def _python_node(name: str, record: Json, context: Context) -> Node:
    if not isinstance(record, dict):
        return Node(id=name, status="pending", raw=record)
    return Node(
        id=name,
        status=_string(record.get("status")),
        result=_result(record.get("result"), context.at("result")),
        usage=usage_of(record.get("accumulated_usage")),
        runtime_ms=finite_number(record.get("execution_time")),
        raw=record,
    )


def _result(value: Json, context: Context) -> tuple[Block, ...]:
    """What a node answered: a message, an error, or the results of the run it stands for."""
    result = _object(value)
    if result.get("type") == "exception":
        return (Error(message=_string(result.get("message"))),)
    if isinstance(result.get("results"), dict):
        return tuple(
            block
            for name, inner in _object(result.get("results")).items()
            for block in _result(_object(inner).get("result"), context.at("results", name))
        )
    message = result.get("message")
    if not isinstance(message, dict):
        return ()
    return parse_message_content(message.get("content"), context.at("message", "content"))


def _from_npm(identifier: str, state: dict[str, Json], context: Context) -> MultiAgent:
    nodes = _object(state.get("nodes"))
    results = state.get("results")
    latest = {
        _string(item.get("nodeId")): (index, item)
        for index, item in enumerate(results if isinstance(results, list) else [])
        if isinstance(item, dict)
    }
    return MultiAgent(
        id=identifier,
        task=_task(state.get("_pendingInput"), context.at("_pendingInput")),
        nodes=tuple(
            _npm_node(name, _object(nodes.get(name)), *latest.get(name, (0, {})), context)
            for name in dict.fromkeys([*latest, *nodes])
        ),
        raw=state,
    )


def _npm_node(
    name: str, node: dict[str, Json], index: int, result: dict[str, Json], context: Context
) -> Node:
    blocks: tuple[Block, ...] = ()
    if result.get("content"):
        place = context.at("results", index, "content")
        blocks = parse_message_content(result.get("content"), place)
    error = result.get("error")
    if isinstance(error, dict):
        blocks += (Error(message=_string(error.get("message")), code=_string(error.get("name"))),)
    return Node(
        id=name,
        status=_string(node.get("status")) or _string(result.get("status")),
        result=blocks,
        usage=usage_of(result.get("usage")),
        runtime_ms=finite_number(result.get("duration")),
        raw=result or node,
    )


def _task(value: Json, context: Context) -> tuple[Block, ...]:
    """The input of the run: text or a list of content blocks; none once it was consumed."""
    if value is None or value in ("", []):
        return ()
    if isinstance(value, str):
        return parse_message_content([{"text": value}], context)
    return parse_message_content(value, context)


def _strings(value: Json) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _string(value: Json) -> str:
    return value if isinstance(value, str) else ""
