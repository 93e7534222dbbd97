"""Recorded calls, and requests that are like them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from acp_trace.model.calls import ModelCall, model_calls
from acp_trace.model.exchange import Chunk, ModelExchange
from acp_trace.model.matching.shapes import ModelRequest

PATH = "/v1/chat/completions"


def body(*messages: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request of a conversation: what the user and the assistant say in turn, or messages as they are."""
    said = [
        {"role": ("user", "assistant")[index % 2], "content": message}
        if isinstance(message, str)
        else message
        for index, message in enumerate(messages)
    ]
    return {"model": "m", "messages": said, **more}


def tool(output: str, id: str = "call_1") -> dict[str, Any]:
    """What a tool gave."""
    return {"role": "tool", "tool_call_id": id, "content": output}


def asks(name: str = "shell", arguments: str = "{}", id: str = "call_1") -> dict[str, Any]:
    """The model asks for a tool."""
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def recorded(*bodies: dict[str, Any], answers: Sequence[str] = ()) -> list[ModelCall]:
    """The calls of a recording: each body was asked once. `answers`: events of the answers."""
    return model_calls(
        ModelExchange(
            number,
            number * 1000,
            method="POST",
            host="api.example.com",
            path=PATH,
            request_body=json.dumps(each).encode(),
            status=200,
            response_headers=(("content-type", "text/event-stream"),),
            chunks=[Chunk(number * 1000 + 1, answers[number - 1].encode())] if answers else [],
            is_whole=True,
            ended_ns=number * 1000 + 2,
        )
        for number, each in enumerate(bodies, 1)
    )


def request(of: dict[str, Any] | bytes, path: str = PATH) -> ModelRequest:
    """A request of the run."""
    data = of if isinstance(of, bytes) else json.dumps(of).encode()
    return ModelRequest("POST", "api.example.com", path, (), data)
