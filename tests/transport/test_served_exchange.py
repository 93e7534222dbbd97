"""What the endpoint tells the log of a connection: each request with its response, before it goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from websockets.asyncio.client import connect

from acp_trace.transport.endpoint import Endpoint
from acp_trace.transport.stream_log import StreamLog
from tests.support import DEADLINE_S, request
from tests.transport.background import served
from tests.transport.talk import Agent

JSON = {"Content-Type": "application/json"}
EVENTS = {"Accept": "text/event-stream"}
INITIALIZE = request(0, "initialize", protocolVersion=1)


class Told:
    """A log that keeps what it is told: (stream, what, of it)."""

    def __init__(self, over: str) -> None:
        self.over = over
        self.all: list[tuple[int, str, Any]] = []
        self._last = 0

    def stream(self, **request: object) -> int:
        self._last += 1
        self.all.append((self._last, "request", request))
        return self._last

    def say(self, stream: int, **facts: object) -> None:
        self.all += [(stream, key, value) for key, value in facts.items()]

    def message(self, sender: str, stream: int, data: bytes) -> None:
        self.all.append((stream, sender, json.loads(data)))

    def body(self, stream: int, data: bytes) -> None:
        if data:
            self.all.append((stream, "body", data))

    def stream_ends(self, stream: int, **how: object) -> None:
        self.all.append((stream, "end", how))

    def of(self, stream: int) -> list[str]:
        """What was told of a stream, in order."""
        return [what for number, what, _ in self.all if number == stream]

    def get(self, stream: int, key: str) -> Any:
        """The only thing that was told of a stream under a key."""
        (only,) = [value for number, what, value in self.all if (number, what) == (stream, key)]
        return only


def told(use: Callable[[str], Awaitable[None]]) -> list[Told]:
    """The logs of all connections that were begun while a client used the endpoint."""
    logs: list[Told] = []

    async def new(over: str) -> StreamLog:
        logs.append(Told(over))
        return logs[-1]

    with served(Endpoint(Agent(), new_log=new)) as address:
        asyncio.run(asyncio.wait_for(use(address), DEADLINE_S))
    return logs


def test_requests_and_event_streams() -> None:
    """The answer to `initialize` on its request, whatever comes later on its stream; no value of a secret."""

    async def use(address: str) -> None:
        async with httpx.AsyncClient(
            base_url=f"http://{address}", trust_env=False, timeout=DEADLINE_S
        ) as web:
            secret = {"Authorization": "Bearer SECRET"}
            first = await web.post("/acp?key=QUERY", json=INITIALIZE, headers=secret)
            name = {"Acp-Connection-Id": first.headers["Acp-Connection-Id"]}
            async with web.stream("GET", "/acp", headers={**EVENTS, **name}) as events:
                await web.post("/acp", json=request(1, "session/new", cwd="/w"), headers=name)
                assert (await anext(events.aiter_raw())).startswith(b"data: ")
            assert (await web.delete("/acp", headers=name)).status_code == 202

    (log,) = told(use)
    assert log.over == "http"
    assert log.of(1) == ["request", "client", "response", "body", "end"]
    assert log.of(2) == ["request", "response", "agent", "end"]
    assert log.of(3) == ["request", "client", "response", "end"]
    assert log.of(4) == ["request", "response", "end"]
    asked = log.get(1, "request")
    assert (asked["method"], asked["path"], asked["protocol"]) == ("POST", "/acp", "HTTP/1.1")
    assert ("authorization", None) in asked["headers"]
    assert (log.get(1, "client"), log.get(3, "client")["method"]) == (INITIALIZE, "session/new")
    assert log.get(2, "agent")["result"] == {"sessionId": "live-1"}
    assert log.get(2, "end") == {"by": "client"}
    assert [log.get(stream, "response")["status"] for stream in (1, 2, 3, 4)] == [200, 200, 202, 202]
    assert "SECRET" not in str(log.all)
    assert "QUERY" not in str(log.all)


def test_a_websocket() -> None:
    """One stream, with all messages, and who closed it."""

    async def use(address: str) -> None:
        async with connect(f"ws://{address}/acp", proxy=None) as socket:
            await socket.send(json.dumps(INITIALIZE))
            await socket.recv()
            await socket.close()

    (log,) = told(use)
    assert log.over == "websocket"
    assert log.of(1) == ["request", "response", "client", "agent", "end"]
    assert log.get(1, "response")["status"] == 101
    assert log.get(1, "end") == {"by": "client"}


def test_what_is_refused() -> None:
    """Is told if it names a connection, without a message; what belongs to none is told to nobody."""

    async def use(address: str) -> None:
        async with httpx.AsyncClient(
            base_url=f"http://{address}", trust_env=False, timeout=DEADLINE_S
        ) as web:
            assert (await web.post("/other", json=INITIALIZE)).status_code == 404
            assert (await web.post("/acp", json={"method": "x"})).status_code == 400
            first = await web.post("/acp", json=INITIALIZE)
            name = {"Acp-Connection-Id": first.headers["Acp-Connection-Id"]}
            assert (await web.get("/acp", headers={"Acp-Connection-Id": "other"})).status_code == 404
            assert (await web.post("/acp", content=b"[]", headers={**JSON, **name})).status_code == 501
            assert (await web.get("/acp", headers=name)).status_code == 406

    (log,) = told(use)
    assert log.of(2) == log.of(3) == ["request", "response", "body", "end"]
    assert log.get(2, "body") == b"batches are not supported\n"
    assert (log.get(2, "response")["status"], log.get(2, "end")) == (501, {"by": "agent"})
    assert log.get(3, "response")["status"] == 406
    assert {stream for stream, *_ in log.all} == {1, 2, 3}
