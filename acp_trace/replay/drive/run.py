"""One replay, from start to end: the agent behind the tee, the player in the client's place.

The results are the entries of the run and what was noticed; other modules compare them.
"""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.record.sink import Sink
from acp_trace.replay import stored_sessions
from acp_trace.replay.conversation.engine import Conversation, Options, Serve
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.drive import agent_home, agent_start, model_side, waits
from acp_trace.replay.drive.agent_start import AgentStart
from acp_trace.replay.drive.agent_words import early_end_hint
from acp_trace.replay.drive.directories import Fill, directories
from acp_trace.replay.drive.left_run import LeftRun
from acp_trace.replay.drive.missing_files import missing_files
from acp_trace.replay.drive.model_side import RunModel
from acp_trace.replay.drive.played import ABORTED, Played, RunTrace
from acp_trace.replay.drive.played_run import PlayedRun
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.process import HELD, Process, how
from acp_trace.replay.drive.reached import ReachedRun
from acp_trace.replay.drive.snapshot import Unpacked, unpack
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.workspace import Workspace
from acp_trace.replay.faults.chaos import planned
from acp_trace.replay.faults.declaration import MODEL, PlannedFault
from acp_trace.replay.files_named import below, written_outside
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.plan.steps import Plan
from acp_trace.replay.remote_agent import remote_agent
from acp_trace.replay.settings import Settings, timeout
from acp_trace.replay.timeouts import CLOSED_NS, END_LEAST_NS, END_OTHER_NS, grace
from acp_trace.trace.os_errors import reason
from acp_trace.trace.scratch import scratch

if TYPE_CHECKING:
    from acp_trace.replay.drive.terminals import Terminals

CANNOT_START = 127
_NO_END = "the recording's workspace snapshot has an unusable list of the files at the end"
_NOT_UNPACKED = "the recording's workspace snapshot has members that were not unpacked"
#: Errors that are not the agent's fault: no descriptor, process or memory is left.
_OURS = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)


def replay(plan: Plan, argv: Sequence[str], settings: Settings, *, stop: Stop) -> Played:
    """Play a recording's client to an agent; return what was played. `stop` ends it early.

    Raises OSError for the directories, and if the system lacks a resource; Stopped if it is stopped while a
    workspace is copied; Lacking if the agent's model, or its URL, needs packages that are not installed;
    SettingError if the URL of an agent cannot be used, or for an impossible fault.
    """
    faults = planned(plan, settings)
    recording, remote, unpacked = plan.recording, remote_agent(settings), Unpacked()
    with ExitStack() as removed:
        kept = stored_sessions.kept(recording, settings, agent_start.is_usable)
        new = [directory for directory in recording.directories if directory not in kept]
        own = removed.enter_context(
            directories(
                new,
                cwd=settings.cwd,
                workspace=settings.workspace,
                fill=_fill(recording, settings, stop, unpacked),
                stop=stop,
            )
        )
        actual = {directory: own.get(directory, directory) for directory in recording.directories}
        start = agent_start.prepared(recording, () if remote else argv, settings, actual, removed)
        longest = timeout(settings, recording.silence(plan.peer))
        patience = Patience(longest, len(recording.messages), recording.size, recording.duration_ns)
        rewriter = Rewriter()
        serve: dict[str, Serve] = dict.fromkeys(Workspace.METHODS, Workspace(list(own.values())).serve)
        terminals = _terminals(settings, own, start, recording, rewriter, removed)
        if terminals is not None:
            serve |= dict.fromkeys(terminals.METHODS, terminals.serve)
        options = Options(settings.pace_factor, settings.unmatched, serve, _made(own, settings).write)
        conversation = Conversation(plan, rewriter, patience, options)
        conversation.move(actual)
        notes = list(_notes(recording, settings, actual, None if remote else start.note))
        if unpacked.left_out:
            notes.append(Incident("files-missing", f"{_NOT_UNPACKED}: {unpacked.left_out}"))
        if settings.snapshot is not None and not settings.snapshot.is_end_valid:
            notes.append(Incident("files-missing", _NO_END))
        files = LeftRun(recording, settings, own, stop)
        started, began_ns = time.monotonic_ns(), time.time_ns()
        of_model = [fault for fault in faults if fault.method == MODEL]
        model = removed.enter_context(
            model_side.model_side(recording, settings, actual, start, started, of_model)
        )
        run: PlayedRun
        if remote is not None:
            run = ReachedRun(plan, conversation, remote, faults)
        else:
            run = _StartedRun(plan, conversation, model, faults)
        try:
            played = run.run(stop, started)
        finally:
            notes += [] if terminals is None else terminals.finish()
            notes += model.incidents
        if remote is None and not played.died:
            with suppress(OSError):  # the snapshot has been deleted
                played.files = files.left(began_ns)
        notes += files.incidents
        outside = written_outside(played.entries, [*own.values(), *map(os.path.realpath, own.values())])
        played.incidents += [*notes, *([outside] if outside else [])]
        if remote is None:
            variables = model_side.variables(recording, settings, start.environment)
            played.variables = [*agent_home.variables(settings), *variables]
        return played


def _made(own: Mapping[str, str], settings: Settings) -> Workspace:
    """Return the directories made for the run: no file of the user is written for a recorded client."""
    users = [] if settings.cwd is None else [str(settings.cwd.resolve())]
    return Workspace([directory for directory in own.values() if below(directory, users) is None])


def _terminals(
    settings: Settings,
    actual: Mapping[str, str],
    start: AgentStart,
    recording: Recording,
    rewriter: Rewriter,
    removed: ExitStack,
) -> Terminals | None:
    """Return the terminals of a run, if they are allowed. Raises OSError for their directories."""
    if not settings.allow_terminal or settings.unmatched != "workspace":
        return None
    from acp_trace.replay.drive.terminals import Terminals

    root = removed.enter_context(scratch())
    home, tmp = (tempfile.mkdtemp(prefix="", dir=root) for _ in range(2))
    environment = agent_home.environment(start.environment, start.directory, home)
    of_session: dict[str | None, str] = {
        session: actual[cwd] for session, cwd in recording.cwds().items() if cwd in actual
    }
    return Terminals(
        list(actual.values()), environment, home, tmp, of_session, recorded=rewriter.recorded_session
    )


def _fill(
    recording: Recording, settings: Settings, stop: Stop, unpacked: Unpacked | None = None
) -> Fill | None:
    """Return what unpacks the recording's snapshot, by number: a run that became a recording has new names.

    `unpacked`: counts what is left out.
    """
    if settings.snapshot is None:
        return None
    path, is_of_several = settings.snapshot.path, settings.snapshot.is_of_several

    def fill(directory: str, target: Path) -> None:
        number = recording.directories.index(directory)
        if is_of_several or not number:
            unpack(path, target, stop, f"{number}/" if is_of_several else "", unpacked)

    return fill


def _notes(
    recording: Recording, settings: Settings, actual: Mapping[str, str], started: str | None
) -> Iterator[Incident]:
    """Yield notes before the run begins: on its directories, and on what is missing."""
    if started is not None:
        yield Incident("agent-outside", started)
    yield from stored_sessions.notes(recording, settings, agent_start.is_usable)
    files = missing_files(recording, settings, actual)
    yield from [] if files is None else [files]


class _StartedRun(PlayedRun):
    """A run against an agent that is started for it."""

    def __init__(
        self, plan: Plan, conversation: Conversation, model: RunModel, faults: Sequence[PlannedFault]
    ) -> None:
        super().__init__(plan, conversation, faults)
        self._model, self._start = model, model.start

    def run(self, stop: Stop, started: int) -> Played:
        try:
            process = Process(self._start.argv, self._start.directory, self._start.environment)
        except OSError as error:
            if error.errno in _OURS:
                raise
            with self._trace(started) as sink:
                why = f"{reason(error)}: {self._start.argv[0]}"
                sink.end(CANNOT_START, None, why)
            self._note("cannot-start", why)
            return self._played
        try:
            with self._trace(started) as sink:
                self._model.attach(sink)
                with self._playing(process, sink, stop, self._model.on_cancel) as end:
                    self._see_end(end, process, stop)
                    status = process.finish()
                self._model.end()
                self._end(sink, process, status)
        finally:
            process.finish()
            process.end_holders()
        return self._over()

    def _trace(self, started: int) -> RunTrace:
        start = self._start
        model = {"model": True} if self._model.is_recorded else {}
        return RunTrace(self._played, start.argv, started, self._plan, "replay", cwd=start.directory, **model)

    def _see_end(self, end: Ending, process: Process, stop: Stop) -> None:
        """Report an early end, and wait for the agent's end."""
        recording, longest = self._plan.recording, self._conversation.patience.timeout_ns
        if end is Ending.TIMEOUT and process.gone.is_set():
            message = f"the agent ended{how(process.status)}, {HELD}: {self._conversation.waits()}"
            self._note("timeout", message)
        else:
            self._too_early(end)
        if end is Ending.GONE:
            ended = waits.wait(process.gone, min(CLOSED_NS, longest))
            what = "ended" if ended else "closed its output"
            message = f"the agent {what}: {self._conversation.waits()}"
            if not self._conversation.peer.count:
                start = self._start
                message += early_end_hint(start.argv, start.directory, start.chosen)
            self._note("agent-gone", message)
        last = recording.messages[-1].t_ns if recording.messages else 0
        usual = grace(recording.duration_ns - last, max(END_LEAST_NS, longest))
        least = END_LEAST_NS if recording.ended_alone else END_OTHER_NS
        wait_ns = min(max(usual, least), longest) if end is Ending.OVER else 0
        ended = process.end(wait_ns, longest, hurry=stop.is_set)
        self._aborted = ABORTED.get(end)
        if not ended and end is Ending.OVER:
            self._aborted = "stopped" if stop.is_set() else "stayed"
        if not ended and recording.ended_alone and end is Ending.OVER:
            self._note("stays", "the agent had to be ended; in the recording it ended by itself")

    def _end(self, sink: Sink, process: Process, status: int | None) -> None:
        """Write how the agent ended, or that it did not."""
        if status is not None:
            code, signal = (status, None) if status >= 0 else (None, -status)
            sink.end(code, signal, aborted=self._aborted, client_left=self._has_left())
            return
        self._played.left = f"process {process.pid} cannot be ended"
        self._note("stays", f"the agent is still running: {self._played.left}")
        sink.end(None, None, self._played.left, aborted=self._aborted)
