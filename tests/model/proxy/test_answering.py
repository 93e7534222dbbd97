"""A replay's agent is answered from the recording: as any HTTP/1.1 server would, and as it was recorded."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography")

import h11

from acp_trace.model.journal import RECORDER_ENDED
from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.proxy import recorded_model, recorded_provider
from acp_trace.model.proxy.answers import ServedAnswer, TimedPiece
from acp_trace.model.proxy.recorded_model import RecordedModel
from acp_trace.model.proxy.settings import CancelledCall
from tests.docs.test_architecture import reached
from tests.model.proxy.recorded import HOST, Agent, Recorded, Replaying
from tests.model.proxy.stage import heard, until

_STREAM = (("content-type", "text/event-stream"), ("transfer-encoding", "chunked"), ("x-request-id", "r1"))
_EVENTS = [b'data: {"n":%d}\n\n' % n for n in (0, 1, 1)]


_PAUSE_S = 0.03  #: before a cut


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a second."""
    monkeypatch.setattr(recorded_model, "_BEFORE_CUT_S", _PAUSE_S)


def _asked(words: str) -> bytes:
    return b'{"model":"m","messages":[{"role":"user","content":"%b"}]}' % words.encode()


def _play(story: Coroutine[Any, Any, None]) -> None:
    async def in_time() -> None:
        async with asyncio.timeout(60):
            await story

    asyncio.run(in_time())


def test_requests_one_after_the_other(tmp_path: Path) -> None:
    """On one connection, in any form of a body; the run's trace has what the recording's has, and from where."""
    recorded = Recorded()
    recorded.add(_asked("a"), *_EVENTS, headers=_STREAM)
    recorded.add(_asked("b"), b'{"id":1}', headers=[("content-length", "99"), ("set-cookie", "s=secret-01")])
    recorded.add(b"", path="/v1/models", method="GET", status=204)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.ask(_asked("a"))
            head, body = await agent.answer()
            assert (head.status_code, head.reason, body) == (200, b"OK", b"".join(_EVENTS))
            assert (b"x-request-id", b"r1") in list(head.headers)
            chunked = [("host", HOST), ("transfer-encoding", "chunked"), ("expect", "100-continue")]
            agent.send(h11.Request(method="POST", target="/v1/messages", headers=chunked))
            assert (await agent.next()).status_code == 100
            agent.send(
                *(h11.Data(data=_asked("b")[at : at + 20]) for at in (0, 20, 40, 60)), h11.EndOfMessage()
            )
            head, body = await agent.answer()
            assert (list(head.headers), body) == ([(b"content-length", b"8")], b'{"id":1}')
            agent.ask(path="/v1/models", method="GET")
            assert (await agent.answer())[0].status_code == 204
            agent.ask(_asked("a"), method="HEAD", headers=())
            assert (await agent.answer())[1] == b""
            await agent.stream.close()

    _play(story())
    seen = list(stage.seen().exchanges.values())
    assert [chunk.data for chunk in seen[0].chunks] == _EVENTS
    assert stage.served() == [
        {"call": 1, "level": "raw"},
        {"call": 2, "level": "raw"},
        {"exchange": 3},
        {"is_refused": True},
    ]
    order = [bytes(record.data).partition(b":")[0] for record in stage.records if record.exchange == 1]
    assert order.index(b'{"served"') < order.index(b'{"response"')


def test_requests_that_do_not_wait_for_their_turn(tmp_path: Path) -> None:
    """Each gets its own answer, in their order."""
    recorded = Recorded()
    for words in "ab":
        recorded.add(_asked(words), words.encode() * 3)
    stage = Replaying(tmp_path, recorded)
    ask = b"POST /v1/messages HTTP/1.1\r\nHost: %b\r\nContent-Length: %d\r\n\r\n%b"
    both = [ask % (HOST.encode(), len(_asked(words)), _asked(words)) for words in "ba"]

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.stream.send(b"".join(both))
            got = b""
            while got.count(b"0\r\n\r\n") < 2:
                got += await agent.stream.read()
            assert 0 < got.index(b"bbb") < got.index(b"aaa")
            await agent.stream.close()

    _play(story())
    assert stage.served() == [{"call": 2, "level": "raw"}, {"call": 1, "level": "raw"}]


@pytest.mark.parametrize("side", ["agent", "provider"])
def test_a_stream_that_was_broken_off(tmp_path: Path, side: Any) -> None:
    """By its provider: it is cut off in the same place. By the agent: it goes on until that leaves again."""
    recorded = Recorded()
    recorded.add(_asked("a"), *_EVENTS, headers=_STREAM, broken=side)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.ask(_asked("a"))
            assert (await agent.next()).status_code == 200
            for event in _EVENTS:  # the same one twice, too
                assert bytes((await agent.next()).data) == event
            if side == "agent":
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.01):
                        await agent.next()
                agent.stream.abort()
            else:
                with pytest.raises(h11.RemoteProtocolError):
                    await agent.next()
                await agent.stream.close()
            await until(lambda: all(each.ended_ns for each in stage.seen().exchanges.values()))

    _play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert (exchange.broken_by, exchange.response_body) == (side, b"".join(_EVENTS))


def test_what_came_after_a_cancel_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that lets its model go on is cancelled in the same place; if it never is, it gets the rest later."""
    recorded = Recorded()
    for words in "abc":
        recorded.add(_asked(words), *_EVENTS, headers=_STREAM)
    stage = Replaying(tmp_path, recorded)
    stage_cancels = tuple(
        CancelledCall(number, each.chunks[1].t_ns, number)
        for number, each in recorded.read().exchanges.items()
    )
    monkeypatch.setattr(recorded_model, "_LEAST_NS", 0)

    async def story() -> None:
        async with stage.serving(cancels=stage_cancels):
            agent = await stage.agent()
            for (
                words
            ) in "ab":  # each waits for its own cancel: the first is over when the second call is made
                agent.ask(_asked(words))
                await agent.next()
                assert bytes((await agent.next()).data) == _EVENTS[0]
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.01):
                        await agent.next()
                stage.recorded.cancelled()
                assert [bytes((await agent.next()).data) for _ in range(2)] == _EVENTS[1:]
                await agent.next()
                agent.http.start_next_cycle()
            monkeypatch.setattr(recorded_model, "_PATIENCE_S", 0.01)
            agent.ask(_asked("c"))
            assert (await agent.answer())[1] == b"".join(_EVENTS)
            await agent.stream.close()

    _play(story())


def test_an_answer_fits_the_run(tmp_path: Path) -> None:
    """Directories and ids are the run's, in each piece; its keys are no difference. Once more is told."""
    was, now = "/home/ann/shop-7", "/tmp/run-8"
    then, today = "0b8e3f4a-1111-4222-8333-444455556666", "9c1d2e3f-aaaa-4bbb-8ccc-ddddeeeeffff"
    key, in_query = "sk-environment-0001", "sk-query-0002"
    recorded = Recorded()
    asked = f"In {was}, as {then}, with <cut> and <cut>."
    said = [f'data: {{"choices":[{{"delta":{{"content":"{word} "}}}}]}}\n\n'.encode() for word in (was, then)]
    recorded.add(_asked(asked), *said, path="/v1/messages?key=<cut>", headers=_STREAM)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving(places=((was, now),), environment={"SOME_KEY": key}, loose=False):
            agent = await stage.agent()
            for _ in range(2):
                asked = _asked(f"In {now}, as {today}, with {key} and {in_query}.")
                agent.ask(asked, path=f"/v1/messages?key={in_query}")
                _, body = await agent.answer()
                assert body == b"".join(said).replace(was.encode(), now.encode()).replace(
                    then.encode(), today.encode()
                )
            await agent.stream.close()

    _play(story())
    level = {"call": 1, "level": "environment"}
    assert stage.served() == [level, {**level, "again": True}]


def test_answers_that_cannot_be_given(tmp_path: Path) -> None:
    """What could not be decoded then is a miss, and what was not read to its end is cut off: neither is whole."""
    recorded = Recorded()
    recorded.add(_asked("a"), b"?", headers=[("content-encoding", "snappy")])
    recorded.add(_asked("b"), b"half", headers=_STREAM, broken="provider", why="not HTTP")
    recorded.add(_asked("c"), b"half", headers=_STREAM, broken="agent", why=RECORDER_ENDED)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.ask(_asked("a"))
            assert (await agent.answer())[0].status_code == 400
            agent.ask(_asked("b"))
            with pytest.raises(h11.RemoteProtocolError):
                await agent.answer()
            agent = await stage.agent()
            agent.ask(_asked("c"))
            await agent.next()
            assert bytes((await agent.next()).data) == b"half"
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await agent.next()
            agent.stream.abort()

    _play(story())
    assert stage.served() == [
        {"nearest": 1},
        {"call": 2, "level": "raw"},
        {"call": 3, "level": "raw"},
    ]


def test_answers_that_never_came(tmp_path: Path) -> None:
    """A provider that hung up without a word does so again."""
    recorded = Recorded()
    recorded.add(_asked("a"), status=None, broken="provider")
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.ask(_asked("a"))
            assert await heard(agent.stream) == b""

    _play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert (exchange.status, exchange.broken_by) == (None, "provider")


def test_errors_of_the_provider(tmp_path: Path) -> None:
    """With their status and their headers: how long to wait is what the provider said, at any pace."""
    error = b'{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}'
    headers = [("retry-after", "2"), ("x-should-retry", "true"), ("content-encoding", "gzip")]
    packed = gzip.compress(error)
    recorded = Recorded()
    recorded.add(_asked("a"), packed, status=429, headers=[*headers, ("content-length", "1")])
    recorded.add(_asked("a"), b'{"ok":1}', headers=[("content-length", "1")])
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            for status, body in ((429, error), (200, b'{"ok":1}')):
                agent.ask(_asked("a"))
                head, got = await agent.answer()
                assert (head.status_code, got) == (status, body)
                if status == 429:
                    assert head.reason == b"Too Many Requests"
                    said = dict(head.headers.raw_items())
                    assert (said[b"retry-after"], b"content-encoding" in said) == (b"2", False)
            await agent.stream.close()

    _play(story())
    assert stage.served() == [{"call": 1, "level": "raw"}, {"call": 2, "level": "raw"}]


def test_an_answer_of_http_1_0_is_one_again(tmp_path: Path) -> None:
    """An agent may take no other version than it knows, as for the answer to an upgrade."""
    recorded = Recorded()
    recorded.add(_asked("a"), b"one ", b"two", is_http_1_0=True)
    recorded.add(_asked("b"), b"three")
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            for name, version, said in (("a", b"1.0", b"one two"), ("b", b"1.1", b"three")):
                agent = await stage.agent()
                agent.ask(_asked(name))
                head, got = await agent.answer()
                assert (head.http_version, got) == (version, said)
                await agent.stream.close()

    _play(story())


def test_what_came_with_a_head_comes_with_it(tmp_path: Path) -> None:
    """For tungstenite, the body of a refused upgrade is what it has read with the head: codex shows that."""
    recorded = Recorded()
    upgrade = (("upgrade", "websocket"), ("connection", "Upgrade"))
    path = "/v1/responses"
    recorded.add(b"", b"no ", b"sockets", path=path, method="GET", status=404, asked=upgrade)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.ask(path=path, method="GET", headers=upgrade)
            read = await agent.stream.read()
            assert read.startswith(b"HTTP/1.1 404 ")
            assert b"no " in read
            assert b"sockets" in read
            await agent.stream.close()

    _play(story())


@pytest.mark.parametrize("side", ["agent", "provider"])
@pytest.mark.parametrize("pieces", [(), (b"one ", b"two")])
def test_an_answer_of_http_1_0_that_was_broken_off(
    tmp_path: Path, side: Any, pieces: tuple[bytes, ...]
) -> None:
    """It is one again, too, and never a whole one: codex leaves after the head that refuses its upgrade."""
    recorded = Recorded()
    recorded.add(_asked("a"), *pieces, status=404, is_http_1_0=True, broken=side)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.ask(_asked("a"))
            head = await agent.next()
            assert (head.status_code, head.http_version) == (404, b"1.0")
            assert b"transfer-encoding" not in dict(head.headers)
            left = len(b"".join(pieces))
            while left:
                left -= len((await agent.next()).data)
            with pytest.raises(TimeoutError if side == "agent" else h11.RemoteProtocolError):
                async with asyncio.timeout(0.01 if side == "agent" else None):
                    await agent.next()
            agent.stream.abort()

    _play(story())


def test_what_is_not_recorded_is_refused(tmp_path: Path) -> None:
    """As its provider would word it, and nobody is asked; what could not be reached then cannot be now."""
    recorded = Recorded()
    recorded.add(_asked("a"), b"{}")
    recorded.add(path="/v1/things/0f5a7d50-1111-4222-8333-944445555666?x=1", method="GET", status=404)
    recorded.add(path="/v1/things/0f5a7d50-1111-4222-8333-944445555667?x=1", method="GET", status=302)
    recorded.notes.append({"connection": {"host": "far.example", "failed": "no such host"}})
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving(loose=False):
            agent = await stage.agent()
            # Without `loose`, the same words are not enough.
            agent.ask(_asked("a").replace(b"}]", b'}],"max_tokens":5'))
            head, body = await agent.answer()
            assert head.status_code == 400
            assert b"the recording has no such request" in body
            agent.ask(path="/v1/things/0f5a7d50-1111-4222-8333-944445555666", method="DELETE")
            assert (await agent.answer())[0].status_code == 502
            for number, status in ((7, 404), (8, 302), (9, 302)):
                agent.ask(path=f"/v1/things/3f5a7d50-1111-4222-8333-94444555566{number}", method="GET")
                head, body = await agent.answer()
                assert (head.status_code, body) == (status, b"")
            agent.ask(path="/v1/others", method="GET")
            head, body = await agent.answer()
            assert (head.status_code, b"no such request" in body) == (502, True)
            _, refused = await stage.tunnel("far.example", 443)
            assert refused.startswith("HTTP/1.1 502 ")
            assert "no such host" in refused
            await agent.stream.close()

    _play(story())
    assert stage.served() == [
        {"nearest": 1},
        {"is_refused": True},
        {"exchange": 2},
        {"exchange": 3},
        {"exchange": 3, "again": True},
        {"is_refused": True},
    ]


def test_nothing_is_ever_connected_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by what is there to serve, which knows no way to, nor in fact."""
    package = "acp_trace.model.proxy"
    used = reached([f"{package}.recorded_upstream"], at_start_only=False)
    assert f"{package}.upstream" not in used
    assert not {"socket", "urllib.request", "http.client"} & used
    asked = list[Any]()
    connect = socket.socket.connect

    def spied(self: socket.socket, address: Any) -> None:
        asked.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", spied)
    recorded = Recorded()
    recorded.add(_asked("a"), b"{}")
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving():
            for host in (HOST, "127.0.0.1", "new.example"):
                agent = await stage.agent(host)
                agent.ask(_asked("a"))
                await agent.answer()
                await agent.stream.close()
            plain = await stage.connected()
            plain.send(b"GET http://plain.example/x HTTP/1.1\r\nHost: plain.example\r\n\r\n")
            assert (await heard(plain)).startswith(b"HTTP/1.1 502 ")

    _play(story())
    assert asked == [("127.0.0.1", stage.proxy_port)] * 4


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_base_url(tmp_path: Path, scheme: str) -> None:
    """What went to one is answered there, without a tunnel."""
    recorded = Recorded()
    recorded.add(_asked("a"), *_EVENTS, host="localhost:11434", headers=_STREAM)
    stage = Replaying(tmp_path, recorded)

    async def story() -> None:
        async with stage.serving(base=f"{scheme}://localhost:11434/v1"):
            agent = Agent(await stage.connected(), f"127.0.0.1:{stage.proxy_port}")
            agent.ask(_asked("a"))
            assert (await agent.answer())[1] == b"".join(_EVENTS)

    _play(story())
    assert stage.served() == [{"call": 1, "level": "raw"}]


def test_a_mistake_in_the_answering_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent does not wait for ever; nor if the recording cannot be read."""
    recorded = Recorded()
    recorded.add(_asked("a"), b"{}")
    stage = Replaying(tmp_path, recorded)
    monkeypatch.setattr(Matcher, "match", lambda *_: 1 / 0)

    async def story() -> None:
        async with stage.serving():
            agent = await stage.agent()
            agent.ask(_asked("a"))
            assert await heard(agent.stream) == b""
            agent = await stage.agent()
            agent.stream.send(b"\x00\x01\r\n\r\n")
            with contextlib.suppress(OSError):
                assert not (await heard(agent.stream)).startswith(b"HTTP/1.1 200")
        (tmp_path / "recording.jsonl").write_bytes(b"nonsense")
        async with stage.serving():
            _, refused = await stage.tunnel(HOST, 443)
            assert "the recording cannot be read" in refused

    _play(story())
    assert b"ZeroDivisionError" in b"".join(record.data for record in stage.records)


@pytest.mark.parametrize(("pace", "least"), [(0.0, 0.0), (2.0, 1e-6)])
def test_pieces_come_at_the_pace_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, pace: float, least: float
) -> None:
    """Of the recorded pauses, so much; without any, at once."""
    answer = ServedAnswer({}, 200, pieces=[TimedPiece(n * 10**9, b"x") for n in range(3)])
    waits = _waits(answer, pace, monkeypatch)
    assert waits == pytest.approx([pace * n for n in range(3)], abs=0.5)
    assert max(waits) >= least


@pytest.mark.parametrize(
    ("last_ms", "waits"), [((100,), [0, 0, _PAUSE_S]), ((985, 990), [0, 0, _PAUSE_S, 0]), ((), [0, _PAUSE_S])]
)
def test_what_comes_before_a_cut_has_its_time(
    monkeypatch: pytest.MonkeyPatch, last_ms: tuple[int, ...], waits: list[float]
) -> None:
    """At any pace: an agent loses with its connection what it has not taken. What came with the cut comes with it."""
    pieces = [TimedPiece(ms * 10**6, b"x") for ms in (0, *last_ms)]
    answer = ServedAnswer({}, 200, (), pieces, "cut", cut_ns=10**9)
    assert _waits(answer, 0.0, monkeypatch) == pytest.approx(waits, abs=0.01)


def test_pauses_are_counted_from_the_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those after the head as well: the time until that came is not waited for twice."""
    recorded = Recorded()
    recorded.add(_asked("a"), *_EVENTS, headers=_STREAM)
    (exchange,) = recorded.read().exchanges.values()
    stage, waits, sleep = Replaying(tmp_path, recorded), list[float](), asyncio.sleep
    monkeypatch.setattr(recorded_provider, "_AT_ONCE_NS", 0)

    async def slept(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    async def story() -> None:
        loop = asyncio.get_running_loop()
        clock = loop.time
        monkeypatch.setattr(loop, "time", lambda: clock() + sum(waits))
        async with stage.serving(pace=10.0**6):  # a second for each microsecond
            agent = await stage.agent()
            monkeypatch.setattr(asyncio, "sleep", slept)
            agent.ask(_asked("a"))
            assert (await agent.answer())[1] == b"".join(_EVENTS)
            await agent.stream.close()

    _play(story())
    after_us = (exchange.chunks[-1].t_ns - (exchange.sent_ns or 0)) / 1000
    assert sum(waits) == pytest.approx(after_us, abs=0.5)


def _waits(answer: ServedAnswer, pace: float, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long is waited before each piece of an answer and after the last, all since its head, in seconds."""
    waits = list[float]()
    sleep = asyncio.sleep

    async def slept(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", slept)
    replayed = RecordedModel(lambda: None, None, pace, lambda *_: None)  # type: ignore[arg-type,return-value]

    async def story() -> None:
        began = asyncio.get_running_loop().time()
        assert [piece.data async for piece in replayed.paced(answer, began)] == [b"x"] * len(answer.pieces)

    _play(story())
    return waits
