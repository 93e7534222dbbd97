"""A request that is rewritten: exactly one, whatever the agent sends beside it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("h11")

from acp_trace.model.proxy.heads import BadRequest
from acp_trace.model.proxy.lone_request import LoneRequest
from tests.model.proxy.stage import Stage, heard, until
from tests.model.proxy.test_passing import play

_SECOND = (
    b"GET http://other.example/second HTTP/1.1\r\nHost: other.example\r\nAuthorization: Bearer second\r\n\r\n"
)
_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class _Agent:
    """An agent's connection in memory: `says` is what it sends, one read after the other; then it waits."""

    def __init__(self, *says: bytes) -> None:
        self.says = list(says)
        self.got = b""
        self.left = asyncio.Event()

    async def read(self) -> bytes:
        if self.says:
            return self.says.pop(0)
        await self.left.wait()
        return b""

    def send(self, data: bytes) -> None:
        self.got += data

    async def drain(self) -> None:
        pass

    async def close(self) -> None:
        self.left.set()

    def abort(self) -> None:
        self.left.set()


def _lone(agent: _Agent, head: bytes) -> LoneRequest:
    request = LoneRequest(agent, head)
    request.rewrite(b"/x", "host.example", "")
    return request


def _head(*lines: str, method: str = "POST") -> bytes:
    return "\r\n".join([f"{method} http://h/x HTTP/1.1", "Host: h", *lines, "", ""]).encode()


_BODIES = [
    ((), b"", b""),
    (("Content-Length: 0",), b"", b""),
    (("Content-Length: 5",), b"hello", b"Content-Length: 5\r\n"),
    (
        ("Transfer-Encoding: chunked",),
        b"5;x=y\r\nhello\r\n0\r\nT: t\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n",
    ),
    (
        ("Content-Length: 3", "Transfer-Encoding: chunked"),  # for whom the body has 3 bytes, it goes on
        b"5\r\nhello\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n",
    ),
]


@pytest.mark.parametrize(("lines", "body", "framing"), _BODIES)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_next_request_is_dropped(lines: tuple[str, ...], body: bytes, framing: bytes, size: int) -> None:
    """Wherever reads end: in the same one as the body, in its own, or in the middle of something."""

    async def story() -> None:
        rest = body + _SECOND
        agent = _Agent(*(rest[at : at + size] for at in range(0, len(rest), size)))
        request = _lone(agent, _head(*lines, "X: y"))
        sent = await request.read()
        expected = b"POST /x HTTP/1.1\r\nHost: host.example\r\n"
        expected += framing + b"X: y\r\nConnection: close\r\n\r\n" + body
        if lines == ("Content-Length: 0",):
            expected = expected.replace(b"X: y", b"Content-Length: 0\r\nX: y")
        while len(sent) < len(expected):
            sent += await request.read()
        assert sent == expected
        rest_of_it = asyncio.ensure_future(request.read())
        await until(lambda: not agent.says)
        assert not rest_of_it.done()
        request.send(_OK)
        assert await rest_of_it == b""
        assert agent.got == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
        request.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")  # nobody has asked for it
        assert agent.got.endswith(b"\r\n\r\nok")

    play(story())


_CLOSE = b"Connection: close\r\n\r\n"
_ANSWERS = [
    (
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nkeep-ALIVE: timeout=5\r\nX: y\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\n" + _CLOSE + b"ok",
    ),
    (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n" + _CLOSE + b"2\r\nok\r\n0\r\n\r\n",
    ),
    (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n" + _CLOSE,
    ),
    (b"HTTP/1.1 200 OK\r\n\r\nto its end", b"HTTP/1.1 200 OK\r\n" + _CLOSE + b"to its end"),
    (b"HTTP/1.0 200 OK\nX: y\n\nto its end", b"HTTP/1.0 200 OK\nX: y\r\n" + _CLOSE + b"to its end"),
]


@pytest.mark.parametrize(("answer", "expected"), _ANSWERS)
@pytest.mark.parametrize("size", [1, 9, 1000])
def test_the_agent_gets_the_end_of_the_connection(answer: bytes, expected: bytes, size: int) -> None:
    """In the head of each answer, whatever its host says of the connection; the rest is as it came."""

    async def story() -> None:
        agent = _Agent()
        request = _lone(agent, _head(method="GET"))
        await request.read()
        for at in range(0, len(answer), size):
            request.send(answer[at : at + size])
        assert agent.got == expected
        ended = asyncio.ensure_future(request.read())
        if b"to its end" in answer:
            await asyncio.sleep(0)
            assert not ended.done()
            await agent.close()
        assert await ended == b""

    play(story())


def test_a_head_has_no_body() -> None:
    """The answer to HEAD has the length of what it leaves out."""

    async def story() -> None:
        agent = _Agent()
        request = _lone(agent, _head(method="HEAD"))
        await request.read()
        request.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n")
        assert await request.read() == b""

    play(story())


def test_what_is_not_http_passes_to_the_agent() -> None:
    """As it is; nothing of the agent's follows its request all the same."""

    async def story() -> None:
        agent = _Agent(_SECOND)
        request = _lone(agent, _head(method="GET"))
        await request.read()
        reading = asyncio.ensure_future(request.read())
        request.send(b"SSH-2.0-")
        request.send(b"x\r\n\r\n")
        assert agent.got == b"SSH-2.0-x\r\n\r\n"
        await until(lambda: not agent.says)
        assert not reading.done()
        await agent.close()
        assert await reading == b""

    play(story())


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 101 Fine\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", _OK]
)
def test_an_upgrade_is_a_tunnel_only_if_the_host_agrees(answer: bytes) -> None:
    """What the agent sent ahead waits for that; after a refusal, it is dropped."""

    async def story() -> None:
        agent = _Agent(b"ahead ", b"of it ")
        request = _lone(agent, _head("Connection: Upgrade", "Upgrade: websocket", method="GET"))
        assert b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" in await request.read()
        reading = asyncio.ensure_future(request.read())
        await until(lambda: not agent.says)
        assert not reading.done()
        request.send(answer + b"hello")
        if answer is _OK:
            assert await reading == b""
            assert agent.got == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            return
        assert await reading == b"ahead of it "
        agent.says += [_SECOND]
        assert await request.read() == _SECOND
        request.send(b"more")
        assert agent.got == answer + b"hellomore"

    play(story())


def test_an_answer_before_the_whole_request() -> None:
    """The agent goes on sending what the host may still read."""

    async def story() -> None:
        agent = _Agent(b"he", b"llo" + _SECOND)
        request = _lone(agent, _head("Content-Length: 5", "Expect: 100-continue"))
        assert b"Expect: 100-continue\r\n" in await request.read()
        request.send(b"HTTP/1.1 413 Too long\r\nContent-Length: 0\r\n\r\n")
        assert [await request.read() for _ in range(3)] == [b"he", b"llo", b""]

    play(story())


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: x",),
        ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        ("X : y",),
        ("Host: other",),
        ("X: a\0b",),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(lines: tuple[str, ...]) -> None:
    """The proxy and the host would not agree about where the request ends, or whom it is for."""
    with pytest.raises(BadRequest):
        LoneRequest(_Agent(), _head(*lines))


def test_a_body_that_cannot_be_read_breaks_the_connection() -> None:
    """What follows such a body is unknown."""

    async def story() -> None:
        request = _lone(_Agent(b"zz\r\n"), _head("Transfer-Encoding: chunked"))
        await request.read()
        with pytest.raises(OSError, match="cannot be read"):
            await request.read()

    play(story())


@given(st.binary(max_size=200), st.booleans())
def test_any_head_is_one_request_or_refused(data: bytes, is_begun: bool) -> None:
    """Nothing but BadRequest is raised, and the host gets one head."""
    head = (b"GET http://h/ HTTP/1.1\r\nHost: h\r\n" if is_begun else b"") + data + b"\r\n\r\n"
    head = head[: head.index(b"\r\n\r\n") + 4]

    async def story() -> None:
        try:
            request = _lone(_Agent(), head)
        except BadRequest:
            return
        assert (await request.read()).count(b"\r\n\r\n") == 1

    asyncio.run(story())


def test_a_second_request_reaches_no_host(tmp_path: Path) -> None:
    """Over sockets, to a host that keeps its connections open in spite of `Connection: close`."""
    stage, asked = Stage(tmp_path), bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            asked.extend(data)
            writer.write(_OK)
        writer.close()

    async def story() -> None:
        async with stage.playing(serve, plain=True):
            stream = await stage.connected()
            first = f"GET http://localhost:{stage.port}/first HTTP/1.1\r\nHost: h\r\n\r\n".encode()
            stream.send(first + _SECOND)
            assert (await heard(stream)).endswith(b"\r\nConnection: close\r\n\r\nok")
            await until(lambda: stage.seen().exchanges[1].ended_ns)

    play(story())
    assert asked.count(b"HTTP/1.1") == 1
    assert b"second" not in asked
    (exchange,) = stage.seen().exchanges.values()
    assert (exchange.path, exchange.status, exchange.broken_by) == ("/first", 200, None)
    assert not stage.seen().notes
