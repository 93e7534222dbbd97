"""How models are asked and how they answer: OpenAI's chat interface and Gemini's.

A dialect reads a request, and puts what is to be said into the words of the interface. What is said is
standin.py's affair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

_TOKENS = (10, 5)  #: of the request, of the answer
#: Notes to the model that agents put into a prompt.
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model is asked."""

    text: str  #: of the last message
    by_user: bool  #: whether that is the user's, not a tool's
    tools: Mapping[str, tuple[str, ...]]  #: what may be called, with the names of its parameters


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to be called."""

    tool: str
    arguments: dict[str, Any]


class Dialect(Protocol):
    """One interface."""

    def read(self, request: dict[str, Any]) -> Asked: ...
    def event(self, said: str | Call) -> dict[str, Any]: ...
    def last(self, *, called: bool) -> dict[str, Any]:
        """What ends an answer, with or without a call in it."""

    def closing(self) -> bytes:
        """What is sent after that."""


class Chat:
    """OpenAI's chat completions, as a stream."""

    def __init__(self, model: str) -> None:
        self._model = model

    def read(self, request: dict[str, Any]) -> Asked:
        """The last message is the user's, or a tool's result; what an agent notes beside it is none."""
        messages = request.get("messages") or [{}]
        told = [one for one in messages if one.get("role") != "user" or _plain(one.get("content"))]
        last = told[-1] if told else {}
        tools = (tool["function"] for tool in request.get("tools") or ())
        return Asked(
            _plain(last.get("content")),
            last.get("role") == "user",
            {tool["name"]: _properties(tool.get("parameters")) for tool in tools},
        )

    def event(self, said: str | Call) -> dict[str, Any]:
        if isinstance(said, str):
            return self._chunk({"role": "assistant", "content": said})
        function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
        call = {"index": 0, "id": "call_standin", "type": "function", "function": function}
        return self._chunk({"role": "assistant", "tool_calls": [call]})

    def last(self, *, called: bool) -> dict[str, Any]:
        asked, told = _TOKENS
        usage = {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told}
        return {**self._chunk({}, "tool_calls" if called else "stop"), "usage": usage}

    def closing(self) -> bytes:
        return b"data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {
            "id": "chatcmpl-standin",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self._model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }


class Gemini:
    """Gemini's generateContent."""

    def read(self, request: dict[str, Any]) -> Asked:
        """A tool's result is a part of a message in the user's name."""
        contents = request.get("contents") or [{}]
        parts = contents[-1].get("parts") or []
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        outputs = (str(one.get("response", {}).get("output", "")) for one in results)
        texts = outputs if results else (part.get("text", "") for part in parts)
        declared = (
            one for tool in request.get("tools") or () for one in tool.get("functionDeclarations", ())
        )
        return Asked(
            _REMINDER.sub("", "\n".join(texts)).strip(),
            not results,
            {
                one["name"]: _properties(one.get("parametersJsonSchema") or one.get("parameters"))
                for one in declared
            },
        )

    def event(self, said: str | Call) -> dict[str, Any]:
        if isinstance(said, str):
            return self._candidate([{"text": said}])
        return self._candidate([{"functionCall": {"name": said.tool, "args": said.arguments}}])

    def last(self, **_: bool) -> dict[str, Any]:
        return self._candidate([{"text": ""}], finishReason="STOP")

    def closing(self) -> bytes:
        return b""

    def _candidate(self, parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        asked, told = _TOKENS
        return {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, **more}],
            "usageMetadata": {
                "promptTokenCount": asked,
                "candidatesTokenCount": told,
                "totalTokenCount": asked + told,
            },
        }


def _plain(content: Any) -> str:
    """The text of a message, whichever of the two forms it has, without an agent's notes."""
    if not isinstance(content, str):
        content = "\n".join(part.get("text", "") for part in content or () if part.get("type") == "text")
    return _REMINDER.sub("", content).strip()


def _properties(schema: Any) -> tuple[str, ...]:
    return tuple((schema or {}).get("properties") or ())
