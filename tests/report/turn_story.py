"""A conversation whose model's side is recorded, for the tests of what `show` prints of it.

Turn 0: the model asks for a command, which needs a permission; its next call is refused and made again.
Turn 1: cancelled while the model writes, and its call is aborted. Turn 2: cancelled, and its call runs to its end.
Between them a title is made for no session that anybody can name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from acp_trace.analyze.facts import Facts
from tests.model.streams import sse
from tests.support import END, analyzed, header, line, request, result, update

_MS = 1_000_000
_SESSION = "ses_4f1d20aa"
_MODEL = "claude-sonnet-4-5"

#: When (ms), and the keys of a line.
_Timed = tuple[int, dict[str, Any]]


def _start(cached: int) -> dict[str, Any]:
    usage = {"input_tokens": 4200, "cache_read_input_tokens": cached, "output_tokens": 1}
    return {"type": "message_start", "message": {"id": "m", "model": _MODEL, "usage": usage}}


def _text(text: str) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


def _tool(name: str) -> Iterator[dict[str, Any]]:
    block = {"type": "tool_use", "id": "c", "name": name, "input": {}}
    yield {"type": "content_block_start", "index": 1, "content_block": block}
    yield {"type": "content_block_stop", "index": 1}


def _stop(reason: str, tokens: int) -> Iterator[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens}}
    yield {"type": "message_stop"}


def _call(
    number: int,
    at: int,
    told: str,
    *pieces: tuple[int, bytes],
    end: int,
    status: int = 200,
    named: bool = True,
    **ended: Any,
) -> Iterator[_Timed]:
    """An exchange: its request, pieces of its answer, each after so many ms, and its end."""
    names = [["x-claude-code-session-id", _SESSION]] if named else []
    asked = {"method": "POST", "host": "api.anthropic.com", "path": "/v1/messages", "protocol": "h2"}
    tools: list[Any] = [{"name": name, "input_schema": {}} for name in ("bash", "read")] if named else []
    body = json.dumps(
        {"model": _MODEL, "stream": True, "tools": tools, "messages": [{"role": "user", "content": told}]}
    )
    kind = "text/event-stream" if status == 200 else "application/json"
    yield at, {"request": {**asked, "headers": [["content-type", "application/json"], *names]}}
    yield at, {"sent": body}
    yield at, {"sent_end": {"body": number, "size": len(body)}}
    yield at + pieces[0][0], {"response": {"status": status, "headers": [["content-type", kind]]}}
    for after, data in pieces:
        yield at + after, {"received": data.decode()}
    if not ended:
        yield at + end, {"received_end": {"size": sum(len(data) for _, data in pieces)}}
    yield at + end, {"end": {"sent_bytes": len(body), "received_bytes": 0, **ended}}


def _calls() -> Iterator[_Timed]:
    beginning = sse(_start(0), *_text("I run the tests."))
    asking = (820, beginning), (1900, sse(*_tool("bash"), *_stop("tool_use", 84)))
    told = {
        1: _call(1, 320, "Fix the failing test", *asking, end=1900),
        2: _call(2, 4400, "It prints: 1 failed", (180, b'{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit of your organization"}}'), end=180, status=429),
        3: _call(3, 5600, "It prints: 1 failed", (700, sse(_start(3900), *_text("Fixed. " * 40))), (2400, sse(*_stop("end_turn", 212))), end=2400),
        4: _call(4, 8300, "A title for this", (300, sse(_start(0), *_text("Fix a test"))), (600, sse(*_stop("end_turn", 9))), end=600, named=False),
        5: _call(5, 10_050, "Explain it", (900, sse(_start(4100), *_text("The test compares two times. " * 4))), (1200, sse(*_text("And " * 10))), end=1260, broken_by="agent"),
        6: _call(6, 13_050, "Again", (600, sse(_start(4300), *_text("Times. "))), (2900, sse(*_text("They differ by an hour. " * 20), *_stop("end_turn", 120))), end=2900),
    }  # fmt: skip
    for number, entries in told.items():
        for at, words in entries:
            yield at, {"model": {"exchange": number, **words}}


def _frames() -> Iterator[_Timed]:
    def chunk(text: str) -> dict[str, Any]:
        return update(_SESSION, "agent_message_chunk", content={"type": "text", "text": text})

    def prompt(number: int, text: str) -> dict[str, Any]:
        blocks = [{"type": "text", "text": text}]
        return request(number, "session/prompt", sessionId=_SESSION, prompt=blocks)

    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": _SESSION}}
    tool = {"toolCallId": "c", "title": "npm test", "kind": "execute"}
    allow = {"optionId": "once", "name": "Allow", "kind": "allow_once"}
    said: list[tuple[int, str, dict[str, Any]]] = [
        (10, "client", request(0, "initialize", protocolVersion=1, clientInfo={"name": "Editor", "version": "1"})),
        (90, "agent", result(0, protocolVersion=1, agentInfo={"name": "Agent", "version": "2"})),
        (100, "client", request(1, "session/new", cwd="/w")),
        (140, "agent", result(1, sessionId=_SESSION)),
        (150, "client", request(2, "session/new", cwd="/other")),
        (190, "agent", result(2, sessionId="ses_77b0c3e1")),
        (300, "client", prompt(3, "Fix the failing test")),
        (1140, "agent", chunk("I run the tests.")),
        (2230, "agent", update(_SESSION, "tool_call", **tool, status="pending")),
        (2240, "agent", request(0, "session/request_permission", sessionId=_SESSION, toolCall=tool, options=[allow])),
        (3100, "client", result(0, outcome={"outcome": "selected", "optionId": "once"})),
        (3110, "agent", update(_SESSION, "tool_call_update", toolCallId="c", status="in_progress")),
        (4380, "agent", update(_SESSION, "tool_call_update", toolCallId="c", status="completed")),
        (6310, "agent", chunk("Fixed.")),
        (8020, "agent", result(3, stopReason="end_turn")),
        (10_000, "client", prompt(4, "Explain it")),
        (10_960, "agent", chunk("The test compares two times.")),
        (11_200, "client", cancel),
        (11_320, "agent", result(4, stopReason="cancelled")),
        (13_000, "client", prompt(5, "Again")),
        (13_660, "agent", chunk("Times.")),
        (14_000, "client", cancel),
        (14_080, "agent", result(5, stopReason="cancelled")),
    ]  # fmt: skip
    for at, sender, message in said:
        yield at, {"from": sender, "frame": message}


def trace_file() -> bytes:
    """The lines of the trace."""
    timed = sorted([*_frames(), *_calls()], key=lambda each: each[0])
    lines = [line(t=at * _MS, **keys) for at, keys in timed]
    return b"".join([header(model=True), *lines, line(t=17_000 * _MS, end=END)])


def story() -> Facts:
    """The facts of that trace."""
    return analyzed(trace_file())[0]
