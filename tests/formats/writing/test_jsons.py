"""`export --to jsons`: events as the Rust SDK's conductor writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.formats.reading import jsons
from acp_trace.formats.reading.log import File
from acp_trace.formats.reading.trace_lines import traces
from tests.formats.reading.comparing import DATA
from tests.formats.writing.exporting import given, without_times, written
from tests.support import error, request, result, trace, update

_DATA = DATA / "jsons"
#: Members of each event in the Rust SDK, in their order; `session` only where the SDK knows one, which it never does.
_MEMBERS = {
    "request": ["type", "ts", "protocol", "from", "to", "id", "method", "params"],
    "response": ["type", "ts", "from", "to", "id", "is_error", "payload"],
    "notification": ["type", "ts", "protocol", "from", "to", "method", "params"],
}


def _events(file: bytes) -> list[dict[str, Any]]:
    return [json.loads(each) for each in file.splitlines()]


def test_every_message_is_an_event_of_its_shape() -> None:
    """Types, sides, ids, parameters and results are those of the frames, and times those to the nanosecond."""
    sample = given("opencode-story")
    events = _events(written("jsons", sample))
    frames = list(sample.frames())
    assert len(events) == len(frames)
    for event, frame in zip(events, frames, strict=True):
        assert list(event) == _MEMBERS[event["type"]]
        assert (event["type"], round(event["ts"] * 1e9)) == (frame.kind.value, frame.t_ns)
        assert (event["from"], event["to"]) == (
            ("Client", "Agent") if frame.sender == "client" else ("Agent", "Client")
        )
        message = json.loads(frame.data)
        assert event.get("id") == message.get("id")
        if event["type"] == "response":
            assert event["payload"] == message.get("error" if event["is_error"] else "result")
        else:
            assert (event["method"], event["params"]) == (message["method"], message.get("params"))


def test_texts_stay_as_they_were_sent() -> None:
    """Numbers and escapes are not written anew, also not the escape of half a character."""
    raw = b'{"jsonrpc":"2.0","id":1e0,"method":"x","params":{"a":1.50,"b":"\\u00e9\\ud83d"}}'
    file = b'{"acp_trace":1,"id":"i"}\n{"t":1500000000,"from":"client","frame":' + raw + b"}\n"
    assert written("jsons", given(file)) == (
        b'{"type":"request","ts":1.5,"protocol":"acp","from":"Client","to":"Agent","id":1e0,"method":"x",'
        b'"params":{"a":1.50,"b":"\\u00e9\\ud83d"}}\n'
    )


def test_errors_and_what_has_no_parameters() -> None:
    """An error is the payload; parameters that are not there are null, as in Rust."""
    events = _events(
        written(
            "jsons",
            given(trace(("agent", error("a", -1, "no")), ("client", {"jsonrpc": "2.0", "method": "exit"}))),
        )
    )
    assert (events[0]["is_error"], events[0]["id"], events[0]["payload"]) == (
        True,
        "a",
        {"code": -1, "message": "no"},
    )
    assert (events[1]["type"], events[1]["params"]) == ("notification", None)


def test_what_is_no_message_is_counted() -> None:
    """The format has no place for it, and the user learns how much there was."""
    odd = given(
        trace(("agent", 7), ("client", request(1, "x")), ("agent", result(1)), ("agent", update("s", "plan")))
    )
    assert len(_events(written("jsons", odd))) == 3
    assert odd.notes == ["1 frame left out: not JSON-RPC"]


def test_without_times_there_is_no_ts() -> None:
    """The SDK's viewer does without."""
    untimed = without_times("opencode-story")
    assert not any("ts" in event for event in _events(written("jsons", untimed)))
    assert untimed.notes == ["the trace has no times: the events have none either"]


@pytest.mark.parametrize("name", ["no-proxy", "one-proxy", "conductor", "conductor-1"])
def test_what_was_imported_is_exported_again(name: str) -> None:
    """A file of the SDK, without proxies and with one, becomes a trace, and the trace that file: every byte."""
    data = (_DATA / f"{name}.jsons").read_bytes()
    (made,) = traces(jsons.read([File(f"{name}.jsons", data)]), jsons.NAME)
    again = written("jsons", given(made.data))
    assert _events(again) == _events(data)
    assert again == data or not name.startswith("conductor")  # the others were not written by Rust


@pytest.mark.parametrize("name", ["two-proxies", "conductor-2"])
def test_each_connection_has_its_events_again(name: str) -> None:
    """With more proxies a file holds several connections: each gives the events of its two components."""
    data = (_DATA / f"{name}.jsons").read_bytes()
    read = traces(jsons.read([File(f"{name}.jsons", data)]), jsons.NAME)
    assert len(read) == 3
    for made in read:
        again = _events(written("jsons", given(made.data)))
        ends = {again[0]["from"], again[0]["to"]}
        assert again == [one for one in _acp(_events(data)) if {one["from"], one["to"]} == ends]


def _acp(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the messages of MCP and the responses to them."""
    mcp = {json.dumps(one.get("id")) for one in events if one.get("protocol") == "mcp"} - {"null"}
    return [one for one in events if one.get("protocol") != "mcp" and json.dumps(one.get("id")) not in mcp]
