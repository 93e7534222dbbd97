"""A trace as the official Rust SDK's conductor writes one (`.jsons`): an event a line, for its trace viewer.

Parameters, results and ids are as they were sent. Lines that are not JSON-RPC messages have no place in this
format. Learned from agentclientprotocol/rust-sdk, src/agent-client-protocol-conductor/src/trace.rs (2026-08).
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from acp_trace.analyze.facts import Trace
from acp_trace.analyze.frame import Frame
from acp_trace.formats.reading import json_parts
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.protocol.message import MessageKind
from acp_trace.trace.counts import counted
from acp_trace.trace.durations import NS_PER_S
from acp_trace.trace.entries import OTHER_SIDE, Sender
from acp_trace.trace.jsontext import object_in

_Pair = dict[str, bytes]  #: by side, the name of the component that has its place, as JSON
_KINDS = (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION)


def write(trace: ExportedTrace) -> Iterator[bytes]:
    """The file, event by event."""
    components = _components(trace.facts.trace)
    if not trace.facts.trace.has_times:
        trace.notes.append("the trace has no times: the events have none either")
    left_out = 0
    for frame in trace.frames():
        parts = json_parts.members(frame.data) if frame.kind in _KINDS else None
        if parts is None:
            left_out += 1
            continue
        event = _event(frame, parts, components)
        yield b"{%b}\n" % b",".join(b'"%b":%b' % (key.encode(), value) for key, value in event.items())
    if left_out:
        trace.notes.append(f"{counted(left_out, 'frame')} left out: not JSON-RPC")


def _components(trace: Trace) -> dict[str, _Pair]:
    """Between whom the calls of each side are: as in the file that was imported, if it was one of these."""
    labels = object_in(trace.labels.encode()) if trace.imported_from == "jsons" else {}
    components = labels.get("components")
    names = components.split(", ") if isinstance(components, str) else []
    if len(names) == 3:  # with one proxy, each side calls another component (`formats.reading.jsons`)
        return {"client": _pair(*names[:2]), "agent": _pair(*names[1:])}
    pair = _pair(*names) if len(names) == 2 else _pair("Client", "Agent")
    return dict.fromkeys(OTHER_SIDE, pair)


def _pair(client: str, agent: str) -> _Pair:
    return {"client": msgspec.json.encode(client), "agent": msgspec.json.encode(agent)}


def _event(frame: Frame, parts: dict[str, bytes], components: dict[str, _Pair]) -> dict[str, bytes]:
    """The members of an event, each as its JSON text, in the order of the Rust SDK."""
    event = {"type": b'"%b"' % frame.kind.value.encode()}
    if frame.t_ns is not None:
        event["ts"] = _seconds(frame.t_ns)
    other: Sender = "agent" if frame.sender == "client" else "client"
    names = components[other if frame.kind is MessageKind.RESPONSE else OTHER_SIDE[other]]
    ends = {"from": names.get(frame.sender, b'"?"'), "to": names[other]}
    if frame.kind is MessageKind.RESPONSE:
        is_error = "error" in parts and parts.get("result", b"null") == b"null"
        payload = parts["error"] if is_error else parts.get("result", b"null")
        status = b"true" if is_error else b"false"
        return {**event, **ends, "id": parts.get("id", b"null"), "is_error": status, "payload": payload}
    event |= {"protocol": b'"acp"', **ends}
    if frame.kind is MessageKind.REQUEST:
        event["id"] = parts.get("id", b"null")
    return {**event, "method": parts["method"], "params": parts.get("params", b"null")}


def _seconds(t_ns: int) -> bytes:
    """The same number that Rust's `Duration::as_secs_f64` gives."""
    seconds, rest = divmod(t_ns, NS_PER_S)
    return msgspec.json.encode(seconds + rest / NS_PER_S)
