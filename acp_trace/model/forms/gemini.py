"""Gemini `generateContent` and `streamGenerateContent`: AI Studio, Vertex, Code Assist.

A chunk of a stream has the shape of a whole response. Code Assist wraps requests and responses once more.
Thoughts are counted beside the output. Most tool calls have no id: agents make their own, or use none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acp_trace.model import fields
from acp_trace.model.draft import Draft
from acp_trace.model.forms.form import Form, chosen, messages, other, rest
from acp_trace.model.shapes import (
    Media,
    Part,
    Prompt,
    PromptMessage,
    Text,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
)
from acp_trace.trace import jsontext

_LABELS = ("labels", "session_id", "user_prompt_id", "project", "requestId")
_KNOWN = (
    *("model", "contents", "systemInstruction", "system_instruction", "tools", "generationConfig"),
    *("generation_config", "request"),
)
_TOOL = ("name", "description", "parameters", "parametersJsonSchema")
#: The form's own names of the roles.
_ROLES = {"model": "assistant", "": "user"}


def read_prompt(body: dict[str, Any]) -> Prompt:
    """Read a request. The parameters are those of `generationConfig`, and those beside it."""
    body = {**body, **fields.mapping(body.get("request"))}  # Code Assist
    system = fields.items(body.get("systemInstruction", body.get("system_instruction")))
    config = fields.mapping(body.get("generationConfig", body.get("generation_config")))
    return Prompt(
        model=fields.word(body.get("model")),
        system=fields.joined(_texts(each) for each in system),
        tools=tuple(_tools(body)),
        parameters={**rest(config), **rest(body, _KNOWN, _LABELS)},
        messages=tuple(_messages(body)),
        labels=chosen(body, _LABELS),
    )


def _texts(content: dict[str, Any]) -> str:
    own = fields.text(content.get("text"))
    return own or fields.joined(fields.text(part.get("text")) for part in fields.items(content.get("parts")))


def _tools(body: dict[str, Any]) -> Iterator[Tool]:
    """Return functions; a tool that is built into the provider is named by its key: `googleSearch`."""
    for tool in jsontext.objects(body.get("tools")):
        for key, value in tool.items():
            if key not in ("functionDeclarations", "function_declarations"):
                yield Tool(key, "", value)
                continue
            for function in jsontext.objects(value):
                described = fields.text(function.get("description"))
                schema = function.get("parametersJsonSchema", function.get("parameters"))
                yield Tool(fields.text(function.get("name")), described, schema, rest(function, _TOOL))


def _messages(body: dict[str, Any]) -> Iterator[PromptMessage]:
    for content in fields.items(body.get("contents")):
        role = fields.text(content.get("role"))
        parts = map(_part, fields.items(content.get("parts", content.get("text"))))
        yield from messages(_ROLES.get(role, role), parts)


def _part(part: dict[str, Any]) -> Part:
    if call := fields.mapping(part.get("functionCall")):
        return ToolUse(fields.word(call.get("id")), fields.text(call.get("name")), call.get("args", {}))
    if result := fields.mapping(part.get("functionResponse")):
        return _result(result)
    if data := fields.mapping(part.get("inlineData")):
        return Media("file", fields.media("file", type=data.get("mimeType"), data=data.get("data")))
    if file := fields.mapping(part.get("fileData")):
        return Media("file", fields.media("file", url=file.get("fileUri")))
    if isinstance(part.get("text"), str):
        return Thinking(part["text"]) if part.get("thought") is True else Text(part["text"])
    return other(next((key for key in part if key != "type"), ""), part)


def _result(result: dict[str, Any]) -> ToolResult:
    """Return a tool's result: agents put its text under `output`, and an error under `error`."""
    response = fields.mapping(result.get("response"))
    error = response.get("error")
    said = response.get("output", error) if len(response) == 1 else None
    text = said if isinstance(said, str) else jsontext.string(response) if response else ""
    id, name = fields.word(result.get("id")), fields.word(result.get("name"))
    return ToolResult(id, text, name, is_error=error is not None)


def read_event(draft: Draft, _name: str | None, data: dict[str, Any]) -> None:
    """Read a chunk, or a whole response. Of several candidates, the first counts."""
    data = fields.mapping(data.get("response")) or data  # Code Assist
    draft.id = draft.id or fields.word(data.get("responseId"))
    draft.model = draft.model or fields.word(data.get("modelVersion"))
    usage = fields.mapping(data.get("usageMetadata"))
    draft.count(
        input=usage.get("promptTokenCount"),
        output=usage.get("candidatesTokenCount"),
        cached=usage.get("cachedContentTokenCount"),
        reasoning=usage.get("thoughtsTokenCount"),
    )
    draft.stop(fields.path(data, "promptFeedback", "blockReason"))
    for candidate in jsontext.objects(data.get("candidates")):
        if fields.index(candidate.get("index")) == 0:
            for part in fields.items(fields.path(candidate, "content", "parts")):
                _came(draft, part)
            draft.stop(candidate.get("finishReason"))


def _came(draft: Draft, part: dict[str, Any]) -> None:
    """Add a part of the answer. Consecutive parts of one kind are joined; each tool call is separate."""
    kind = "call" if "functionCall" in part else "thinking" if part.get("thought") is True else "text"
    before = draft.latest.get("part")
    place = before if isinstance(before, tuple) else ("", 0)
    if kind == "call" or (place[0] != kind and part.get("text")):
        place = draft.latest["part"] = (kind, place[1] + 1)
    if kind == "call":
        call = fields.mapping(part.get("functionCall"))
        draft.call(place, call.get("id"), call.get("name"), call.get("args"))
    elif kind == "thinking":
        draft.think(place, part.get("text"))
    else:
        draft.text(place, part.get("text"))


FORM = Form(name="gemini", prompt=read_prompt, event=read_event, beside_output=("reasoning",))
