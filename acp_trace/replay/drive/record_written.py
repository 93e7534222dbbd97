"""A written conversation with an agent, recorded: the trace is given back as lines, and put nowhere.

The agent is started as a replay starts it, behind the recorder's tee, and ended as a replay ends it: its
input is closed, and what it still sends until it is gone belongs to the trace. Whether the trace may be kept,
and where, is the caller's concern.
"""

from __future__ import annotations

import errno
import os
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.protocol.methods import CANCEL
from acp_trace.record import place
from acp_trace.record.header import header
from acp_trace.record.sink import Sink
from acp_trace.record.tee import Ends, Tee
from acp_trace.replay.conversation.engine import Serve
from acp_trace.replay.conversation.written_client import WrittenClient
from acp_trace.replay.drive import agent_home
from acp_trace.replay.drive.agent_words import caller_directory, located
from acp_trace.replay.drive.directories import directories
from acp_trace.replay.drive.player import Ending, PeerPipes, Player, read_on
from acp_trace.replay.drive.process import Process, own_environment
from acp_trace.replay.drive.terminals import Terminals
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.workspace import Workspace
from acp_trace.replay.settings import Settings
from acp_trace.replay.timeouts import END_OTHER_NS, TIMEOUT_NS
from acp_trace.replay.written import WrittenConversation
from acp_trace.trace.files import open_trace
from acp_trace.trace.names import new_id
from acp_trace.trace.os_errors import reason
from acp_trace.trace.parse import Parser
from acp_trace.trace.scratch import scratch

#: How long an agent whose input is closed is given to end by itself.
_END_NS = 5 * END_OTHER_NS
#: What the system refuses us, and not the agent.
_OURS = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
_WHY = {
    Ending.FLOOD: "far more arrived than a turn explains",
    Ending.STOPPED: "somebody stopped it",
}


class NotRecorded(Exception):
    """The conversation went another way than it is written, or the agent did. The message is one line."""

    def __init__(self, why: str, lines: bytes = b"") -> None:
        super().__init__(why)
        self.lines = lines  #: the trace so far; empty if there is none


@dataclass(frozen=True, slots=True)
class WrittenTrace:
    """A recorded conversation. `lines`: the trace file; `stops`: how each turn ended."""

    lines: bytes
    stops: tuple[str, ...]


def record_written(
    written: WrittenConversation, argv: Sequence[str], settings: Settings, *, stop: Stop
) -> WrittenTrace:
    """Records the conversation with the agent. Raises NotRecorded; OSError for directories.

    Of the settings, those count that say where and how an agent starts, and `timeout`. `stop` ends it early.
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
        client = WrittenClient(written, directory, serve, settings.timeout_ns or TIMEOUT_NS)
        return _recorded(client, argv, start, variables, own, stop)


def _recorded(
    client: WrittenClient,
    argv: Sequence[str],
    start: str,
    variables: Mapping[str, str],
    own: Path,
    stop: Stop,
) -> WrittenTrace:
    started = time.monotonic_ns()
    try:
        process = Process(located(argv, caller_directory()), start, variables)
    except OSError as error:
        if error.errno in _OURS:
            raise
        raise NotRecorded(f"cannot start the agent ({reason(error)}): {argv[0]}") from None
    losses: list[str] = []
    file = tempfile.mkdtemp(prefix="", dir=own) + "/trace.capture"
    id_ = new_id()
    try:
        sink = Sink(
            partial(place.in_file, file, id_),
            header(id_, argv, started, cwd=start),
            started=started,
            say=losses.append,
        )
        why = _play(client, process, sink, stop)
    finally:
        process.finish()
        process.end_holders()
    lines = b"" if losses else _lines(file)
    why = why or (losses[0] if losses else _late_cancel(lines))
    if why is not None:
        raise NotRecorded(why, lines)
    return WrittenTrace(lines, tuple(client.stops))


def _late_cancel(lines: bytes) -> str | None:
    """That a turn was over when its cancel was on its way, which only the trace tells; None if none was."""
    analyzer = Analyzer(envelopes=0)
    for entry in Parser().feed(lines):
        analyzer.feed(entry)
    for cancel in analyzer.facts().cancellations:
        if cancel.kind == CANCEL and cancel.outcome == "no_target":
            return "a turn was over before its cancel arrived: cancel it earlier"
    return None


def _lines(file: str) -> bytes:
    with open_trace(file)[1] as lines:
        return lines.read()


def _play(client: WrittenClient, process: Process, sink: Sink, stop: Stop) -> str | None:
    """Plays it, and sees the agent end; returns why it is not as it was written, or None."""
    to_agent, from_player = os.pipe()
    to_player, from_agent = os.pipe()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    tee = Tee(
        sink,
        client=Ends(to_agent, from_agent, nowhere),
        agent=Ends(process.stdin, process.stdout, process.stderr),
    )
    try:
        end = Player(client, PeerPipes(to_player, from_player, stop.fd)).play()
    finally:
        os.close(from_player)  # the agent's input ends
        threading.Thread(target=read_on, args=(to_player,), daemon=True).start()
    went_well = client.failure is None and end in (Ending.OVER, Ending.GONE)
    process.end(_END_NS if went_well else 0, hurry=stop.is_set)
    status = process.finish()
    tee.drain(stop.is_set, lambda: True)
    code, signal = (None, None) if status is None else (status, None) if status >= 0 else (None, -status)
    sink.end(code, signal, client_left=tee.client_left)
    if client.failure is None and (end is Ending.OVER or client.is_answered):  # it may leave when all is said
        return None
    return client.failure or _why(end, client, status)


def _why(end: Ending, client: WrittenClient, status: int | None) -> str:
    if end is Ending.TIMEOUT:
        return f"the agent took too long: {client.waits()} did not come"
    if end is Ending.GONE:
        how = "" if status is None else f" (exit code {status})" if status >= 0 else f" (signal {-status})"
        return f"the agent ended{how} before {client.waits()} came"
    return f"{_WHY.get(end, end)}, before {client.waits()} came"
