"""What is written of an agent's traffic, and that a reader gets back what was said."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from typing import Any

import pytest

from acp_trace.model.exchange import WebSocketMessage
from acp_trace.model.records import Numbers
from acp_trace.model.wire.events import (
    Body,
    BodyEnd,
    Broken,
    Event,
    Headers,
    RequestHead,
    ResponseHead,
    Side,
    SocketMessage,
)
from acp_trace.trace import codings
from tests.model.writing import file, journal, read, written

_JSON = (("content-type", "application/json"),)
_CHAT = "/v1/chat/completions"


def _asked(
    n: int, body: bytes, path: str = _CHAT, headers: Headers = _JSON, method: str = "POST"
) -> list[Event]:
    return [
        RequestHead(n, method, path, "api", headers, "http/1.1"),
        Body(n, "agent", body),
        BodyEnd(n, "agent"),
    ]


def _answered(n: int, *pieces: bytes, status: int = 200, headers: Headers = ()) -> list[Event]:
    return [
        ResponseHead(n, status, headers),
        *(Body(n, "provider", piece) for piece in pieces),
        BodyEnd(n, "provider"),
    ]


def _chat(*texts: str) -> bytes:
    messages = [{"role": "user", "content": text} for text in texts]
    return json.dumps({"model": "m", "messages": messages}, ensure_ascii=False).encode()


def test_an_exchange_with_a_model_is_written_whole() -> None:
    """Heads, bodies, each piece with its time; also bytes that are no text, and a second request like the first."""
    first, second = _chat("hällo " * 100), _chat("hällo " * 100, "and again")
    events = [
        *_asked(1, first),
        *_answered(1, b"data: {}\n\n", b"\xff\xfe\xc3", b"\xbc end"),
        *_asked(2, second),
        *_answered(2),
    ]
    lines = file(written(events))
    assert len(lines) < 2400  # the second body is written as what differs
    one, two = read(lines).exchanges.values()
    assert (one.method, one.host, one.path, one.protocol, one.status) == (
        "POST",
        "api",
        _CHAT,
        "http/1.1",
        200,
    )
    assert (one.request_headers, one.request_body, two.request_body) == (_JSON, first, second)
    assert [chunk.data for chunk in one.chunks] == [b"data: {}\n\n", b"\xff\xfe\xc3", b"\xbc end"]
    assert (one.started_ns, one.sent_ns, one.answered_ns, one.first_byte_ns) == (1000, 3000, 4000, 5000)
    assert (one.sent_bytes, one.received_bytes, one.is_whole, one.damaged) == (len(first), 18, True, False)
    assert two.response_body == b""


@pytest.mark.parametrize(
    ("path", "body", "is_model"),
    [
        (_CHAT, b"no json", True),
        ("/openai/deployments/x/chat/completions?api-version=1", b"", True),
        ("/v1/messages?beta=true", b"{}", True),
        ("/v1beta/models/gemini:streamGenerateContent?alt=sse", b"{}", True),
        ("/model/anthropic.claude-v2%3A1/invoke-with-response-stream", b"{}", True),
        ("/v1/projects/p/publishers/anthropic/models/c:streamRawPredict", b"{}", True),
        ("/any/thing", _chat("a"), True),
        ("/any/thing", b'{"contents":[]}', True),
        ("/any/thing", b'{"model":"m","input":"x"}', True),
        ("/any/thing", b'{"events":[],"model":"m"}', False),
        ("/any/thing", b"[1]", False),
        ("/any/thing", b"\xff", False),
        ("/v1/messages/batches", b"{}", False),
    ],
)
def test_a_model_is_recognised_by_shape(path: str, body: bytes, *, is_model: bool) -> None:
    """By its path, or by what its body has; of another host only sizes are written. With `everything`, all is."""
    events = [*_asked(1, body, path), *_answered(1, b"answer")]
    for everything in (False, True):
        (exchange,) = read(file(written(events, journal(everything=everything)))).exchanges.values()
        assert (exchange.sent_bytes, exchange.received_bytes) == (len(body), 6)
        is_whole = is_model or everything
        assert exchange.request_body == (body if is_whole else None)
        assert exchange.response_body == (b"answer" if is_whole else None)


@pytest.mark.parametrize(
    ("method", "path", "is_written"),
    [
        ("GET", "/v1/models", True),
        ("GET", "/v1beta/models/gemini-x?key=1", True),
        ("GET", "/api/tags", True),
        ("POST", "/v1/models", False),
        ("GET", "/v1/models/a/b", False),
        ("GET", "/registry/supermodels", False),
    ],
)
def test_which_models_there_are_is_written(method: str, path: str, *, is_written: bool) -> None:
    """An agent shows the answer to its user, so a replay needs it; but it is no call of a model."""
    taking = journal()
    events = [RequestHead(1, method, path, "h", (), "h2"), BodyEnd(1, "agent"), *_answered(1, b'{"data":[]}')]
    (exchange,) = read(file(written(events, taking))).exchanges.values()
    assert exchange.response_body == (b'{"data":[]}' if is_written else None)
    assert (taking.requests, taking.calls) == (1, 0)


def test_what_might_have_become_a_secret_is_written_at_the_end() -> None:
    """An answer may end as a key begins, whether it ends in order or not."""
    for end in (BodyEnd(1, "provider"), Broken(1, "provider")):
        events = [*_asked(1, _chat("x")), *_answered(1, b"it begins with sk-pl")[:-1], end]
        (exchange,) = read(file(written(events, journal({"A_KEY": "sk-planted-1"})))).exchanges.values()
        assert exchange.response_body == b"it begins with sk-pl"


def test_an_answer_that_comes_before_its_request_has_ended_is_whole_too() -> None:
    """Until it is known that a model was asked, it is kept; the request of a broken one shows what it was."""
    head, *rest = _asked(1, _chat("x"), "/any")
    events: list[Event] = [head, *_answered(1, b"early"), *rest]
    (exchange,) = read(file(written(events))).exchanges.values()
    assert (exchange.response_body, exchange.ended_ns is not None) == (b"early", True)
    (exchange,) = read(file(written([head, rest[0], Broken(1, "agent")]))).exchanges.values()
    assert (exchange.request_body, exchange.broken_by) == (_chat("x"), "agent")


def _compressed(coding: str, data: bytes) -> bytes:
    if coding == "br":
        brotli: Any = pytest.importorskip("brotli")
        return bytes(brotli.compress(data))
    if coding == "zstd":
        zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
        return bytes(zstd.compress(data[:100]) + zstd.compress(data[100:]))
    if coding == "deflate":
        return zlib.compress(data)
    if coding == "gzip, gzip":
        return gzip.compress(gzip.compress(data))
    return gzip.compress(data) if coding == "gzip" else data


@pytest.mark.parametrize("coding", ["identity", "gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_bodies_are_written_decoded(coding: str) -> None:
    """However they are cut; the header says how they were sent."""
    body, answer = _chat("abc " * 500), b"data: " + b"0123456789" * 1000
    headers = (("content-encoding", coding),)
    spelt = _compressed(coding, answer)
    pieces = [spelt[at : at + 7] for at in range(0, len(spelt), 7)]
    events = [*_asked(1, _compressed(coding, body), headers=headers), *_answered(1, *pieces, headers=headers)]
    (exchange,) = read(file(written(events))).exchanges.values()
    assert (exchange.request_body, exchange.response_body, exchange.omitted) == (body, answer, [])
    assert (exchange.request_headers, exchange.received_bytes) == (headers, len(spelt))


def test_what_cannot_be_decoded_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coding that nobody knows, damage, a body that is far longer than it looks."""
    monkeypatch.setattr(codings, "LONGEST", 100_000)
    for coding, data, why in (
        ("snappy", b"x", "coding 'snappy' is not known"),
        ("gzip", b"not gzip", "damaged gzip"),
        ("gzip", gzip.compress(bytes(200_000)), "longer than"),
    ):
        headers = (("content-encoding", coding),)
        events = [*_asked(1, data, headers=headers), *_answered(1, data, headers=headers)]
        (exchange,) = read(file(written(events))).exchanges.values()
        assert (exchange.request_body, exchange.response_body) == (None, b"")
        assert [told.startswith(why) for told in exchange.omitted] == [True, True]


def test_no_more_is_written_than_the_limit_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a bomb, what came before the limit; of an answer that says how long it is, nothing."""
    monkeypatch.setattr(codings, "FREE", 1 << 20)
    coded, bomb = (("content-encoding", "gzip"),), gzip.compress(bytes(32 << 20))
    (exchange,) = read(
        file(written([*_asked(1, _chat("x")), *_answered(1, bomb, headers=coded)]))
    ).exchanges.values()
    assert exchange.omitted == ["more than 200 times as long as when compressed"]
    assert exchange.received_bytes == len(bomb)
    assert 0 < len(exchange.response_body or b"") <= (1 << 20) + 200 * len(bomb)
    monkeypatch.setattr(codings, "LONGEST", 3 << 20)
    long, stated = b"x" * (1 << 20), (("content-length", str(4 << 20)),)
    for headers, kept in (((), 3 << 20), (stated, 0), ((("content-length", "9" * 5000),), 3 << 20)):
        events = [*_asked(1, _chat("x")), *_answered(1, *[long] * 4, headers=headers)]
        (exchange,) = read(file(written(events))).exchanges.values()
        assert (exchange.omitted, exchange.received_bytes) == (["longer than 3 MB"], 4 << 20)
        assert len(exchange.response_body or b"") == kept


def test_control_characters_are_not_written_as_escapes() -> None:
    """JSON would need six bytes for one; a few in a text stay as they are."""
    zeros, text = bytes(1 << 20), b"a\nb\x1b[0m" * 100
    lines = file(written([*_asked(1, _chat("x")), *_answered(1, zeros, text)]))
    assert len(lines) < 1.5 * len(zeros)
    assert b"\\u001b[0m" in lines
    assert next(iter(read(lines).exchanges.values())).response_body == zeros + text


def test_messages_of_a_socket() -> None:
    """Both sides', text and bytes; what the agent repeats is written once."""
    ask = '{"type":"response.create","input":"' + "x" * 1000
    events: list[Event] = [
        RequestHead(1, "GET", "/v1/responses", "api", (("upgrade", "websocket"),), "http/1.1"),
        BodyEnd(1, "agent"),
        ResponseHead(1, 101, (("upgrade", "websocket"),)),
        SocketMessage(1, "agent", f'{ask}1"}}'.encode(), True),
        SocketMessage(1, "provider", b"{}", True),
        SocketMessage(1, "agent", f'{ask}2"}}'.encode(), True),
        SocketMessage(1, "provider", b"\xff\x00", False),
        BodyEnd(1, "provider"),
        Broken(1, "agent"),
    ]
    lines = file(written(events))
    assert lines.count(b"xxx") < 400
    (exchange,) = read(lines).exchanges.values()
    assert [(message.sender, message.data, message.is_text) for message in exchange.messages] == [
        ("agent", f'{ask}1"}}'.encode(), True),
        ("provider", b"{}", True),
        ("agent", f'{ask}2"}}'.encode(), True),
        ("provider", b"\xff\x00", False),
    ]
    assert isinstance(exchange.messages[0], WebSocketMessage)
    assert (exchange.status, exchange.broken_by, exchange.chunks) == (101, None, [])


@pytest.mark.parametrize(("said", "is_model"), [(_chat("x"), True), (b'{"ping":1}', False)])
def test_a_socket_on_any_path_is_known_by_its_first_message(said: bytes, *, is_model: bool) -> None:
    """Its request has no body that could say it. One that is refused is no model's."""
    head = RequestHead(1, "GET", "/any", "api", (("upgrade", "websocket"),), "http/1.1")
    opened: list[Event] = [head, BodyEnd(1, "agent"), ResponseHead(1, 101, (("upgrade", "websocket"),))]
    (exchange,) = read(file(written([*opened, SocketMessage(1, "agent", said, True)]))).exchanges.values()
    assert [message.data for message in exchange.messages] == ([said] if is_model else [])
    refused = [*opened[:2], *_answered(1, b"no", status=404)]
    (exchange,) = read(file(written(refused))).exchanges.values()
    assert (exchange.response_body, exchange.received_bytes) == (None, 2)


@pytest.mark.parametrize("side", ["agent", "provider"])
def test_a_socket_that_nobody_closes_is_broken_off(side: Side) -> None:
    """Whoever hangs up without a word: its request had ended long before."""
    head = RequestHead(1, "GET", "/v1/responses", "api", (("upgrade", "websocket"),), "http/1.1")
    opened: list[Event] = [head, BodyEnd(1, "agent"), ResponseHead(1, 101, (("upgrade", "websocket"),))]
    ended: list[list[Event]] = [[], [BodyEnd(1, "agent")], [BodyEnd(1, "agent"), BodyEnd(1, "provider")]]
    said = [read(file(written([*opened, *ends, Broken(1, side)]))).exchanges[1] for ends in ended]
    assert [exchange.broken_by for exchange in said] == [side, None, None]
    assert all(exchange.ended_ns for exchange in said)


@pytest.mark.parametrize("everything", [False, True])
def test_frames_of_a_websocket_in_http_2_are_not_kept(*, everything: bool) -> None:
    """They are masked: no key can be found in them, and whoever has the trace can take the mask off."""
    head = RequestHead(1, "CONNECT", "/v1/responses", "api", (), "h2")
    events = [head, Body(1, "agent", b"masked"), *_answered(1, b"frames"), BodyEnd(1, "agent")]
    (exchange,) = read(file(written(events, journal(everything=everything)))).exchanges.values()
    assert (exchange.request_body, exchange.chunks, exchange.sent_bytes) == (None, [], 6)


def test_an_upload_is_not_kept() -> None:
    """Only what may be JSON is waited for."""
    headers = (("content-type", "application/octet-stream"),)
    (exchange,) = read(file(written(_asked(1, _chat("x"), "/any", headers)))).exchanges.values()
    assert exchange.request_body is None


def test_an_informational_answer_is_none() -> None:
    """`100 Continue` comes before the status that counts."""
    events = [*_asked(1, b""), ResponseHead(1, 100, ()), *_answered(1, status=429)]
    assert [exchange.status for exchange in read(file(written(events))).exchanges.values()] == [429]


def test_what_goes_on_when_the_recorder_ends_is_ended() -> None:
    """And it is said why."""
    by = journal()
    records = written([*_asked(1, _chat("x")), ResponseHead(1, 200, ()), Body(1, "provider", b"half")], by)
    (exchange,) = read(file([*records, *by.close("the recorder ended")])).exchanges.values()
    assert (exchange.response_body, exchange.unreadable) == (b"half", "the recorder ended")


def test_what_a_gap_takes_is_told_and_nothing_else() -> None:
    """A body that refers to a lost one is lost with it; after `forget`, nothing refers back."""
    by = journal()
    requests = [written(_asked(n, _chat("same " * 100, f"{n}")) + _answered(n, b"a"), by) for n in (1, 2)]
    by.forget()
    requests.append(written(_asked(3, _chat("same " * 100, "3")), by))
    reader = read(file([*requests[1], *requests[2]]))
    assert reader.exchanges[2].request_body is None
    assert reader.exchanges[2].damaged
    assert reader.exchanges[3].request_body == _chat("same " * 100, "3")
    reader = read(file(requests[0][3:] + requests[2]))
    assert reader.exchanges[1].damaged


def test_numbers_have_no_byte_ff() -> None:
    """A capture's mark begins with one."""
    numbers = Numbers()
    assert [numbers() for _ in range(256)][-2:] == [256, 257]
    assert 255 not in [numbers() for _ in range(600)]
