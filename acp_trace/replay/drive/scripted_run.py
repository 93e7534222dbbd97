"""`acp-trace drive`: a written conversation with an agent, recorded like any session.

The trace goes to the spool, or to a file; the model's side is recorded as in the recorder. The trace stays in
any case, except if the agent could not be started.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from acp_trace.record import place
from acp_trace.record.header import header
from acp_trace.record.model_side import ModelSide
from acp_trace.record.network.streams import StreamTrace
from acp_trace.record.recorder import finish_out
from acp_trace.record.sink import Sink
from acp_trace.replay.drive.agent_words import caller_directory, early_end_hint, located
from acp_trace.replay.drive.model_side import of_agent
from acp_trace.replay.drive.played import ABORTED
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.playing import playing
from acp_trace.replay.drive.remote import RemoteConnection
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.written_run import END_NS, NotStarted, WrittenStage, play, stage, started, why
from acp_trace.replay.faults.chaos import planned_for_script
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.faults.faulty import FaultyConversation
from acp_trace.replay.faults.injector import FaultHit
from acp_trace.replay.remote_agent import remote_agent
from acp_trace.replay.settings import Settings
from acp_trace.replay.timeouts import TIMEOUT_NS
from acp_trace.replay.written.client import StepOutcome
from acp_trace.replay.written.steps import WrittenConversation
from acp_trace.trace.entries import Entry
from acp_trace.trace.files import Lines, TraceFile
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.names import new_id
from acp_trace.transport.remote import RemoteAgent


@dataclass(slots=True)
class ScriptedRun:
    """A conversation that is over. `entries`: its trace; `file`: its path; None: it was not written.

    `why`: why it did not reach its end, in a line; None if it did. `started`: whether the agent was started.
    `outcomes`: the result of each step that was begun; `notes`: what the agent requested in vain. `faults`:
    the deliberate faults, and those of them that were reached.
    """

    trace_id: str
    file: str | None = None
    entries: list[Entry] = field(default_factory=list)
    outcomes: list[StepOutcome] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    sessions: Mapping[str, str] = field(default_factory=dict)  #: their ids, by their names in the script
    why: str | None = None
    started: bool = True
    faults: Sequence[PlannedFault] = ()
    hits: Sequence[FaultHit] = ()


def drive(
    written: WrittenConversation,
    argv: Sequence[str],
    settings: Settings,
    *,
    stop: Stop,
    out: str | None = None,
    model: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
    end_ns: int = END_NS,
) -> ScriptedRun:
    """Play the conversation to the agent, and record both. `stop` ends it early.

    `out`: the file of the trace; None: the spool. `model`: also record the agent's traffic with its language
    model (`acp_trace.model.proxy.settings`). `end_ns`: how long the agent may take to end by itself. Only the
    settings of where the agent is and how it starts, and `timeout`, count. Raises OSError for directories and
    for missing system resources, Lacking for packages that are not installed, and SettingError for a URL that
    cannot be used.
    """
    remote = remote_agent(settings)
    run = ScriptedRun(new_id(), faults=planned_for_script(written, settings))
    with stage(written, settings, stop, strict=False) as at:
        trace = _Trace(run, out, at.start, time.monotonic_ns(), labels or {}, stop)
        timeout_ns = settings.timeout_ns or TIMEOUT_NS
        faulty = FaultyConversation(at.client, run.faults, "client", timeout_ns) if run.faults else None
        if remote is not None:
            _reach(run, at, remote, trace, stop, faulty)
        else:
            _start(run, at, argv, trace, stop, model, faulty, end_ns)
        run.hits = () if faulty is None else faulty.hits
        run.outcomes, run.stops, run.notes = at.client.outcomes, at.client.stops, at.client.notes
        run.sessions = at.client.sessions
    return run


@dataclass(frozen=True, slots=True)
class _Trace:
    """Where the trace of a run goes. `began`: ns, monotonic."""

    run: ScriptedRun
    out: str | None
    directory: str
    began: int
    labels: Mapping[str, str]
    stop: Stop

    @contextmanager
    def open(self, argv: Sequence[str], **more: object) -> Iterator[Sink]:
        """Open the trace; at the end the run has its entries. `more`: keys of its header."""
        id_ = self.run.trace_id
        where = partial(place.in_spool, id_) if self.out is None else partial(place.in_file, self.out, id_)
        named: dict[str, object] = {"labels": dict(self.labels)} if self.labels else {}
        named |= {"faults": [fault.text for fault in self.run.faults]} if self.run.faults else {}
        head = header(id_, argv, self.began, cwd=self.directory, **{**named, **more})
        sink = Sink(where, head, started=self.began, say=self.run.losses.append)
        # Opened now: a complete trace may be moved from the spool into the store by any command.
        file = open(sink.path, "rb", buffering=0) if sink.path else None
        self.run.file = sink.path
        try:
            yield sink
        finally:
            if file is not None:
                with file, suppress(Unreadable, OSError):  # a device
                    self.run.entries = list(TraceFile(Lines(file), id_).entries())

    @property
    def then(self) -> Callable[[int, str], None] | None:
        """What turns a whole capture into lines, if a file was named."""
        return None if self.out is None else partial(finish_out, self.stop.is_set)


def _start(
    run: ScriptedRun,
    at: WrittenStage,
    argv: Sequence[str],
    trace: _Trace,
    stop: Stop,
    model: Mapping[str, object] | None,
    faulty: FaultyConversation | None,
    end_ns: int,
) -> None:
    side = None if model is None else ModelSide({**model, "started": trace.began, **of_agent(at.variables)})
    variables = at.variables if side is None else {**at.variables, **side.environment}
    try:
        try:
            process = started(argv, at, variables)
        except NotStarted as error:
            run.why, run.started = str(error), False  # without an agent there is no trace
            return
        try:
            with trace.open(argv, **({} if side is None else {"model": True})) as sink:
                if side is not None:
                    side.attach(sink, run.losses.append)
                run.why = play(
                    at.client,
                    process,
                    sink,
                    stop,
                    faulty=faulty,
                    on_cancel=None if side is None else side.cancelled,
                    then=trace.then,
                    on_end=(lambda: None) if side is None else side.end,
                    end_ns=end_ns,
                )
        finally:
            process.finish()
            process.end_holders()
        if run.why is not None and not any(entry.sender == "agent" for entry in run.entries):
            run.why += early_end_hint(located(argv, caller_directory()), at.start, at.chosen)
    finally:
        if side is not None:
            side.end()
            run.losses += side.warnings


def _reach(
    run: ScriptedRun,
    at: WrittenStage,
    remote: RemoteAgent,
    trace: _Trace,
    stop: Stop,
    faulty: FaultyConversation | None,
) -> None:
    transport = "websocket" if remote.address.is_websocket else "http"
    connection = RemoteConnection(remote)
    try:
        with trace.open((), transport=transport, agent={"url": remote.address.shown}) as sink:
            connection.start(StreamTrace(sink, remote.hide))
            with playing(faulty or at.client, connection, None, stop) as end:
                connection.end()
                connection.finish()
            aborted = ABORTED.get(end)
            is_there = any(each.status != "unanswered" for each in at.client.outcomes)
            fault = None if end is not Ending.GONE or is_there else connection.fault
            sink.end(None, None, fault or None, trace.then, aborted=aborted, client_left=end is Ending.OVER)
    finally:
        connection.finish()
    if at.client.failure is not None or (end is not Ending.OVER and not at.client.is_answered):
        run.why = at.client.failure or connection.fault or why(end, at.client, None)
        run.started = not connection.fault or any(each.status == "done" for each in at.client.outcomes)
