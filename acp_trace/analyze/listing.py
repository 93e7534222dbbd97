"""What `acp-trace ls` says of a trace: a few facts of it, flat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from acp_trace.analyze import facts


@dataclass(frozen=True, slots=True)
class Listing:
    """One row of `acp-trace ls`. `sessions`: id, title and number of turns of each."""

    id: str
    started_at: str | None
    state: Literal["complete", "incomplete", "live"]
    agent: tuple[str | None, str | None]
    client: tuple[str | None, str | None]
    protocol_version: int | None
    sessions: tuple[tuple[str, str | None, int], ...]
    turns: int
    frames: int
    duration_ns: int
    argv: tuple[str, ...]
    exit_code: int | None
    signal: int | None
    labels: dict[str, str]


def of_facts(found: facts.Facts, *, live: bool) -> Listing:
    """The row of a trace whose facts are at hand."""
    trace = found.trace
    turns: dict[str, int] = {}
    for turn in found.turns:
        turns[turn.session_id] = turns.get(turn.session_id, 0) + 1
    return Listing(
        trace.id,
        trace.started_at,
        "live" if live else "complete" if trace.complete else "incomplete",
        (trace.agent_name, trace.agent_version),
        (trace.client_name, trace.client_version),
        trace.protocol_version,
        tuple((s.session_id, s.title, turns.get(s.session_id, 0)) for s in found.sessions),
        len(found.turns),
        trace.frames_client + trace.frames_agent,
        trace.duration_ns,
        tuple(msgspec.json.decode(trace.agent_argv)),
        trace.exit_code,
        trace.signal,
        msgspec.json.decode(trace.labels),
    )
