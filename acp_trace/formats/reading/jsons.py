"""The trace of the official Rust SDK's conductor (`--trace FILE.jsons`): an event a line.

    {"type":"request","ts":0.01,"protocol":"acp","from":"Client","to":"Agent","id":…,"method":…,"params":…}
    {"type":"response","ts":0.02,"from":"Agent","to":"Client","id":…,"is_error":false,"payload":…}
    {"type":"notification",…}

- `ts`: seconds since the trace was begun; no wall clock.
- Components are `Client`, `Proxy(0)`, `Proxy(1)`, … and `Agent`. The messages between two of them are a
connection; the component nearer to the client is its client.
- With proxies, the tracer does not write what the first one calls at the client, nor what the last one calls
  at the agent, which it names as one more proxy. So the first connection has only calls of the client then,
  and the last only calls of the agent. If they follow each other, as with one proxy, they are put together.
- `"protocol":"mcp"` marks MCP messages that travelled inside ACP's. They and their responses do not belong to
this connection: they are counted as unused.
- Params that a message lacks are null. Older files may have notifications as requests without id.

Learned from agentclientprotocol/rust-sdk, src/agent-client-protocol-conductor/src/trace.rs and conductor.rs
(2026-08), and the snapshots in its tests.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from acp_trace.formats.reading import json_parts, text_lines
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.protocol.methods import BY_NAME
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender

NAME = "jsons"

_TYPES = ("request", "response", "notification")
_PROXY = re.compile(r"proxy\D{0,2}(\d{1,6})\D?")
_NS = 1_000_000_000
_LATEST_S = 9e9  #: more does not fit the columns


class _Event(NamedTuple):
    """A line that is an event, as far as all have it."""

    source: str
    target: str
    is_call: bool
    method: str  #: empty for a response
    is_mcp: bool
    id: bytes | None
    t: int | None
    data: bytes


@dataclass(slots=True)
class _Hop:
    """The messages between two neighbours."""

    left: str  #: nearer to the client
    right: str
    messages: list[Sent] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)  #: who calls: `client`, `agent`, or both
    mcp: set[bytes | None] = field(default_factory=set)  #: ids of requests of MCP that wait for a response


def recognises(files: Sequence[File]) -> bool:
    """Lines with a type, a time, and who speaks to whom."""
    return text_lines.mostly(files, lambda line: isinstance(_event(line), _Event))


def read(files: Sequence[File]) -> list[Log]:
    """A log for each two components that speak to each other, from the client on."""
    logs = [log for file in files for log in _read(files, file)]
    if not logs:
        raise NotThisFormat("looked for events with `type`, `ts`, `from` and `to`: a trace of the Rust SDK")
    return logs


def _read(files: Sequence[File], file: File) -> list[Log]:
    hops: dict[frozenset[str], _Hop] = {}
    unused: list[Unused] = []
    timed = None
    for number, line in text_lines.numbered(file.data):
        event = _event(line)
        why = event if isinstance(event, str) else ""
        if isinstance(event, _Event):
            timed = event.t is not None if timed is None else timed
            hop = hops.setdefault(frozenset((event.source, event.target)), _hop(event))
            if (event.t is not None) != timed:
                why = "has no time, while others have" if timed else "has a time, while others have none"
            else:
                why = _take(hop, event)
        if why:
            unused.append(Unused(text_lines.where(files, file, number), why))
    spoken = [hop for hop in hops.values() if hop.messages]
    logs = _logs(_joined(sorted(spoken, key=lambda hop: (_rank(hop.left), _rank(hop.right)))))
    if logs:
        logs[0].unused = unused
    return logs


def _take(hop: _Hop, event: _Event) -> str:
    """Puts an event's message into its hop, or says why not."""
    if event.is_mcp:
        if event.id is not None:
            hop.mcp.add(event.id)
        return "is a message of MCP"
    if not event.is_call and event.id in hop.mcp:
        hop.mcp.discard(event.id)
        return "is a response to a message of MCP"
    sender: Sender = "client" if event.source == hop.left else "agent"
    hop.messages.append(Sent(event.data, sender, event.t))
    if event.is_call:
        hop.calls.add(sender)
    return ""


def _joined(hops: list[_Hop]) -> list[list[_Hop]]:
    """The hops, those that are halves of one connection together."""
    groups: list[list[_Hop]] = []
    for hop in hops:
        before = groups[-1][-1] if groups else None
        if before and before.right == hop.left and before.calls == {"client"} and hop.calls == {"agent"}:
            groups[-1].append(hop)
        else:
            groups.append([hop])
    return groups


def _logs(groups: list[list[_Hop]]) -> list[Log]:
    logs = []
    for group in groups:
        messages = [item for hop in group for item in hop.messages]
        if len(group) > 1:
            messages.sort(key=lambda item: item.t or 0)
        names = [group[0].left, *(hop.right for hop in group)]
        is_whole = [name.lower() for name in names] == ["client", "agent"]
        labels = {} if is_whole else {"components": ", ".join(names)}
        calls = set[str]().union(*(hop.calls for hop in group))
        lacks = tuple(
            f"{side}_calls" for side in ("client", "agent") if len(groups) > 1 and side not in calls
        )
        logs.append(Log(list(messages), labels=labels, lacks=lacks))
    return logs


def _hop(event: _Event) -> _Hop:
    """Two components in the order of the chain; if that is unknown, first the one that calls as a client."""
    ends = event.source, event.target
    ranks = [_rank(name) for name in ends]
    by_method = event.method in BY_NAME and BY_NAME[event.method].handler == "client"
    turned = ranks[0] > ranks[1] if ranks[0] != ranks[1] else by_method or not event.is_call
    return _Hop(*(reversed(ends) if turned else ends))


def _rank(name: str) -> int:
    """How far a component is from the client; all unknown ones are equally far."""
    lower = name.lower()
    if proxy := _PROXY.fullmatch(lower):
        return int(proxy[1])
    return {"client": -1, "agent": 2_000_000}.get(lower, 1_000_000)


def _event(line: bytes) -> _Event | str:
    """The event of a line, or why the line has none."""
    parts = json_parts.members(line)
    if parts is None:
        return "is not JSON" if not jsontext.is_json(line) else "is not an object"
    kind, source, target = (json_parts.string(parts.get(key)) for key in ("type", "from", "to"))
    if kind not in _TYPES or not source or not target or source == target:
        return "is not an event"
    time = _time(parts.get("ts"))
    if isinstance(time, str):
        return time
    id_ = parts.get("id")
    if kind == "response":
        if id_ is None or "payload" not in parts:
            return "is a response without an id or a payload"
        data = json_parts.response(id_, parts["payload"], is_error=parts.get("is_error") == b"true")
        return _Event(source, target, False, "", False, id_, time, data)
    method = json_parts.string(parts.get("method"))
    if method is None:
        return "is a call without a method"
    id_ = None if kind == "notification" else id_
    data = json_parts.request(parts["method"], parts.get("params"), id_)
    is_mcp = json_parts.string(parts.get("protocol")) == "mcp"
    return _Event(source, target, True, method, is_mcp, id_, time, data)


def _time(text: bytes | None) -> int | str | None:
    """Nanoseconds since the trace was begun, None if there is no time, or what is wrong with it."""
    if text is None:
        return None
    value = jsontext.value_or_none(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return "has a time that is not a number"
    return round(value * _NS) if 0 <= value < _LATEST_S else "has a time out of range"
