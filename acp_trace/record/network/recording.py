"""The trace of one ACP connection, from its first request to its end; `streams` defines its content.

Nothing here stops the traffic: any failure is a gap, or reported once on stderr, and never raised.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from acp_trace.record import place
from acp_trace.record.header import header
from acp_trace.record.network.streams import StreamTrace
from acp_trace.record.sink import Sink
from acp_trace.trace.names import new_id
from acp_trace.transport.remote import RemoteAgent


class ConnectionTrace(StreamTrace):
    """One trace, from the first request of a connection to its end.

    `transport`: http or websocket. `agent`: its URL is written, without secrets. `out`: the file to record
    into; None: the spool. `say` reports a loss, once.
    """

    def __init__(
        self,
        transport: str,
        agent: RemoteAgent,
        out: str | None,
        labels: Mapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        started = time.monotonic_ns()
        trace_id = new_id()
        where = partial(place.in_spool, trace_id) if out is None else partial(place.in_file, out, trace_id)
        named: dict[str, Any] = {"labels": dict(labels)} if labels else {}
        about = {"url": agent.address.shown}
        first = header(trace_id, (), started, transport=transport, agent=about, **named)
        super().__init__(Sink(where, first, started=started, say=say), agent.hide)
        self.out, self.started = out, started
        self.is_over = False
        self.client_left = False

    def end(self, error: str | None, then: Callable[[int, str], None] | None) -> None:
        """Write the footer, once. `error`: why the agent could not be reached. May take a while."""
        if self.is_over:
            return
        self.is_over = True
        with contextlib.suppress(Exception):  # as everywhere in this module
            self._sink.end(None, None, error, then, client_left=self.client_left)
