"""The shapes of everything that the analysis finds: flat, frozen rows with plain values.

Each class is also a table of the store and a part of the JSON report, so that a name, a unit and its
explanation have one home: here. `t_ns` counts ns from the start of the trace, `…_ns` are durations in ns,
`frame` is a frame number (from 1), `turn` an index (from 0) within its session. Rules: docs/report.md.
Nothing here computes.

- `connection`  the trace, its exchanges
- `session`     sessions, tool calls, permissions, events, updates by kind
- `turn`        turns
- `ledgers`     metadata and configuration: what changed, and who changed it
- `cancellation`  cancellations, and the requests cancelled with them
- `model_call`  calls of a language model
- `stream`      requests of HTTP and WebSockets
- `finding`     findings
- `explain`     how a field of a fact explains itself
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from acp_trace.analyze.facts.cancellation import Cancellation, Cascade
from acp_trace.analyze.facts.connection import Exchange, Trace
from acp_trace.analyze.facts.finding import Finding
from acp_trace.analyze.facts.ledgers import ConfigChange, ConfigEntry, MetadataChange, MetadataUpdate
from acp_trace.analyze.facts.model_call import ModelCall
from acp_trace.analyze.facts.session import (
    Permission,
    Session,
    SessionEvent,
    ToolCall,
    ToolCallStep,
    UpdateCount,
)
from acp_trace.analyze.facts.stream import NetworkStream
from acp_trace.analyze.facts.turn import Turn, UnsettledTurn

Fact = (
    Session
    | Turn
    | UnsettledTurn
    | ToolCall
    | ToolCallStep
    | Permission
    | SessionEvent
    | Exchange
    | UpdateCount
    | MetadataUpdate
    | MetadataChange
    | ConfigEntry
    | ConfigChange
    | Cancellation
    | Cascade
    | ModelCall
    | NetworkStream
    | Finding
)


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the analysis found in one trace, each list in the order of its frames, calls or streams.

    The name of a list is the name of its table in the store. `outside` has no table: if the facts are a part
    of a trace's, it has the exchanges of the rest, because what exchanges show depends on their neighbours;
    `malformed` has the findings of the rest about frames that are not messages.
    """

    trace: Trace
    sessions: list[Session] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    unsettled_turns: list[UnsettledTurn] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    tool_call_steps: list[ToolCallStep] = field(default_factory=list)
    permissions: list[Permission] = field(default_factory=list)
    session_events: list[SessionEvent] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    updates: list[UpdateCount] = field(default_factory=list)
    metadata_updates: list[MetadataUpdate] = field(default_factory=list)
    metadata_changes: list[MetadataChange] = field(default_factory=list)
    config_entries: list[ConfigEntry] = field(default_factory=list)
    config_changes: list[ConfigChange] = field(default_factory=list)
    cancellations: list[Cancellation] = field(default_factory=list)
    cascades: list[Cascade] = field(default_factory=list)
    model_calls: list[ModelCall] = field(default_factory=list)
    streams: list[NetworkStream] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    outside: list[Exchange] = field(default_factory=list, repr=False, compare=False)
    malformed: list[Finding] = field(default_factory=list, repr=False, compare=False)

    def each(self, change: Callable[[Any], Any]) -> Facts:
        """Return the same facts with `change` applied to the trace and to each row."""
        lists = {name: [change(row) for row in getattr(self, name)] for name in ROWS}
        return Facts(change(self.trace), **lists)


#: The class of the rows in each list of `Facts`, which is also a table of the store.
ROWS: dict[str, type] = {
    "sessions": Session,
    "turns": Turn,
    "unsettled_turns": UnsettledTurn,
    "tool_calls": ToolCall,
    "tool_call_steps": ToolCallStep,
    "permissions": Permission,
    "session_events": SessionEvent,
    "exchanges": Exchange,
    "updates": UpdateCount,
    "metadata_updates": MetadataUpdate,
    "metadata_changes": MetadataChange,
    "config_entries": ConfigEntry,
    "config_changes": ConfigChange,
    "cancellations": Cancellation,
    "cascades": Cascade,
    "model_calls": ModelCall,
    "streams": NetworkStream,
    "findings": Finding,
}

__all__ = [
    "ROWS",
    "Cancellation",
    "Cascade",
    "ConfigChange",
    "ConfigEntry",
    "Exchange",
    "Fact",
    "Facts",
    "Finding",
    "MetadataChange",
    "MetadataUpdate",
    "ModelCall",
    "NetworkStream",
    "Permission",
    "Session",
    "SessionEvent",
    "ToolCall",
    "ToolCallStep",
    "Trace",
    "Turn",
    "UnsettledTurn",
    "UpdateCount",
]
