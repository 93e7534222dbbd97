"""Keys that were planted in the bytes of connections: hunted in every file that is left of them."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest

pytest.importorskip("wsproto")

from acp_trace.model.wire.events import Event
from acp_trace.model.wire.http2 import PREFACE
from tests.model.wire.speaking import H2, Talk, heard
from tests.model.wire.test_websocket import _ASK, _YES
from tests.model.writing import file, journal, read, written
from tests.support import Home
from tests.trace.capturing import block, capture

_ENV, _HEADER, _QUERY, _PROTOCOL, _COOKIE = _PLANTED = (
    "environment-key-0001",
    "header-key-0002",
    "query-key-0003",
    "protocol-key-0004",
    "cookie-key-0005",
)
_SAID = f'{{"type":"response.create","input":"{" ".join(_PLANTED)}"}}'


def _http2() -> Talk:
    """All of it in compressed heads, twice, so that the second refers to the first; bodies back and forth."""
    agent, provider = H2(), H2()
    fields = (("authorization", f"Bearer {_HEADER}"), ("cookie", f"a={_COOKIE}"), ("x-note", _ENV))
    path = f"/v1/messages?key={_QUERY}&note={_ENV}"
    talk: Talk = [("agent", PREFACE + agent.settings()), ("provider", provider.settings())]
    for stream in (1, 3):
        head = agent.head(stream, (":method", "POST"), (":path", path), (":authority", "api"), *fields)
        packed = gzip.compress(_SAID.encode())
        answer = provider.head(stream, (":status", "200"), ("content-encoding", "gzip"), ("x-echo", _HEADER))
        talk += [
            ("agent", head + agent.data(stream, _SAID.encode(), ends=True)),
            ("provider", answer + provider.data(stream, packed[:30])),
            ("provider", provider.data(stream, packed[30:], ends=True)),
        ]
    return talk


def _websocket(*, is_packed: bool) -> Talk:
    from wsproto.extensions import PerMessageDeflate
    from wsproto.frame_protocol import FrameProtocol

    ours, theirs = PerMessageDeflate(), PerMessageDeflate()
    accepted = theirs.accept(str(ours.offer()))
    ours.finalize(str(accepted))
    agent = FrameProtocol(client=True, extensions=[ours] if is_packed else [])
    provider = FrameProtocol(client=False, extensions=[theirs] if is_packed else [])
    ask = _ASK.replace(b"/responses ", f"/responses?api_key={_QUERY}&note={_ENV} ".encode())
    fields = f"X-Api-Key: {_HEADER}\r\nCookie: a={_COOKIE}\r\nX-Note: {_ENV}\r\n"
    fields += f"Sec-WebSocket-Protocol: openai-insecure-api-key.{_PROTOCOL}\r\n\r\n"
    extension = f"Sec-WebSocket-Extensions: permessage-deflate; {accepted}\r\n" if is_packed else ""
    middle = len(_SAID) // 2
    return [
        ("agent", ask + fields.encode()),
        ("provider", _YES + extension.encode() + b"\r\n"),
        ("agent", bytes(agent.send_data(_SAID, fin=True))),
        ("provider", bytes(provider.send_data(_SAID[:middle], fin=False))),
        ("provider", bytes(provider.send_data(_SAID[middle:], fin=True))),
    ]


def _numbered(events: list[Event], more: int) -> list[Event]:
    return [dataclasses.replace(event, exchange=event.exchange + more) for event in events]


@pytest.mark.slow
def test_no_file_holds_a_planted_key(tmp_path: Path) -> None:
    """Not the capture, nor its lines, nor the store, nor what a loader leaves in the home directory."""
    talks = (_websocket(is_packed=False), _websocket(is_packed=True), _http2())
    events = [each for at, talk in enumerate(talks) for each in _numbered(heard(talk)[0], 10 * at)]
    records = written(events, journal({"SOME_API_KEY": _ENV}))
    home, lines = Home(tmp_path / "home"), file(records)
    home.spool.mkdir(parents=True)
    blocks = [block(one.stream, one.data, n, one.exchange) for n, one in enumerate(records)]
    (home.spool / "20261120T130501Z-7f3a9c.capture").write_bytes(capture(*blocks))
    (tmp_path / "lines.jsonl").write_bytes(lines)
    exchanges = list(read(lines).exchanges.values())
    assert [exchange.protocol for exchange in exchanges] == ["http/1.1", "http/1.1", "h2", "h2"]
    said = b'{"type":"response.create","input":"%b"}' % b" ".join([b"<cut>"] * len(_PLANTED))
    assert [message.data for exchange in exchanges for message in exchange.messages] == [said] * 4
    assert [each.request_body for each in exchanges[2:]] == [each.response_body for each in exchanges[2:]]
    assert [each.request_body for each in exchanges[2:]] == [said] * 2
    _hunt(tmp_path)
    home.run("load")
    assert not home.spooled()
    _hunt(tmp_path)
    assert home.run("export", "last").count("<cut>") > len(_PLANTED)  # a store packs what it holds
    assert not [key for key in _PLANTED if key in home.run("export", "last")]


@pytest.mark.parametrize(
    "talk",
    [
        [("agent", f"POST /v1/messages HTTP/1.1\r\nHost: h\r\nX-Api-Key : {_HEADER}\r\n\r\n".encode())],
        [("agent", f"POST /v1/messages?key={_HEADER} x HTTP/1.1\r\nHost: h\r\n\r\n".encode())],
        [
            ("agent", b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
            ("provider", f"HTTP/1.1 200\r\nSet-Cookie\t: a={_HEADER}\r\n\r\n".encode()),
        ],
    ],
)
def test_why_something_cannot_be_read_quotes_nothing_of_it(talk: Talk) -> None:
    """A head that is none is where a key stands that nobody has learned yet."""
    events, tap = heard(talk)
    assert tap.unreadable
    assert _HEADER not in tap.unreadable
    assert _HEADER.encode() not in file(written(events))


def _hunt(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files for key in _PLANTED if key.encode() in path.read_bytes()]
