"""TLS by files: of the proxy to its client, and of the agent to the proxy; HTTP/2 on both sides."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from websockets.asyncio.client import connect

from acp_trace.transport.serving import Receive, Scope, Send, ServerTls
from tests.record.network.loopback import INITIALIZE, JSON, Agent, facts, footer, http, messages, recorded
from tests.transport.certificates import certificates


@pytest.fixture
def authority(tmp_path: Path) -> str:
    """The file of the authority that vouches for the server."""
    return certificates(tmp_path)[0]


@pytest.fixture
def tls(tmp_path: Path, authority: str) -> ServerTls:
    """The files of the server at 127.0.0.1."""
    return ServerTls(str(tmp_path / "server.pem"), str(tmp_path / "server.key"))


def test_both_sides_speak_http_2(tmp_path: Path, authority: str, tls: ServerTls) -> None:
    """Each trusts the file that it was given."""
    context = ssl.create_default_context(cafile=authority)
    agent = Agent()

    async def client(address: str) -> None:
        async with http(verify=context, http2=True) as web:
            answer = await web.post(f"https://{address}/acp", content=INITIALIZE, headers=JSON)
            assert (answer.status_code, answer.http_version) == (200, "HTTP/2")

    upstream = "https://AGENT"
    lines = recorded(
        tmp_path, agent, client, upstream=upstream, agent_tls=tls, tls=tls, authority=authority
    ).trace()
    assert messages(lines, "client") == agent.posted == [INITIALIZE]
    assert [request["protocol"] for request in facts(lines, "request")] == ["HTTP/2"]
    assert [response["protocol"] for response in facts(lines, "response")] == ["HTTP/2"]


def test_a_websocket_with_tls(tmp_path: Path, authority: str, tls: ServerTls) -> None:
    """On both sides."""
    context = ssl.create_default_context(cafile=authority)

    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})

    async def client(address: str) -> None:
        async with connect(f"wss://{address}/acp", proxy=None, ssl=context) as socket:
            await socket.send("{}")
            assert await socket.recv() == "{}"

    lines = recorded(
        tmp_path, echo, client, upstream="wss://AGENT", agent_tls=tls, tls=tls, authority=authority
    ).trace()
    assert messages(lines, "client") == messages(lines, "agent") == [b"{}"]


def test_an_agent_that_is_not_trusted(tmp_path: Path, tls: ServerTls) -> None:
    """Nothing is sent to it; the client and the trace have the reason."""
    agent = Agent()

    async def client(address: str) -> None:
        async with http() as web:
            answer = await web.post(f"http://{address}/acp", content=INITIALIZE, headers=JSON)
        assert answer.status_code == 502
        assert "CERTIFICATE_VERIFY_FAILED" in answer.text

    lines = recorded(tmp_path, agent, client, upstream="https://AGENT", agent_tls=tls).trace()
    assert not agent.seen
    assert "CERTIFICATE_VERIFY_FAILED" in footer(lines)["error"]
