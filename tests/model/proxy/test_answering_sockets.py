"""A replay's agent that asks its model over a WebSocket gets the recorded messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography")

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Message,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)

from acp_trace.model.wire.events import BodyEnd, Broken, RequestHead, ResponseHead, Side, SocketMessage
from tests.model.proxy.recorded import HOST, Recorded, Replaying
from tests.model.proxy.stage import heard, until

_UPGRADE = (
    ("upgrade", "websocket"),
    ("connection", "Upgrade"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
)
_PATH = "/v1/responses"


def _ask(words: str) -> bytes:
    message = {"type": "message", "role": "user", "content": words}
    return json.dumps({"type": "response.create", "model": "m", "input": [message]}).encode()


def _answer(words: str) -> list[bytes]:
    response = {"id": f"resp_{words[-1]}", "status": "completed", "output": []}
    said: list[dict[str, Any]] = [{"type": "response.output_text.delta", "delta": words}]
    return [
        json.dumps(each).encode() for each in [*said, {"type": "response.completed", "response": response}]
    ]


def _recorded(*words: str, is_text: bool = True, broken: Side | None = None) -> Recorded:
    recorded = Recorded()
    head = RequestHead(1, "GET", _PATH, HOST, _UPGRADE, "http/1.1")
    accepted = (("upgrade", "websocket"), ("sec-websocket-extensions", "permessage-deflate"), ("x-id", "1"))
    recorded.events += [head, BodyEnd(1, "agent"), ResponseHead(1, 101, accepted)]
    for each in words:
        recorded.events.append(SocketMessage(1, "agent", _ask(each), is_text=True))
        recorded.events += [SocketMessage(1, "provider", data, is_text) for data in _answer(each)]
    ends = [BodyEnd(1, "agent"), BodyEnd(1, "provider")]
    recorded.events += ends if broken is None else [Broken(1, broken)]
    return recorded


def _play(story: Coroutine[Any, Any, None]) -> None:
    async def in_time() -> None:
        async with asyncio.timeout(60):
            await story

    asyncio.run(in_time())


class _Socket:
    """An agent's."""

    def __init__(self, stage: Replaying) -> None:
        self._stage = stage
        self._frames = WSConnection(ConnectionType.CLIENT)

    async def open(self) -> Any:
        """What is said to the wish for one."""
        self.stream = await self._stage.secure("http/1.1", host=HOST)
        self.send(Request(host=HOST, target=_PATH))
        self._events = self._frames.events()
        return await self.next()

    def send(self, event: Any) -> None:
        """Says so."""
        self.stream.send(self._frames.send(event))

    async def next(self) -> Any:
        """What comes next; a message as its text."""
        while True:
            for event in self._frames.events():
                return event.data if isinstance(event, Message) else event
            self._frames.receive_data(await self.stream.read())


def test_messages_get_the_recorded_ones(tmp_path: Path) -> None:
    """In whatever order it asks; control frames are answered; what is not recorded gets an error, as a message."""
    stage = Replaying(tmp_path, _recorded("a", "b"))

    async def story() -> None:
        async with stage.serving(loose=False):
            agent = _Socket(stage)
            accepted = await agent.open()
            assert isinstance(accepted, AcceptConnection), accepted
            assert ((b"x-id", b"1") in accepted.extra_headers, accepted.extensions) == (True, [])
            agent.send(Ping(b"p"))
            assert await agent.next() == Pong(payload=b"p")
            agent.send(TextMessage('{"type":"hint"}'))
            for words in "ba":
                agent.send(TextMessage(_ask(words).decode()))
                for message in _answer(words):
                    assert (await agent.next()).encode() == message
            agent.send(TextMessage(_ask("something else").decode()))
            error = json.loads(await agent.next())
            assert (error["type"], error["error"]["code"]) == ("error", "not_recorded")
            agent.send(CloseConnection(1000))
            assert isinstance(await agent.next(), CloseConnection)
            await until(lambda: all(each.ended_ns for each in stage.seen().exchanges.values()))
            await agent.stream.close()

    _play(story())
    (exchange,) = stage.seen().exchanges.values()
    told = [json.loads(record.data)["served"] for record in stage.records if b'"served"' in record.data]
    assert [words["call"] for words in told] == [2, 1, None]
    assert (exchange.status, len(exchange.messages), exchange.broken_by) == (101, 9, None)


def test_messages_fit_the_run(tmp_path: Path) -> None:
    """Its directories stand in them, its keys are no difference, and bytes are not text."""
    recorded = _recorded("/home/ann/shop-7 <cut> a", is_text=False)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        serving = stage.serving(
            loose=False, places=(("/home/ann/shop-7", "/tmp/run-8"),), environment={"A_KEY": "sk-run-0001"}
        )
        async with serving:
            agent = _Socket(stage)
            await agent.open()
            agent.send(TextMessage(_ask("/tmp/run-8 sk-run-0001 a").decode()))
            for message in _answer("/tmp/run-8 <cut> a"):
                assert await agent.next() == message
            await agent.stream.close()

    _play(story())


def test_a_conversation_that_its_provider_broke_off(tmp_path: Path) -> None:
    """Is broken off again, behind the last message that came."""
    recorded = _recorded("a", broken="provider")
    del recorded.events[-2]
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = _Socket(stage)
            await agent.open()
            agent.send(TextMessage(_ask("a").decode()))
            assert (await agent.next()).encode() == _answer("a")[0]
            assert await heard(agent.stream) == b""

    _play(story())


def test_a_refusal_comes_again(tmp_path: Path) -> None:
    """With its status; and where none was asked for, there is none."""
    recorded = Recorded()
    recorded.add(method="GET", path=_PATH, asked=_UPGRADE, status=426)
    for each in (recorded, Recorded()):
        stage = Replaying(tmp_path, each)

        async def story(stage: Replaying = stage, status: int = 426 if each is recorded else 502) -> None:
            async with stage.serving():
                agent = _Socket(stage)
                for _ in range(2):
                    refused = await agent.open()
                    assert isinstance(refused, RejectConnection), refused
                    assert refused.status_code == status
                    await agent.stream.close()
                    agent = _Socket(stage)

        _play(story())
