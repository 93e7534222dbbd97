"""How the agents of the matrix ask their models: OpenAI's two interfaces, Anthropic's and Gemini's.

An interface reads a request into a conversation, and puts an answer into its own words, in one piece or as a
stream. What is answered is model.py's affair. Nothing here waits or listens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

#: Notes to the model that agents put into a prompt.
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_ASKED, _TOLD = 100, 20  #: tokens of a request, of an answer


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation; a tool's result counts as one."""

    role: str
    text: str
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a model is asked: the messages, and what it may call, with the schemas of the parameters."""

    messages: list[Said]
    tools: Mapping[str, Mapping[str, Any]]
    streams: bool
    schema: Mapping[str, Any] | None = None  #: of the answer, where one is asked for in JSON


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to be called, and its number in the conversation, which makes its id."""

    tool: str
    arguments: dict[str, Any]
    number: int

    @property
    def id(self) -> str:
        return f"call_standin{self.number}"

    @property
    def json(self) -> str:
        return json.dumps(self.arguments)


class Interface(Protocol):
    """One of them. A stream is events, each with its name where the interface has names."""

    number: int  #: of the answer in its conversation: makes ids, which agents want to be new

    def read(self, request: dict[str, Any]) -> Conversation: ...
    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]: ...
    def whole(self, text: str, call: Call | None) -> dict[str, Any]: ...


class Chat:
    """OpenAI's chat completions."""

    number = 0

    def read(self, request: dict[str, Any]) -> Conversation:
        messages = [
            Said(message.get("role", ""), plain(message.get("content")), message.get("role") == "tool")
            for message in request.get("messages") or ()
        ]
        functions = [tool["function"] for tool in request.get("tools") or () if "function" in tool]
        tools = {function["name"]: function.get("parameters") or {} for function in functions}
        return Conversation(messages, tools, bool(request.get("stream")))

    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]:
        yield None, self._chunk({"role": "assistant", "content": ""})
        for piece in pieces:
            yield None, self._chunk({"content": piece})
        if call:
            yield None, self._chunk({"tool_calls": [{"index": 0, **self._call(call)}]})
        yield None, self._chunk({}, "tool_calls" if call else "stop")
        yield None, {**self._chunk({}), "choices": [], "usage": self._usage()}
        yield None, "[DONE]"

    def whole(self, text: str, call: Call | None) -> dict[str, Any]:
        message = {
            "role": "assistant",
            "content": text,
            **({"tool_calls": [self._call(call)]} if call else {}),
        }
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
        return {**self._chunk({}), "object": "chat.completion", "choices": [choice], "usage": self._usage()}

    def _call(self, call: Call) -> dict[str, Any]:
        function = {"name": call.tool, "arguments": call.json}
        return {"id": call.id, "type": "function", "function": function}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-standin{self.number}",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "standin",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    def _usage(self) -> dict[str, int]:
        return {"prompt_tokens": _ASKED, "completion_tokens": _TOLD, "total_tokens": _ASKED + _TOLD}


class Responses:
    """OpenAI's responses."""

    number = 0

    def read(self, request: dict[str, Any]) -> Conversation:
        items = request.get("input") or []
        items = [{"role": "user", "content": items}] if isinstance(items, str) else items
        tools = [tool for tool in request.get("tools") or () if "name" in tool]
        return Conversation(
            [self._said(item) for item in items],
            {tool["name"]: tool.get("parameters") or {} for tool in tools},
            bool(request.get("stream")),
        )

    def _said(self, item: dict[str, Any]) -> Said:
        kind = item.get("type", "message")
        if kind == "message":
            return Said(item.get("role", "user"), plain(item.get("content")))
        if kind.endswith("_output"):
            return Said("tool", plain(item.get("output")), is_result=True)
        return Said("assistant", "")

    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]:
        events = self._events(pieces, call)
        for number, (name, event) in enumerate(events):
            yield name, {"type": name, "sequence_number": number, **event}

    def _events(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str, dict[str, Any]]]:
        yield "response.created", {"response": self._response("in_progress", [])}
        place = {"item_id": f"msg_standin{self.number}", "output_index": 0, "content_index": 0}
        yield "response.output_item.added", {"output_index": 0, "item": self._message("", "in_progress")}
        yield "response.content_part.added", {**place, "part": self._part("")}
        text = ""
        for piece in pieces:
            text += piece
            yield "response.output_text.delta", {**place, "delta": piece}
        yield "response.output_text.done", {**place, "text": text}
        yield "response.content_part.done", {**place, "part": self._part(text)}
        yield "response.output_item.done", {"output_index": 0, "item": self._message(text)}
        if call:
            item = self._call(call)
            yield "response.output_item.added", {"output_index": 1, "item": item}
            yield "response.output_item.done", {"output_index": 1, "item": item}
        yield "response.completed", {"response": self.whole(text, call)}

    def whole(self, text: str, call: Call | None) -> dict[str, Any]:
        return self._response("completed", [self._message(text), *([self._call(call)] if call else ())])

    def _response(self, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
        usage = {
            "input_tokens": _ASKED,
            "output_tokens": _TOLD,
            "total_tokens": _ASKED + _TOLD,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        named = {"id": f"resp_standin{self.number}", "object": "response", "model": "standin"}
        fixed = {**named, "created_at": 0}
        rest = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        return {**fixed, **rest, "status": status, "output": output, "usage": usage if output else None}

    def _message(self, text: str, status: str = "completed") -> dict[str, Any]:
        fixed = {"id": f"msg_standin{self.number}", "type": "message", "role": "assistant"}
        return {**fixed, "status": status, "content": [self._part(text)] if text else []}

    def _part(self, text: str) -> dict[str, Any]:
        return {"type": "output_text", "text": text, "annotations": []}

    def _call(self, call: Call) -> dict[str, Any]:
        named = {"id": f"fc_{call.number}", "call_id": call.id, "name": call.tool}
        return {"type": "function_call", "status": "completed", **named, "arguments": call.json}


class Messages:
    """Anthropic's messages."""

    number = 0

    def read(self, request: dict[str, Any]) -> Conversation:
        messages = []
        for message in request.get("messages") or ():
            content = message.get("content")
            parts = content if isinstance(content, list) else []
            results = [part for part in parts if part.get("type") == "tool_result"]
            messages += [Said("user", plain(result.get("content")), is_result=True) for result in results]
            text = plain(content)
            if text or not results:
                messages.append(Said(message.get("role", ""), text))
        tools = {tool["name"]: tool.get("input_schema") or {} for tool in request.get("tools") or ()}
        return Conversation(messages, tools, bool(request.get("stream")))

    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]:
        begun = {**self.whole("", None), "content": [], "stop_reason": None}
        yield self._event("message_start", message=begun)
        yield self._event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for piece in pieces:
            yield self._event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        yield self._event("content_block_stop", index=0)
        if call:
            yield self._event("content_block_start", index=1, content_block={**self._call(call), "input": {}})
            delta = {"type": "input_json_delta", "partial_json": call.json}
            yield self._event("content_block_delta", index=1, delta=delta)
            yield self._event("content_block_stop", index=1)
        ends = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        yield self._event("message_delta", delta=ends, usage=self._usage())
        yield self._event("message_stop")

    def whole(self, text: str, call: Call | None) -> dict[str, Any]:
        content = [{"type": "text", "text": text}, *([self._call(call)] if call else ())]
        fixed = {
            "id": f"msg_standin{self.number}",
            "type": "message",
            "role": "assistant",
            "model": "standin",
        }
        ends = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        return {**fixed, "content": content, **ends, "usage": self._usage()}

    def _event(self, name: str, **keys: Any) -> tuple[str, dict[str, Any]]:
        return name, {"type": name, **keys}

    def _call(self, call: Call) -> dict[str, Any]:
        return {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}

    def _usage(self) -> dict[str, int]:
        cached = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        return {"input_tokens": _ASKED, "output_tokens": _TOLD, **cached}


class Gemini:
    """Gemini's generateContent. Whether it is to be a stream stands in the address."""

    number = 0

    def __init__(self, *, streams: bool) -> None:
        self._streams = streams

    def read(self, request: dict[str, Any]) -> Conversation:
        messages = []
        for content in request.get("contents") or ():
            parts = content.get("parts") or []
            results = [part["functionResponse"] for part in parts if "functionResponse" in part]
            messages += [
                Said("user", str((result.get("response") or {}).get("output", "")), is_result=True)
                for result in results
            ]
            text = plain("\n".join(part.get("text", "") for part in parts))
            if text or not results:
                messages.append(Said("assistant" if content.get("role") == "model" else "user", text))
        declared = [
            one for tool in request.get("tools") or () for one in tool.get("functionDeclarations") or ()
        ]
        tools = {
            one["name"]: one.get("parametersJsonSchema") or one.get("parameters") or {} for one in declared
        }
        asked = request.get("generationConfig") or {}
        schema = asked.get("responseJsonSchema") or asked.get("responseSchema")
        return Conversation(messages, tools, self._streams, schema)

    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]:
        for piece in pieces:
            yield None, self._candidate([{"text": piece}])
        yield None, self._candidate([self._call(call) if call else {"text": ""}], finishReason="STOP")

    def whole(self, text: str, call: Call | None) -> dict[str, Any]:
        return self._candidate([{"text": text}, *([self._call(call)] if call else ())], finishReason="STOP")

    def _call(self, call: Call) -> dict[str, Any]:
        return {"functionCall": {"name": call.tool, "args": call.arguments}}

    def _candidate(self, parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        usage = {"promptTokenCount": _ASKED, "candidatesTokenCount": _TOLD, "totalTokenCount": _ASKED + _TOLD}
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}, **more}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "standin"}


def plain(content: Any) -> str:
    """The text of a message in any of its forms, without an agent's notes."""
    if not isinstance(content, str):
        parts = content if isinstance(content, list) else [content] if content else []
        content = "\n".join(part.get("text") or "" if isinstance(part, dict) else str(part) for part in parts)
    return _REMINDER.sub("", content).strip()
