"""Between a client and an agent: three pumps into one trace, and the wait for an agent's last bytes.

Knows descriptors and the sink; who started the agent, and what ends it, is not its concern.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from acp_trace.record.drain import Drain
from acp_trace.record.pump import Pump
from acp_trace.record.sink import Sink
from acp_trace.record.streams import FrameStream, LogStream

_LOOK_S = 0.05


class Ends(NamedTuple):
    """Descriptors of one side: the agent's own pipes, and what we have in their place towards the client."""

    stdin: int
    stdout: int
    stderr: int


class Tee:
    """Starts to pass everything on, both ways."""

    def __init__(self, sink: Sink, *, client: Ends, agent: Ends) -> None:
        self._records = FrameStream(b"client", sink), FrameStream(b"agent", sink), LogStream(sink)
        inwards = Pump(client.stdin, agent.stdin, self._records[0], self._relieve)
        self._outwards = Pump(agent.stdout, client.stdout, self._records[1], self._relieve)
        self._errors = Pump(agent.stderr, client.stderr, self._records[2], self._relieve)
        for pump in (inwards, self._outwards, self._errors):
            pump.start()

    def _relieve(self) -> bool:
        """Gives up lines that are unfinished, whosever they are, where memory is needed to pass bytes on."""
        client, agent, _ = self._records
        return client.give_up() | agent.give_up()

    def drain(self, leave: Callable[[], bool], hurried: Callable[[], bool]) -> None:
        """Waits until what a dead agent left is through, as long as that makes sense (`drain`)."""
        now = time.monotonic_ns()
        waits = [(pump, Drain(now, pump.counts[1])) for pump in (self._outwards, self._errors)]
        for pump, drain in waits:
            while not pump.done.wait(_LOOK_S) and not leave():
                (progress, moved), reading = pump.counts, pump.reading  # in this order: see drain
                if drain.over(
                    time.monotonic_ns(), reading=reading, progress=progress, moved=moved, hurried=hurried()
                ):
                    break

    def finish(self) -> None:
        """Takes the rest, without its newline, of pumps that still wait for a client or a grandchild."""
        for record in self._records:
            record(b"")
