"""Flows of mitmproxy become the model's side of a trace."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading import mitmproxy
from acp_trace.formats.reading.log import File, Log, NotThisFormat
from acp_trace.formats.reading.trace_lines import traces
from acp_trace.model.exchange import ModelExchange
from tests.formats.reading.comparing import mutated, read_or_refused, sample
from tests.formats.reading.model_side import calls_in, exchanges_in, exchanges_of, said
from tests.formats.reading.test_tnetstring import written
from tests.support import analyzed

_REAL = sample("mitmproxy/flows.mitm")
_RECORDED = sample("mitmproxy/recorded.jsonl")
_T0 = 1_700_000_000.0
_ASKED = b'{"model":"m","messages":[]}'


def _flow(request: dict[str, Any] | None = None, response: Any = (), **changes: Any) -> dict[str, Any]:
    asked = {
        "method": b"POST",
        "scheme": b"https",
        "host": "api.example",
        "port": 443,
        "path": b"/v1/chat/completions",
        "authority": b"",
        "http_version": b"HTTP/1.1",
        "headers": [[b"Content-Type", b"application/json"]],
        "content": _ASKED,
        "timestamp_start": _T0,
        "timestamp_end": _T0 + 0.5,
        **(request or {}),
    }
    answered = {
        "status_code": 200,
        "http_version": b"HTTP/1.1",
        "headers": [[b"content-type", b"application/json"]],
        "content": b"{}",
        "timestamp_start": _T0 + 1,
        "timestamp_end": _T0 + 2,
    }
    answer = None if response is None else answered | dict(response)
    return {
        "version": 21,
        "type": "http",
        "request": asked,
        "response": answer,
        "error": None,
        "websocket": None,
        **changes,
    }


def _read(*flows: Any) -> Log:
    files = [File("-", b"".join(map(written, flows)))]
    assert mitmproxy.recognises(files)
    [log] = mitmproxy.read(files)
    return log


def _one(*flows: Any) -> ModelExchange:
    [exchange] = exchanges_of(_read(*flows))
    return exchange


def test_requests_are_as_we_recorded_them() -> None:
    """Real: heads, bodies, sizes and calls are equal; keys are gone from all of them."""
    [log] = mitmproxy.read([File("flows.mitm", _REAL)])
    [trace] = traces([log], "mitmproxy")
    imported, recorded = exchanges_in(trace.data), exchanges_in(_RECORDED)
    assert [said(exchange) for exchange in imported] == [said(exchange) for exchange in recorded]
    assert calls_in(trace.data) == calls_in(_RECORDED) != []
    assert b"secret" in _REAL
    assert b"secret-" not in trace.data
    assert (log.verbatim, log.unused, log.labels) == (True, [], {"flow_version": "21"})
    assert json.loads(trace.data.split(b"\n")[0])["model"] is True


def test_times() -> None:
    """From the start of the first flow; a whole response stands where it began."""
    exchange = _one(_flow())
    assert (exchange.started_ns, exchange.sent_ns, exchange.answered_ns) == (0, 500_000_000, 10**9)
    assert ([chunk.t_ns for chunk in exchange.chunks], exchange.ended_ns) == ([10**9], 2 * 10**9)
    log = _read(_flow())
    assert (log.started_ns, log.lacks) == (1_700_000_000 * 10**9, ("pieces",))


def test_the_first_token_is_not_known() -> None:
    """The first byte of an answer is, and its end."""
    [trace] = traces([_read(_flow())], "mitmproxy")
    [call] = analyzed(trace.data)[0].model_calls
    assert (call.first_byte_ns, call.first_token_ns, call.duration_ns) == (10**9, None, 2 * 10**9)
    [trace] = traces(mitmproxy.read([File("-", _REAL)]), "mitmproxy")
    assert {call.first_token_ns for call in analyzed(trace.data)[0].model_calls} == {None}


def test_flows_that_overlap() -> None:
    """They are numbered as they began, and their parts stand in the order of their times."""
    early, late = _flow(), _flow({"timestamp_start": _T0 + 0.2, "timestamp_end": _T0 + 0.3})
    log = _read(late, early)
    times = [message.t or 0 for message in log.messages]
    assert times == sorted(times)
    assert [exchange.started_ns for exchange in exchanges_of(log)] == [0, 200_000_000]


def test_a_time_before_the_last_one_of_its_exchange() -> None:
    """No time goes back."""
    exchange = _one(_flow(response={"timestamp_start": _T0 - 5, "timestamp_end": None}))
    assert (exchange.answered_ns, exchange.ended_ns) == (500_000_000, 500_000_000)


def test_bodies_in_a_content_coding() -> None:
    """They are written decoded, and their sizes are those on the wire."""
    packed = gzip.compress(_ASKED)
    headers = [[b"Content-Type", b"application/json"], [b"Content-Encoding", b"gzip"]]
    exchange = _one(_flow({"headers": headers, "content": packed}, {"headers": headers, "content": packed}))
    assert exchange.request_body == exchange.response_body == _ASKED
    assert (exchange.sent_bytes, exchange.received_bytes) == (len(packed), len(packed))
    assert ("content-encoding", "gzip") in exchange.response_headers


def test_bodies_that_are_not_there() -> None:
    """What is streamed is not kept: that is said."""
    exchange = _one(_flow({"content": None}, {"content": None}))
    assert exchange.omitted == ["not in the file", "not in the file"]
    assert (exchange.sent_bytes, exchange.received_bytes) == (None, None)


def test_another_host() -> None:
    """Nothing of its bodies is written."""
    exchange = _one(_flow({"path": b"/login?token=my-own-secret", "content": b'{"password":"x"}'}))
    assert (exchange.path, exchange.is_whole, exchange.request_body, exchange.status) == (
        "/login?token=<cut>",
        False,
        None,
        200,
    )


def test_a_key_that_a_later_request_shows() -> None:
    """It is cut from an earlier one as well."""
    first = _flow({"content": b'{"model":"m","messages":["my-own-secret-1"]}'})
    second = _flow({"headers": [[b"X-Api-Key", b"my-own-secret-1"]], "timestamp_start": _T0 + 9})
    [trace] = traces([_read(first, second)], "mitmproxy")
    assert b"my-own-secret" not in trace.data


@pytest.mark.parametrize(
    ("request_", "host"),
    [
        ({}, "api.example"),
        ({"port": 8443}, "api.example:8443"),
        ({"authority": b"a.example:443"}, "a.example:443"),
        ({"host": "10.0.0.1", "headers": [[b"Host", b"b.example"]]}, "b.example"),
        ({"scheme": b"http", "port": 80, "host": b"old.example"}, "old.example"),
    ],
)
def test_hosts(request_: dict[str, Any], host: str) -> None:
    """As the request names it, before what the proxy knows."""
    assert _one(_flow(request_)).host == host


@pytest.mark.parametrize(
    ("version", "protocol"), [(b"HTTP/2.0", "h2"), (b"HTTP/1.1", "http/1.1"), (b"HTTP/3", "h3"), (b"?", "")]
)
def test_protocols(version: bytes, protocol: str) -> None:
    """The lines that HTTP/2 has for a first line are no headers."""
    exchange = _one(_flow({"http_version": version, "headers": [[b":method", b"POST"], [b"a", b"b"]]}))
    assert (exchange.protocol, exchange.request_headers) == (protocol, (("a", "b"),))


@pytest.mark.parametrize(
    ("message", "side"), [("Client disconnected.", "agent"), ("connection reset", "provider")]
)
def test_errors(message: str, side: str) -> None:
    """Who broke it off, and when; with or without a response."""
    exchange = _one(_flow(None, None, error={"msg": message, "timestamp": _T0 + 3}))
    assert (exchange.status, exchange.broken_by, exchange.ended_ns) == (None, side, 3 * 10**9)
    assert exchange.request_body == _ASKED


def test_a_flow_that_goes_on() -> None:
    """Without response and without error: it has no end."""
    exchange = _one(_flow(None, None))
    assert (exchange.request_body, exchange.status, exchange.ended_ns) == (_ASKED, None, None)


def test_a_websocket() -> None:
    """Its messages, with their times and sides."""
    upgrade = [[b"Upgrade", b"websocket"], [b"Connection", b"Upgrade"]]
    asked = b'{"type":"response.create","response":{"model":"m"}}'
    messages = [
        [1, True, asked, _T0 + 2.5, False, False],
        [2, False, b"\xff", _T0 + 3, False, False],
        [1],
        "x",
    ]
    flow = _flow(
        {"method": b"GET", "path": b"/v1/responses", "headers": upgrade, "content": b""},
        {"status_code": 101, "headers": upgrade, "content": b""},
        websocket={"messages": messages, "timestamp_end": _T0 + 4},
    )
    exchange = _one(flow)
    assert [
        (message.sender, message.data, message.is_text, message.t_ns) for message in exchange.messages
    ] == [
        ("agent", asked, True, 2_500_000_000),
        ("provider", b"\xff", False, 3 * 10**9),
    ]
    assert (exchange.status, exchange.ended_ns, exchange.broken_by) == (101, 4 * 10**9, None)


def test_flows_that_cannot_be_used_are_counted() -> None:
    """Other protocols, no time, no host; those behind them are read. What is cut off ends the file."""
    bad = [
        {"version": 21, "type": "tcp", "messages": []},
        _flow({"timestamp_start": None}),
        _flow({"host": "", "headers": []}),
        _flow({"method": b""}),
        {"a": "b"},
        7,
    ]
    data = b"".join(map(written, [*bad, _flow()])) + written(_flow())[:-9]
    [log] = mitmproxy.read([File("-", data)])
    assert len(exchanges_of(log)) == 1
    assert [each.where for each in log.unused] == [f"flow {n}" for n in (1, 2, 3, 4, 5, 6, 8)]
    assert [each.why for each in log.unused][:2] == ["is tcp not a request over HTTP", "has no time"]
    assert log.unused[-1].why == "is cut off"


def test_an_older_version() -> None:
    """Keys were bytes, the version three numbers."""
    flow = {key.encode(): value for key, value in _flow(version=[3, 0, 0]).items()}
    log = _read(flow)
    assert log.labels == {"flow_version": "3.0.0"}
    assert len(exchanges_of(log)) == 1


def test_several_files() -> None:
    """A log for each; those without a request are counted."""
    logs = mitmproxy.read(
        [File("a", _REAL), File("b", written({"version": 21, "type": "dns"})), File("c", _REAL)]
    )
    assert len(logs) == 2
    assert logs[0].unused == [("b: flow 1", "is dns not a request over HTTP")]


@pytest.mark.parametrize("data", [b"", b"7", b"1:a,", b"{}", written({"version": 21})])
def test_what_is_not_recognised(data: bytes) -> None:
    """Nor read."""
    assert not mitmproxy.recognises([File("-", data)])
    with pytest.raises(NotThisFormat):
        mitmproxy.read([File("-", data)])


_CHANGES = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.integers(0, 10), st.binary(max_size=10)), min_size=1, max_size=4
)
_ANY = (
    st.none()
    | st.integers()
    | st.floats()
    | st.binary(max_size=5)
    | st.text(max_size=5)
    | st.lists(st.lists(st.binary(max_size=3), max_size=2), max_size=3)
)
_REQUEST_KEYS = st.sampled_from(sorted(_flow()["request"]))
_RESPONSE_KEYS = st.sampled_from(sorted(_flow()["response"]))


@given(st.binary(max_size=100) | _CHANGES.map(lambda changes: mutated(_REAL, changes)))
def test_any_bytes(data: bytes) -> None:
    """They are refused, or read with the promises kept."""
    read_or_refused(mitmproxy, [File("-", data)])


@given(
    st.dictionaries(_REQUEST_KEYS, _ANY, max_size=3),
    st.dictionaries(_RESPONSE_KEYS, _ANY, max_size=3),
    _ANY,
    _ANY,
)
def test_any_values(request_: dict[str, Any], response: dict[str, Any], error: Any, websocket: Any) -> None:
    """In the place of any other."""
    flow = _flow(request_, response, error=error, websocket={"messages": websocket})
    for log in read_or_refused(mitmproxy, [File("-", written(flow))]):
        exchanges_of(log)
