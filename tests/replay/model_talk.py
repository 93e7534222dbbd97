"""Traces with a model's side, made by hand: frames, and between them calls of a model in OpenAI's chat form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from acp_trace.trace.entries import Entry
from tests.reading.talk import Said, prompt, stop
from tests.replay.facing import entries
from tests.replay.lines import START, chunk
from tests.support import END, header, line

SYSTEM = "You help.\nBe brief."
STEP = 1000


def tool(name: str) -> dict[str, Any]:
    """A tool that the model is offered."""
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {
        "type": "function",
        "function": {"name": name, "description": "A tool.", "parameters": parameters},
    }


TOOLS = [tool("read"), tool("write")]


@dataclass(frozen=True)
class Call:
    """A call. `served`: what a run says of where its answer came from."""

    text: str = "Go."
    system: str = SYSTEM
    tools: Sequence[dict[str, Any]] = tuple(TOOLS)
    temperature: float = 0.5
    served: dict[str, Any] | None = None
    more: Sequence[dict[str, Any]] = ()  #: messages behind that of the user
    status: int = 200
    host: str = "api.openai.com"

    @property
    def body(self) -> str:
        """The request."""
        messages = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.text},
            *self.more,
        ]
        return json.dumps(
            {
                "model": "m-1",
                "messages": messages,
                "tools": list(self.tools),
                "temperature": self.temperature,
            }
        )


@dataclass(frozen=True)
class Other:
    """A request to a host that is no model."""

    served: dict[str, Any] | None = None


def talk(*events: Said | Call | Other, is_whole: bool = True, **changes: Any) -> list[Entry]:
    """The entries of a trace with these frames and calls, one µs apart; it has a model's side in any case."""
    lines = [header(**changes), line(t=1, model={"environment": {"directories": {}}})]
    exchange = 0
    for number, event in enumerate(events, 1):
        t = number * STEP
        if isinstance(event, tuple):
            lines.append(line(t=t, **{"from": event[0]}, frame=event[1]))
            continue
        exchange += 1
        lines += [line(t=t, model={"exchange": exchange, **words}) for words in _exchange(event, exchange)]
    if is_whole:
        lines.append(line(t=(len(events) + 1) * STEP, end=END))
    return entries(b"".join(lines))


def turn(*events: Said | Call | Other, id: int = 3, reason: str = "end_turn", text: str = "go") -> list[Any]:
    """A turn in which these things happen before its text comes."""
    return [prompt(id, text=text), *events, chunk("Done."), stop(id, reason)]


def session(*events: Any, **more: Any) -> list[Entry]:
    """A trace with a session in which these things happen."""
    return talk(*START, *events, **more)


def _exchange(event: Call | Other, exchange: int) -> list[dict[str, Any]]:
    if isinstance(event, Other):
        head = {"method": "GET", "host": "registry.npmjs.org", "path": "/x", "headers": []}
        served = [{"served": event.served}] if event.served else []
        return [{"request": head}, *served, {"response": {"status": 200, "headers": []}}, {"end": {}}]
    head = {"method": "POST", "host": event.host, "path": "/v1/chat/completions", "headers": []}
    answer = {
        "id": "a",
        "model": "m-1",
        "choices": [{"message": {"content": "Done."}, "finish_reason": "stop"}],
    }
    return [
        {"request": head},
        {"sent": event.body},
        {"sent_end": {"body": exchange, "size": len(event.body)}},
        *([{"served": event.served}] if event.served else []),
        {"response": {"status": event.status, "headers": [["content-type", "application/json"]]}},
        {"received": json.dumps(answer if event.status == 200 else {"error": {"message": "no"}})},
        {"received_end": {}},
        {"end": {}},
    ]
