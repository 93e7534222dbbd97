"""What passed on the wire -> requests, responses and messages. Pure; shares no code with what is tested.

HTTP/1.1 by h11, HTTP/2 by hyperframe and hpack, WebSocket by wsproto, event streams by hand, as far as the
servers here use them. What was broken off is kept as far as it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import h11
from hpack import Decoder
from hyperframe.frame import Frame
from wsproto.extensions import Extension, PerMessageDeflate
from wsproto.frame_protocol import FrameProtocol, Opcode

from tests.real.network.tap import Connection

Headers = list[tuple[str, str]]
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD = 9  #: bytes before each frame of HTTP/2
_EVENTS, _JSON = "text/event-stream", "application/json"


@dataclass(slots=True)
class Exchange:
    """A request with its response, or a WebSocket. Names of headers are in lower case."""

    protocol: str
    method: str = ""
    target: str = ""
    asked: Headers = field(default_factory=list)
    sent: bytes = b""  #: the body
    status: int = 0
    answered: Headers = field(default_factory=list)
    received: bytes = b""  #: the body, as far as it came
    said: tuple[list[bytes], list[bytes]] | None = None  #: of a WebSocket: what was sent, what was received

    def asked_for(self, name: str) -> str:
        """A header of the request; empty if there is none."""
        return next((value for key, value in self.asked if key == name), "")

    def messages(self) -> tuple[list[bytes], list[bytes]]:
        """The messages of ACP: those of the client, those of the agent."""
        if self.said is not None:
            return self.said
        kind = next((value for key, value in self.answered if key == "content-type"), "").partition(";")[0]
        came = [*_events(self.received)] if kind == _EVENTS else []
        if kind == _JSON and self.status < 300 and self.received.startswith(b"{"):
            came = [self.received]
        return ([self.sent] if self.sent else []), came


def exchanges(connections: Iterable[Connection]) -> list[Exchange]:
    """All that passed, by connection, and within one in the order of the requests."""
    return [each for one in connections for each in (_http_2(one) if _is_2(one) else _http_1(one))]


def _is_2(connection: Connection) -> bool:
    return bytes(connection.sent[: len(_PREFACE)]) == _PREFACE


def _http_1(connection: Connection) -> Iterator[Exchange]:
    client, server = h11.Connection(h11.SERVER), h11.Connection(h11.CLIENT)
    for side, data in ((client, connection.sent), (server, connection.received)):
        if data:  # h11 takes no bytes for an end
            side.receive_data(bytes(data))
    while isinstance(request := client.next_event(), h11.Request):
        one = Exchange(
            "HTTP/1.1", request.method.decode(), request.target.decode(), _headers(request.headers)
        )
        one.sent = _body(client)
        server.send(request)
        server.send(h11.Data(data=one.sent))
        server.send(h11.EndOfMessage())
        response = server.next_event()
        if isinstance(response, h11.Response | h11.InformationalResponse):
            one.status, one.answered = response.status_code, _headers(response.headers)
        if one.status == 101:
            sent, received = client.trailing_data[0], server.trailing_data[0]
            one.said = _socket(one, sent, received)
            yield one
            return
        one.received = _body(server) if one.status else b""
        yield one
        if server.our_state is not h11.DONE or server.their_state is not h11.DONE:
            return  # broken off
        client.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
        client.send(h11.EndOfMessage())
        if client.our_state is not h11.DONE:
            return
        client.start_next_cycle()
        server.start_next_cycle()


def _body(side: h11.Connection) -> bytes:
    data = bytearray()
    while isinstance(event := side.next_event(), h11.Data):
        data += event.data
    return bytes(data)


def _socket(one: Exchange, sent: bytes, received: bytes) -> tuple[list[bytes], list[bytes]]:
    name = "sec-websocket-extensions"
    offer = one.asked_for(name)
    agreed = next((value for key, value in one.answered if key == name), "")
    servers: list[Extension] = []
    clients: list[Extension] = []
    if agreed:
        server, client = PerMessageDeflate(), PerMessageDeflate()
        server.accept(next(each.strip() for each in offer.split(",") if server.name in each))
        client.finalize(agreed)
        servers, clients = [server], [client]
    return _messages(FrameProtocol(False, servers), sent), _messages(FrameProtocol(True, clients), received)


def _messages(frames: FrameProtocol, data: bytes) -> list[bytes]:
    frames.receive_bytes(data)
    found, message = [], b""
    for frame in frames.received_frames():
        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONTINUATION):
            continue
        payload: Any = frame.payload
        message += payload.encode() if isinstance(payload, str) else bytes(payload)
        if frame.message_finished:
            found.append(message)
            message = b""
    return found


def _http_2(connection: Connection) -> Iterator[Exchange]:
    found: dict[int, Exchange] = {}
    for number, headers, data in _frames(bytes(connection.sent[len(_PREFACE) :])):
        one = found.setdefault(number, Exchange("HTTP/2"))
        for key, value in headers:
            if key == ":method":
                one.method = value
            elif key == ":path":
                one.target = value
            elif key == ":authority":
                one.asked.append(("host", value))
            elif not key.startswith(":"):
                one.asked.append((key, value))
        one.sent += data
    for number, headers, data in _frames(bytes(connection.received)):
        one = found.setdefault(number, Exchange("HTTP/2"))
        one.status = next((int(value) for key, value in headers if key == ":status"), one.status)
        one.answered += [each for each in headers if not each[0].startswith(":")]
        one.received += data
    yield from (found[number] for number in sorted(found))


def _frames(data: bytes) -> Iterator[tuple[int, Headers, bytes]]:
    """Stream, headers and data of each frame of HTTP/2 that has some of these."""
    decoder, block = Decoder(), b""
    at = 0
    while len(data) - at >= _HEAD:
        frame, length = Frame.parse_frame_header(memoryview(data[at : at + _HEAD]))
        if at + _HEAD + length > len(data):
            return
        frame.parse_body(memoryview(data[at + _HEAD : at + _HEAD + length]))
        at += _HEAD + length
        kind = type(frame).__name__
        if kind in ("HeadersFrame", "ContinuationFrame"):
            block += getattr(frame, "data", b"")
            if "END_HEADERS" in frame.flags:
                yield frame.stream_id, [(_text(k), _text(v)) for k, v in decoder.decode(block)], b""
                block = b""
        elif kind == "DataFrame":
            yield frame.stream_id, [], getattr(frame, "data", b"")


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


def _headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]


def _events(body: bytes) -> Iterator[bytes]:
    """The data of each event that has ended: lines by LF or CR LF, which is all that these servers write."""
    for block in body.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]:
        lines = [line for line in block.split(b"\n") if line.startswith(b"data:")]
        if lines:
            yield b"\n".join(line[5:].removeprefix(b" ") for line in lines)
