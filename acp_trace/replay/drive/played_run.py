"""What every run has, whatever its agent is: the player in front of the tee, the trace, and what is noticed.

How one comes by the agent, and how it ends, is said in `run` for one that is started, in `reached` for one
at a URL.
"""

from __future__ import annotations

import fcntl
import os
import termios
import threading
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from acp_trace.record.sink import Sink
from acp_trace.record.tee import Ends, Tee
from acp_trace.replay.conversation.engine import Conversation
from acp_trace.replay.drive import waits
from acp_trace.replay.drive.played import Played
from acp_trace.replay.drive.player import Ending, PeerPipes, Player, read_on
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.faults.faulty import FaultyConversation
from acp_trace.replay.faults.sending import Leaving
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.recording import CANCELS
from acp_trace.replay.plan.steps import Plan
from acp_trace.replay.timeouts import CANCEL_READ_NS, SECOND
from acp_trace.trace.names import new_id

#: As JSON has them, and no text of a message.
_CANCELS = tuple(f'"{method}"'.encode() for method in CANCELS)


class Peer(Protocol):
    """The agent's ends of three pipes. Whoever plays closes them."""

    stdin: int
    stdout: int
    stderr: int


class PlayedRun(ABC):
    """A run while it is played."""

    def __init__(self, plan: Plan, conversation: Conversation, faults: Sequence[PlannedFault] = ()) -> None:
        self._plan = plan
        self._conversation = conversation
        self._played = Played(new_id(), None, steps=len(plan.steps) - 1, faults=faults)
        self._faulty: FaultyConversation | None = None
        if faults:
            self._faulty = FaultyConversation(
                conversation, faults, plan.own, conversation.patience.timeout_ns
            )
        self._aborted: str | None = None  #: why acp-trace ended the agent, if it did

    @abstractmethod
    def run(self, stop: Stop, started: int) -> Played:
        """Plays it; what was played. `started`: when its trace begins, ns. `stop` ends it early."""

    def _over(self) -> Played:
        """What was played, when it is over."""
        self._played.sent = self._conversation.sent
        self._played.whole_at = self._conversation.whole_at
        self._played.hits = self._faulty.hits if self._faulty is not None else ()
        self._played.incidents[:0] = self._conversation.incidents
        return self._played

    @contextmanager
    def _playing(
        self, peer: Peer, sink: Sink | None, stop: Stop, on_cancel: Callable[[], None] | None = None
    ) -> Iterator[Ending]:
        """Plays; why it is over. What the peer still sends meanwhile is recorded to its end.

        `sink`: None if the peer records it itself. `on_cancel` is called when the peer has read a cancel, or
        has let it lie: it may be long on its way.
        """
        to_agent, from_player = os.pipe()
        to_player, from_agent = os.pipe()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        tee = Tee(
            sink,
            client=Ends(to_agent, from_agent, nowhere),
            agent=Ends(peer.stdin, peer.stdout, peer.stderr),
        )
        sent = 0

        def on_sent(line: bytes) -> None:
            nonlocal sent
            sent += len(line)
            if on_cancel is not None and any(method in line for method in _CANCELS):
                waits.wait_until(
                    lambda: tee.has_forwarded(sent) and not _unread(peer.stdin), CANCEL_READ_NS, stop
                )
                on_cancel()

        try:
            pipes = PeerPipes(to_player, from_player, stop.fd)
            end = self._played.end = Player(self._faulty or self._conversation, pipes, on_sent).play()
            os.close(from_player)
            from_player = -1
            if end in (Ending.FLOOD, Ending.STOPPED) or self._gone_as == "kill":  # it is not read to its end
                os.close(to_player)
            else:
                threading.Thread(target=read_on, args=(to_player,), daemon=True).start()
            yield end
            tee.drain(stop.is_set, lambda: True)
        finally:
            if from_player >= 0:
                os.close(from_player)

    @property
    def _gone_as(self) -> Leaving | None:
        """How the player left on purpose, if it did."""
        return None if self._faulty is None else self._faulty.ended

    def _too_early(self, end: Ending, more: str = "") -> None:
        """Reports that nothing happened any more, or too much. `more`: what explains it."""
        if end is Ending.FLOOD:
            self._note("flood", f"far more arrived than was recorded: {self._conversation.waits()}")
        if end is not Ending.TIMEOUT:
            return
        silence, longest = (
            self._plan.recording.silence(self._plan.peer),
            self._conversation.patience.timeout_ns,
        )
        long = f"; in the recording it took up to {silence / SECOND:.0f} s" if silence > longest else ""
        self._note("timeout", f"nothing happened for too long: {self._conversation.waits()}{more}{long}")

    def _note(self, code: str, message: str) -> None:
        count = self._conversation.peer.count
        actual = (self._plan.peer, count) if count else None
        self._played.incidents.append(Incident(code, message, got=actual))


def _unread(pipe: int) -> int:
    """The bytes in a pipe; 0 where the system does not say."""
    count = array("i", [0])
    try:
        fcntl.ioctl(pipe, termios.FIONREAD, count)
    except OSError:  # such as: it was closed meanwhile
        return 0
    return count[0]
