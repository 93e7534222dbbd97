"""Who is served: whoever has the word of a listener, or is this user."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import Collection
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from acp_trace.gate.peers import Connection
from acp_trace.model.proxy import listener
from acp_trace.model.proxy.admission import Admission
from acp_trace.model.secrets import Secrets
from tests.model.proxy.stage import Stage, heard, until
from tests.model.proxy.test_passing import play

_ENDS = ("127.0.0.1", 1), ("127.0.0.1", 2)


def _login(admission: Admission) -> bytes:
    """The login as clients send it: out of the URL."""
    login = admission.proxy_url("127.0.0.1", 9).removeprefix("http://").partition("@")[0]
    return base64.b64encode(login.encode())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"Basic %b", True),
        (b"basic   %b ", True),
        (b"Basic %bx", False),
        (b"Bearer %b", False),
        (b"%b", False),
        (b"Basic \xff", False),
        (b"", False),
    ],
)
def test_a_login(value: bytes, expected: bool) -> None:
    """The name of its scheme in any case, and the whole login."""
    admission = Admission(lambda _: ())
    value = value.replace(b"%b", _login(admission))
    assert asyncio.run(admission.admits_login(iter([b"Basic bWU6cHc=", value]), *_ENDS)) is expected
    assert asyncio.run(Admission(lambda asked: asked).admits_login(iter([]), *_ENDS))


@pytest.mark.parametrize(
    ("target", "rest"),
    [("WORD/v1/x?a=b", b"/v1/x?a=b"), ("WORD", b"/"), ("WORD?a", b"/?a"), ("WORDx/v1", None), ("/v1", None)],
)
def test_a_path(target: str, rest: bytes | None) -> None:
    """The word is the whole of the first segment, and the host does not get it."""
    admission = Admission(lambda _: ())
    asked = target.replace("WORD", admission.segment).encode()
    assert asyncio.run(admission.admits_path(asked, *_ENDS)) == rest
    assert asyncio.run(Admission(lambda asked: asked).admits_path(b"/v1", *_ENDS)) == b"/v1"


def test_the_words_of_two_listeners_are_not_guessed() -> None:
    """Each has its own, of 128 bits; every spelling of it is a secret."""
    first, second = Admission(), Admission()
    assert first.segment != second.segment
    assert len(first.segment) == 34
    secrets = Secrets({})
    for secret in first.secrets():
        secrets.learn(secret)
    said = f"{first.proxy_url('h', 1)} {first.segment}/v1 {_login(first).decode()}".encode()
    assert secrets.cut(said) == b"http://acp-trace:<cut>@h:1 /<cut>/v1 <cut>"


def test_one_look_is_for_all_who_wait() -> None:
    """Thousands of strangers do not make others wait for thousands of looks at the machine's sockets."""
    looks: list[int] = []

    def trusted(asked: Collection[Connection]) -> Collection[Connection]:
        looks.append(len(asked))
        return [each for each in asked if each[0][1] % 2]

    async def story() -> list[bool]:
        admission = Admission(trusted)
        peers = [("127.0.0.1", port) for port in range(1000)]
        return await asyncio.gather(*(admission.is_ours(peer, _ENDS[1]) for peer in peers))

    assert asyncio.run(story()) == [False, True] * 500
    assert looks == [1000]


def test_strangers_do_not_fill_the_trace(tmp_path: Path) -> None:
    """At a base URL, what is no request is noted for the agent only."""
    stage = Stage(tmp_path)

    async def story() -> None:
        async with stage.playing(_silent, plain=True, base=True, trusted=False):
            for _ in range(3):
                stream = await stage.connected()
                stream.send(b"GARBAGE\r\n\r\n")
                assert (await heard(stream)).startswith(b"HTTP/1.1 403 ")

    play(story())
    assert [json.loads(record.data) for record in stage.records] == [{"connection": {"turned_away": True}}]


@pytest.mark.parametrize("base", [False, True])
def test_another_user_of_the_machine_is_not_served(tmp_path: Path, *, base: bool) -> None:
    """Nothing of its requests reaches a host or the trace, which says once that somebody was turned away."""
    stage, asked = Stage(tmp_path), list[bytes]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await reader.read()
        writer.close()

    async def story() -> None:
        async with stage.playing(serve, plain=True, base=base, trusted=False):
            host = "" if base else f"http://localhost:{stage.port}"
            for line in (f"GET {host}/v1/stranger HTTP/1.1", f"CONNECT localhost:{stage.port} HTTP/1.1"):
                stream = await stage.connected()
                stream.send(f"{line}\r\nHost: h\r\nX: stranger\r\n\r\n".encode())
                answer = await heard(stream)
                if base:
                    assert answer.startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 400 ")), answer
                else:
                    assert answer.startswith(b"HTTP/1.1 407 "), answer
                    assert b"\r\nProxy-Authenticate: Basic " in answer
                assert b"\r\nConnection: close\r\n" in answer
            assert (asked, stage.seen().exchanges) == ([], {})
            stream = await stage.connected()
            target = f"{stage.admission.segment if base else host}/v1/agent"
            login = "" if base else f"Proxy-Authorization: Basic {_login(stage.admission).decode()}\r\n"
            here = f"127.0.0.1:{stage.proxy_port}"
            stream.send(f"GET {target} HTTP/1.1\r\nHost: {here}\r\n{login}\r\n".encode())
            assert (await heard(stream)).endswith(b"\r\n\r\nok")
            await until(lambda: stage.seen().exchanges)

    play(story())
    (exchange,) = stage.seen().exchanges.values()
    assert exchange.path == "/v1/agent"
    assert b"authorization" not in asked[0].lower()
    written = b"".join(record.data for record in stage.records)
    assert b"stranger" not in written
    assert not any(secret.encode() in written + asked[0] for secret in stage.admission.secrets())
    turned = [note for _, note in stage.seen().notes if "turned_away" in json.dumps(note)]
    assert len(turned) == 1


def test_a_tunnel_with_the_login(tmp_path: Path) -> None:
    """An agent that runs as another user has the login in its environment."""
    stage = Stage(tmp_path)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(5))
        writer.close()

    async def story() -> None:
        async with stage.playing(serve, plain=True, trusted=False):
            stream = await stage.connected()
            login = _login(stage.admission).decode()
            head = f"CONNECT localhost:{stage.port} HTTP/1.1\r\nproxy-authorization: Basic {login}\r\n\r\n"
            stream.send(head.encode())
            assert (await stream.read()).startswith(b"HTTP/1.1 200 ")
            stream.send(b"hello")
            assert await heard(stream) == b"hello"

    play(story())
    assert not any(b"turned_away" in record.data for record in stage.records)


def test_silent_connections_keep_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that send no request, whoever came first has to go; whoever asks is answered."""
    monkeypatch.setattr(listener, "_MOST_WAITING", 3)

    async def story() -> None:
        stage = Stage(tmp_path)
        async with asyncio.timeout(60), stage.playing(_silent, plain=True, trusted=False):
            silent = [await stage.connected() for _ in range(4)]
            for each in silent:
                each.send(b"GET ")
            with contextlib.suppress(OSError):
                assert await heard(silent[0]) == b""
            asking = await stage.connected()
            asking.send(b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert (await heard(asking)).startswith(b"HTTP/1.1 407 ")

    asyncio.run(story())


async def _silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A model that nobody reaches."""
    del reader
    writer.close()
