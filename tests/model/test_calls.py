"""Exchanges -> calls: which are calls, in which order, which are retries, which were aborted; WebSockets."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from acp_trace.model import sockets
from acp_trace.model.calls import model_calls, waiting
from acp_trace.model.exchange import Chunk, ModelExchange, WebSocketMessage
from acp_trace.model.reading import read_prompt
from acp_trace.model.shapes import PromptMessage, Text, ToolResult
from tests.model import streams
from tests.model.streams import sse


def _exchange(number: int, started: int, **more: Any) -> ModelExchange:
    usual = {"method": "POST", "host": "api.openai.com", "path": "/v1/chat/completions", "status": 200}
    return ModelExchange(number, started, **{**usual, "response_headers": streams.SSE, **more})


def _said(t_ns: int, sender: Literal["agent", "provider"], data: bytes | None) -> WebSocketMessage:
    return WebSocketMessage(t_ns, sender, data, is_text=True)


def _asked(text: str, **more: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **more}).encode()


def _chat(number: int, started: int, text: str, answer: bytes = b"", **more: Any) -> ModelExchange:
    chunks = [Chunk(started + 5, answer)] if answer else []
    user = more.pop("user", f"u-{number}")
    ended = started + 9
    return _exchange(
        number,
        started,
        request_body=_asked(text, user=user),
        chunks=chunks,
        ended_ns=ended,
        **more,
    )


DONE = sse({"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]})


def test_calls_are_numbered_as_they_began() -> None:
    """Whatever else went past; a body that is not there is no call."""
    exchanges = [
        _chat(4, 40, "second", DONE),
        _exchange(1, 10, method="GET", path="/v1/models"),
        _exchange(2, 15),
        _chat(3, 20, "first", DONE),
    ]
    calls = model_calls(exchanges)
    assert [(call.call, call.exchange, call.started_ns, call.ended_ns) for call in calls] == [
        (1, 3, 20, 29),
        (2, 4, 40, 49),
    ]
    assert [call.answer.first_token_ns for call in calls] == [25, 45]
    assert calls[0].prompt().messages == (PromptMessage("user", (Text("first"),)),)
    assert not any(call.is_aborted for call in calls)


def test_a_retry_is_the_same_call_after_a_failure() -> None:
    """Under another label; after an error, after a stream that broke off, and each counts once."""
    half = sse({"choices": [{"delta": {"content": "Ye"}}]})
    exchanges = [
        _chat(1, 10, "ask", b'{"error":{"message":"Slow"}}', status=429),
        _chat(2, 20, "ask", half, broken_by="provider"),
        _chat(3, 30, "other", DONE),
        _chat(4, 40, "ask", DONE),
        _chat(5, 50, "ask", DONE),
    ]
    assert [(call.call, call.retry_of) for call in model_calls(exchanges)] == [
        (1, None),
        (2, 1),
        (3, None),
        (4, 2),
        (5, None),
    ]


def test_an_aborted_call_is_no_failure() -> None:
    """The agent broke it off, as after a cancel; one that had ended is not aborted."""
    half = sse({"choices": [{"delta": {"content": "Ye"}}]})
    exchanges = [
        _chat(1, 10, "ask", half, broken_by="agent"),
        _chat(2, 20, "ask", DONE, broken_by="agent"),
        _chat(3, 30, "else", half),
    ]
    calls = model_calls(exchanges)
    assert [(call.is_aborted, call.answer.is_broken_off, call.retry_of) for call in calls] == [
        (True, True, None),
        (False, False, None),
        (False, True, None),
    ]


def test_an_agent_waits_for_its_model_also_before_a_retry() -> None:
    """A limit of 20, answered at once, and a call that is still open."""
    exchanges = [
        _chat(1, 10, "ask", b'{"error":{"message":"Slow"}}', status=429),
        _chat(2, 40, "ask", DONE),
        _chat(3, 60, "more", DONE),
    ]
    exchanges[2].ended_ns = None
    assert waiting(model_calls(exchanges), 90) == [(10, 19), (19, 49), (60, 90)]


def _create(*items: Any, **more: Any) -> bytes:
    return json.dumps({"type": "response.create", "model": "m", "input": list(items), **more}).encode()


def test_a_websocket_holds_many_calls() -> None:
    """Each with its events. One that goes on from another tells all that was told."""
    first = _create(
        {"role": "user", "content": "Go."},
        instructions="Be brief.",
        tools=[{"type": "function", "name": "read"}],
    )
    second = _create(
        {"type": "function_call_output", "call_id": "c-1", "output": "Eggs"}, previous_response_id="r-1"
    )
    answers = [
        json.dumps(each).encode()
        for each in (
            *streams.RESPONSES_EVENTS,
            streams._response("response.completed", **streams.RESPONSES_DONE),
        )
    ]
    lost = [json.dumps({"type": "response.created", "response": {"id": "r-2"}}).encode()]
    messages = [_said(9, "provider", b'{"type":"hello"}'), _said(10, "agent", first)]
    messages += [_said(20 + at, "provider", data) for at, data in enumerate(answers)]
    messages += [_said(100, "agent", second), _said(101, "provider", lost[0]), _said(102, "provider", None)]
    socket = _exchange(
        1, 5, method="GET", path="/v1/responses", request_headers=(("upgrade", "websocket"),), status=101,
        messages=messages, ended_ns=200, broken_by="agent",
    )  # fmt: skip
    one, two = model_calls([socket])
    assert (one.answer.parts, one.answer.tokens) == (streams.PARTS, streams.RESPONSES.tokens)
    assert (one.started_ns, one.ended_ns, one.is_aborted) == (10, 19 + len(answers), False)
    assert (two.started_ns, two.ended_ns, two.is_aborted) == (100, 200, True)
    assert two.prompt().system == "Be brief."
    assert [tool.name for tool in two.prompt().tools] == ["read"]
    assert two.prompt().continues is None
    assert two.prompt().messages == (
        PromptMessage("user", (Text("Go."),)),
        PromptMessage("assistant", streams.PARTS),
        PromptMessage("tool", (ToolResult("c-1", "Eggs"),)),
    )


def test_what_a_developer_says_on_a_websocket() -> None:
    """Codex first warms up, then says all that it has to say; later words of the developer change no instructions."""

    def developer(text: str) -> dict[str, str]:
        return {"role": "developer", "content": text}

    def done(name: str, *parts: Any) -> bytes:
        response = {"id": name, "status": "completed", "output": list(parts)}
        return json.dumps({"type": "response.completed", "response": response}).encode()

    go, on = {"role": "user", "content": "Go."}, {"role": "user", "content": "On."}
    asks = [
        _create(generate=False, instructions="Be brief."),
        _create(developer("Be kind."), developer("Be quick."), go, previous_response_id="r-1"),
        _create(developer("Be slow."), on, previous_response_id="r-2", instructions="Be brief."),
    ]
    messages = []
    for number, ask in enumerate(asks, 1):
        messages += [
            _said(number * 10, "agent", ask),
            _said(number * 10 + 1, "provider", done(f"r-{number}")),
        ]
    socket = _exchange(
        1, 5, method="GET", path="/v1/responses", request_headers=(("upgrade", "websocket"),), status=101,
        messages=messages, ended_ns=200,
    )  # fmt: skip
    _, two, three = (call.prompt() for call in model_calls([socket]))
    assert [two.system, three.system] == ["Be brief.\n\nBe kind.\n\nBe quick."] * 2
    said = [("user", "Go."), ("developer", "Be slow."), ("user", "On.")]
    assert three.messages == tuple(PromptMessage(role, (Text(text),)) for role, text in said)
    assert two.messages == three.messages[:1]


def test_a_row_of_calls_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often each is asked, in whatever order; what is told of each is all that came before."""
    count, messages = 40, []
    for number in range(count):
        ask = {"role": "user", "content": str(number)}
        earlier = {"previous_response_id": f"r-{number - 1}"} if number else {}
        done = {
            "type": "response.completed",
            "response": {"id": f"r-{number}", "status": "completed", "output": []},
        }
        messages.append(_said(number * 10, "agent", _create(ask, **earlier)))
        messages.append(_said(number * 10 + 1, "provider", json.dumps(done).encode()))
    socket = _exchange(
        1, 5, method="GET", path="/v1/responses", request_headers=(("upgrade", "websocket"),), status=101,
        messages=messages, ended_ns=1000,
    )  # fmt: skip
    found, other = model_calls([socket]), model_calls([socket])
    read: list[bytes] = []

    def counted(recognised: Any, body: bytes) -> Any:
        read.append(body)
        return read_prompt(recognised, body)

    monkeypatch.setattr("acp_trace.model.calls.read_prompt", counted)
    lengths = [
        (len(call.prompt().messages), len(same.prompt().messages))
        for call, same in zip(found, other, strict=True)
    ]
    assert lengths == [(number, number) for number in range(1, count + 1)]
    assert len(read) <= 2 * (count + 1)
    assert [len(found[at].prompt().messages) for at in (10, 39, 9)] == [11, 40, 10]


@pytest.mark.parametrize("end", ["response.failed", "response.incomplete", "response.cancelled", "error"])
def test_calls_on_a_websocket_end_in_several_ways(end: str) -> None:
    """What comes after it answers the next one."""
    messages = [
        (True, 1, _create()),
        (True, 2, _create()),
        (False, 3, json.dumps({"type": end}).encode()),
        (False, 4, b"{}"),
    ]
    assert [[t_ns for t_ns, _ in call.answer] for call in sockets.calls(messages)] == [[3], [4]]


def test_a_refused_websocket_holds_no_call() -> None:
    """Codex tries it several times before it asks without."""
    refused = _exchange(
        1,
        5,
        method="GET",
        path="/v1/responses",
        request_headers=(("upgrade", "websocket"),),
        status=404,
    )
    assert model_calls([refused]) == []
    assert sockets.calls([(True, 1, b"no json"), (True, 2, b"[]"), (False, 3, b"{}")]) == []
