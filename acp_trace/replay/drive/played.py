"""The result of a run, and its trace: written during the run, read at its end.

The recorder's code writes the trace into the spool, from where the store takes it. It makes no difference
here whether the player is a client (`run`) or an agent (`mock`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from acp_trace.record import place
from acp_trace.record.header import header
from acp_trace.record.sink import Sink
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.faults.injector import FaultHit
from acp_trace.replay.incidents import Incident
from acp_trace.replay.left_files import LeftBoth
from acp_trace.replay.plan.steps import Plan
from acp_trace.replay.recorded_variables import AgentVariable
from acp_trace.trace.entries import Entry
from acp_trace.trace.files import Lines, TraceFile

#: The footer's word for an end of a run that the peer did not cause.
ABORTED = {Ending.TIMEOUT: "timeout", Ending.FLOOD: "flood", Ending.STOPPED: "stopped"}


@dataclass(slots=True)
class Played:
    """The result of a replay. `entries`: the trace of the run, to its end."""

    trace_id: str
    end: Ending | None  #: None if the agent could not be started
    entries: list[Entry] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    steps: int = 0
    sent: int = 0
    #: The number of the peer's line that completed everything in the recording; None if none did.
    whole_at: int | None = None
    warnings: list[str] = field(default_factory=list)  #: of the recorder: losses
    variables: list[AgentVariable] = field(default_factory=list)  #: of the agent's environment, and why
    left: str = ""  #: the agent that could not be ended: another user's
    faults: Sequence[PlannedFault] = ()  #: the faults that the player was to make
    hits: Sequence[FaultHit] = ()  #: the faults that it made
    files: LeftBoth | None = None  #: what the recording and the run left in their directories, if known

    @property
    def died(self) -> bool:
        """Whether the agent ended too early."""
        return self.end is not Ending.OVER


class RunNotRecorded(OSError):
    """The trace of a run is not whole, as on a full disk: it says nothing of the peer. One line."""


class RunTrace:
    """The trace of a run while it is written; its entries are read at the end."""

    def __init__(
        self,
        played: Played,
        argv: Sequence[str],
        started: int,
        plan: Plan,
        origin: str,
        *,
        cwd: str | None = None,
        **of_header: object,
    ) -> None:
        self._played = played
        of = plan.recording.trace_id
        snapshot = plan.recording.snapshot  # the run keeps these files, in case it becomes the recording
        more = {**of_header, **({"workspace_snapshot": snapshot} if snapshot else {})}
        more |= {"faults": [fault.text for fault in played.faults]} if played.faults else {}
        head = header(played.trace_id, argv, started, cwd=cwd, origin=origin, replay_of=of, **more)
        where = partial(place.in_spool, played.trace_id)
        self._sink = Sink(where, head, started=started, say=played.warnings.append)
        # Opened now: a complete trace may be moved from the spool into the store by any command.
        self._file = open(self._sink.path, "rb", buffering=0) if self._sink.path else None

    def __enter__(self) -> Sink:
        return self._sink

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with self._file:
                lines = Lines(self._file)
                self._played.entries = list(TraceFile(lines, self._played.trace_id).entries())
