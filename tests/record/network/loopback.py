"""An agent, the proxy in front of it and a client, in one event loop; and the traces that come of it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from acp_trace.record.network.run import NetworkSettings, proxy
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.files import open_trace
from acp_trace.trace.http_lines import original
from acp_trace.trace.parse import Parser
from acp_trace.transport.address import ListenAddress, remote_address
from acp_trace.transport.remote import given_header, reached
from acp_trace.transport.serving import Application, Receive, Scope, Send, ServerTls, bound, serve

LOOPBACK = ListenAddress("127.0.0.1", 0)
#: Far longer than anything takes.
DEADLINE_S = 120
JSON = {"Content-Type": "application/json"}
EVENTS = {"Accept": "text/event-stream"}
INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
INITIALIZED = b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'


@dataclass
class Kept:
    """What is left when all is over: what was told, and the lines of each trace."""

    directory: Path
    told: list[str] = field(default_factory=list)

    def traces(self) -> list[bytes]:
        """The lines of each trace, in the order in which they began."""
        files = sorted((self.directory / "spool").glob("*.capture"), key=lambda path: path.stat().st_mtime_ns)
        read = []
        for path in files:
            with open_trace(path)[1] as lines:
                read.append(lines.read())
        return sorted(read, key=lambda lines: json.loads(lines.split(b"\n", 1)[0])["started_at"])

    def trace(self) -> bytes:
        """The lines of the only trace."""
        (only,) = self.traces()
        return only


def entries(lines: bytes) -> list[Entry]:
    """What the lines of a trace say."""
    return Parser().feed(lines)


def messages(lines: bytes, sender: str) -> list[bytes]:
    """What one side sent, to the byte."""
    return [original(entry.raw, entry.data) for entry in entries(lines) if entry.sender == sender]


def facts(lines: bytes, key: str) -> list[Any]:
    """What is said about HTTP under a key, in order."""
    said = [json.loads(entry.data) for entry in entries(lines) if entry.kind is EntryKind.HTTP]
    return [each[key] for each in said if key in each]


def footer(lines: bytes) -> dict[str, Any]:
    """What the last line says."""
    end: dict[str, Any] = json.loads(lines.splitlines()[-1])["end"]
    return end


async def served(
    agent: Application | None,
    client: Callable[[str], Awaitable[None]],
    settings: NetworkSettings,
    upstream: str,
    tls: ServerTls | None = None,
) -> None:
    """Runs an agent and the proxy, then a client with the proxy's address, then ends both. `tls`: the agent's."""
    stop = asyncio.Event()
    listener = bound(LOOPBACK)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    running = []
    if agent is not None:
        behind = bound(LOOPBACK)
        upstream = upstream.replace("AGENT", f"127.0.0.1:{behind.getsockname()[1]}")
        ended = asyncio.Event()
        running.append(
            (ended, asyncio.ensure_future(serve(agent, behind, ended, tls=tls, origins=settings.origins)))
        )
    settings = replace(settings, agent=replace(settings.agent, address=remote_address(upstream)))
    running.insert(0, (stop, asyncio.ensure_future(proxy(settings, listener, stop))))
    try:
        await client(address)
    finally:
        for event, task in running:
            event.set()
            await task


def recorded(
    directory: Path,
    agent: Application | None,
    client: Callable[[str], Awaitable[None]],
    *,
    upstream: str = "http://AGENT",
    agent_tls: ServerTls | None = None,
    authority: str | None = None,
    header: Sequence[str] = (),
    **changes: Any,
) -> Kept:
    """What is left of a client's conversation with an agent through the proxy.

    `authority`: whom the proxy trusts; `header`: what it is to add.
    """
    kept = Kept(directory)
    before = os.environ.get("ACP_TRACE_HOME")
    os.environ["ACP_TRACE_HOME"] = str(directory)
    remote = remote_address(upstream.replace("AGENT", "127.0.0.1:1"))
    given = [given_header(each) for each in header]
    agent_there = reached(remote, authorities=authority, given=given, environment=os.environ)
    settings = NetworkSettings(agent_there, kept.told.append, load=False, **changes)
    try:
        asyncio.run(asyncio.wait_for(served(agent, client, settings, upstream, agent_tls), DEADLINE_S))
    finally:
        if before is None:
            del os.environ["ACP_TRACE_HOME"]
        else:
            os.environ["ACP_TRACE_HOME"] = before
    return kept


def http(**more: Any) -> httpx.AsyncClient:
    """A client that takes nothing from the environment and has no deadline of its own."""
    return httpx.AsyncClient(timeout=None, trust_env=False, **{"verify": False, **more})


async def body(receive: Receive) -> bytes:
    """The whole body of a request."""
    data, more = b"", True
    while more:
        message = await receive()
        data += message.get("body", b"")
        more = message.get("more_body", False)
    return data


async def respond(send: Send, status: int, data: bytes = b"", **headers: str) -> None:
    """A whole response."""
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": data})


def header(scope: Scope, name: bytes) -> str:
    """The value of a request's header, by its name in lower case."""
    return next((value.decode() for key, value in scope["headers"] if key == name), "")


class Agent:
    """ACP over HTTP with an event stream for each connection: what is posted is echoed as a result on it.

    `events`: what is sent on the stream for a posted message, as it goes on the wire. Headers of every
    request are kept, and the posted bodies.
    """

    def __init__(self, events: Callable[[bytes], bytes | None] | None = None) -> None:
        self.seen: list[tuple[str, str, dict[str, str]]] = []  #: method, query, headers
        self.posted: list[bytes] = []
        self._events = events or _echo
        self._streams: dict[str, asyncio.Queue[bytes | None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        self.seen.append((scope["method"], scope["query_string"].decode(), headers))
        name = header(scope, b"acp-connection-id")
        if scope["method"] == "POST":
            data = await body(receive)
            self.posted.append(data)
            if not name:
                name = f"connection-{len(self._streams)}"
                self._streams[name] = asyncio.Queue()
                told = {"content_type": "application/json", "acp_connection_id": name}
                await respond(send, 200, INITIALIZED, set_cookie="node=COOKIE-OF-AGENT", **told)
            elif name in self._streams:
                self._streams[name].put_nowait(self._events(data))
                await respond(send, 202)
            else:
                await respond(send, 404, b"Unknown Acp-Connection-Id", content_type="text/plain")
        elif scope["method"] == "DELETE":
            self._streams.pop(name).put_nowait(None)
            await respond(send, 202)
        else:
            start = {"status": 200, "headers": [(b"content-type", b"text/event-stream")]}
            await send({"type": "http.response.start", **start})
            while (event := await self._streams[name].get()) is not None:
                await send({"type": "http.response.body", "body": event, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


def _echo(posted: bytes) -> bytes:
    result = {"jsonrpc": "2.0", "id": json.loads(posted)["id"], "result": {"sessionId": "s"}}
    return b"data: %b\n\n" % json.dumps(result).encode()
