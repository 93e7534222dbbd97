"""Any conversation in the form in which a tool would have logged it, as the tool's source writes it.

Used where a tool cannot be run in a test; real files of those that can are in `data`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from acp_trace.trace.entries import SENT, Sender
from acp_trace.trace.parse import Parser

OTHER: dict[Sender, Sender] = {"client": "agent", "agent": "client"}


class Logged(NamedTuple):
    """A message, with its time in ns."""

    sender: Sender
    t: int
    message: dict[str, Any]


def conversation(trace: bytes) -> list[Logged]:
    """The messages of a trace that every tool logs: those with a method, and responses to a known id."""
    entries = [entry for entry in Parser().feed(trace) if entry.kind in SENT and entry.sender]
    logged = []
    for entry in entries:
        try:
            message = json.loads(entry.data)
        except ValueError:
            continue
        if "method" in message or message.get("id") is not None:
            logged.append(Logged(entry.sender or "agent", entry.t, message))
    return logged


def is_response(message: dict[str, Any]) -> bool:
    return "method" not in message


def zed(messages: Sequence[Logged]) -> bytes:
    """crates/acp_tools: `serialize_observed_messages`."""
    methods: dict[tuple[Sender, str], str] = {}
    items = []
    for sender, _, message in messages:
        id_ = json.dumps(message.get("id"))
        if is_response(message):
            method = methods.pop((OTHER[sender], id_), "[unrecognized response]")
            kind, payload = "response", message.get("result", message.get("error"))
        else:
            method, payload = message["method"], message.get("params")
            kind = "request" if "id" in message else "notification"
            methods[sender, id_] = method
        items.append(
            {
                "_direction": "outgoing" if sender == "client" else "incoming",
                "_type": kind,
                "id": message.get("id"),
                "method": method,
                "params": payload,
            }
        )
    return json.dumps(items, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def jetbrains(messages: Sequence[Logged]) -> bytes:
    """As published logs are, with `type` in what the client sends."""
    lines = []
    for sender, t, message in messages:
        sent = message
        if sender == "client":
            kind = "JsonRpcResponse" if is_response(message) else "JsonRpcRequest"
            sent = {"type": f"com.agentclientprotocol.rpc.{kind}", **message}
        ms, way = t // 1_000_000, "OUT" if sender == "client" else "IN"
        clock = f"2025-11-14 19:57:{ms // 1000 % 60:02},{ms % 1000:03}"
        lines.append(f"{clock} [{ms + 34:7}]   FINE - AcpTransport - {way}: {json.dumps(sent)}\n")
    return "".join(lines).encode()


def jsons(messages: Sequence[Logged]) -> bytes:
    """src/agent-client-protocol-conductor/src/trace.rs: `TraceEvent`, without proxies."""
    names = {"client": "Client", "agent": "Agent"}
    lines = []
    for sender, t, message in messages:
        ends = {"from": names[sender], "to": names[OTHER[sender]]}
        if is_response(message):
            payload = {"is_error": "error" in message, "payload": message.get("error", message.get("result"))}
            event = {"type": "response", "ts": t / 1e9, **ends, "id": message["id"], **payload}
        else:
            call = {"method": message["method"], "params": message.get("params")}
            kind = {
                "type": "request" if "id" in message else "notification",
                "ts": t / 1e9,
                "protocol": "acp",
            }
            id_ = {"id": message["id"]} if "id" in message else {}
            event = {**kind, **ends, **id_, **call}
        lines.append(json.dumps(event) + "\n")
    return "".join(lines).encode()


def toad(messages: Sequence[Logged]) -> bytes:
    """src/toad/acp/agent.py: `send` and `_run_agent`. What it answers is not logged."""
    lines = []
    for sender, _, message in messages:
        if sender == "agent":
            lines.append(f"[agent] {json.dumps(message)}\n")
        elif not is_response(message):
            lines.append(f"[client] {message}\n")
    return "".join(lines).encode()


def acpx(messages: Sequence[Logged]) -> bytes:
    """src/session-events.ts, of before the journal had lines of its own."""
    texts = (json.dumps(message, separators=(",", ":"), ensure_ascii=False) for _, _, message in messages)
    return "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogatepass")


WRITERS: dict[str, Callable[[Sequence[Logged]], bytes]] = {
    "zed": zed,
    "jetbrains": jetbrains,
    "jsons": jsons,
    "toad": toad,
    "acpx": acpx,
}
