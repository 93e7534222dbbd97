"""A conversation with faults in what it sends: for the player, a conversation like any other. No I/O.

It wraps anything that the player plays, a recorded side or any other `PlayedSide`:

    Player(FaultyConversation(side, [parse("drop on session/prompt #2")], "client", TIMEOUT_NS), pipes)

Its lines pass through the injector, which decides what is really sent. A request that the peer cannot read,
or an answer that the peer never gets, would be awaited in vain: after some silence of the peer, the
conversation continues without it. So a run with faults ends, and shows whether the peer still works. An agent
that waits for an answer in vain may be stuck for good, which is not its fault: from then on, each request
that it leaves unanswered is given up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_trace.replay.conversation.played_side import PlayedSide
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.faults.injector import FaultHit, Injector
from acp_trace.replay.faults.sending import Leaving
from acp_trace.trace.entries import Sender

#: Silence of the peer after which a message that was lost on purpose is given up, ns.
LOST_NS = 5_000_000_000


class FaultyConversation:
    """A side with faults. `own`: which side it is.

    `timeout_ns`: the least time that the peer has after a message that was deliberately late.
    """

    def __init__(
        self, inner: PlayedSide, faults: Iterable[PlannedFault], own: Sender, timeout_ns: int
    ) -> None:
        self._inner, self._timeout_ns = inner, timeout_ns
        self._injector = Injector(faults, own)
        self._late_until = 0  #: when a message that had been held back was last sent
        self._quiet_since = 0

    @property
    def hits(self) -> list[FaultHit]:
        """The faults that were reached, in that order."""
        return [*self._injector.hits.values()]

    @property
    def ended(self) -> Leaving | None:
        """How the player ended because of a fault, if it did."""
        return self._injector.ended

    def begin(self, now: int) -> None:
        """See `PlayedSide`."""
        self._quiet_since = now
        self._inner.begin(now)

    def receive(self, line: bytes, now: int) -> Iterable[bytes]:
        """See `PlayedSide`."""
        self._quiet_since = now
        self._injector.receive(line)
        sent: list[bytes] = []
        for own in self._inner.receive(line, now):
            sent += self._passed(own, now)
        return sent

    def due(self, now: int) -> Iterator[bytes]:
        """See `PlayedSide`."""
        self._give_up(now)
        for data in self._injector.due(now):
            self._late_until = now
            yield data
        for own in self._inner.due(now):
            yield from self._passed(own, now)

    def _passed(self, line: bytes, now: int) -> Iterator[bytes]:
        is_lost = len(self._injector.lost)
        self._injector.send(line, now)
        if len(self._injector.lost) > is_lost:
            self._quiet_since = now
        yield from self._injector.due(now)

    def _give_up(self, now: int) -> None:
        if self._lost_at is not None and now >= self._lost_at:
            lost = dict.fromkeys(self._injector.lost)
            for id_ in lost:
                self._inner.give_up(id_, now)
            # A peer that waits for an answer for ever may not answer anything.
            self._injector.lost = [None] if None in lost else []
            self._quiet_since = now

    @property
    def _lost_at(self) -> int | None:
        return self._quiet_since + LOST_NS if self._injector.lost else None

    def wake(self) -> int | None:
        """See `PlayedSide`."""
        times = self._inner.wake(), self._injector.wake, self._lost_at
        return min((when for when in times if when is not None), default=None)

    def on_closed(self) -> None:
        """See `PlayedSide`."""
        self._inner.on_closed()

    def give_up(self, id_: str | None, now: int) -> None:
        """See `PlayedSide`."""
        self._inner.give_up(id_, now)

    @property
    def gone(self) -> bool:
        """See `PlayedSide`."""
        return self._inner.gone

    @property
    def closed(self) -> bool:
        """See `PlayedSide`."""
        is_idle = self._injector.wake is None
        return is_idle and (self._injector.ended is not None or self._inner.closed)

    @property
    def deadline(self) -> int | None:
        """See `PlayedSide`. Time in which a message is held back on purpose does not count for the peer."""
        deadline = self._inner.deadline
        is_given_up = any(id_ is not None for id_ in self._injector.lost)
        if deadline is None or self._injector.wake is not None or is_given_up:
            return None
        late = max(self._late_until, self._lost_at or 0)
        return max(deadline, late + self._timeout_ns)

    @property
    def is_flooded(self) -> bool:
        """See `PlayedSide`."""
        return self._inner.is_flooded

    @property
    def is_drowned(self) -> bool:
        """See `PlayedSide`."""
        return self._inner.is_drowned
