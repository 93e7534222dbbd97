"""The agent's side of a recording, played to the client that started this process.

Standard input and output carry the protocol, through the same tee as a recording: the client's session with
the recording is a trace like any other. A client that connects over a network has two pipes in their place,
and records itself, because it knows the streams.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING

from acp_trace.record.network.streams import StreamTrace
from acp_trace.record.tee import Ends, Tee
from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.drive.link import PeerPipes
from acp_trace.replay.drive.played import ABORTED, Played, RunTrace
from acp_trace.replay.drive.player import Ending, Player, read_on
from acp_trace.replay.drive.waits import Once, Stop, wait_for_one_of
from acp_trace.replay.faults.chaos import planned
from acp_trace.replay.faults.faulty import FaultyConversation
from acp_trace.replay.faults.sending import Leaving
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.steps import Plan
from acp_trace.replay.settings import Settings, timeout
from acp_trace.system.processes import KILL
from acp_trace.trace.names import new_id

if TYPE_CHECKING:
    from acp_trace.replay.drive.listening import ListeningClient

#: Signals with which clients end agents.
_ENDS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))

#: Endings that are the client's fault: the incident's code, and its message.
_TOO_MUCH = {
    Ending.TIMEOUT: ("timeout", "nothing happened for too long"),
    Ending.FLOOD: ("flood", "far more messages arrived than were recorded"),
}


def mock(
    plan: Plan, argv: Sequence[str], settings: Settings, client: ListeningClient | None = None
) -> Played:
    """Play a recording's agent until the client is done; return what was played. Main thread only.

    `client`: a client that connects over a network; None: the client that started this process.

    From then on, signals that end agents do not end this process: clients send SIGTERM just after the end of
    the input, and the verdict is still to be written.
    """
    recording = plan.recording
    longest = timeout(settings, recording.silence(plan.peer))
    patience = Patience(longest, len(recording.messages), recording.size, recording.duration_ns)
    conversation = Conversation(plan, Rewriter(), patience, Options(settings.pace_factor, settings.unmatched))
    faults = planned(plan, settings)
    played = Played(new_id(), None, steps=len(plan.steps) - 1, faults=faults)
    faulty = FaultyConversation(conversation, faults, "agent", longest) if faults else None
    stop = Stop()

    _stop_at_signals(stop)
    try:
        network: dict[str, str] = {}
        if client is not None:
            client.ready()
            network = {"transport": client.wait(stop)}
        with RunTrace(played, argv, time.monotonic_ns(), plan, "mock", **network) as sink:
            to_player, from_client = os.pipe()
            to_client, from_player = os.pipe()
            silent, unused = os.pipe()
            os.close(unused)
            agent = Ends(from_client, to_client, silent)
            if client is None:
                tee = Tee(sink, client=Ends(0, 1, 2), agent=agent)
            else:
                tee = Tee(None, client=Ends(client.stdin, client.stdout, 2), agent=agent)
                client.begin(StreamTrace(sink))
            pipes = PeerPipes(to_player, from_player, stop)
            played.end = Player(faulty or conversation, pipes).play(stay=True)
            is_killed = _leave(None if faulty is None else faulty.ended, pipes, stop)
            tee.drain(stop.is_set, lambda: True)
            aborted = ABORTED[played.end] if played.end in _TOO_MUCH else None
            if client is None:
                exit_code = None if is_killed else recording.exit_code or 0
                sink.end(exit_code, KILL if is_killed else None, aborted=aborted)
            else:
                client.finish()  # the ends of its streams must be in the trace as well
                sink.end(None, None, aborted=aborted, client_left=tee.client_left)
    finally:
        if client is not None:
            client.finish()
        stop.close()
    played.sent = conversation.sent
    played.incidents = conversation.incidents
    played.hits = faulty.hits if faulty is not None else ()
    if played.end in _TOO_MUCH:
        code, why = _TOO_MUCH[played.end]
        played.incidents.append(
            Incident(code, f"{why}: {conversation.waits()}", got=(plan.peer, conversation.peer.count))
        )
    return played


def _stop_at_signals(stop: Stop) -> None:
    """Turn signals that end agents into a wish to stop from now on."""

    def ask(_: int, __: FrameType | None) -> None:
        stop.set()

    for number in _ENDS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as with `nohup`
            signal.signal(number, ask)


def _leave(leaving: Leaving | None, pipes: PeerPipes, stop: Stop) -> bool:
    """Close the player's output, and its input if a fault kills it; return whether it is killed."""
    os.close(pipes.writes)
    if leaving == "kill":
        os.close(pipes.reads)
    elif leaving == "close":
        _read_on(pipes.reads, stop)
    return leaving == "kill"


def _read_on(fd: int, stop: Stop) -> None:
    """Read what a client still sends to an agent that is done, until it leaves."""
    left = Once()

    def read() -> None:
        read_on(fd)
        left.set()

    threading.Thread(target=read, daemon=True).start()
    wait_for_one_of(left, stop)
