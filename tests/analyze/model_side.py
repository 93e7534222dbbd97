"""Traces with a model's side, made by hand: frames and model entries, each at its time in ms."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from acp_trace.analyze.facts import Facts, ModelCall, Turn
from tests.analyze.findings.scenario import start
from tests.model.streams import sse
from tests.reading.talk import Said
from tests.support import END, analyzed, header, line

MS = 1_000_000
_TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]
#: What is at a time: something that client or agent says, or an entry of the model's side.
Timed = tuple[int, Said | dict[str, Any]]


def whole(*events: Timed, end_ms: int = 1000) -> bytes:
    """A trace whose session `s` is open at the beginning: it takes four frames."""
    opening: list[Timed] = [(0, said) for said in start()]
    lines = [header()]
    for ms, event in sorted([*opening, *events], key=lambda event: event[0]):
        if isinstance(event, tuple):
            lines.append(line(t=ms * MS, **{"from": event[0]}, frame=event[1]))
        else:
            lines.append(line(t=ms * MS, model=event))
    return b"".join([*lines, line(t=end_ms * MS, end=END)])


def facts(*events: Timed, end_ms: int = 1000) -> Facts:
    return analyzed(whole(*events, end_ms=end_ms))[0]


def called(
    exchange: int,
    began: int,
    ended: int | None,
    *,
    says: Iterable[tuple[int, str]] = (),
    ask: str = "go",
    tools: bool = True,
    session: str | None = "s",
    status: int = 200,
    broken_by: str | None = None,
    uses: tuple[str, ...] = (),
    tokens: tuple[int, int] | None = None,
    error: str | None = None,
    reason: str = "stop",
    model: str = "m-1",
) -> list[Timed]:
    """A call of the model, which speaks at these times. It has its end, unless somebody broke it off."""
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": ask}]}
    body |= {"tools": _TOOLS} if tools else {}
    text = json.dumps(body)
    headers = [["content-type", "application/json"], ["authorization", None]]
    headers += [["X-Session-Id", session]] if session else []
    request = {"method": "POST", "host": "api.openai.com", "path": "/v1/chat/completions", "headers": headers}
    kind = "application/json" if error else "text/event-stream"
    response = {"status": status, "headers": [["content-type", kind]]}
    events: list[tuple[int, dict[str, Any]]] = [
        (began, {"request": request}),
        (began, {"sent": text}),
        (began, {"sent_end": {"body": exchange, "size": len(text)}}),
    ]
    says = list(says)
    answered = says[0][0] if says else began if ended is None else ended
    events.append((answered, {"response": response}))
    events += [
        (ms, {"received": sse({"choices": [{"delta": {"content": word}}]}).decode()}) for ms, word in says
    ]
    if ended is not None:
        if error:
            events.append((ended, {"received": json.dumps({"error": {"message": error}})}))
        elif broken_by is None:
            events.append((ended, {"received": _end(uses, tokens, reason)}))
        events.append((ended, {"end": {"broken_by": broken_by} if broken_by else {}}))
    return [(ms, {"exchange": exchange, **event}) for ms, event in events]


def _end(uses: tuple[str, ...], tokens: tuple[int, int] | None, reason: str) -> str:
    calls = [
        {"index": n, "id": f"c{n}", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(uses)
    ]
    last: dict[str, Any] = {
        "choices": [{"delta": {"tool_calls": calls} if calls else {}, "finish_reason": reason}]
    }
    if tokens:
        details = {"cached_tokens": 3}
        last["usage"] = {
            "prompt_tokens": tokens[0], "completion_tokens": tokens[1], "prompt_tokens_details": details
        }  # fmt: skip
    return sse(last, done=True).decode()


def ms(call: ModelCall | Turn, *names: str) -> list[float | None]:
    """Times of a fact, in ms."""
    values = [getattr(call, f"{name}_ns") for name in names]
    return [None if value is None else value / MS for value in values]


def parts(turn: Turn) -> list[float | None]:
    """Model, tools, client and its own, in ms."""
    return ms(turn, "model", "tool", "client", "own")
