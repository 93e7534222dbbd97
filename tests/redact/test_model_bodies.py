"""What an agent and its model said is redacted, whole, and stays readable."""

from __future__ import annotations

import json
import re

from acp_trace.model.wire.events import Body, BodyEnd, Event, RequestHead, ResponseHead, SocketMessage
from acp_trace.trace.parse import Parser
from tests.model.writing import file, read, written
from tests.redact.redacting import redacted

_TOKEN = "ghp_" + "a1B2" * 9
_BIN = b"\xff\xfe" + _TOKEN.encode()


def _body(*texts: str) -> bytes:
    return json.dumps({"messages": [{"content": text} for text in texts]}).encode()


def _exchange(n: int, body: bytes, *pieces: bytes) -> list[Event]:
    return [
        RequestHead(n, "POST", "/v1/messages", "api", (("x-note", "/home/somebody/x"),), "h2"),
        Body(n, "agent", body),
        BodyEnd(n, "agent"),
        ResponseHead(n, 200, ()),
        *(Body(n, "provider", piece) for piece in pieces),
        BodyEnd(n, "provider"),
    ]


def _events(*texts: str) -> bytes:
    return b"".join(b"data: %b\n\n" % json.dumps({"delta": {"text": text}}).encode() for text in texts)


def _stream(lines: bytes) -> list[bytes | None]:
    return [exchange.response_body for exchange in read(lines).exchanges.values()]


def test_entries_that_were_recorded_late_keep_their_own_times() -> None:
    """Whatever is written anew of an exchange: pieces of a response, the end of a body."""
    lines = file(written(_exchange(1, _body("Hi"), _events("yes"))))
    late = lines.replace(b'"exchange":1,', b'"exchange":1,"t":900,')
    exchanges = [read(made).exchanges[1] for made in (late, redacted(late)[0])]
    for exchange in exchanges:
        times = [exchange.started_ns, exchange.sent_ns, exchange.answered_ns, exchange.ended_ns]
        assert [*times, *(chunk.t_ns for chunk in exchange.chunks)] == [900] * 5


def test_bodies_headers_and_pieces() -> None:
    """A token goes wherever it stands; bodies are still written as what differs, and refer to redacted ones."""
    long = "word " * 200
    first, second = (
        _body(long, f"my {_TOKEN} and /home/somebody/x"),
        _body(long, f"my {_TOKEN} and /home/somebody/x", "more"),
    )
    answer = _events(f"yes: {_TOKEN}", "grüße")
    cut = answer.index(b"\xc3") + 1 if b"\xc3" in answer else answer.index(b"u00fc")
    middle = answer.index(_TOKEN.encode()) + 9
    events = [
        *_exchange(1, first, answer[:middle], answer[middle:cut], answer[cut:]),
        *_exchange(2, second, "ü".encode()[:1], "ü".encode()[1:]),
    ]
    lines, redactor = redacted(file(written(events), agent={"argv": ["a"], "cwd": "/home/somebody/x"}))
    assert _TOKEN[4:].encode() not in lines
    assert b"somebody" not in lines
    assert lines.count(long.encode()) == 1
    one, two = read(lines).exchanges.values()
    assert one.request_headers == (("x-note", "<home>/x"),)
    assert one.request_body == _body(long, "my <secret:1> and <home>/x")
    assert two.request_body == _body(long, "my <secret:1> and <home>/x", "more")
    assert one.response_body == _events("yes: <secret:1>", "grüße")
    assert two.response_body == "ü".encode()
    assert redactor.report.dropped == 0


def _changed(n: int, secret: str) -> bytes:
    """A body that is like another one neither at its begin nor at its end."""
    return json.dumps({f"day{n}": "", "system": "long " * 400, "key": secret, "id": f"{n}" * 9}).encode()


def test_copies_hold_what_is_redacted_and_stay_copies() -> None:
    """A token in a part that is copied goes in all bodies that have it; a body whose copy cannot be is lost."""
    events = [event for n in (1, 2, 3) for event in _exchange(n, _changed(n, _TOKEN))]
    before = file(written(events))
    assert before.count(b'"copies":[[') == 2
    lines, _ = redacted(before)
    assert _TOKEN.encode() not in lines
    assert lines.count(b'"copies":[[') == 2
    assert lines.count(b"long long") == before.count(b"long long") > 0
    bodies = [exchange.request_body for exchange in read(lines).exchanges.values()]
    assert bodies == [_changed(n, "<secret:1>") for n in (1, 2, 3)]
    for copies in (b"[[0,1,0,999999999999]]", b'[["0"]]'):
        broken = re.sub(rb'"copies":\[\[.*?\]\]', b'"copies":' + copies, before)
        one, two, three = read(broken).exchanges.values()
        assert (one.damaged, two.damaged, two.request_body) == (False, True, None)
        one, two, three = read(redacted(broken)[0]).exchanges.values()
        assert (one.omitted, two.omitted, three.omitted) == ([], *[["it refers to what is lost"]] * 2)


def test_nothing_to_redact_changes_nothing() -> None:
    """But the header, which says that it was redacted."""
    events = [*_exchange(1, _body("a" * 500), b"x", b"y"), *_exchange(2, _body("a" * 500, "b"), b"")]
    events = [
        RequestHead(e.exchange, e.method, e.target, e.host, (), "h2") if isinstance(e, RequestHead) else e
        for e in events
    ]
    before = file(written(events))
    after, _ = redacted(before)
    timeless = [re.sub(rb'"t":\d+', b"", lines).splitlines()[1:] for lines in (before, after)]
    assert timeless[0] == timeless[1]


def test_a_secret_in_several_events_takes_its_response_along() -> None:
    """It is in no line by itself, so nothing of that stream is written; others stay."""
    half = len(_TOKEN) // 2
    divided = _events("my ", _TOKEN[:half], _TOKEN[half:], " it is")
    events = [*_exchange(1, _body(_TOKEN), divided), *_exchange(2, _body("x"), _events("fine", "too"))]
    events += [
        RequestHead(3, "GET", "/v1/responses", "h", (), "http/1.1"),
        BodyEnd(3, "agent"),
        ResponseHead(3, 101, (("upgrade", "websocket"),)),
        SocketMessage(3, "agent", _body(_TOKEN), True),
        SocketMessage(3, "provider", json.dumps({"delta": _TOKEN[:half]}).encode(), True),
        SocketMessage(3, "provider", json.dumps({"delta": _TOKEN[half:]}).encode(), True),
    ]
    lines, _ = redacted(file(written(events)))
    assert _TOKEN[half:].encode() not in lines
    one, two, three = read(lines).exchanges.values()
    assert (one.response_body, one.omitted) == (b"", ["a secret in several pieces"])
    assert two.response_body == _events("fine", "too")
    assert [message.data for message in three.messages] == [_body("<secret:1>"), b"", b""]


def test_what_is_no_text_is_left_out() -> None:
    """Nobody can say what is in it; the same for a body that refers to a lost one."""
    events = [*_exchange(1, b'{"messages":[]}' + _BIN, b"text", _BIN), *_exchange(2, _body("s" * 500), b"")]
    records = written([*events, *_exchange(3, _body("s" * 500, "t"), b"")])
    lines, _ = redacted(file([record for record in records if record.exchange != 2]))
    assert _TOKEN.encode() not in lines
    assert all(entry.kind != "damaged" for entry in Parser().feed(lines))
    one, three = read(lines).exchanges.values()
    assert (one.request_body, one.omitted) == (None, ["not text", "not text"])
    assert (three.request_body, three.omitted) == (None, ["it refers to what is lost"])
