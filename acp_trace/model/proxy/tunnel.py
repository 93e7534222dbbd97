"""One connection between an agent and a provider: bytes pass both ways unchanged, and a tap reads them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import NamedTuple

from acp_trace.gate.shares import Share
from acp_trace.model.proxy.connections import Connection
from acp_trace.model.proxy.streams import READ, Plain, Stream, Tls
from acp_trace.model.wire import client_hello
from acp_trace.model.wire.client_hello import ClientHello, NotTls
from acp_trace.model.wire.events import Side

#: Receives the bytes of a side; nothing at its end. Never raises.
Heard = Callable[[Side, bytes], None]
#: Bytes of a provider's first part: one TLS record, and enough for most messages.
_FIRST = 1 << 14


class _End(NamedTuple):
    side: Side  #: who ended it
    is_broken: bool  #: broken off


async def pass_on(agent: Stream, provider: Stream, heard: Heard) -> None:
    """Pass everything on until one side ends; then end the other one in the same way.

    The provider's bytes are recorded before they are passed on, so that the agent's reaction comes later in
    the trace. The agent's bytes are recorded afterwards: its provider needs time for an answer.
    """
    tasks = {
        asyncio.ensure_future(_outwards(agent, provider, heard)),
        asyncio.ensure_future(_inwards(provider, agent, heard)),
    }
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        # If both have ended, the provider was done first: codex does not wait for the end of a stream.
        end = min((task.result() for task in done), key=lambda end: (end.is_broken, end.side == "agent"))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    heard(end.side, b"")
    heard("provider" if end.side == "agent" else "agent", b"")
    is_cut = any(isinstance(stream, Tls) and stream.is_cut for stream in (agent, provider))
    for stream in (agent, provider):
        if end.is_broken:
            stream.abort()
        elif is_cut and isinstance(stream, Tls):
            await stream.hang_up()  # or the other side would take a cut message for a whole one
        else:
            await stream.close()


async def _outwards(agent: Stream, provider: Stream, heard: Heard) -> _End:
    while True:
        try:
            data = await agent.read()
        except OSError:
            return _End("agent", is_broken=True)
        if not data:
            return _End("agent", is_broken=False)
        try:
            provider.send(data)
            heard("agent", data)
            await provider.drain()
        except OSError:
            return _End("provider", is_broken=True)


async def _inwards(provider: Stream, agent: Stream, heard: Heard) -> _End:
    """Pass data on in parts: few bytes can decode to many, so one read could keep the tap busy for long.

    After a part that took long, other connections get as much time.
    """
    share = Share(READ, _FIRST)
    while True:
        try:
            data = await provider.read()
        except OSError:
            return _End("provider", is_broken=True)
        if not data:
            return _End("provider", is_broken=False)
        while data:
            part, data = data[: share.size], data[share.size :]
            since = time.perf_counter()
            heard("provider", part)
            try:
                agent.send(part)
                took = time.perf_counter() - since
                if share.took(took):
                    await asyncio.sleep(took)
                await agent.drain()
            except OSError:
                return _End("agent", is_broken=True)


async def first_bytes(agent: Plain, provider: Connection) -> bytes:
    """Return the agent's first bytes; nothing if the provider speaks first, which no model does."""
    ours, theirs = asyncio.ensure_future(agent.read()), asyncio.ensure_future(provider.read())
    try:
        await asyncio.wait([ours, theirs], return_when=asyncio.FIRST_COMPLETED)
        if theirs.done():
            provider.unread(theirs.result())
        return ours.result() if ours.done() else b""
    finally:
        for task in (ours, theirs):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await task


async def client_hello_in(agent: Plain, first: bytes) -> tuple[bytes, ClientHello | None]:
    """Return all bytes read so far, and the first message of TLS; None if it is not TLS after all."""
    while True:
        try:
            hello = client_hello.read(first)
        except NotTls:
            return first, None
        if hello is not None:
            return first, hello
        more = await agent.read()
        if not more:
            return first, None
        first += more
