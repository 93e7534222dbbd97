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
#: What a model may call: the schema of the parameters by the name, with the tool's description. One of a
#: namespace is `NAMESPACE/NAME`.
Tools = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation; a tool's result counts as one."""

    role: str
    text: str
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a model is asked: the messages, and what it may call."""

    messages: list[Said]
    tools: Tools
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
    thought: str  #: what it thinks before the answer; empty if nothing

    def read(self, request: dict[str, Any]) -> Conversation: ...
    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]: ...
    def whole(self, text: str, call: Call | None) -> dict[str, Any]: ...


class Chat:
    """OpenAI's chat completions."""

    number = 0
    thought = ""

    def read(self, request: dict[str, Any]) -> Conversation:
        messages = [
            Said(message.get("role", ""), plain(message.get("content")), message.get("role") == "tool")
            for message in request.get("messages") or ()
        ]
        functions = [tool["function"] for tool in request.get("tools") or () if "function" in tool]
        return Conversation(messages, _tools(functions, "parameters"), bool(request.get("stream")))

    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]:
        yield None, self._chunk({"role": "assistant", "content": ""})
        if self.thought:
            yield None, self._chunk({"reasoning_content": self.thought})
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
    thought = ""

    def read(self, request: dict[str, Any]) -> Conversation:
        items = request.get("input") or []
        items = [{"role": "user", "content": items}] if isinstance(items, str) else items
        spaces = [{"tools": request.get("tools") or ()}, *(request.get("tools") or ())]
        tools = [
            {**tool, "name": f"{space['name']}/{tool['name']}" if "name" in space else tool["name"]}
            for space in spaces
            for tool in space.get("tools") or ()
            if "name" in tool and "tools" not in tool
        ]
        return Conversation(
            [self._said(item) for item in items],
            _tools(tools, "parameters"),
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
        if self.thought:
            item = self._reasoning()
            place = {"item_id": item["id"], "output_index": 0, "summary_index": 0}
            yield "response.output_item.added", {"output_index": 0, "item": {**item, "summary": []}}
            yield "response.reasoning_summary_part.added", {**place, "part": item["summary"][0]}
            yield "response.reasoning_summary_text.delta", {**place, "delta": self.thought}
            yield "response.reasoning_summary_text.done", {**place, "text": self.thought}
            yield "response.output_item.done", {"output_index": 0, "item": item}
        at = 1 if self.thought else 0
        place = {"item_id": f"msg_standin{self.number}", "output_index": at, "content_index": 0}
        yield "response.output_item.added", {"output_index": at, "item": self._message("", "in_progress")}
        yield "response.content_part.added", {**place, "part": self._part("")}
        text = ""
        for piece in pieces:
            text += piece
            yield "response.output_text.delta", {**place, "delta": piece}
        yield "response.output_text.done", {**place, "text": text}
        yield "response.content_part.done", {**place, "part": self._part(text)}
        yield "response.output_item.done", {"output_index": at, "item": self._message(text)}
        if call:
            item = self._call(call)
            yield "response.output_item.added", {"output_index": at + 1, "item": item}
            yield "response.output_item.done", {"output_index": at + 1, "item": item}
        yield "response.completed", {"response": self.whole(text, call)}

    def whole(self, text: str, call: Call | None) -> dict[str, Any]:
        items = [*([self._reasoning()] if self.thought else ()), self._message(text)]
        return self._response("completed", [*items, *([self._call(call)] if call else ())])

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

    def _reasoning(self) -> dict[str, Any]:
        summary = [{"type": "summary_text", "text": self.thought}]
        return {"id": f"rs_standin{self.number}", "type": "reasoning", "summary": summary}

    def _part(self, text: str) -> dict[str, Any]:
        return {"type": "output_text", "text": text, "annotations": []}

    def _call(self, call: Call) -> dict[str, Any]:
        space, _, name = call.tool.rpartition("/")
        named = {"id": f"fc_{call.number}", "call_id": call.id, "name": name}
        named |= {"namespace": space} if space else {}
        return {"type": "function_call", "status": "completed", **named, "arguments": call.json}


class Messages:
    """Anthropic's messages."""

    number = 0
    thought = ""

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
        tools = _tools(request.get("tools") or (), "input_schema")
        return Conversation(messages, tools, bool(request.get("stream")))

    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]:
        begun = {**self.whole("", None), "content": [], "stop_reason": None}
        yield self._event("message_start", message=begun)
        thought = [{"type": "thinking_delta", "thinking": self.thought}] if self.thought else []
        if thought:
            thought.append({"type": "signature_delta", "signature": "standin"})
            yield from self._block(0, {"type": "thinking", "thinking": "", "signature": ""}, thought)
        text = ({"type": "text_delta", "text": piece} for piece in pieces)
        yield from self._block(bool(thought), {"type": "text", "text": ""}, text)
        if call:
            delta = {"type": "input_json_delta", "partial_json": call.json}
            yield from self._block(1, {**self._call(call), "input": {}}, [delta])
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

    def _block(
        self, index: int, begun: dict[str, Any], deltas: Iterable[dict[str, Any]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        yield self._event("content_block_start", index=int(index), content_block=begun)
        for delta in deltas:
            yield self._event("content_block_delta", index=int(index), delta=delta)
        yield self._event("content_block_stop", index=int(index))

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
    thought = ""

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
        tools = _tools(declared, "parametersJsonSchema", "parameters")
        asked = request.get("generationConfig") or {}
        schema = asked.get("responseJsonSchema") or asked.get("responseSchema")
        return Conversation(messages, tools, self._streams, schema)

    def stream(self, pieces: Iterable[str], call: Call | None) -> Iterator[tuple[str | None, Any]]:
        if self.thought:
            yield None, self._candidate([{"text": f"**Thinking** {self.thought}", "thought": True}])
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


def _tools(declared: Iterable[Mapping[str, Any]], *schemas: str) -> Tools:
    """The tools of a request, with the first of these keys that each has as its schema."""
    return {
        tool["name"]: {
            **next((tool[key] for key in schemas if tool.get(key)), {}),
            "description": tool.get("description") or "",
        }
        for tool in declared
    }


def plain(content: Any) -> str:
    """The text of a message in any of its forms, without an agent's notes."""
    if not isinstance(content, str):
        parts = content if isinstance(content, list) else [content] if content else []
        content = "\n".join(part.get("text") or "" if isinstance(part, dict) else str(part) for part in parts)
    return _REMINDER.sub("", content).strip()
