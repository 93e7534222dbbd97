"""The client's side of both transports: messages to and fro, and one line for whatever goes wrong."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from acp_trace.transport.address import remote_address
from acp_trace.transport.client import opened
from acp_trace.transport.client_link import ClientFault, Link
from acp_trace.transport.remote import given_header, reached
from acp_trace.transport.served import ServedConnection
from acp_trace.transport.serving import Receive, Scope, Send
from tests.support import DEADLINE_S, request, result
from tests.transport.background import answered, served
from tests.transport.talk import Agent, chunk, prompt

MOST = 1 << 20
SCHEMES = ("http", "ws")


def linked(url: str, use: Callable[[Link], Awaitable[None]], *headers: str) -> None:
    """Uses a link, and closes it. `headers`: what it sends with each request."""
    given = [given_header(text) for text in headers]
    agent = reached(remote_address(url), authorities=None, given=given, environment={"TOKEN": "s3cret"})

    async def run() -> None:
        link = await opened(agent, most_bytes=MOST)
        try:
            await use(link)
        finally:
            await link.close()

    asyncio.run(asyncio.wait_for(run(), DEADLINE_S))


async def say(link: Link, message: dict[str, Any]) -> None:
    await link.send(json.dumps(message).encode())


async def hear(link: Link) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(await link.receive())
    return message


def broken(url: str, *headers: str) -> str:
    """The line of a link on which `initialize` has no answer."""

    async def use(link: Link) -> None:
        await say(link, request(0, "initialize", protocolVersion=1))
        while True:
            await link.receive()

    with pytest.raises(ClientFault) as fault:
        linked(url, use, *headers)
    return str(fault.value)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_conversation(scheme: str) -> None:
    """Answers, updates and requests of the agent, in two sessions; an answer goes back to its request."""

    async def use(link: Link) -> None:
        await say(link, request(0, "initialize", protocolVersion=1))
        assert (await hear(link))["result"]["agentInfo"]["name"] == "served"
        await say(link, request(1, "session/new", cwd="/w"))
        assert await hear(link) == result(1, sessionId="live-1")
        await say(link, prompt(2, "live-1", "read"))
        assert await hear(link) == chunk("live-1", "Let me look")
        assert (await hear(link))["method"] == "fs/read_text_file"
        await say(link, result(7, content="eggs"))
        assert await hear(link) == chunk("live-1", "It says eggs")
        assert await hear(link) == result(2, stopReason="end_turn")
        await say(link, request(3, "session/new", cwd="/w"))
        assert await hear(link) == result(3, sessionId="live-2")
        await say(link, prompt(4, "live-2", "hold"))
        assert await hear(link) == chunk("live-2", "Hm")
        await say(link, {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "live-2"}})
        assert await hear(link) == result(4, stopReason="cancelled")

    with answered(Agent()) as address:
        linked(f"{scheme}://{address}", use)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bytes_stay_what_they_are(scheme: str) -> None:
    """Spaces, escapes and the order of keys, both ways; newlines between tokens from the agent."""
    begins = json.dumps(request(0, "initialize")).encode()
    sent = b'{ "jsonrpc":"2.0",  "method":"x","params":{"b":1.0,"a":"\\u00e9 \xc3\xa9"} }'
    came: list[bytes] = []

    async def agent(connection: ServedConnection) -> None:
        while (data := await connection.receive()) is not None:
            came.append(data)
            connection.send(
                json.dumps(result(0)).encode() if data == begins else b'{"jsonrpc":"2.0",\n"method":"y"}'
            )

    async def use(link: Link) -> None:
        await link.send(begins)
        await link.receive()
        await link.send(sent)
        assert await link.receive() == b'{"jsonrpc":"2.0",\n"method":"y"}'

    with answered(agent) as address:
        linked(f"{scheme}://{address}", use)
    assert came == [begins, sent]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nobody_is_there(scheme: str, unanswered: str) -> None:
    """A port at which no server listens."""
    assert broken(f"{scheme}://{unanswered}") == f"{scheme}://{unanswered}/acp: Connection refused"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_another_path(scheme: str) -> None:
    """The status, and what the server says of it."""
    with answered(Agent()) as address:
        line = broken(f"{scheme}://{address}/other")
    assert line.startswith(f"{scheme}://{address}/other: ")
    assert "was answered with 404" in line


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_agent_leaves(scheme: str) -> None:
    """In the middle of a turn: its server ends the connection."""

    async def use(link: Link) -> None:
        await say(link, request(0, "initialize"))
        await hear(link)
        await say(link, request(1, "session/new", cwd="/w"))
        await hear(link)
        await say(link, prompt(2, "live-1", "read"))
        await link.receive()

    with answered(Agent("leaves")) as address, pytest.raises(ClientFault) as fault:
        linked(f"{scheme}://{address}", use)
    assert "ended" in str(fault.value) or "closed the WebSocket" in str(fault.value)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_message_beyond_the_limit(scheme: str) -> None:
    """Is not kept in memory: the link is over."""

    async def agent(connection: ServedConnection) -> None:
        while (data := await connection.receive()) is not None:
            if json.loads(data)["method"] == "initialize":
                connection.send(json.dumps(result(0)).encode())
            else:
                connection.send(json.dumps({"method": "x" * (MOST + 2)}).encode())

    async def use(link: Link) -> None:
        await say(link, request(0, "initialize"))
        await hear(link)
        await say(link, {"jsonrpc": "2.0", "method": "more"})
        await link.receive()

    with answered(agent) as address, pytest.raises(ClientFault, match="more than 1 MB"):
        linked(f"{scheme}://{address}", use)


class Odd:
    """A server over HTTP whose answers are given: of POST, then of GET. One is a status, a kind and a body."""

    def __init__(self, post: tuple[int, str, bytes], get: tuple[int, str, bytes] = (200, "", b"")) -> None:
        self._answers = {"POST": post, "GET": get}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" or scope["method"] == "DELETE":
            return
        while (await receive()).get("more_body"):
            pass
        status, kind, body = self._answers[scope["method"]]
        headers = [(b"content-type", kind.encode()), (b"acp-connection-id", b"c")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


OK = (200, "application/json", json.dumps(result(0)).encode())
EVENTS = "text/event-stream"


@pytest.mark.parametrize(
    ("server", "line"),
    [
        (
            Odd((500, "text/plain", b"out of\norder")),
            "initialize was answered with 500 Internal Server Error: out of order",
        ),
        (Odd((403, "text/html", b"<html>")), "initialize was answered with 403 Forbidden"),
        (
            Odd((200, "text/html", b"<html>")),
            "initialize was answered with text/html, not with a message in JSON",
        ),
        (
            Odd((200, "application/json", b"")),
            "initialize was answered with application/json, not with a message in JSON",
        ),
        (Odd(OK, (404, "text/plain", b"")), "the connection's stream was answered with 404 Not Found"),
        (
            Odd(OK, (200, "text/plain", b"")),
            f"the connection's stream was answered with text/plain, not with {EVENTS}",
        ),
        (Odd(OK, (200, EVENTS, b"")), "the connection's stream was ended by the agent's server"),
        (Odd(OK, (200, EVENTS, b'data: {"json')), "the connection's stream ended within an event"),
        (Odd(OK, (200, EVENTS, b"data: 1\n")), "the connection's stream ended within an event"),
    ],
    ids=lambda value: value.replace(" ", "-")[:60] if isinstance(value, str) else "",
)
def test_odd_answers(server: Odd, line: str) -> None:
    """Each has a line that says what was answered with what."""
    with served(server) as address:
        assert broken(f"http://{address}") == f"http://{address}/acp: {line}"


@pytest.mark.parametrize(
    ("coding", "body", "line"),
    [
        ("gzip", gzip.compress(bytes(64 << 10)), "not with a message in JSON"),
        ("gzip", gzip.compress(bytes(32 << 20)), "more than 1 MB"),
        ("gzip, gzip", gzip.compress(gzip.compress(bytes(32 << 20))), "more than 1 MB"),
        ("gzip", b"no gzip", "its body cannot be decoded: damaged gzip"),
        ("x-new", b"{}", "its body cannot be decoded: coding 'x-new' is not known"),
    ],
    ids=["small", "bomb", "bomb in a bomb", "damaged", "unknown"],
)
def test_an_answer_is_decoded_within_its_limit(coding: str, body: bytes, line: str) -> None:
    """A server may compress what it was asked not to compress; no more is decoded than is taken."""

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        headers = [(b"content-type", b"application/json"), (b"content-encoding", coding.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    tracemalloc.start()
    try:
        with served(server) as address:
            assert line in broken(f"http://{address}/acp")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_redirect_is_not_followed() -> None:
    """Nobody has said that the agent may be there."""

    async def redirect(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        kind = "websocket.http" if scope["type"] == "websocket" else "http"
        headers = [(b"location", b"http://127.0.0.1:1/acp")]
        await send({"type": f"{kind}.response.start", "status": 307, "headers": headers})
        await send({"type": f"{kind}.response.body", "body": b""})

    with served(redirect) as address:
        assert "was answered with 307" in broken(f"http://{address}")
        assert "was answered with 307" in broken(f"ws://{address}")


def test_credentials_of_the_url() -> None:
    """Go into a header, with every request, and into no line."""
    came: list[str] = []

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        came.append(headers.get("authorization", ""))
        await Odd((401, "text/plain", b""))(scope, receive, send)

    with served(server) as address:
        line = broken(f"http://me:s%20cret@{address}")
    assert came == ["Basic bWU6cyBjcmV0"]
    assert line == f"http://{address}/acp: initialize was answered with 401 Unauthorized"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_headers_that_were_given(scheme: str) -> None:
    """Go with every request, also in the place of the library's own; a server that repeats them is not shown."""
    came: list[tuple[str, str]] = []

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        came.append((headers.get("authorization", ""), headers["user-agent"]))
        kind = "websocket.http" if scope["type"] == "websocket" else "http"
        body = b"unknown token s3cret"
        await send({"type": f"{kind}.response.start", "status": 403, "headers": []})
        await send({"type": f"{kind}.response.body", "body": body})

    with served(server) as address:
        line = broken(f"{scheme}://{address}", "Authorization: Bearer ${TOKEN}", "User-Agent: a test")
    assert came == [("Bearer s3cret", "a test")]
    assert "403 Forbidden" in line
    assert "s3cret" not in line
    assert ("unknown token ‹hidden›" in line) is (scheme == "http")
