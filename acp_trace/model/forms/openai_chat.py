"""OpenAI chat completions, and what copies them: OpenRouter, vLLM, Ollama's `/v1`, Azure and others.

OpenAI's own form has no field for thoughts: DeepSeek and vLLM call it `reasoning_content`, OpenRouter and
Ollama `reasoning`. Some servers give each of several tool calls the index 0: then the id tells them apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from acp_trace.model import fields
from acp_trace.model.draft import Draft
from acp_trace.model.forms.form import Form, chosen, other, rest
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

_LABELS = ("prompt_cache_key", "safety_identifier", "user", "metadata", "session_id")
_TOOL = ("type", "name", "description", "parameters", "format")
_KNOWN = ("model", "messages", "tools", "functions")
_SYSTEM = ("system", "developer")


def read_prompt(body: dict[str, Any]) -> Prompt:
    """Read a request. Its system prompt is the system and developer messages before any other message."""
    messages = list(jsontext.objects(body.get("messages")))
    opening = next((i for i, each in enumerate(messages) if each.get("role") not in _SYSTEM), len(messages))
    system = (_texts(each.get("content")) for each in messages[:opening])
    return Prompt(
        model=fields.word(body.get("model")),
        system=fields.joined(system),
        tools=tuple(_tools(body)),
        parameters=rest(body, _KNOWN, _LABELS),
        messages=tuple(_message(each) for each in messages[opening:]),
        labels=chosen(body, _LABELS),
    )


def _tools(body: dict[str, Any]) -> Iterator[Tool]:
    for tool in [*jsontext.objects(body.get("tools")), *jsontext.objects(body.get("functions"))]:
        what = fields.mapping(tool.get(fields.text(tool.get("type")))) or tool
        schema = what.get("parameters", what.get("format"))
        name = fields.text(what.get("name")) or fields.text(tool.get("type"))
        yield Tool(name, fields.text(what.get("description")), schema, rest(what, _TOOL))


def _message(message: dict[str, Any]) -> PromptMessage:
    role = fields.text(message.get("role"))
    content = message.get("content")
    if role in ("tool", "function"):
        result = ToolResult(
            fields.word(message.get("tool_call_id")), _texts(content), fields.word(message.get("name"))
        )
        media = (part for part in map(_part, fields.items(content)) if isinstance(part, Media))
        return PromptMessage("tool", (result, *media))
    parts: list[Part] = [Thinking(thought) for thought in [_thought(message)] if thought]
    parts += [part for part in map(_part, fields.items(content)) if part != Text("")]
    parts += [Text(refusal) for refusal in [fields.text(message.get("refusal"))] if refusal]
    parts += [
        ToolUse(fields.word(call.get("id")), fields.text(what.get("name")), fields.arguments(_given(what)))
        for call, what in _calls(message)
    ]
    return PromptMessage(role, tuple(parts))


def _calls(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Return each tool call of a message, with what is called: a function, or a custom tool."""
    for call in jsontext.objects(message.get("tool_calls")):
        yield call, fields.mapping(call.get("function")) or fields.mapping(call.get("custom"))
    if old := fields.mapping(message.get("function_call")):
        yield {}, old


def _given(what: dict[str, Any]) -> Any:
    return what.get("arguments", what.get("input"))


def _thought(message: dict[str, Any]) -> str:
    return fields.text(message.get("reasoning_content")) or fields.text(message.get("reasoning"))


def _texts(content: Any) -> str:
    return fields.joined(fields.text(each.get("text")) for each in fields.items(content))


def _part(item: dict[str, Any]) -> Part:
    kind = fields.text(item.get("type"))
    if kind == "refusal":
        return Text(fields.text(item.get("refusal")))
    if isinstance(item.get("text"), str):
        return Text(item["text"])
    of = fields.mapping(item.get(kind))
    if kind == "image_url":
        url = of.get("url") or item.get("image_url")
        return Media("image", fields.media("image", url=url))
    if kind == "input_audio":
        return Media("audio", fields.media("audio", type=of.get("format"), data=of.get("data")))
    if kind == "file":
        name = of.get("filename") or of.get("file_id")
        return Media("file", fields.media("file", name=name, url=of.get("file_data")))
    return other(kind, item)


def read_event(draft: Draft, _name: str | None, data: dict[str, Any]) -> None:
    """Read a chunk, or a whole completion. Of several choices, the first counts."""
    draft.id = draft.id or fields.word(data.get("id"))
    draft.model = draft.model or fields.word(data.get("model"))
    if usage := fields.mapping(data.get("usage")):
        _count(draft, usage)
    for choice in jsontext.objects(data.get("choices")):
        if fields.index(choice.get("index")) == 0:
            _delta(draft, fields.mapping(choice.get("delta")) or fields.mapping(choice.get("message")))
            draft.stop(choice.get("finish_reason"))


def _count(draft: Draft, usage: dict[str, Any]) -> None:
    draft.count(
        input=usage.get("prompt_tokens"),
        output=usage.get("completion_tokens"),
        cached=fields.path(usage, "prompt_tokens_details", "cached_tokens"),
        cache_written=fields.path(usage, "prompt_tokens_details", "cache_write_tokens"),
        reasoning=fields.path(usage, "completion_tokens_details", "reasoning_tokens"),
    )
    draft.count(cached=usage.get("prompt_cache_hit_tokens"))  # DeepSeek


def _delta(draft: Draft, delta: dict[str, Any]) -> None:
    """Read what comes with a chunk. Usually that is one text: there are many chunks, so it is tried first."""
    draft.think("thinking", _thought(delta))
    content = delta.get("content")
    if isinstance(content, str):
        draft.text("text", content)
    else:
        _content(draft, content)
    draft.text("text", delta.get("refusal"))
    if "tool_calls" in delta or "function_call" in delta:
        for call, what in _calls(delta):
            key = _call_key(draft, call)
            draft.call(key, call.get("id"), what.get("name"), _given(what))
            draft.arguments(key, _given(what))


def _content(draft: Draft, content: Any) -> None:
    """Read content in parts, as Mistral gives its thoughts."""
    for item in fields.items(content):
        if item.get("type") == "thinking":
            draft.think("thinking", _texts(item.get("thinking")))
        else:
            draft.text("text", item.get("text"))


def _call_key(draft: Draft, call: dict[str, Any]) -> Hashable:
    place = ("call", fields.index(call.get("index")))
    id = fields.word(call.get("id"))
    key = draft.latest.setdefault(place, place)
    known = draft.id_of(key)
    if id and known and known != id:
        key = draft.latest[place] = (*place, id)
    return key


FORM = Form(name="openai-chat", prompt=read_prompt, event=read_event)
