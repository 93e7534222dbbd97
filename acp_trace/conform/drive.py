"""An agent, probed: each conversation with a process or a connection of its own, recorded with the tee.

An agent that hangs is ended, and its trace says why (`aborted`). Nothing is judged here.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from acp_trace.conform.evidence import LABEL, Evidence, evidence
from acp_trace.conform.kept import KeptTrace, kept
from acp_trace.conform.probes import CANCEL_PROMPT, PROBES, PROMPT, Probe, Step, steps
from acp_trace.conform.probing_client import ProbingClient
from acp_trace.protocol import methods
from acp_trace.record.network.streams import StreamTrace
from acp_trace.record.tee import Ends, Tee
from acp_trace.replay.drive.agent_words import caller_directory, located
from acp_trace.replay.drive.directories import directories
from acp_trace.replay.drive.played import ABORTED
from acp_trace.replay.drive.player import Ending, PeerPipes, Player, read_on
from acp_trace.replay.drive.playing import Peer
from acp_trace.replay.drive.process import Process, own_environment
from acp_trace.replay.drive.remote import RemoteConnection
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.timeouts import END_OTHER_NS, TIMEOUT_NS
from acp_trace.replay.written.client import WrittenClient
from acp_trace.trace.entries import Entry
from acp_trace.transport.remote import RemoteAgent

#: How long an agent whose input is closed is given to end by itself; later ones of an agent that did not.
_END_NS, _STAYED_NS = 5 * END_OTHER_NS, END_OTHER_NS // 2


class CannotRun(Exception):
    """The peer could not be started or reached. The message is one line."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """How an agent is probed. `traces`: the directory for its traces; None for the spool."""

    argv: Sequence[str] = ()
    remote: RemoteAgent | None = None
    prompts: tuple[str, ...] = (PROMPT,)
    cancel_prompt: str = CANCEL_PROMPT
    timeout_ns: int = TIMEOUT_NS
    traces: Path | None = None


@dataclass(slots=True)
class Probed:
    """What came of all probes. `notes`: which were left out, and why; `files`: traces with their entries."""

    traces: list[Evidence]
    notes: list[str]
    files: list[tuple[str, list[Entry]]]


class Probing:
    """Probes one agent. `tick` is told the name of each probe before it begins."""

    def __init__(
        self, settings: ProbeSettings, stop: Stop, tick: Callable[[str], None] = lambda _: None
    ) -> None:
        self._settings, self._stop, self._tick = settings, stop, tick
        self._has_stayed = False
        self._traces: list[Evidence] = []
        self._notes: list[str] = []
        self._files: list[tuple[str, list[Entry]]] = []

    def run(self, probes: Sequence[Probe] = PROBES) -> Probed:
        """Runs the probes in order. Raises CannotRun if there is no agent, OSError for our own files."""
        for probe in probes:
            if self._stop.is_set():
                break
            if (why := self._left_out(probe)) is not None:
                if why:
                    self._notes.append(f"{probe.name}: {why}")
                continue
            self._tick(probe.name)
            self._probed(probe)
            if len(self._traces) == 1 and not any(self._traces[0].results_of(methods.INITIALIZE)):
                self._notes.append("the agent did not answer initialize, so nothing else was tried")
                break
        return Probed(self._traces, self._notes, self._files)

    def _left_out(self, probe: Probe) -> str | None:
        """Why a probe is not run: a text, or empty if the report says it anyway; None if it is run."""
        if probe.is_for_pipes and self._settings.remote is not None:
            return ""
        if probe.capability and not (self._traces and self._traces[0].announced(probe.capability)):
            return ""
        if probe.needs and not self._has(methods.NEW):
            return f"needs a session, and {self._error(methods.NEW)}"
        if probe.needs == "prompt" and not self._has(methods.PROMPT):
            return f"needs a prompt that is answered, and {self._error(methods.PROMPT)}"
        return None

    def _has(self, method: str) -> bool:
        return any(any(trace.results_of(method)) for trace in self._traces)

    def _error(self, method: str) -> str:
        calls = [call for trace in self._traces for call in trace.calls_of(method)]
        error = next((call.error for call in calls if call.error is not None), None)
        return f"{method} was not answered" if error is None else f"{method} got {error.get('message')!r}"

    def _probed(self, probe: Probe) -> None:
        """One probe, with as many processes as it needs."""
        settings = self._settings
        with ExitStack() as removed:
            made = removed.enter_context(directories(["session"], cwd=None, workspace=None, stop=self._stop))
            cwd = os.path.realpath(made["session"])
            prompts = {f"prompt{number}": text for number, text in enumerate(settings.prompts)}
            words = {
                "cwd": cwd,
                "prompt": settings.prompts[0],
                "cancel_prompt": settings.cancel_prompt,
                **prompts,
            }
            first = self._said(probe.name, steps(probe, len(settings.prompts)), words)
            if not probe.again or "session" not in first.words:
                return
            second = self._said(f"{probe.name}-again", probe.again, first.words)
            if not all(second.answered.values()):
                self._said(f"{probe.name}-otherwise", probe.otherwise, words)

    def _said(self, name: str, said: Iterable[Step], words: Mapping[str, str]) -> ProbingClient:
        """One conversation with a process or connection of its own, recorded."""
        settings, started, cwd = self._settings, time.monotonic_ns(), words["cwd"]
        client = ProbingClient(said, words, settings.timeout_ns)
        agent, where = _agent(settings, cwd)
        try:
            more = {"labels": {LABEL: name}, **where}
            say = self._notes.append
            with kept(settings.traces, name, list(settings.argv), cwd, started, say, **more) as trace:
                if isinstance(agent, Process):
                    self._with_process(client, agent, trace)
                else:
                    self._with_connection(client, agent, trace)
        finally:
            agent.finish()
            if isinstance(agent, Process):
                agent.end_holders()
        self._files.append((trace.name, trace.entries))
        self._traces.append(evidence(trace.name, trace.entries))
        return client

    def _with_process(self, client: ProbingClient, process: Process, trace: KeptTrace) -> None:
        end, tee = _play(client, process, trace, self._stop)
        is_waiting = end is Ending.OVER
        if is_waiting or end is Ending.GONE:
            ended = process.end(_STAYED_NS if self._has_stayed else _END_NS, hurry=self._stop.is_set)
            self._has_stayed = self._has_stayed or not ended
        else:
            ended = True
            process.end(0)
        status = process.finish()
        tee.drain(self._stop.is_set, lambda: True)
        code, signal = (None, None) if status is None else (status, None) if status >= 0 else (None, -status)
        aborted = ABORTED.get(end) or (None if ended else "stayed")
        trace.sink.end(code, signal, aborted=aborted, client_left=tee.client_left)

    def _with_connection(self, client: ProbingClient, connection: RemoteConnection, trace: KeptTrace) -> None:
        remote = self._settings.remote
        assert remote is not None
        connection.start(StreamTrace(trace.sink, remote.hide))
        end, tee = _play(client, connection, None, self._stop)
        connection.end()
        connection.finish()
        tee.drain(self._stop.is_set, lambda: True)
        if end is Ending.GONE and not client.answered:
            trace.sink.end(None, None, connection.fault or "the agent ended the connection")
            raise CannotRun(connection.fault or "the agent ended the connection")
        trace.sink.end(None, None, aborted=ABORTED.get(end), client_left=end is Ending.OVER)


def _agent(settings: ProbeSettings, cwd: str) -> tuple[Process | RemoteConnection, dict[str, object]]:
    """The agent, started or not yet reached, and what the header says of it. Raises CannotRun."""
    if settings.remote is not None:
        address = settings.remote.address
        transport = "websocket" if address.is_websocket else "http"
        return RemoteConnection(settings.remote), {"transport": transport, "agent": {"url": address.shown}}
    from acp_trace.trace.os_errors import reason

    try:
        return Process(located(settings.argv, caller_directory()), cwd, own_environment() | {"PWD": cwd}), {}
    except OSError as error:
        raise CannotRun(f"cannot start the agent ({reason(error)}): {settings.argv[0]}") from None


def _play(client: ProbingClient, peer: Peer, trace: KeptTrace | None, stop: Stop) -> tuple[Ending, Tee]:
    """Plays a probe behind the tee. `trace`: None if the peer records it itself."""
    to_agent, from_player = os.pipe()
    to_player, from_agent = os.pipe()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    tee = Tee(
        None if trace is None else trace.sink,
        client=Ends(to_agent, from_agent, nowhere),
        agent=Ends(peer.stdin, peer.stdout, peer.stderr),
    )
    try:
        # The player asks a conversation only for what both kinds of written clients have.
        player = Player(cast("WrittenClient", client), PeerPipes(to_player, from_player, stop.fd))
        return player.play(), tee
    finally:
        os.close(from_player)  # the agent's input ends
        threading.Thread(target=read_on, args=(to_player,), daemon=True).start()
