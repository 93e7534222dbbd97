"""Messages of a WebSocket as they go past: compressed or not, in fragments, between control frames."""

from __future__ import annotations

import tracemalloc
import zlib

import pytest

pytest.importorskip("wsproto")

from wsproto.extensions import Extension, PerMessageDeflate
from wsproto.frame_protocol import FrameProtocol

from acp_trace.model.wire import websocket
from acp_trace.model.wire.events import BodyEnd, Broken, RequestHead, ResponseHead, Side, SocketMessage
from acp_trace.trace import codings
from tests.model.wire.speaking import Talk, heard, in_pieces

_ASK = b"GET /v1/responses HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n"
_YES = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


def _talk(*, compressed: bool) -> Talk:
    ask, yes = _ASK, _YES
    ours: list[Extension] = []
    theirs: list[Extension] = []
    if compressed:
        client, server = PerMessageDeflate(), PerMessageDeflate()
        accepted = server.accept(str(client.offer()))
        client.finalize(str(accepted))
        ours, theirs = [client], [server]
        yes += f"Sec-WebSocket-Extensions: permessage-deflate; {accepted}\r\n".encode()
    agent, provider = (
        FrameProtocol(client=True, extensions=ours),
        FrameProtocol(client=False, extensions=theirs),
    )
    talk: list[tuple[Side, bytes | bytearray]] = [
        ("agent", ask + b"\r\n"),
        ("provider", yes + b"\r\n" + provider.send_data("hello ü", fin=True)),
        ("agent", agent.send_data('{"type":"response.create"}', fin=True) + agent.ping(b"p")),
        (
            "provider",
            provider.send_data("fir", fin=False) + provider.pong(b"p") + provider.send_data("st", fin=True),
        ),
        ("agent", agent.send_data(b"\x00\xff" * 500, fin=True)),
        ("provider", provider.send_data("x" * 70_000, fin=True) + provider.send_data("x" * 70_000, fin=True)),
        ("provider", provider.close(1000, "done")),
        ("agent", agent.close(1000)),
        ("agent", b""),
        ("provider", b""),
    ]
    return [(side, bytes(data)) for side, data in talk]


@pytest.mark.slow
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("size", [1, 3, 1000, 1 << 20])
def test_messages_in_any_pieces(size: int, *, compressed: bool) -> None:
    """The same messages, also those that came with the answer to the upgrade."""
    events, tap = heard(in_pieces(_talk(compressed=compressed), size))
    assert tap.unreadable is None
    assert isinstance(events[0], RequestHead)
    assert [type(event) for event in events[1:3]] == [BodyEnd, ResponseHead]
    assert events[3:] == [
        SocketMessage(1, "provider", "hello ü".encode(), True),
        SocketMessage(1, "agent", b'{"type":"response.create"}', True),
        SocketMessage(1, "provider", b"first", True),
        SocketMessage(1, "agent", b"\x00\xff" * 500, False),
        SocketMessage(1, "provider", b"x" * 70_000, True),
        SocketMessage(1, "provider", b"x" * 70_000, True),
        BodyEnd(1, "provider"),
        BodyEnd(1, "agent"),
    ]


def test_a_refused_upgrade_is_a_plain_answer() -> None:
    """And the connection goes on with HTTP."""
    no = b"HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno"
    get = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    events, _ = heard([("agent", _ASK + b"\r\n"), ("provider", no), ("agent", get), ("provider", no)])
    assert [event.exchange for event in events if isinstance(event, ResponseHead)] == [1, 2]


def test_a_socket_that_breaks() -> None:
    """Without a word of goodbye, or with a frame that is none."""
    begun = _talk(compressed=False)[:3]
    assert heard([*begun, ("provider", b"")])[0][-1] == Broken(1, "provider")
    events, tap = heard([*begun, ("provider", b"\xff\xff\xff\xff")])
    assert tap.unreadable
    assert events[-1] == Broken(1, "provider", tap.unreadable)


@pytest.mark.parametrize("size", [64, 1 << 20])
def test_a_bomb_is_not_inflated(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """A message stands for more than it may: the connection is read no further, and no part of it is given."""
    monkeypatch.setattr(codings, "FREE", 1 << 20)
    begun = _talk(compressed=True)[:3]
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    payload = compressor.compress(bytes(32 << 20)) + compressor.flush(zlib.Z_SYNC_FLUSH)[:-4]
    frame = b"\xc2\x7e" + len(payload).to_bytes(2, "big") + payload
    tracemalloc.start()
    try:
        events, tap = heard([*begun, *in_pieces([("provider", frame)], size)])
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()
    assert tap.unreadable == "a message is more than 200 times as long as when compressed"
    assert events[-1] == Broken(1, "provider", tap.unreadable)
    assert sum(len(event.data) for event in events if isinstance(event, SocketMessage)) < 1000


@pytest.mark.parametrize("parts", [1, 5])
def test_a_message_that_is_too_long(monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    """Not compressed, in one frame or in several; the next message counts anew until then."""
    monkeypatch.setattr(codings, "LONGEST", 100_000)
    provider = FrameProtocol(client=False, extensions=[])
    whole = [bytes(provider.send_data(bytes(90_000), fin=True)) for _ in range(3)]
    long = [bytes(provider.send_data(bytes(110_000 // parts), fin=n == parts - 1)) for n in range(parts)]
    told: list[tuple[Side, bytes]] = [("provider", frame) for frame in (*whole, *long)]
    events, tap = heard([*_talk(compressed=False)[:3], *told])
    assert tap.unreadable == "a message is longer than 0 MB"
    assert [len(event.data) for event in events if isinstance(event, SocketMessage)][-3:] == [90_000] * 3


def test_messages_of_a_few_bytes_do_not_fill_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes far more there than on the wire, so there is a limit; longer ones make room for short ones."""
    monkeypatch.setattr(websocket, "_FREE", 180 * 20)
    begun = _talk(compressed=False)[:3]
    short: Talk = [("provider", b"\x81\x01x")]
    long: Talk = [("provider", b"\x81\x40" + 64 * b"x")]
    events, tap = heard([*begun, *short * 50])
    assert tap.unreadable == "more than 20 messages of a few bytes"
    assert sum(isinstance(event, SocketMessage) for event in events) < 24
    events, tap = heard([*begun, *(short + long * 2) * 100])
    assert tap.unreadable is None
    assert sum(isinstance(event, SocketMessage) for event in events) >= 300


@pytest.mark.slow
def test_fragments_of_nothing_take_no_memory() -> None:
    """They may come without end, and none of them counts towards the limit of a message."""
    begun = _talk(compressed=False)[:3]
    tracemalloc.start()
    try:
        reads: Talk = [("provider", b"\x01\x00" + bytes(2000))]
        reads += [("provider", bytes(2000))] * 99
        events, tap = heard([*begun, *reads])
        assert tracemalloc.get_traced_memory()[0] < 200_000
        assert events[-1] == heard(begun)[0][-1]
        events, tap = heard([*begun, *reads[:1], ("provider", b"\x80\x02hi")])
    finally:
        tracemalloc.stop()
    assert tap.unreadable is None
    assert events[-1] == SocketMessage(1, "provider", b"hi", True)
