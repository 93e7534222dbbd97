"""A server on loopback in a thread of its own, for what is tested from outside of its loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from acp_trace.transport.address import ListenAddress
from acp_trace.transport.cors import shared
from acp_trace.transport.endpoint import Answering, Endpoint
from acp_trace.transport.serving import Application, ServerTls, bound, serve
from tests.support import DEADLINE_S

LOOPBACK = ListenAddress("127.0.0.1", 0)


@contextmanager
def served(
    application: Application, tls: ServerTls | None = None, *, origins: Collection[str] = ()
) -> Iterator[str]:
    """Serves an application, also to pages of `origins`, as `mock` does; `HOST:PORT`. It is over, with all its connections, when this is left."""
    listener = bound(LOOPBACK)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(
            _until(application, serve(shared(application, origins), listener, stop, tls=tls, origins=origins))
        )
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(DEADLINE_S)
        assert not thread.is_alive()


async def _until(application: Application, serving: object) -> None:
    try:
        await serving  # type: ignore[misc]
    finally:
        if isinstance(application, Endpoint):
            await application.close()


@contextmanager
def answered(answering: Answering, tls: ServerTls | None = None) -> Iterator[str]:
    """Serves ACP, played by this; `HOST:PORT`."""
    with served(Endpoint(answering), tls) as address:
        yield address
