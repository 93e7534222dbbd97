"""What is known of a session while its messages come in.

State only: `sessions`, `turns` and `work` have the rules that change it; `session_facts` turns it into facts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from acp_trace.analyze.config import ConfigLedger, SetRequest
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.metadata import MetadataLedger
from acp_trace.analyze.modes import Modes
from acp_trace.analyze.set_values import SetValues
from acp_trace.protocol.history import HistoryRequests
from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED
from acp_trace.protocol.payloads import UpdateView
from acp_trace.trace.intervals import Interval

#: ns: later than any time.
FOR_EVER = 2**63


class WritingState(msgspec.Struct, gc=False):
    """Chunks of one kind with no other work of the agent between: the times of first and last (ns)."""

    kind: str
    since: int
    until: int
    chunks: int = 1


class TurnState(msgspec.Struct, gc=False):
    """A turn: see `facts.Turn`. `late`: turn updates after it settled, before the next prompt."""

    index: int
    frame: int
    t: int
    prompt: str | None
    prompt_cut: bool = False
    settled_frame: int | None = None
    duration_ns: int | None = None
    stop_reason: str | None = None
    error_code: int | None = None
    first_update_ns: int | None = None
    first_output_ns: int | None = None
    late: int = 0
    late_since: int = 0  #: `Session.turn_updates` when it settled
    failed: bool = False  #: answered with an error, whatever its code
    stray_cancel: int | None = None  #: a session/cancel that came between the last turn and this one
    #: Output tokens by their place in the message that ends the turn.
    tokens_reported: dict[str, int] = msgspec.field(default_factory=dict)
    silence_ns: int = 0  #: the longest time in which neither side sent anything, so far
    silence_frame: int | None = None  #: the frame before it
    silence_waits: tuple[str, Severity, str] | None = None  #: the side it waited for, how bad, and why
    writing: list[WritingState] = msgspec.field(default_factory=list)
    #: The tokens at its end: read, from a cache, and written.
    tokens: tuple[int | None, int | None, int | None] = (None, None, None)
    cost: dict[str, float] = msgspec.field(default_factory=dict)  #: by currency

    @property
    def ended_t(self) -> int | None:
        """When it ended (ns); None if it has not."""
        return None if self.duration_ns is None else self.t + self.duration_ns

    @property
    def outcome(self) -> str:
        """How it ended: cancelled, completed, error or unanswered (docs/report.md, Cancellation)."""
        if self.settled_frame is None:
            return "unanswered"
        if self.stop_reason == CANCELLED or self.error_code == REQUEST_CANCELLED:
            return "cancelled"
        return "completed" if self.error_code is None and not self.failed else "error"


class ToolCallState(msgspec.Struct, gc=False):
    """A tool call: see `facts.ToolCall`. `steps`: frame, time and status.

    `since`: the earliest time at which it can have begun, if it was only announced when it ended (ns).
    `is_known_since`: whether it did begin then, because a permission was answered.
    """

    id: str
    turn: int | None
    frame: int
    t: int
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    duration_ns: int | None = None
    ended_frame: int | None = None
    ended_t: int | None = None  #: when `ended_frame` came (ns)
    steps: list[tuple[int, int, str]] = msgspec.field(default_factory=list)
    parent: str | None = None  #: toolCallId of the call that a subagent makes it for
    since: int | None = None
    is_known_since: bool = False
    replayed: bool = False  #: history: it ran earlier
    last_t: int = 0  #: its latest update (ns)
    refused_t: int | None = None  #: when its latest permission was refused (ns)

    def over(self, turn_ended: int | None) -> int | None:
        """Return when it was over (ns); None while it may run, and for history. `turn_ended`: its turn, ns.

        Agents leave calls unfinished that were refused, and those of a finished turn. An update after that
        still counts: then the call continued in the background.
        """
        if self.replayed:
            return None
        if self.ended_t is not None:
            return self.ended_t
        ends = turn_ended if self.refused_t is None else self.refused_t
        return None if ends is None else max(ends, self.last_t)

    @property
    def ran(self) -> Interval | None:
        """Return the interval in which it ran; None if it never did, or if that is unknown.

        A call without an end ran until the end of time. While a call is pending, its input is still coming or
        it awaits approval (docs/protocol/tool-calls). An agent that never sends `in_progress` does not
        separate the two.
        """
        if self.replayed:
            return None
        if self.since is not None:
            return (self.since, self.t) if self.is_known_since else None
        began = next((t for _, t, status in self.steps if status == "in_progress"), None)
        if self.duration_ns is not None:
            return self.t if began is None else began, self.t + self.duration_ns
        over = self.over(None)
        return None if began is None else (began, FOR_EVER if over is None else over)

    @property
    def may_have_run(self) -> Interval | None:
        """Return the interval in which it may have run, if only its earliest begin and its end are known."""
        return None if self.since is None or self.is_known_since else (self.since, self.t)


class PermissionState(msgspec.Struct, gc=False):
    """A permission: see `facts.Permission`. `kinds`: the kind of each option by its id."""

    turn: int | None
    asked: Open
    kinds: dict[str, str]
    outcome: str = "open"
    option_id: str | None = None
    tool_call_id: str | None = None
    title: str | None = None
    parent: str | None = None  #: as for a tool call

    @property
    def answered_t(self) -> int | None:
        """When it was answered (ns); None while it is open."""
        return None if self.asked.latency_ns is None else self.asked.t + self.asked.latency_ns

    @property
    def is_allowed(self) -> bool:
        """Whether an option was selected that does not refuse: an option without a kind may allow."""
        return self.outcome == "selected" and not self.is_refused

    @property
    def is_refused(self) -> bool:
        """Whether an option was selected that refuses, or none because the turn was cancelled."""
        return self.outcome == "cancelled" or self.kinds.get(self.option_id or "", "").startswith("reject")


class EventState(msgspec.Struct, gc=False):
    """An event of a session: see `facts.SessionEvent`. `parts`: the pieces of its text, by name."""

    kind: str
    frame: int
    t: int
    turn: int | None
    text: str = ""
    status: str | None = None
    took_ns: int | None = None
    parts: dict[str, str] | None = None


class MessageRun(msgspec.Struct, gc=False):
    """The text of one message so far. The owner may add chunks that follow with nothing between."""

    frame: int  #: of the first chunk
    texts: list[str]
    length: int  #: in characters, including text that is not kept
    message_id: str | None = None


class ChunkCount(msgspec.Struct, gc=False):
    """Chunks of one kind in one session, with no other message about sessions between.

    Decisions about a chunk are made at the first in a row. The later ones, which are nearly all frames, are
    only counted, and so have their own entry point.
    """

    session: SessionState
    kind: str
    more: int = 0  #: chunks after the first
    until: int = 0  #: when the last chunk came, ns
    frame: int = 0  #: of the last chunk
    gap: int = 0  #: the longest time between two of them, ns
    gap_frame: int = 0  #: the frame before it
    run: MessageRun | None = None  #: the message that they belong to; None if one of them has faults


class SessionUpdate(NamedTuple):
    """An update that a rule reads whole. `worked_t`: the session's value before it."""

    session: SessionState
    update: UpdateView
    frame: int
    t: int
    worked_t: int

    @property
    def kind(self) -> str:
        """The kind of the update."""
        return self.update.session_update or ""


class SessionState:
    """What is known of one session so far."""

    __slots__ = (
        "asked_about",
        "compactions",
        "config",
        "cost",
        "cwd",
        "ended_by",
        "events",
        "forked_from",
        "frame",
        "given",
        "heard_frame",
        "heard_t",
        "history",
        "id",
        "is_blocked",
        "is_over",
        "last_update_t",
        "late_reported",
        "latest_call",
        "metadata",
        "modes",
        "news",
        "no_output",
        "no_update",
        "open_permissions",
        "open_sets",
        "open_turns",
        "opened_at",
        "opened_by",
        "permissions",
        "prompts",
        "replayed",
        "requests",
        "seen",
        "set_values",
        "settled_turns",
        "spoke_between_turns",
        "stray_cancel",
        "t",
        "tool_calls",
        "turn_updates",
        "turns",
        "updates",
        "usage",
        "usages",
        "worked_t",
        "writing",
    )  # a trace may hold a hundred thousand of them

    def __init__(self, session_id: str, frame: int, t: int, findings: Findings) -> None:
        self.id = session_id
        self.frame = frame
        self.t = t
        self.opened_by = "unknown"
        self.opened_at: Open | None = None  #: the request that opened it
        self.forked_from: str | None = None
        self.ended_by: str | None = None
        self.is_over = False  #: it was ended, and not opened again since
        self.cwd: str | None = None
        self.history = HistoryRequests()
        self.replayed = 0
        self.usage: dict[str, Any] | None = None
        self.cost: dict[str, float] = {}  #: so far, by currency
        self.updates: dict[str, int] = {}
        self.seen = 0  #: updates so far
        self.is_blocked = False  #: version 2: it waits for its user, as `requires_action` says
        self.last_update_t = 0
        #: ns: a prompt, an update of a turn's work, or an answer of the client, whichever came last.
        self.worked_t = t
        self.heard_t, self.heard_frame = t, frame  #: the last frame that named it
        self.turns: list[TurnState] = []
        self.open_turns: OpenTurns[TurnState] = OpenTurns()
        self.prompts: dict[int, tuple[TurnState, Open]] = {}  #: open turns and their prompts, by frame
        self.stray_cancel: int | None = None  #: a session/cancel since the last prompt that hit nothing
        self.no_update: dict[int, TurnState] = {}  #: open turns without an update yet, by index
        self.no_output: dict[int, TurnState] = {}  #: open turns without output
        self.settled_turns: list[TurnState] = []  #: since the last prompt
        self.writing: WritingState | None = None  #: what the next chunk may continue
        self.turn_updates = 0  #: updates that are a turn's work, of all turns
        self.late_reported = False  #: whether late updates have been reported already
        self.tool_calls: dict[tuple[str, int | None], ToolCallState] = {}
        self.latest_call: dict[str, ToolCallState] = {}
        self.asked_about: dict[str, PermissionState] = {}  #: the latest permission of each tool call
        self.permissions: list[PermissionState] = []
        self.events: list[EventState] = []
        self.usages: dict[int | None, EventState] = {}  #: by turn
        self.compactions: dict[str, EventState] = {}  #: compactions that continue, by id
        self.spoke_between_turns = False  #: a message came since the last turn
        self.requests: dict[int, list[Open]] = {}  #: the agent's requests other than permissions, by turn
        self.open_permissions: dict[int, Open] = {}  #: permissions that were not open at a cancel, by frame
        self.metadata = MetadataLedger(session_id, findings)
        self.config = ConfigLedger(session_id, findings)
        self.modes = Modes(session_id, findings)
        self.set_values = SetValues()
        #: Turns, tool calls and permissions that began or ended since `session_facts.fresh` was called.
        self.news: list[TurnState | ToolCallState | PermissionState] = []
        self.given = [0] * 6  #: the number of rows of each ledger that `session_facts.fresh` has returned
        self.open_sets: dict[int, SetRequest] = {}  #: set requests that wait for their response, by frame

    @property
    def turn(self) -> int | None:
        """The turn that something without a turn of its own belongs to: the oldest open one."""
        turn = self.open_turns.oldest
        return None if turn is None else turn.index

    @property
    def turn_now(self) -> int | None:
        """The turn of an update: none while history is being replayed."""
        return None if self.history.loading else self.turn

    def replays(self, kind: str) -> bool:
        """Whether an update of this kind is history now: it happened earlier, and is sent again."""
        return self.history.of(kind, has_turn=bool(self.open_turns)) is not None

    def count_late(self) -> None:
        """Update the counts of late updates."""
        for turn in self.settled_turns:
            turn.late = self.turn_updates - turn.late_since
