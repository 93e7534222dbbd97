"""The proxy from start to end: it listens, passes on, and ends every trace when a signal asks it to."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from acp_trace.record.afterwards import note_out, start_loader
from acp_trace.record.network.connections import AcpConnections
from acp_trace.record.network.gateway import Gateway
from acp_trace.record.network.recording import ConnectionTrace
from acp_trace.record.network.upstream import AgentUpstream
from acp_trace.record.recorder import finish_out
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.serving import ServerTls, keep_quiet, serve

#: Seconds after the end of a connection until a loader is started: many may end at once.
_LOAD_AFTER_S = 1.0
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """The agent, the clients that may use the proxy, and the place of the traces.

    `origins`: other pages' origins that may use the proxy. `out`: the file for traces; None: the spool.
    `load`: start a loader when a connection has ended. `say` reports a loss.
    """

    agent: RemoteAgent
    say: Callable[[str], None]
    tls: ServerTls | None = None
    origins: Collection[str] = ()
    out: str | None = None
    load: bool = True
    labels: Mapping[str, str] = field(default_factory=dict)


def run(settings: NetworkSettings, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Pass on until SIGINT, SIGTERM or SIGHUP, then end what is open. Main thread only.

    `ready` is called when such a signal would end it properly: then the address may be announced.
    """
    keep_quiet()
    asyncio.run(_run(settings, listener, ready))


async def _run(settings: NetworkSettings, listener: socket.socket, ready: Callable[[], None]) -> None:
    stop = asyncio.Event()
    with _stopped_by_signals(stop.set):
        ready()
        await proxy(settings, listener, stop)
    if settings.load and settings.out is None:
        start_loader()


async def proxy(settings: NetworkSettings, listener: socket.socket, stop: asyncio.Event) -> None:
    """Pass on until `stop` is set; when it returns, all traces are complete."""
    loader = _Loader() if settings.load and settings.out is None else None
    loop = asyncio.get_running_loop()

    def begin(transport: str) -> ConnectionTrace:
        return ConnectionTrace(transport, settings.agent, settings.out, settings.labels, settings.say)

    def finish(recording: ConnectionTrace, error: str | None) -> None:
        then = None if settings.out is None else partial(finish_out, stop.is_set)
        recording.end(error, then)
        if settings.out is not None:
            note_out(os.path.join(os.getcwd(), settings.out), recording.started)
        elif loader is not None:
            loop.call_soon_threadsafe(loader.wanted)

    upstream = AgentUpstream(settings.agent, settings.origins)
    connections = AcpConnections(begin, finish)
    try:
        gateway = Gateway(upstream, connections, stop)
        await serve(gateway, listener, stop, tls=settings.tls, origins=settings.origins)
    finally:
        await connections.end_all()
        await upstream.close()
        if loader is not None:
            loader.cancel()


class _Loader:
    """Starts a loader some time after it was requested, once for all requests until then."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def wanted(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_LOAD_AFTER_S, self._start)

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _start(self) -> None:
        self._timer = None
        start_loader()


@contextlib.contextmanager
def _stopped_by_signals(then: Callable[[], None]) -> Iterator[None]:
    """While this context is open, signals to end only call `then`."""
    loop = asyncio.get_running_loop()
    before = {each: signal.getsignal(each) for each in _ENDING}
    for each in _ENDING:
        signal.signal(each, lambda *_: loop.call_soon_threadsafe(then))
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
