"""The trace of one connection of ACP: its messages and what HTTP says of them, stream by stream.

Nothing here stops the traffic: whatever goes wrong is a gap, or told once on stderr, and never raised.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from acp_trace.record import place
from acp_trace.record.header import header
from acp_trace.record.sink import Closed, Sink
from acp_trace.trace.capture_layout import FIRST, HTTP_AGENT, HTTP_CLIENT, HTTP_HEAD
from acp_trace.trace.document import document
from acp_trace.trace.names import new_id

_SENDERS = {"client": HTTP_CLIENT, "agent": HTTP_AGENT}
_NUMBER_SIZE = 4


class ConnectionTrace:
    """One trace, from the first request of a connection to its end.

    `transport`: http or websocket. `url`: the agent's, as it may be written down. `out`: the file to record
    into; None: the spool. `say` is told what is lost, once.
    """

    def __init__(
        self, transport: str, url: str, out: str | None, labels: Mapping[str, str], say: Callable[[str], None]
    ) -> None:
        started = time.monotonic_ns()
        trace_id = new_id()
        where = partial(place.in_spool, trace_id) if out is None else partial(place.in_file, out, trace_id)
        named: dict[str, Any] = {"labels": dict(labels)} if labels else {}
        first = header(trace_id, (), started, transport=transport, agent={"url": url}, **named)
        self._sink = Sink(where, first, started=started, say=say)
        self.out, self.started = out, started
        self._last = 0
        self.open = 0  #: streams that have not ended
        self.is_over = False
        self.client_left = False

    def stream(self, **request: object) -> int:
        """A new stream, which begins with this request: its number."""
        self._last = _next(self._last)
        self.open += 1
        self.say(self._last, request=request)
        return self._last

    def say(self, stream: int, **facts: object) -> None:
        """Writes down something about a stream."""
        self._write(HTTP_HEAD, stream, document(facts))

    def message(self, sender: str, stream: int, data: bytes) -> None:
        """Writes down a message of `client` or `agent`."""
        self._write(_SENDERS[sender], stream, data + b"\n")

    def stream_ends(self, stream: int, **how: object) -> None:
        """Writes down how a stream ended."""
        self.open -= 1
        self.say(stream, end=how)

    def end(self, error: str | None, then: Callable[[int, str], None] | None) -> None:
        """Writes the footer, once. `error`: why the agent could not be reached. May take a while."""
        if self.is_over:
            return
        self.is_over = True
        with contextlib.suppress(Exception):  # as everywhere here
            self._sink.end(None, None, error, then, client_left=self.client_left)

    def _write(self, kind: int, stream: int, data: bytes) -> None:
        with contextlib.suppress(Closed, MemoryError):  # it comes when all is over; there is too little
            self._sink.write_beside(kind, stream, None, data)


def _next(number: int) -> int:
    """The next number of a stream: none has the byte with which marks of a capture begin."""
    number += 1
    while FIRST in number.to_bytes(_NUMBER_SIZE, "little"):
        number += 1
    return number
