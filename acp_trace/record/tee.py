"""Between a client and an agent: three pumps into one capture, and the wait for an agent's last bytes.

It knows descriptors and the sink, but not how the agent starts or ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from acp_trace.record.drain import Drain
from acp_trace.record.pump import Pump
from acp_trace.record.sink import Data, Sink
from acp_trace.trace.capture_layout import AGENT, CLIENT, STDERR

_LOOK_S = 0.05


class Ends:
    """Descriptors of one side: the agent's own pipes, or ours towards the client."""

    def __init__(self, stdin: int, stdout: int, stderr: int) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr


class Tee:
    """Starts to pass everything on, both ways. `sink`: None if another part records the traffic."""

    def __init__(self, sink: Sink | None, *, client: Ends, agent: Ends) -> None:
        into = _unrecorded if sink is None else sink.writer
        self._inwards = Pump(client.stdin, agent.stdin, into(CLIENT))
        self._outwards = Pump(agent.stdout, client.stdout, into(AGENT))
        self._errors = Pump(agent.stderr, client.stderr, into(STDERR))
        for pump in (self._inwards, self._outwards, self._errors):
            pump.start()

    @property
    def client_left(self) -> bool:
        """Whether the client closed its side before the agent did; it may do so as its agent has ended."""
        client, agent = self._inwards.ended_ns, self._outwards.ended_ns
        return client is not None and (agent is None or client < agent)

    def has_forwarded(self, size: int) -> bool:
        """Whether at least `size` bytes from the client are in the agent's pipe, or no more can follow."""
        return self._inwards.counts[1] >= size or self._inwards.done.is_set()

    def drain(self, leave: Callable[[], bool], hurried: Callable[[], bool]) -> None:
        """Wait until everything that a dead agent left is through, as long as that makes sense (`drain`)."""
        now = time.monotonic_ns()
        waits = [(pump, Drain(now, pump.counts[1])) for pump in (self._outwards, self._errors)]
        for pump, drain in waits:
            while not pump.done.wait(_LOOK_S) and not leave():
                (progress, moved), reading = pump.counts, pump.reading  # in this order: see drain
                if drain.over(
                    time.monotonic_ns(), reading=reading, progress=progress, moved=moved, hurried=hurried()
                ):
                    break


def _unrecorded(_: int) -> Callable[[Data], object]:
    """Return a writer that does nothing, in place of `Sink.writer`."""
    return lambda _: None
