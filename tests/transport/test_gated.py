"""The gate in front of what is served: over HTTP/1.1, HTTP/2 and for a WebSocket, and what an allowed page gets."""

from __future__ import annotations

import http.client
import socket
from typing import Any

import pytest

from acp_trace.transport.endpoint import Endpoint
from acp_trace.transport.serving import Receive, Scope, Send
from tests.support import DEADLINE_S
from tests.transport.background import served
from tests.transport.talk import Agent

APP = "https://app.example"
_SOCKET = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
_EVIL = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
_INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'


class _Seen:
    """An application that accepts everything, and keeps the paths that it was asked for."""

    def __init__(self) -> None:
        self.paths: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.paths.append(scope["raw_path"])
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept", "headers": []})
            await send({"type": "websocket.close", "code": 1000})
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


def _status(address: str, line: str, headers: dict[str, str]) -> int:
    """The status of the answer to a request of HTTP/1.1, as it is written here."""
    lines = [f"{line} HTTP/1.1", *(f"{name}: {each}" for name, each in headers.items()), "", ""]
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), DEADLINE_S) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return int(connection.makefile("rb").readline().split()[1])


def _status_of_http2(address: str, headers: list[tuple[str, str]]) -> int | str:
    """The same of HTTP/2, without TLS; the name of the event if the stream or the connection is ended instead."""
    import h2.config
    import h2.connection
    import h2.events

    lax = h2.config.H2Configuration(validate_outbound_headers=False, normalize_outbound_headers=False)
    speaker = h2.connection.H2Connection(lax)
    speaker.initiate_connection()
    speaker.send_headers(1, headers, end_stream=dict(headers)[":method"] != "CONNECT")
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), DEADLINE_S) as connection:
        connection.sendall(speaker.data_to_send())
        while data := connection.recv(1 << 16):
            for event in speaker.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    return int(dict(event.headers)[b":status"])
                if isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
                    return type(event).__name__
    return "closed"


@pytest.mark.parametrize(
    ("line", "headers", "status"),
    [
        ("GET /acp", {}, 200),
        ("GET /acp", {"Origin": "http://HERE", "Sec-Fetch-Site": "same-origin"}, 200),
        ("GET /acp", {"Origin": APP, "Sec-Fetch-Site": "cross-site"}, 200),
        ("GET /acp", _SOCKET, 101),
        ("GET /acp", {**_SOCKET, "Origin": APP}, 101),
        ("POST /acp", _EVIL, 403),
        ("OPTIONS /acp", {**_EVIL, "Access-Control-Request-Method": "POST"}, 403),
        ("GET /other", {"Sec-Fetch-Site": "same-site"}, 403),
        ("GET /acp", {**_SOCKET, **_EVIL}, 403),
        ("GET /acp", {**_SOCKET, "Origin": "null"}, 403),
        ("GET /acp", {**_SOCKET, "Host": "evil.example"}, 403),
        ("GET /acp", {"Host": "me@HERE"}, 403),
        ("CONNECT other:25", {}, 400),
        ("POST http://other/acp", {}, 400),
        ("POST @other/acp", {}, 400),
        ("POST //other/acp", {}, 400),
        ("OPTIONS *", {}, 400),
        ("GET //other/acp", _SOCKET, 400),
    ],
)
def test_over_http_1(line: str, headers: dict[str, str], status: int) -> None:
    """What is refused does not reach the application."""
    seen = _Seen()
    with served(seen, origins=[APP]) as address:
        whole = {"Host": address, **{name: each.replace("HERE", address) for name, each in headers.items()}}
        assert _status(address, line, whole) == status
    assert bool(seen.paths) is (status < 400)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, {200}),
        ({"origin": "https://evil.example"}, {403}),
        ({":authority": "evil.example"}, {403}),
        ({":path": "//other/acp"}, {400}),
        ({":path": "http://other/acp"}, {400}),
        ({":path": "@other"}, {400}),
        ({":method": "OPTIONS", ":path": "*"}, {400}),
        ({":method": "CONNECT", ":protocol": "websocket", "sec-websocket-version": "13"}, {200}),
        (
            {":method": "CONNECT", ":protocol": "websocket", "sec-websocket-version": "13", "origin": "null"},
            {403},
        ),
        # A second name is refused by the library for HTTP/2.
        ({"host": "evil.example"}, {"ConnectionTerminated", "StreamReset", "closed"}),
    ],
)
def test_over_http_2(changes: dict[str, str], status: set[int | str]) -> None:
    """`:authority` is the host, and an extended CONNECT (RFC 8441) a WebSocket."""
    pytest.importorskip("h2")
    seen = _Seen()
    with served(seen) as address:
        head = {":method": "GET", ":scheme": "http", ":authority": address, ":path": "/acp", **changes}
        head = dict(sorted(head.items(), key=lambda each: not each[0].startswith(":")))
        assert _status_of_http2(address, list(head.items())) in status
    assert bool(seen.paths) is (status == {200})


@pytest.mark.parametrize("missing", [":path", ":scheme"])
def test_a_tunnel_over_http_2(missing: str) -> None:
    """CONNECT without a path is refused, and others are served afterwards."""
    pytest.importorskip("h2")
    seen = _Seen()
    with served(seen) as address:
        head = {":method": "CONNECT", ":scheme": "http", ":authority": "other:25", ":path": "/acp"}
        head = {name: each for name, each in head.items() if name != missing}
        assert _status_of_http2(address, list(head.items())) in {
            400,
            403,
            "StreamReset",
            "ConnectionTerminated",
            "closed",
        }
        assert not seen.paths
        assert _status(address, "GET /acp", {"Host": address}) == 200


def _answer(address: str, method: str, headers: dict[str, str], body: bytes = b"") -> Any:
    connection = http.client.HTTPConnection(address, timeout=DEADLINE_S)
    connection.request(method, "/acp", body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_a_page_of_an_allowed_origin() -> None:
    """Its browser asks first, then lets it read the answer and the id of the connection; of others it is refused."""
    page = {"Origin": APP, "Sec-Fetch-Site": "cross-site"}
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "acp-connection-id"}
    json = {"Content-Type": "application/json"}
    with served(Endpoint(Agent()), origins=[APP]) as address:
        preflight = _answer(address, "OPTIONS", {**page, **asks})
        assert (preflight.status, preflight.headers["Access-Control-Allow-Origin"]) == (204, APP)
        assert preflight.headers["Access-Control-Allow-Methods"] == "GET, POST, DELETE"
        assert preflight.headers["Access-Control-Allow-Headers"] == "*, authorization"
        answer = _answer(address, "POST", {**page, **json}, _INITIALIZE)
        assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, APP)
        assert answer.headers["Access-Control-Expose-Headers"] == "acp-connection-id, acp-session-id"
        assert (answer.headers["Vary"], answer.headers["Access-Control-Allow-Credentials"]) == (
            "origin",
            None,
        )
        assert _answer(address, "OPTIONS", page).status == 405
        assert _answer(address, "OPTIONS", {**_EVIL, **asks}).status == 403
        program = _answer(address, "POST", json, _INITIALIZE)
        assert (program.status, program.headers["Access-Control-Allow-Origin"]) == (200, None)
