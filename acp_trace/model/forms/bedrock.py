"""Bedrock `Converse` and `ConverseStream`, and what Nova takes at `InvokeModel`, which has the same shapes.

The key of a content block is its kind: `{"toolUse": …}`. So is the key of an event: the event stream gives
the name, Nova puts it around the event. Cached tokens are counted beside the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from acp_trace.model import fields
from acp_trace.model.draft import Draft
from acp_trace.model.forms.form import Form, chosen, messages, other, rest, said
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

_LABELS = ("requestMetadata",)
_KNOWN = ("modelId", "messages", "system", "toolConfig", "inferenceConfig")
_MEDIA = ("image", "document", "video", "audio")


def read_prompt(body: dict[str, Any]) -> Prompt:
    """Read a request. The parameters are those of `inferenceConfig`, and those beside it."""
    config = fields.mapping(body.get("toolConfig"))
    choice = chosen(config, ("toolChoice",))
    return Prompt(
        model=fields.word(body.get("modelId")),
        system=fields.joined(fields.text(each.get("text")) for each in fields.items(body.get("system"))),
        tools=tuple(_tools(config)),
        parameters={**fields.mapping(body.get("inferenceConfig")), **choice, **rest(body, _KNOWN, _LABELS)},
        messages=tuple(_messages(body)),
        labels=chosen(body, _LABELS),
    )


def _tools(config: dict[str, Any]) -> Iterator[Tool]:
    for tool in jsontext.objects(config.get("tools")):
        what = fields.mapping(tool.get("toolSpec"))
        if what:
            schema = fields.path(what, "inputSchema", "json")
            yield Tool(fields.text(what.get("name")), fields.text(what.get("description")), schema)
        elif "systemTool" in tool:
            yield Tool(fields.text(fields.path(tool, "systemTool", "name")), "", None)


def _messages(body: dict[str, Any]) -> Iterator[PromptMessage]:
    for message in jsontext.objects(body.get("messages")):
        blocks = (each for each in fields.items(message.get("content")) if "cachePoint" not in each)
        parts = map(_part, blocks)
        yield from messages(fields.text(message.get("role")), parts)


def _part(block: dict[str, Any]) -> Part:
    if isinstance(block.get("text"), str):
        return Text(block["text"])
    if use := fields.mapping(block.get("toolUse")):
        return ToolUse(fields.word(use.get("toolUseId")), fields.text(use.get("name")), use.get("input"))
    if result := fields.mapping(block.get("toolResult")):
        text = fields.joined(_said(each) for each in fields.items(result.get("content")))
        is_error = result.get("status") == "error"
        return ToolResult(fields.word(result.get("toolUseId")), text, is_error=is_error)
    if "reasoningContent" in block:
        return Thinking(fields.text(fields.path(block, "reasoningContent", "reasoningText", "text")))
    for kind in _MEDIA:
        if kind in block:
            return Media(kind, _mention(kind, fields.mapping(block[kind])))
    return other(next(iter(block), ""), block)


def _said(block: dict[str, Any]) -> str:
    """Return the text of what a tool returned: words, or JSON."""
    return jsontext.string(block["json"]) if "json" in block else said(_part(block))


def _mention(kind: str, what: dict[str, Any]) -> str:
    source = fields.mapping(what.get("source"))
    url = fields.path(source, "s3Location", "uri")
    return fields.media(
        kind, type=what.get("format"), name=what.get("name"), url=url, data=source.get("bytes")
    )


def read_event(draft: Draft, name: str | None, data: dict[str, Any]) -> None:
    """Read an event by its name, which may be a key around it. A whole response has `output`."""
    if name is None:
        name = next((key for key in data if key in _EVENTS), None)
        data = fields.mapping(data.get(name)) if name and "output" not in data else data
    if name in _EVENTS:
        _EVENTS[name](draft, data)
    elif "output" in data:
        _whole(draft, data)


def _whole(draft: Draft, data: dict[str, Any]) -> None:
    for index, block in enumerate(fields.items(fields.path(data, "output", "message", "content"))):
        part = _part(block)
        if isinstance(part, ToolUse):
            draft.call(index, part.id, part.name, part.arguments)
        elif isinstance(part, Thinking):
            draft.think(index, part.text)
            if not part.text:
                draft.hidden_thought(index)
        elif isinstance(part, Text):
            draft.text(index, part.text)
    _counted(draft, data)
    draft.stop(data.get("stopReason"))


def _begun(draft: Draft, data: dict[str, Any]) -> None:
    use = fields.mapping(fields.path(data, "start", "toolUse"))
    if use:
        draft.call(_place(data), use.get("toolUseId"), use.get("name"))


def _delta(draft: Draft, data: dict[str, Any]) -> None:
    key, delta = _place(data), fields.mapping(data.get("delta"))
    draft.text(key, delta.get("text"))
    draft.arguments(key, fields.path(delta, "toolUse", "input"))
    thought = fields.mapping(delta.get("reasoningContent"))
    draft.think(key, thought.get("text"))
    if "redactedContent" in thought and not draft.has(key):
        draft.hidden_thought(key)


def _stopped(draft: Draft, data: dict[str, Any]) -> None:
    draft.stop(data.get("stopReason"))


def _counted(draft: Draft, data: dict[str, Any]) -> None:
    usage = fields.mapping(data.get("usage"))
    draft.count(
        input=usage.get("inputTokens"),
        output=usage.get("outputTokens"),
        cached=usage.get("cacheReadInputTokens", usage.get("cacheReadInputTokenCount")),
        cache_written=usage.get("cacheWriteInputTokens", usage.get("cacheWriteInputTokenCount")),
    )


def _place(data: dict[str, Any]) -> int:
    return fields.index(data.get("contentBlockIndex"))


_EVENTS: dict[str, Callable[[Draft, dict[str, Any]], None]] = {
    "contentBlockStart": _begun,
    "contentBlockDelta": _delta,
    "messageStop": _stopped,
    "metadata": _counted,
}

FORM = Form(
    name="bedrock-converse", prompt=read_prompt, event=read_event, beside_input=("cached", "cache_written")
)
