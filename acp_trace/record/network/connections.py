"""Which ACP connection a request belongs to, and when the connection is over: then its trace is ended.

A WebSocket is one connection. Over HTTP, a connection begins with a request that names none, and the response
names it; it is over when a DELETE was accepted and its streams have ended, or when nothing was open for long.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from acp_trace.record.network.recording import ConnectionTrace

#: Seconds without an open stream: a client that leaves without DELETE sends nothing.
IDLE_S = 600.0
#: Seconds that the streams of a deleted connection are given to end.
_STREAMS_S = 5.0
#: Number of deleted connections to remember: their late requests do not begin a trace.
_DELETED = 4096


class AcpConnections:
    """All connections that are being recorded.

    `begin` makes the trace of a new connection; `finish` ends a trace, in a thread, and may take a while.
    """

    def __init__(
        self, begin: Callable[[str], ConnectionTrace], finish: Callable[[ConnectionTrace, str | None], None]
    ) -> None:
        self._begin, self._finish = begin, finish
        self._named: dict[str, ConnectionTrace] = {}
        self._all: set[ConnectionTrace] = set()
        self._deleted: OrderedDict[str, None] = OrderedDict()
        self._timers: dict[ConnectionTrace, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def new(self, transport: str) -> ConnectionTrace:
        """Return the trace of a connection that begins now; `transport`: http or websocket."""
        recording = self._begin(transport)
        self._all.add(recording)
        return recording

    def of(self, name: str) -> ConnectionTrace | None:
        """Return the trace of the connection with this id; None if it was deleted."""
        if name in self._deleted:
            return None
        if name not in self._named:  # begun before this proxy, or quiet for long
            self._named[name] = self.new("http")
        return self._named[name]

    def name(self, recording: ConnectionTrace, name: str) -> None:
        """Set the connection's id, which the response names."""
        self._named.setdefault(name, recording)

    def delete(self, name: str) -> None:
        """Note that the client has ended a connection."""
        recording = self._named.pop(name, None)
        self._deleted[name] = None
        if len(self._deleted) > _DELETED:
            self._deleted.popitem(last=False)
        if recording is not None:
            recording.client_left = True
            self._settle(recording, _STREAMS_S)

    def stream_ended(self, recording: ConnectionTrace) -> None:
        """Note that a stream has ended: perhaps nothing is open any longer."""
        is_named = any(each is recording for each in self._named.values())
        if recording.open == 0:
            self._settle(recording, IDLE_S if is_named else 0.0)

    def end(self, recording: ConnectionTrace, error: str | None = None) -> None:
        """End a trace; `error`: why the agent was never reached."""
        if recording not in self._all:
            return
        self._all.discard(recording)
        for name in [name for name, each in self._named.items() if each is recording]:
            del self._named[name]
        if timer := self._timers.pop(recording, None):
            timer.cancel()
        task = asyncio.ensure_future(asyncio.to_thread(self._finish, recording, error))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def end_all(self) -> None:
        """End all traces, and wait until they are written."""
        for recording in list(self._all):
            self.end(recording)
        while self._ending:
            await asyncio.wait(set(self._ending))

    def _settle(self, recording: ConnectionTrace, seconds: float) -> None:
        """End a trace if nothing is open by then; at once if nothing is open and nothing is awaited."""
        if timer := self._timers.pop(recording, None):
            timer.cancel()
        is_waited_for = seconds == IDLE_S or recording.open
        if not is_waited_for:
            self.end(recording)
            return
        loop = asyncio.get_running_loop()
        self._timers[recording] = loop.call_later(seconds, self._over, recording)

    def _over(self, recording: ConnectionTrace) -> None:
        self._timers.pop(recording, None)
        if recording.open == 0 or recording.client_left:
            self.end(recording)
