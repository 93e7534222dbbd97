"""What is known of a session while its messages come in, and how that becomes facts.

State only: the rules that change it stand in `sessions`, `turns` and `work`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.config import ConfigLedger, SetRequest
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.metadata import MetadataLedger
from acp_trace.analyze.modes import Modes
from acp_trace.analyze.turn_time import Interval, TurnTime, split
from acp_trace.protocol import methods
from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED
from acp_trace.trace import jsontext

_FOR_EVER = 2**63
_NO_TIME = (None,) * len(TurnTime._fields)


class TurnState(msgspec.Struct, gc=False):
    """A turn: see `facts.Turn`. `late`: turn updates after it settled, before the next prompt."""

    index: int
    frame: int
    t: int
    prompt: str | None
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

    @property
    def outcome(self) -> str:
        """How it ended: cancelled, completed, error or unanswered (docs/report.md, Cancellation)."""
        if self.settled_frame is None:
            return "unanswered"
        if self.stop_reason == CANCELLED or self.error_code == REQUEST_CANCELLED:
            return "cancelled"
        return "completed" if self.error_code is None and not self.failed else "error"


class ToolCallState(msgspec.Struct, gc=False):
    """A tool call: see `facts.ToolCall`. `steps`: frame, time and status."""

    id: str
    turn: int | None
    frame: int
    t: int
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    duration_ns: int | None = None
    steps: list[tuple[int, int, str]] = msgspec.field(default_factory=list)

    @property
    def ran(self) -> Interval | None:
        """From when until when it ran; None if it never did. What never ended ran as long as there is time.

        While it is pending, its input still comes or an approval is awaited (docs/protocol/tool-calls). An
        agent that never says `in_progress` does not tell the two apart.
        """
        began = next((t for _, t, status in self.steps if status == "in_progress"), None)
        if self.duration_ns is not None:
            return self.t if began is None else began, self.t + self.duration_ns
        return None if began is None else (began, _FOR_EVER)


class PermissionState(msgspec.Struct, gc=False):
    """A permission: see `facts.Permission`. `kinds`: the kind of each option by its id."""

    turn: int | None
    asked: Open
    kinds: dict[str, str]
    outcome: str = "open"
    option_id: str | None = None
    tool_call_id: str | None = None
    title: str | None = None


class Told(NamedTuple):
    """An update that a rule reads whole."""

    session: SessionState
    update: dict[str, Any]
    frame: int
    t: int


class SessionState:
    """What is known of one session so far."""

    def __init__(self, session_id: str, frame: int, t: int, findings: Findings) -> None:
        self.id = session_id
        self.frame = frame
        self.t = t
        self.opened_by = "unknown"
        self.ended_by: str | None = None
        self.cwd: str | None = None
        self.loading: set[int] = set()  #: frames of the open requests that replay its history
        self.resuming: set[int] = set()  #: frames of the open requests that must not
        self.replayed = 0
        self.usage: dict[str, Any] | None = None
        self.updates: dict[str, int] = {}
        self.seen = 0  #: updates so far
        self.last_update_t = 0
        self.turns: list[TurnState] = []
        self.open_turns: OpenTurns[TurnState] = OpenTurns()
        self.prompts: dict[int, tuple[TurnState, Open]] = {}  #: open turns and their prompts, by frame
        self.stray_cancel: int | None = None  #: a session/cancel since the last prompt that hit nothing
        self.no_update: dict[int, TurnState] = {}  #: open turns without an update yet, by index
        self.no_output: dict[int, TurnState] = {}  #: those without output
        self.settled_turns: list[TurnState] = []  #: since the last prompt
        self.turn_updates = 0  #: updates that are a turn's work, of all turns
        self.late_told = False  #: whether it was said already that they come late
        self.tool_calls: dict[tuple[str, int | None], ToolCallState] = {}
        self.latest_call: dict[str, ToolCallState] = {}
        self.asked_about: set[str] = set()  #: tool calls that a permission named before any update did
        self.permissions: list[PermissionState] = []
        self.requests: dict[int, list[Open]] = {}  #: those of the agent that are no permission, by turn
        self.open_permissions: dict[int, Open] = {}  #: those that no cancel found open, by frame
        self.metadata = MetadataLedger(session_id, findings)
        self.config = ConfigLedger(session_id, findings)
        self.modes = Modes(session_id, findings)
        #: Turns, tool calls and permissions that began or ended since `fresh` was called.
        self.news: list[TurnState | ToolCallState | PermissionState] = []
        self._told = [0] * 6  #: how much of each list `fresh` has given
        self.open_sets: dict[int, SetRequest] = {}  #: set requests that wait for their response, by frame

    @property
    def turn(self) -> int | None:
        """The turn that something without a turn of its own belongs to: the oldest open one."""
        turn = self.open_turns.oldest
        return None if turn is None else turn.index

    @property
    def turn_now(self) -> int | None:
        """The turn of an update: none while history is being replayed."""
        return None if self.loading else self.turn

    def fresh(self) -> Iterator[facts.Fact]:
        """What is new since the last call: turns, tool calls, permissions; metadata and configuration."""
        news, self.news = self.news, []
        yield from (_work_fact(self.id, one) for one in news)
        lists: tuple[list[Any], ...] = (
            self.metadata.updates,
            self.metadata.changes,
            self.config.entries,
            self.config.changes,
            self.modes.entries,
            self.modes.changes,
        )
        for at, some in enumerate(lists):
            yield from some[self._told[at] :]
            self._told[at] = len(some)

    def count_late(self) -> None:
        """Brings the counts of late updates up to date."""
        for turn in self.settled_turns:
            turn.late = self.turn_updates - turn.late_since


def facts_of(session: SessionState) -> Iterator[facts.Fact]:
    """What is known of one session now."""
    session.count_late()
    yield _session(session)
    named = session.id
    times = _times(session)
    for turn in session.turns:
        yield _turn_fact(named, turn, times.get(turn.index, _NO_TIME))
    for call in session.tool_calls.values():
        yield _work_fact(named, call)
        for frame, t, status in call.steps:
            yield facts.ToolCallStep(named, call.turn, call.id, frame, t, status)
    for one in session.permissions:
        yield _work_fact(named, one)
    for update, count in session.updates.items():
        yield facts.UpdateCount(named, update, count)
    yield from session.metadata.updates
    yield from session.metadata.changes
    for ledger in (session.config, session.modes):
        yield from ledger.entries
        yield from ledger.changes


def _turn_fact(named: str, turn: TurnState, time: Iterable[int | None]) -> facts.Turn:
    return facts.Turn(
        named,
        turn.index,
        turn.frame,
        turn.settled_frame,
        turn.t,
        turn.duration_ns,
        turn.stop_reason,
        turn.error_code,
        turn.first_update_ns,
        turn.first_output_ns,
        turn.prompt,
        *time,
    )


def _work_fact(named: str, one: TurnState | ToolCallState | PermissionState) -> facts.Fact:
    """A turn (without where its time went), a tool call or a permission of a session as it stands now."""
    if isinstance(one, TurnState):
        return _turn_fact(named, one, _NO_TIME)
    if isinstance(one, ToolCallState):
        return facts.ToolCall(
            named,
            one.turn,
            one.id,
            one.frame,
            one.title,
            one.kind,
            one.status,
            one.t,
            one.duration_ns,
        )
    return facts.Permission(
        named,
        one.turn,
        one.asked.frame,
        one.outcome,
        one.option_id,
        one.kinds.get(one.option_id) if one.option_id is not None else None,
        one.asked.latency_ns,
        one.asked.t,
        one.tool_call_id,
        one.title,
    )


def _times(session: SessionState) -> dict[int, TurnTime]:
    """Where the time of each turn that settled went (docs/report.md, Time of a turn)."""
    tools: dict[int | None, list[Interval]] = {}
    permissions: dict[int | None, list[Interval]] = {}
    for call in session.tool_calls.values():
        if (ran := call.ran) is not None:
            tools.setdefault(call.turn, []).append(ran)
    for one in session.permissions:
        permissions.setdefault(one.turn, []).append(_open(one.asked))
    times = {}
    for turn in session.turns:
        if turn.duration_ns is None:
            continue
        requests = session.requests.get(turn.index, [])
        # A client that waits for a command to end is not slow: the command runs.
        commands = [_open(asked) for asked in requests if asked.method == methods.TERMINAL_WAIT]
        times[turn.index] = split(
            (turn.t, turn.t + turn.duration_ns),
            None if turn.first_output_ns is None else turn.t + turn.first_output_ns,
            permissions=permissions.get(turn.index, ()),
            requests=[_open(asked) for asked in requests if asked.method != methods.TERMINAL_WAIT],
            tools=[*tools.get(turn.index, ()), *commands],
        )
    return times


def _open(asked: Open) -> Interval:
    """From when until when a request was open."""
    return asked.t, _FOR_EVER if asked.latency_ns is None else asked.t + asked.latency_ns


def _session(session: SessionState) -> facts.Session:
    usage = None if session.usage is None else jsontext.string(session.usage)
    return facts.Session(
        session.id,
        session.frame,
        session.t,
        session.opened_by,
        session.cwd,
        session.metadata.title,
        session.replayed,
        usage,
        session.metadata.updated_at,
        session.metadata.meta,
        session.config.final,
        session.modes.current,
        session.ended_by,
    )
