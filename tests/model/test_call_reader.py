"""Calls as each is over: the same as those that are read out of all exchanges at the end."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

from acp_trace.model.call_reader import CallReader
from acp_trace.model.calls import ModelCall, model_calls
from acp_trace.model.exchange import exchanges_in
from acp_trace.trace.entries import Entry
from acp_trace.trace.parse import Parser
from tests.analyze.model_side import Timed, called, whole
from tests.model import streams

_UPGRADE = {
    "method": "GET",
    "host": "api.openai.com",
    "path": "/v1/responses",
    "headers": [["upgrade", "websocket"]],
}
_ASK = '{"type":"response.create","model":"m-1","input":[]}'


def _message(at: int, sender: str, text: str, body: int | None = None, exchange: int = 9) -> list[Timed]:
    key = "sent" if sender == "agent" else "received"
    words: dict[str, Any] = {"from": sender, "text": True}
    words |= {} if body is None else {"body": body, "size": len(text)}
    return [(at, {"exchange": exchange, key: text}), (at, {"exchange": exchange, "message": words})]


def _entries() -> list[Entry]:
    done = json.dumps(streams._response("response.completed", **streams.RESPONSES_DONE))
    cancelled = '{"type":"response.cancelled","response":{"id":"r-3"}}'
    data = whole(
        *called(1, 10, 90, says=[(20, "one"), (60, "two")]),
        *called(2, 20, 40, status=429, error="Slow down"),
        *called(3, 50, 60, broken_by="agent"),
        *called(4, 95, None, says=[(96, "open")]),
        (30, {"exchange": 5, "request": {"method": "GET", "host": "example.org", "path": "/x", "headers": []}}),
        (31, {"exchange": 5, "end": {}}),
        (12, {"exchange": 9, "request": _UPGRADE}), (13, {"exchange": 9, "response": {"status": 101, "headers": []}}),
        *_message(21, "agent", _ASK, 11), *_message(30, "provider", done),
        *_message(41, "agent", _ASK, 12), *_message(45, "provider", cancelled),
        *_message(51, "agent", _ASK, 13), *_message(55, "provider", '{"type":"response.created"}'),
        (70, {"exchange": 9, "end": {"broken_by": "agent"}}),
        (12, {"exchange": 10, "request": {**_UPGRADE, "path": "/events"}}),
        *_message(22, "agent", _ASK, 14, exchange=10),
    )  # fmt: skip
    return list(Parser().feed(data))


def _facts(calls: list[ModelCall]) -> list[Any]:
    return sorted(
        (call.exchange, call.started_ns, call.ended_ns, call.is_aborted, call.body) for call in calls
    )


def test_calls_are_given_once_and_whole() -> None:
    """HTTP and WebSocket, whole, failed, broken off and open; whatever else goes past is none."""
    reader = CallReader()
    over = [(entry.t, call) for entry in _entries() for call in reader.feed(entry)]
    expected = model_calls(exchanges_in(_entries()))
    assert _facts([*(call for _, call in over), *reader.open()]) == _facts(expected)
    assert len(expected) == 7
    answers = {(call.exchange, call.started_ns): call.answer for call in expected}
    assert all(call.answer == answers[call.exchange, call.started_ns] for _, call in over)
    # Each when it was over; an answer without its end is over with its exchange.
    assert [(t // 1_000_000, call.exchange) for t, call in over] == [
        (30, 9), (40, 2), (60, 3), (70, 9), (70, 9), (90, 1),
    ]  # fmt: skip


def test_a_session_takes_no_more_memory_the_longer_it_is() -> None:
    """Requests that have nothing in common: what no later one may refer to is not kept."""
    size, held = 100_000, []
    data = whole(*(event for n in range(1, 61) for event in called(n, n, n, ask=f"{n:05}" * (size // 5))))
    reader = CallReader()
    tracemalloc.start()
    try:
        for entry in Parser().feed(data):
            held += [tracemalloc.get_traced_memory()[0] for _call in reader.feed(entry)]
    finally:
        tracemalloc.stop()
    assert len(held) == 60
    assert held[-1] - held[20] < 5 * size
