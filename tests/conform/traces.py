"""Traces for the judge, made from a few frames."""

from __future__ import annotations

from typing import Any

from acp_trace.conform.evidence import LABEL, Evidence, evidence
from acp_trace.conform.judge import Conformance, Judged, judge
from acp_trace.trace.parse import Parser
from tests.support import END, header, line, request, result, update

Frames = list[tuple[str, Any]]

INFO = {"name": "small", "version": "1"}
CHUNK = {"content": {"type": "text", "text": "on"}}


def begun(**capabilities: Any) -> Frames:
    """`initialize` and `session/new`, both answered."""
    answer = result(0, protocolVersion=1, agentCapabilities=capabilities, agentInfo=INFO)
    return [
        ("client", request(0, "initialize", protocolVersion=1, clientCapabilities={})),
        ("agent", answer),
        ("client", request(1, "session/new")),
        ("agent", result(1, sessionId="s")),
    ]


def prompt(number: int = 2, **params: Any) -> tuple[str, Any]:
    """A prompt of the client."""
    text = {"prompt": [{"type": "text", "text": "Go"}]}
    return "client", request(number, "session/prompt", sessionId="s", **{**text, **params})


def chunk() -> tuple[str, Any]:
    """A piece of a message."""
    return "agent", update("s", "agent_message_chunk", **CHUNK)


def cancel() -> tuple[str, Any]:
    """A session/cancel."""
    return "client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}


def seen(
    frames: Frames, probe: str = "", *, step: int = 100_000_000, name: str = "a", **end: Any
) -> Evidence:
    """The evidence of a trace with these frames, `step` ns apart. `end`: members of its footer."""
    lines = [header(labels={LABEL: probe} if probe else {})]
    for number, (sender, message) in enumerate(frames, 1):
        frame = {"text": message} if isinstance(message, str) else {"frame": message}
        lines.append(line(t=number * step, **{"from": sender}, **frame))
    lines.append(line(t=(len(frames) + 1) * step, end={**END, "client_left": True, **end}))
    return evidence(name, Parser().feed(b"".join(lines)))


def of(id_: str, *traces: Evidence, side: Any = "agent") -> Judged:
    """What is said of one requirement."""
    return next(one for one in judge(traces, side).judged if one.requirement.id == id_)


def failed(conformance: Conformance) -> set[str]:
    """The ids of the requirements that failed."""
    return {one.requirement.id for one in conformance.judged if one.status == "fail"}
