"""Bytes go past as they are, at once, whoever speaks what; and the trace has what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cryptography")

from acp_trace.model.exchange import ModelExchange
from acp_trace.model.proxy import heads
from acp_trace.model.proxy.connections import Unreachable
from acp_trace.model.proxy.heads import BadRequest
from acp_trace.model.proxy.streams import Plain, Stream, Tls
from acp_trace.model.records import Record
from acp_trace.model.wire.http2 import PREFACE
from tests.model.proxy.stage import Stage, heard, until
from tests.model.wire.speaking import H2

_BODY = b'{"messages":[]}'
#: Spelt as no library spells it: what is passed on has to be these bytes.
_ASK = (
    b"POST /v1/messages HTTP/1.1\r\nhOST:   localhost\r\nContent-LENGTH: 15\r\nX-Api-Key: sk-header-0123\r\n\r\n"
    + _BODY
)
_ANSWER = b"HTTP/1.1 200 Fine, thanks\r\ntransfer-Encoding: chunked\r\n\r\n"


def play(story: Coroutine[Any, Any, None]) -> None:
    async def in_time() -> None:
        async with asyncio.timeout(60):
            await story

    asyncio.run(in_time())


def test_each_piece_at_once_and_byte_for_byte(tmp_path: Path) -> None:
    """The next piece of a stream is only sent when the agent has the one before."""
    stage, asked, arrived = Stage(tmp_path), list[bytes](), [asyncio.Event() for _ in range(5)]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readexactly(len(_ASK)))
        writer.write(_ANSWER)
        for n, event in enumerate(arrived):
            writer.write(b"7\r\ndata: %d\r\n" % n)
            await event.wait()
        writer.write(b"0\r\n\r\n")
        writer.close()

    async def story() -> None:
        async with stage.playing(serve):
            agent = await stage.secure("h2", "http/1.1")
            assert agent.protocol == "http/1.1"
            agent.send(_ASK)
            got = b""
            for n, event in enumerate(arrived):
                while b"data: %d" % n not in got:
                    got += await agent.read()
                event.set()
            got += await heard(agent)
            assert got == _ANSWER + b"".join(b"7\r\ndata: %d\r\n" % n for n in range(5)) + b"0\r\n\r\n"
            assert asked == [_ASK]
            await agent.close()

    play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert [chunk.data for chunk in exchange.chunks] == [b"data: %d" % n for n in range(5)]
    assert (exchange.request_body, exchange.status, exchange.broken_by) == (_BODY, 200, None)
    assert dict(exchange.request_headers)["x-api-key"] is None


class _Batches(list[Record]):
    """Records, and what was sent in one go: that has one time."""

    def __init__(self) -> None:
        self.batches: list[bytes] = []

    def extend(self, records: Iterable[Record]) -> None:
        """Takes them in."""
        batch = list(records)
        self.batches.append(b"".join(bytes(record.data) for record in batch))
        super().extend(batch)


def test_http_2_is_spoken_on_both_sides(tmp_path: Path) -> None:
    """If the provider wants it; the frames are those that were sent. All of one read has the same time."""
    stage, speech, answer = Stage(tmp_path), H2(), H2()
    stage.records = written = _Batches()
    ask = (
        PREFACE
        + H2.settings()
        + speech.head(1, (":method", "POST"), (":path", "/v1/responses"), (":authority", "localhost"))
    )
    ask += H2.data(1, b'{"input":', pad=3) + H2.data(1, b'"x"}', ends=True)
    back = H2.settings() + answer.head(1, (":status", "200")) + H2.data(1, b"a") + H2.data(1, b"b", ends=True)
    asked = list[bytes]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readexactly(len(ask)))
        writer.write(back)
        await reader.read()
        writer.close()

    async def story() -> None:
        async with stage.playing(serve, protocol="h2"):
            agent = await stage.secure("h2", "http/1.1")
            assert agent.protocol == "h2"
            agent.send(ask)
            assert await heard(agent, len(back)) == back
            assert asked == [ask]
            await agent.close()

    play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert (exchange.protocol, exchange.request_body, exchange.response_body) == (
        "h2",
        b'{"input":"x"}',
        b"ab",
    )
    (read,) = [batch for batch in written.batches if b'"response":' in batch]
    assert b'"received_end":' in read


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers each request with what came, head and body."""
    while head := await reader.readuntil(b"\r\n\r\n"):
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        got = head + await reader.readexactly(size)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(got) + got)
        if b"connection: close" in head.lower():
            writer.close()
            return


def _swallowing_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Any:
    async def serve() -> None:
        try:
            await _echo(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    return serve()


def test_a_mapped_host_is_answered_from_elsewhere(tmp_path: Path) -> None:
    """TLS towards the agent all the same, and what it says reaches there as it is."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(
            _swallowing_the_end, plain=True, hosts="api.openai.com=http://127.0.0.1:PORT"
        ):
            agent = await stage.secure("h2", "http/1.1", host="api.openai.com")
            assert agent.protocol == "http/1.1"
            for _ in range(2):
                agent.send(_ASK)
                assert (await heard(agent, len(_ASK) + 39)).endswith(_ASK)
            await agent.close()
            await until(lambda: len(stage.seen().exchanges) == 2)

    play(story())
    assert [exchange.request_body for exchange in stage.seen().exchanges.values()] == [_BODY] * 2


@pytest.mark.parametrize("base", [False, True])
def test_a_plain_request_reaches_its_host_as_one_to_it(tmp_path: Path, *, base: bool) -> None:
    """In the form for proxies, or to a base URL, which may lead to TLS."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_swallowing_the_end, plain=not base, base=base):
            agent = await stage.connected()
            target = "/v1/messages" if base else f"http://localhost:{stage.port}/v1/messages"
            host = f"127.0.0.1:{stage.proxy_port}" if base else "me"
            head = f"POST {target} HTTP/1.1\r\nHost: {host}\r\nProxy-Connection: x\r\nContent-Length: 15\r\nX: y\r\n\r\n"
            agent.send(head.encode() + _BODY)
            got = await heard(agent)
            assert got.endswith(
                f"POST /v1/messages HTTP/1.1\r\nHost: localhost:{stage.port}\r\nContent-Length: 15\r\nX: y\r\n"
                "Connection: close\r\n\r\n".encode()
                + _BODY
            )
            await agent.close()
            await until(lambda: stage.seen().exchanges)

    play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert (exchange.path, exchange.request_body, exchange.status) == ("/v1/messages", _BODY, 200)


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    """A host that is not there, one with a wrong certificate, and what is not a request."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_swallowing_the_end):
            stream, answer = await stage.tunnel("localhost", 1)
            assert answer.startswith("HTTP/1.1 502 ")
            assert "localhost cannot be reached: " in answer
            for words in (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"nonsense\r\n\r\n"):
                stream = await stage.connected()
                stream.send(words)
                assert (await heard(stream)).startswith(b"HTTP/1.1 400 ")
            with pytest.raises(OSError):  # noqa: PT011
                await stage.secure(host="127.0.0.1")

    play(story())
    notes = [event["connection"] for _, event in stage.seen().notes]
    assert [note.get("host") for note in notes] == ["localhost", None, None, "127.0.0.1"]
    assert "127.0.0.1" in notes[3]["failed"]


def test_an_agent_with_certificates_of_its_own_reaches_its_host(tmp_path: Path) -> None:
    """Its first connection fails; from then on nobody stands between, and the bytes are counted."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_swallowing_the_end):
            with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
                await stage.secure(authority=stage.theirs)
            await until(lambda: stage.seen().notes)
            agent = await stage.secure(authority=stage.theirs)
            agent.send(_ASK)
            assert (await heard(agent, len(_ASK) + 39)).endswith(_ASK)
            await agent.close()
            await until(lambda: len(stage.seen().notes) == 2)

    play(story())
    first, second = (event["connection"] for _, event in stage.seen().notes)
    assert "UNKNOWN_CA" in first["refused"].upper().replace(" ", "_")
    assert second["unread"] is True
    assert second["sent_bytes"] > len(_ASK)
    assert not stage.seen().exchanges


@pytest.mark.parametrize("first", ["agent", "provider"])
def test_what_is_no_http_passes(tmp_path: Path, first: str) -> None:
    """Inside of a tunnel anything may be said, by either side first."""
    stage = Stage(tmp_path)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if first == "provider":
            writer.write(b"220 hello\r\n")
        writer.write(await reader.readexactly(6))
        writer.close()

    async def story() -> None:
        async with stage.playing(serve, plain=True):
            stream, _ = await stage.tunnel()
            if first == "provider":
                assert await heard(stream, 11) == b"220 hello\r\n"
            stream.send(b"\x00hello")
            assert await heard(stream) == b"\x00hello"
            await stream.close()

    play(story())
    (note,) = (event["connection"] for _, event in stage.seen().notes)
    assert note["unreadable"]


def test_a_mistake_in_the_reading_costs_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the journal raises: the traffic goes on, and the trace says why there is no more of it."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_swallowing_the_end):
            monkeypatch.setattr(stage.traffic.journal, "take", dict[object, str]().pop)
            agent = await stage.secure()
            for _ in range(2):
                agent.send(_ASK)
                assert (await heard(agent, len(_ASK) + 39)).endswith(_ASK)
            await agent.close()

    play(story())
    (note,) = (event["connection"] for _, event in stage.seen().notes)
    assert note["unreadable"].startswith("KeyError in ")
    assert b"sk-header-0123" not in b"".join(record.data for record in stage.records)


@pytest.mark.parametrize("side", ["agent", "provider"])
def test_who_breaks_off_is_told(tmp_path: Path, side: str) -> None:
    """In the middle of a stream; the other one notices, as it would without a proxy."""
    stage = Stage(tmp_path)
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(len(_ASK))
        writer.write(_ANSWER + b"4\r\nhalf\r\n")
        await writer.drain()
        if side == "provider":
            writer.transport.abort()
        else:
            await reader.read()
        gone.set()
        writer.close()

    async def story() -> None:
        async with stage.playing(serve):
            agent = await stage.secure()
            agent.send(_ASK)
            await heard(agent, len(_ANSWER) + 9)
            if side == "agent":
                agent.abort()
            else:
                assert await _rest(agent) == b""
            await gone.wait()
            await until(lambda: any(exchange.ended_ns for exchange in stage.seen().exchanges.values()))

    play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert (exchange.broken_by, exchange.response_body) == (side, b"half")


async def _rest(agent: Stream) -> bytes:
    try:
        return await heard(agent)
    except OSError:
        return b""


@pytest.mark.slow
def test_many_streams_beside_each_other(tmp_path: Path) -> None:
    """200 connections at once, each with its own answer."""
    stage = Stage(tmp_path)
    ask = b"POST /v1/messages?n=%d HTTP/1.1\r\nHost: api\r\nContent-Length: 15\r\n\r\n" + _BODY

    async def one(n: int) -> None:
        agent = await stage.secure(host="api")
        agent.send(ask % n)
        assert (await heard(agent, len(ask % n) + 39)).endswith(ask % n)
        await agent.close()

    async def story() -> None:
        async with stage.playing(_swallowing_the_end, plain=True, hosts="api=http://127.0.0.1:PORT"):
            await asyncio.gather(*(one(n) for n in range(200)))
            await until(lambda: sum(b'"end"' in record.data for record in stage.records) == 200)

    play(story())
    seen = stage.seen().exchanges.values()
    assert {exchange.path for exchange in seen} == {f"/v1/messages?n={n}" for n in range(200)}
    assert all(exchange.request_body == _BODY and not exchange.broken_by for exchange in seen)


@pytest.mark.slow
def test_64_megabytes_both_ways(tmp_path: Path) -> None:
    """The same bytes with the proxy as without, and the trace has all of them."""
    stage = Stage(tmp_path)
    body = b'{"messages":[],"x":"' + bytes(range(97, 123)) * (64 * 40330) + b'"}'
    head = b"POST /v1/messages HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(
        body
    )

    async def story() -> None:
        async with stage.playing(_swallowing_the_end):
            agent = await stage.secure()
            agent.send(head + body)
            await agent.drain()
            chunks = []
            while more := await agent.read():
                chunks.append(more)
            assert b"".join(chunks).endswith(head + body)
            await agent.close()

    play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert exchange.request_body == body
    assert exchange.response_body == head + body


_TARGETS = (
    *(
        "127.0.0.1:-1",
        "host:0",
        "host:99999",
        "host:+1",
        "host:1_0",
        "host:x",
        "host:\u0664",
        ":443",
        "",
        "@",
    ),
    *("[::1", "::1]", "[::1]x:1", "[x]:1", "::1:443", "user:secret-9999@host:443", "@host:443", "a\0b:443"),
    *("http://host/", "/", "*", "a/b:1", "a?b:1", "a b:1"),
)


def test_a_tunnel_to_what_is_not_a_host(tmp_path: Path) -> None:
    """Each is refused in the same way; nothing of it is in the trace, which says that it was so."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_swallowing_the_end):
            for target in _TARGETS:
                stream = await stage.connected()
                stream.send(f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
                assert (await heard(stream)).startswith(b"HTTP/1.1 400 "), target
            for host in ("..", "a" * 70, f"{'a.' * 200}a"):  # DNS has no such names
                stream = await stage.connected()
                stream.send(f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
                assert (await heard(stream)).startswith(b"HTTP/1.1 502 "), host

    play(story())
    notes = [event["connection"] for _, event in stage.seen().notes]
    assert len(notes) == len(_TARGETS) + 3
    assert all(note["failed"] for note in notes)
    assert b"secret-9999" not in b"".join(record.data for record in stage.records)


@given(st.text(max_size=60) | st.from_regex(r"[a-z\[\]@.:0-9-]{0,20}", fullmatch=True))
def test_any_target_is_a_host_and_a_port_or_refused(target: str) -> None:
    """Nothing else is raised, and what is taken can be connected to."""
    try:
        host, port = heads.named(target, 443)
    except BadRequest:
        return
    assert host
    assert 0 < port < 65_536
    assert not set(host) & set("@/[] \0\r\n")


def test_a_mistake_costs_one_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is raised, the agent gets the end of its connection, and the trace the reason without a quote."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_swallowing_the_end):
            monkeypatch.setattr(stage.upstream, "connect", dict[object, str]().pop)
            stream, answer = await stage.tunnel()
            assert (answer, await _rest(stream)) == ("", b"")

    play(story())
    (note,) = (event["connection"] for _, event in stage.seen().notes)
    assert note["failed"].startswith("TypeError in ")


@pytest.mark.parametrize("is_said", [True, False])
def test_an_answer_that_may_be_cut_is_not_whole(tmp_path: Path, *, is_said: bool) -> None:
    """TLS says whether a connection that ends a body was cut. The agent learns that as from its provider."""
    stage = Stage(tmp_path)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        below = Plain(reader, writer)
        tls = Tls(below, stage.theirs.context("localhost", "http/1.1"))
        await tls.handshake()
        await tls.read()
        tls.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
        await (tls if is_said else below).close()

    async def story() -> None:
        async with stage.playing(serve, plain=True):
            agent = await stage.secure("http/1.1")
            agent.send(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert (await heard(agent)).endswith(b"data: 1\n\n")
            assert agent.is_cut != is_said
            await until(lambda: stage.seen().exchanges and seen().ended_ns)
        assert seen().broken_by == (None if is_said else "provider")

    def seen() -> ModelExchange:
        (exchange,) = stage.seen().exchanges.values()
        return exchange

    play(story())


def test_a_name_with_a_nul_is_not_the_name_of_a_host(tmp_path: Path) -> None:
    """It costs its connection, and is no mistake of ours."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_echo):
            stream = Plain(*await asyncio.open_connection("127.0.0.1", stage.port))
            with pytest.raises(Unreachable, match="not the name of a host"):
                await stage.upstream.tls(stream, "a\0b", ("http/1.1",))
            stream.abort()

    play(story())
