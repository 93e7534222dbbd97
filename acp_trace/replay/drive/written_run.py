"""A written conversation among real processes: the agent is started or reached, played to, and ended.

What `record_written`, for a test, and `scripted_run`, for `acp-trace drive`, share. The caller decides where
the trace goes.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from acp_trace.record.sink import Sink
from acp_trace.replay.conversation.engine import Serve
from acp_trace.replay.conversation.played_side import PlayedSide
from acp_trace.replay.drive import agent_home
from acp_trace.replay.drive.agent_words import caller_directory, located
from acp_trace.replay.drive.directories import directories
from acp_trace.replay.drive.played import ABORTED
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.playing import playing
from acp_trace.replay.drive.process import HELD, Process, how, own_environment
from acp_trace.replay.drive.terminals import Terminals
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.workspace import Workspace
from acp_trace.replay.faults.faulty import FaultyConversation
from acp_trace.replay.faults.sending import Leaving
from acp_trace.replay.settings import Settings
from acp_trace.replay.timeouts import END_OTHER_NS, TIMEOUT_NS
from acp_trace.replay.written.client import WrittenClient
from acp_trace.replay.written.steps import WrittenConversation
from acp_trace.trace.os_errors import reason
from acp_trace.trace.scratch import scratch

#: How long an agent whose input is closed may take to end by itself.
END_NS = 5 * END_OTHER_NS
#: Resources that the system refuses to us, not to the agent.
_OURS = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
_WHY = {
    Ending.FLOOD: "far more messages arrived than a turn explains",
    Ending.STOPPED: "it was stopped",
}


class WrittenStage(NamedTuple):
    """What a conversation is played with. `own`: a directory for temporary files."""

    client: WrittenClient
    start: str  #: the directory in which the agent starts
    chosen: str  #: that in words, if the user did not choose it
    variables: Mapping[str, str]
    own: str


class NotStarted(Exception):
    """The agent cannot be started. The message is one line."""


@contextmanager
def stage(
    written: WrittenConversation, settings: Settings, stop: Stop, *, strict: bool
) -> Iterator[WrittenStage]:
    """Yield the directories, the agent's environment and the client, while it is played. Raises OSError.

    Only the settings of where and how an agent starts, and `timeout`, count.
    """
    with ExitStack() as removed:
        made = removed.enter_context(
            directories(["session"], cwd=settings.cwd, workspace=settings.workspace, stop=stop)
        )
        directory = os.path.realpath(made["session"])
        own = removed.enter_context(scratch())
        start = str(settings.agent_cwd.resolve()) if isinstance(settings.agent_cwd, Path) else directory
        home = agent_home.directory(settings, lambda: tempfile.mkdtemp(prefix="", dir=own))
        variables = agent_home.environment(own_environment(), start, home)
        serve: dict[str, Serve] = {}
        if written.files:
            serve |= dict.fromkeys(Workspace.METHODS, Workspace([directory]).serve)
        if written.terminals:
            home, tmp = (tempfile.mkdtemp(prefix="", dir=own) for _ in range(2))
            terminals = Terminals([directory], variables, home, tmp, {None: directory}, lambda _: None)
            removed.callback(terminals.finish)
            serve |= dict.fromkeys(Terminals.METHODS, terminals.serve)
        timeout_ns = settings.timeout_ns or TIMEOUT_NS
        client = WrittenClient(written, directory, serve, timeout_ns, strict=strict)
        chosen = "" if settings.agent_cwd else "the session's directory"
        yield WrittenStage(client, start, chosen, variables, str(own))


def started(argv: Sequence[str], stage: WrittenStage, variables: Mapping[str, str]) -> Process:
    """Start the agent. Raises NotStarted; OSError for resources that the system refuses to us."""
    try:
        return Process(located(argv, caller_directory()), stage.start, variables)
    except OSError as error:
        if error.errno in _OURS:
            raise
        raise NotStarted(f"cannot start the agent ({reason(error)}): {argv[0]}") from None


def play(
    client: WrittenClient,
    process: Process,
    sink: Sink,
    stop: Stop,
    *,
    faulty: FaultyConversation | None = None,
    on_cancel: Callable[[], None] | None = None,
    then: Callable[[int, str], None] | None = None,
    on_end: Callable[[], None] = lambda: None,
    end_ns: int | None = None,
) -> str | None:
    """Play it, and wait for the agent's end; return why it did not reach its end, or None.

    `faulty`: the client with its deliberate faults, if any; an agent that it leaves is left early. `on_end`
    is called when the agent has ended, and its last bytes are in the trace; `then` with the whole capture
    (`Sink.end`). `end_ns`: how long the agent may take to end by itself, even after a failure.
    """

    def left() -> Leaving | None:
        return None if faulty is None else faulty.ended

    side: PlayedSide = client if faulty is None else faulty
    with playing(side, process, sink, stop, on_cancel, lambda: left() == "kill") as end:
        is_held = end is Ending.TIMEOUT and process.gone.is_set()
        is_patient = end in (Ending.OVER, Ending.GONE) and (client.failure is None or end_ns is not None)
        ended = process.end((end_ns or END_NS) if is_patient else 0, hurry=stop.is_set)
        status = process.finish()
    on_end()
    code, signal = (None, None) if status is None else (status, None) if status >= 0 else (None, -status)
    aborted = ABORTED.get(end) or (None if ended else "stayed")
    sink.end(code, signal, None, then, aborted=aborted, client_left=end is not Ending.GONE)
    if client.failure is None and (
        end is Ending.OVER or (end is Ending.GONE and (client.is_answered or left()))
    ):
        return None  # it may leave when everything is said, or when it was left
    return client.failure or why(end, client, status, is_held=is_held)


def why(end: Ending, client: WrittenClient, status: int | None, *, is_held: bool = False) -> str:
    """Return why a conversation did not reach its end, in a line.

    `is_held`: the agent had ended by then, and something else held its output.
    """
    if end is Ending.GONE or is_held:
        held = f", {HELD}" if is_held else ""
        return f"the agent ended{how(status)} before {client.waits()} came{held}"
    if end is Ending.TIMEOUT:
        return f"the agent took too long: {client.waits()} did not come"
    return f"{_WHY.get(end, end)}, before {client.waits()} came"
