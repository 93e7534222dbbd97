"""What every run has, for any agent: the trace, and what is noticed.

`run` starts an agent and ends it; `reached` connects to one at a URL.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from acp_trace.record.sink import Sink
from acp_trace.replay.conversation.engine import Conversation
from acp_trace.replay.drive.played import Played
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.playing import Peer, playing
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.faults.faulty import FaultyConversation
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.steps import Plan
from acp_trace.replay.timeouts import SECOND
from acp_trace.trace.names import new_id


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
        """Play it; return what was played. `started`: when its trace begins, ns. `stop` ends it early."""

    def _over(self) -> Played:
        """Return what was played, at the end."""
        self._played.sent = self._conversation.sent
        self._played.whole_at = self._conversation.whole_at
        self._played.hits = self._faulty.hits if self._faulty is not None else ()
        self._played.incidents[:0] = self._conversation.incidents
        return self._played

    @contextmanager
    def _playing(
        self, peer: Peer, sink: Sink | None, stop: Stop, on_cancel: Callable[[], None] | None = None
    ) -> Iterator[Ending]:
        """See `playing`; the reason for the end is kept, too."""
        with playing(self._faulty or self._conversation, peer, sink, stop, on_cancel, self._is_killed) as end:
            self._played.end = end
            yield end

    def _has_left(self) -> bool:
        """Whether a fault made the player leave before its end."""
        return self._faulty is not None and self._faulty.ended is not None

    def _is_killed(self) -> bool:
        """Whether a fault killed the player at once."""
        return self._faulty is not None and self._faulty.ended == "kill"

    def _too_early(self, end: Ending) -> None:
        """Report that nothing happened for too long, or too much."""
        if end is Ending.FLOOD:
            self._note("flood", f"far more messages arrived than were recorded: {self._conversation.waits()}")
        if end is not Ending.TIMEOUT:
            return
        silence, longest = (
            self._plan.recording.silence(self._plan.peer),
            self._conversation.patience.timeout_ns,
        )
        long = f"; in the recording it took up to {silence / SECOND:.0f} s" if silence > longest else ""
        self._note("timeout", f"nothing happened for too long: {self._conversation.waits()}{long}")

    def _note(self, code: str, message: str) -> None:
        count = self._conversation.peer.count
        actual = (self._plan.peer, count) if count else None
        self._played.incidents.append(Incident(code, message, got=actual))
