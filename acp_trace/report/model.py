"""The report as data: what `show --json` prints and `acp_trace.open_trace(…).analyze()` returns.

One frozen class for each object of docs/report.md, with the same names; every field is explained there.
The `repr` of a report or a session is one line, because a whole one would fill a notebook.
`TurnReport` is a report's entry for a turn, with all that belongs to it; the flat fact is `facts.Turn`.
Times are ns, `t_ns` from the start of the trace. `Json` is any JSON value. A field that may be absent
from the JSON is `msgspec.UNSET` then. Nothing here computes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from msgspec import UNSET, UnsetType

from acp_trace.analyze.facts import Finding
from acp_trace.analyze.findings.requirements import REQUIREMENTS
from acp_trace.analyze.latency import Latency
from acp_trace.analyze.turn_time import TurnTime

Json = Any


@dataclass(frozen=True, slots=True)
class Lost:
    """Frames and bytes that were forwarded and could not be written."""

    frames: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each side."""

    client: int
    agent: int


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent, as it named itself, and its process."""

    name: str | None
    title: str | None
    version: str | None
    argv: Json
    cwd: str | None


@dataclass(frozen=True, slots=True)
class Client:
    """The client, as it named itself."""

    name: str | None
    title: str | None
    version: str | None


@dataclass(frozen=True, slots=True)
class EndReport:
    """How the agent's process ended."""

    exit_code: int | None
    signal: int | None
    error: str | None
    aborted: str | None
    by_client: bool
    client_left: bool | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class ImportedReport:
    """Of an imported trace: the format of its log, whether senders were inferred, what was not used."""

    format: str
    senders_inferred: bool
    unused: int


@dataclass(frozen=True, slots=True)
class TraceReport:
    """The connection as a whole."""

    id: str
    started_at: str | None
    duration_ns: int | None
    protocol_version: int | None
    complete: bool
    live: bool
    lost: Lost
    damaged: int
    torn_bytes: int
    agent: Agent
    client: Client
    frames: Counts
    bytes: Counts
    odd_frames: Counts
    logs: int
    last_log: str | None
    labels: Json
    meta_merge: str
    origin: str
    replay_of: str | None
    has_times: bool
    end: EndReport | None
    imported: ImportedReport | None = None
    transport: str | None = None
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ToolCallStepReport:
    """A status that a tool call took on."""

    frame: int
    t_ns: int | None
    status: str


@dataclass(frozen=True, slots=True)
class ToolCallReport:
    """A tool call."""

    id: str
    frame: int
    title: str | None
    kind: str | None
    status: str | None
    t_ns: int | None
    duration_ns: int | None
    ended_frame: int | None
    history: list[ToolCallStepReport]
    began_ns: int | None
    parent_id: str | None
    replayed: bool
    over_ns: int | None


@dataclass(frozen=True, slots=True)
class PermissionReport:
    """A session/request_permission."""

    frame: int
    outcome: str
    option_id: str | None
    option_kind: str | None
    wait_ns: int | None
    t_ns: int | None
    tool_call_id: str | None
    title: str | None
    parent_id: str | None


@dataclass(frozen=True, slots=True)
class SessionEventReport:
    """An event of a session outside the work of its turns, or a silence of the agent in its text."""

    turn: int | None
    frame: int
    t_ns: int | None
    kind: str
    status: str | None
    text: str
    took_ns: int | None


@dataclass(frozen=True, slots=True)
class OutsideTurns:
    """What belongs to no turn: replayed, or between turns."""

    tool_calls: list[ToolCallReport]
    permissions: list[PermissionReport]


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One session/prompt until it settles."""

    turn: int
    frame: int
    settled_frame: int | None
    t_ns: int | None
    duration_ns: int | None
    stop_reason: str | None
    error_code: int | None
    first_update_ns: int | None
    first_output_ns: int | None
    prompt: str | None
    tool_calls: list[ToolCallReport]
    permissions: list[PermissionReport]
    time: TurnTime | None
    chunks: int
    prompt_cut: bool
    model_ns: int | None
    tool_ns: int | None
    client_ns: int | None
    own_ns: int | None
    model_calls: int | None
    silence_ns: int | None
    silence_frame: int | None
    unknown_ns: int | None
    name: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost: Json
    open_ns: int | UnsetType | None = UNSET
    open_time: TurnTime | UnsetType | None = UNSET


@dataclass(frozen=True, slots=True)
class MetadataChangeReport:
    """One leaf of the metadata that changed. `before`, `after`: absent where nothing was, or is."""

    path: str
    before: Json | UnsetType = UNSET
    after: Json | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class MetadataEntry:
    """A session_info_update."""

    frame: int
    t_ns: int | None
    replayed: bool
    turn: int | None
    changes: list[MetadataChangeReport]


@dataclass(frozen=True, slots=True)
class MetadataFinal:
    """The metadata at the end; absent fields were never there, or were cleared."""

    title: str | UnsetType = UNSET
    updatedAt: str | UnsetType = UNSET  # noqa: N815  (the protocol's name)
    _meta: Json | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of a session over time."""

    timeline: list[MetadataEntry]
    final: MetadataFinal


@dataclass(frozen=True, slots=True)
class Requested:
    """What the client asked to be set."""

    config_id: str | None
    value: Json


@dataclass(frozen=True, slots=True)
class ConfigChangeReport:
    """One difference between two states; `option` is None for a change of the order."""

    option: str | None
    change: str
    before: Json | UnsetType = UNSET
    after: Json | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class ConfigEntryReport:
    """A frame that carried a configuration, or the error in place of one."""

    frame: int
    t_ns: int | None
    cause: str
    legacy: bool
    requested: Requested | None
    asked_frame: int | None
    honoured: bool | None
    error_code: int | None
    changes: list[ConfigChangeReport]
    turn: int | None


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a session over time. `mode`: the legacy mode at the end."""

    timeline: list[ConfigEntryReport]
    final: Json
    mode: str | None


@dataclass(frozen=True, slots=True)
class Target:
    """The request that a cancel was aimed at."""

    frame: int
    method: str
    id: Json


@dataclass(frozen=True, slots=True)
class CascadeReport:
    """A request that was under way when the cancel came, or came after it."""

    frame: int
    sender: str
    method: str
    outcome: str
    settle_ns: int | None


@dataclass(frozen=True, slots=True)
class CancelledCallReport:
    """A model call of the cancelled turn that was open when the cancel came."""

    call: int
    aborted: bool
    cancel_to_end_ns: int | None
    output_after_cancel: int | None
    tokens_after_cancel: int | None


@dataclass(frozen=True, slots=True)
class CancellationReport:
    """A cancel and what became of its target."""

    kind: str
    frame: int
    t_ns: int | None
    sender: str
    target: Target | None
    outcome: str
    settled_frame: int | None
    settle_ns: int | None
    quiesce_ns: int | None
    updates_after_cancel: int
    late_updates: int
    cascade: list[CascadeReport]
    model_calls: list[CancelledCallReport]


@dataclass(frozen=True, slots=True, repr=False)
class SessionReport:
    """An ACP session."""

    session_id: str
    frame: int
    t_ns: int | None
    opened_by: str
    ended_by: str | None
    cwd: str | None
    title: str | None
    replayed: int
    usage: Json
    turns: list[TurnReport]
    outside_turns: OutsideTurns
    metadata: Metadata
    config: Config
    cancellations: list[CancellationReport]
    updates: dict[str, int]
    events: list[SessionEventReport]
    name: str
    parent_session_id: str | None
    parent_tool_call_id: str | None
    subagent_ns: int | None
    opened_frame: int | None
    opened_ns: int | None
    forked_from: str | None

    def __repr__(self) -> str:
        title = f" {self.title!r}" if self.title else ""
        return (
            f"<session {self.session_id}{title}: {len(self.turns)} turns, "
            f"{len(self.cancellations)} cancellations>"
        )


@dataclass(frozen=True, slots=True)
class StderrLine:
    """A line of stderr; `frame`: after which one it came, where that is known."""

    t_ns: int
    line: str
    frame: int | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class ExchangeReport:
    """A request and its response."""

    frame: int
    t_ns: int | None
    response_frame: int | None
    sender: str
    method: str
    id: Json
    session_id: str | None
    latency_ns: int | None
    outcome: str
    error_code: int | None
    error_message: str | None
    error_data: str | None
    request_bytes: int
    stderr: list[StderrLine] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class FindingReport:
    """Something in a trace that breaks a rule or is unusual, and the requirements that it shows broken."""

    code: str
    severity: str
    blame: str
    frame: int
    session_id: str | None
    count: int
    message: str
    path: str | None
    expected: str | None
    consequence_of: int | None
    t_ns: int | None
    requirements: tuple[str, ...]
    stderr: list[StderrLine] | UnsetType = UNSET

    @classmethod
    def of(cls, finding: Finding, stderr: list[StderrLine] | UnsetType = UNSET) -> FindingReport:
        """The report of a finding; `stderr`: what the agent wrote meanwhile."""
        requirements = REQUIREMENTS.get(finding.code, ())
        return cls(**asdict(finding), requirements=requirements, stderr=stderr)


@dataclass(frozen=True, slots=True)
class ModelCallReport:
    """A call of a language model."""

    call: int
    exchange: int
    provider: str
    model: str | None
    session_id: str | None
    turn: int | None
    joined_by: str | None
    started_ns: int
    first_byte_ns: int | None
    first_token_ns: int | None
    duration_ns: int | None
    status: int | None
    stop_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    input_tokens_total: int | None
    output_tokens_total: int | None
    tools: Json
    aborted: bool
    beside: bool
    retry_of: int | None
    error: str | None
    cancel_frame: int | None
    cancel_to_end_ns: int | None
    output_after_cancel: int | None
    tokens_after_cancel: int | None


@dataclass(frozen=True, slots=True)
class StreamReport:
    """A request of HTTP with its response, or a WebSocket."""

    stream: int
    t_ns: int | None
    protocol: str | None
    method: str | None
    path: str | None
    connection_id: str | None
    session_id: str | None
    status: int | None
    content_type: str | None
    response_ns: int | None
    duration_ns: int | None
    ended_by: str | None
    close_code: int | None
    failed: str | None
    unread: str | None
    body: str | None
    frame: int | None
    last_frame: int | None
    frames: Counts


@dataclass(frozen=True, slots=True)
class SpentReport:
    """What the trace took. `most`: the name of the turn that cost most, or took most tokens."""

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: dict[str, float]
    most: str | None


@dataclass(frozen=True, slots=True)
class TimeReport:
    """Where the time of the trace went, in ns: the other four add up to `duration_ns`."""

    duration_ns: int
    before_ns: int
    turns_ns: int
    between_ns: int
    after_ns: int


@dataclass(frozen=True, slots=True)
class OwedReport:
    """A request that was open through a silence. `side`: who had to answer it."""

    side: str
    frame: int
    method: str
    session_id: str | None


@dataclass(frozen=True, slots=True)
class SilenceReport:
    """The longest time without a frame. `until_frame`: what ended it; null: the trace ended."""

    t_ns: int
    duration_ns: int
    until_frame: int | None
    owed: list[OwedReport]
    model_call: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """All that acp-trace says of a trace."""

    acp_trace_report: int
    trace: TraceReport
    sessions: list[SessionReport]
    cancellations: list[CancellationReport]
    exchanges: list[ExchangeReport]
    latency: list[Latency]
    findings: list[FindingReport]
    model_calls: list[ModelCallReport]
    streams: list[StreamReport]
    spent: SpentReport
    time: TimeReport | None
    silence: SilenceReport | None

    def __repr__(self) -> str:
        turns = sum(len(session.turns) for session in self.sessions)
        return (
            f"<report of {self.trace.id or 'a trace'}: {len(self.sessions)} sessions, {turns} turns, "
            f"{len(self.exchanges)} exchanges, {len(self.findings)} findings>"
        )
