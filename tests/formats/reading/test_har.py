"""HTTP archives become the model's side of a trace."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading import har
from acp_trace.formats.reading.log import File, Log, NotThisFormat
from acp_trace.formats.reading.trace_lines import traces
from acp_trace.model.exchange import ModelExchange
from tests.formats.reading.comparing import mutated, read_or_refused, sample
from tests.formats.reading.model_side import calls_in, exchanges_in, exchanges_of, said
from tests.formats.writing import exporting

_REAL = sample("har/mitmproxy.har")
_CHROMIUM = sample("har/chromium.har")
_RECORDED = sample("mitmproxy/recorded.jsonl")
_ASKED = '{"model":"m","messages":[]}'


def _entry(
    request: dict[str, Any] | None = None, response: dict[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    json_header = [{"name": "Content-Type", "value": "application/json"}]
    asked = {
        "method": "POST",
        "url": "https://api.example/v1/chat/completions",
        "httpVersion": "HTTP/1.1",
        "headers": json_header,
        "postData": {"mimeType": "application/json", "text": _ASKED},
        "bodySize": 27,
    }
    answered = {
        "status": 200,
        "httpVersion": "HTTP/1.1",
        "headers": json_header,
        "content": {"size": 2, "mimeType": "application/json", "text": "{}"},
        "bodySize": 2,
    }
    return {
        "startedDateTime": "2026-11-20T13:05:01.500Z",
        "time": 70.5,
        "request": asked | (request or {}),
        "response": answered | (response or {}),
        "timings": {"blocked": 1, "dns": -1, "connect": 9, "ssl": 5, "send": 10, "wait": 20, "receive": 30},
        **changes,
    }


def _archive(*entries: Any, **log: Any) -> bytes:
    return json.dumps(
        {"log": {"version": "1.2", "creator": {"name": "n", "version": "1"}, "entries": entries, **log}}
    ).encode()


def _read(*entries: Any) -> Log:
    files = [File("-", _archive(*entries))]
    assert har.recognises(files)
    [log] = har.read(files)
    return log


def _one(*entries: Any) -> ModelExchange:
    [exchange] = exchanges_of(_read(*entries))
    return exchange


def test_requests_are_as_we_recorded_them() -> None:
    """Real, by mitmproxy: heads, bodies, sizes and calls are equal; keys are gone from all of them."""
    [log] = har.read([File("flows.har", _REAL)])
    [trace] = traces([log], "har")
    assert [said(exchange) for exchange in exchanges_in(trace.data)] == [
        said(exchange) for exchange in exchanges_in(_RECORDED)
    ]
    assert calls_in(trace.data) == calls_in(_RECORDED) != []
    assert b"secret" in _REAL
    assert b"secret-" not in trace.data
    assert (log.verbatim, log.unused, log.labels) == (
        False,
        [],
        {"creator": "mitmproxy", "tool_version": "11.0.2"},
    )


def test_an_archive_of_a_browser() -> None:
    """Real, by Chromium: three calls of a model, and a question which models there are."""
    [log] = har.read([File("-", _CHROMIUM)])
    [trace] = traces([log], "har")
    exchanges = exchanges_in(trace.data)
    assert [exchange.is_whole for exchange in exchanges] == [True] * 4
    assert len(calls_in(trace.data)) == 3
    assert "ça va" in (exchanges[1].request_body or b"").decode()
    assert b"secret-" not in trace.data
    assert [call["output_tokens"] for call in calls_in(trace.data)][:2] == [20, 20]


def test_what_was_exported_comes_back() -> None:
    """Exported as an archive and imported: what was asked and answered is equal, with its secrets still gone."""
    archive = exporting.written("har", exporting.given(_RECORDED))
    [log] = har.read([File("-", archive)])
    imported, recorded = exchanges_of(log), exchanges_in(_RECORDED)
    assert [exchange.host for exchange in imported] == [exchange.host for exchange in recorded]
    for one, other in zip(map(said, imported), map(said, recorded), strict=True):
        sizes = slice(6, 8)  # an archive of ours does not have them
        assert (one[: sizes.start], one[sizes.stop :]) == (other[: sizes.start], other[sizes.stop :])


def test_times() -> None:
    """A request is sent after what had to be done for that; `ssl` is a part of `connect`, -1 did not happen."""
    exchange = _one(_entry())
    assert (exchange.started_ns, exchange.sent_ns, exchange.answered_ns) == (0, 20_000_000, 40_000_000)
    assert ([chunk.t_ns for chunk in exchange.chunks], exchange.ended_ns) == ([40_000_000], 70_500_000)
    assert _read(_entry()).started_ns == 1_795_179_901_500_000_000


def test_times_of_which_some_are_missing() -> None:
    """The whole time is enough; without any, all is at the start."""
    assert _one(_entry(timings={})).ended_ns == 70_500_000
    assert _one(_entry(timings=None, time=None)).ended_ns == 0


def test_a_content_coding() -> None:
    """Bodies are out of it in an archive, and headers keep its name, in its place."""
    headers = [
        {"name": "A", "value": "1"},
        {"name": "Content-Encoding", "value": "gzip"},
        {"name": "B", "value": "2"},
    ]
    exchange = _one(_entry({"headers": headers}, {"headers": headers}))
    assert (exchange.request_body, exchange.response_body) == (_ASKED.encode(), b"{}")
    pairs = (("a", "1"), ("content-encoding", "gzip"), ("b", "2"))
    assert exchange.request_headers == exchange.response_headers == pairs


def test_bodies_that_are_no_text() -> None:
    """They are in base64."""
    content = {"size": 2, "text": base64.b64encode(b"\xff\x00").decode(), "encoding": "base64"}
    assert _one(_entry(response={"content": content})).response_body == b"\xff\x00"
    broken = {"size": 2, "text": "?", "encoding": "base64"}
    assert _one(_entry(response={"content": broken})).omitted == ["not in the file"]


def test_bodies_that_are_not_there() -> None:
    """That is said; where there was none, it is empty. Sizes of -1 are unknown."""
    exchange = _one(_entry({"postData": None}, {"content": {"size": 9}, "bodySize": -1}))
    assert exchange.omitted == ["not in the file", "not in the file"]
    assert (exchange.sent_bytes, exchange.received_bytes) == (27, None)
    empty = _one(_entry({"postData": None, "bodySize": 0}, {"content": {"size": 0}}))
    assert (empty.omitted, empty.response_body) == ([], b"")
    assert _one(_entry({"postData": {"params": []}})).omitted == ["not in the file"]


@pytest.mark.parametrize(
    ("error", "side"),
    [("net::ERR_ABORTED", "agent"), ("net::ERR_CONNECTION_RESET", "provider"), ("", "provider")],
)
def test_no_response(error: str, side: str) -> None:
    """A status of 0 is none."""
    exchange = _one(_entry(response={"status": 0, "_error": error}))
    assert (exchange.status, exchange.broken_by, exchange.request_body) == (None, side, _ASKED.encode())


def test_a_websocket() -> None:
    """As Chrome has it."""
    upgrade = [{"name": "Upgrade", "value": "websocket"}]
    asked = '{"type":"response.create","response":{"model":"m"}}'
    messages = [
        {"type": "send", "time": 1_795_179_902.5, "opcode": 1, "data": asked},
        {"type": "receive", "time": 1_795_179_903, "opcode": 2, "data": "/wA="},
        {"type": "other"},
        {"type": "receive", "opcode": 2, "data": "?"},
    ]
    request = {
        "method": "GET",
        "url": "wss://api.example/v1/responses",
        "headers": upgrade,
        "postData": None,
        "bodySize": 0,
    }
    exchange = _one(
        _entry(request, {"status": 101, "headers": upgrade, "content": {}}, _webSocketMessages=messages)
    )
    assert [(message.sender, message.data, message.t_ns) for message in exchange.messages] == [
        ("agent", asked.encode(), 10**9),
        ("provider", b"\xff\x00", 1_500_000_000),
    ]
    assert (exchange.host, exchange.status) == ("api.example", 101)


@pytest.mark.parametrize(
    ("url", "host", "target"),
    [
        ("https://a.example", "a.example", "/"),
        ("https://a.example:443/x?y=1#z", "a.example", "/x?y=1"),
        ("http://a.example:443/x", "a.example:443", "/x"),
        ("http://[::1]:80/x", "[::1]", "/x"),
        ("data:text/plain,x", "", ""),
        ("https://a.example:port/", "", ""),
        ("https://[a/", "", ""),
    ],
)
def test_addresses(url: str, host: str, target: str) -> None:
    """Without the usual port, and without a fragment."""
    assert har.address(url) == (host, target)


def test_a_login_in_an_address() -> None:
    """It is cut, and learned."""
    [trace] = traces(
        [_read(_entry({"url": "https://me:my-own-secret@a.example/v1/chat/completions"}))], "har"
    )
    assert b"my-own-secret" not in trace.data


def test_entries_that_cannot_be_used_are_counted() -> None:
    """No address, no time, nothing at all."""
    bad = [
        _entry({"url": "x"}),
        _entry(startedDateTime="now"),
        _entry(startedDateTime="1960-01-01T00:00:00Z"),
        7,
    ]
    log = _read(*bad, _entry())
    assert [each.where for each in log.unused] == ["entry 1", "entry 2", "entry 3", "entry 4"]
    assert len(exchanges_of(log)) == 1


def test_several_files() -> None:
    """A log for each; others are counted. A byte order mark is no fault."""
    logs = har.read(
        [
            File("a", b"\xef\xbb\xbf" + _REAL),
            File("b", b"hello"),
            File("c", _archive(7)),
            File("d", _CHROMIUM),
        ]
    )
    assert len(logs) == 2
    assert [each.where for each in logs[0].unused] == ["b", "c: entry 1"]


@pytest.mark.parametrize(
    "data", [b"", b"{}", b'{"log":{"entries":{}}}', b'{"entries":[]}', _REAL[:-9], b"[]"]
)
def test_what_is_not_recognised(data: bytes) -> None:
    """Nor read."""
    assert not har.recognises([File("-", data)])
    with pytest.raises(NotThisFormat):
        har.read([File("-", data)])


_CHANGES = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.integers(0, 10), st.binary(max_size=10)), min_size=1, max_size=3
)
_ANY = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)
_WHOLE = _entry()


@given(st.binary(max_size=100) | _CHANGES.map(lambda changes: mutated(_CHROMIUM, changes)))
def test_any_bytes(data: bytes) -> None:
    """They are refused, or read with the promises kept."""
    read_or_refused(har, [File("-", data)])


@given(
    st.dictionaries(st.sampled_from(sorted(_WHOLE["request"])), _ANY, max_size=2),
    st.dictionaries(st.sampled_from(sorted(_WHOLE["response"])), _ANY, max_size=2),
    st.dictionaries(st.sampled_from([*sorted(_WHOLE), "_webSocketMessages", "_error"]), _ANY, max_size=2),
    st.dictionaries(st.sampled_from(["blocked", "send", "wait", "receive"]), _ANY, max_size=3),
)
def test_any_values(request_: Any, response: Any, changes: Any, timings: Any) -> None:
    """In the place of any other."""
    entry = _entry(request_, response) | {"timings": timings} | changes
    for log in read_or_refused(har, [File("-", _archive(entry))]):
        exchanges_of(log)
