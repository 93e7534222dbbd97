"""Anthropic messages: at Anthropic, at Vertex (`rawPredict`), at Bedrock (`invoke`), and at what copies them.

Its `input_tokens` are those outside any cache; tokens read from or written to a cache are counted apart. A
system message in the middle of the conversation stays there.
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

_LABELS = ("metadata", "diagnostics", "container")
_TOOL = ("name", "description", "input_schema", "cache_control")
#: How the block of the system prompt begins that holds claude-code's version and an id of the prompt.
_BILLING = "x-anthropic-billing-header:"
_KNOWN = ("model", "messages", "system", "tools")


def read_prompt(body: dict[str, Any]) -> Prompt:
    """Read a request. The label that claude-code puts before its system prompt is left out of it."""
    texts = [fields.text(each.get("text")) for each in fields.items(body.get("system"))]
    billing = [text.removeprefix(_BILLING).strip() for text in texts if text.startswith(_BILLING)]
    labels = {_BILLING.rstrip(":"): billing[0]} if billing else {}
    return Prompt(
        model=fields.word(body.get("model")),
        system=fields.joined(text for text in texts if not text.startswith(_BILLING)),
        tools=tuple(_tool(each) for each in (*jsontext.objects(body.get("tools")), *_added(body))),
        parameters=rest(body, _KNOWN, _LABELS),
        messages=tuple(_messages(body)),
        labels={**chosen(body, _LABELS), **labels},
    )


def _tool(tool: dict[str, Any]) -> Tool:
    """Return a tool. A tool that is built into the provider has no schema; its type describes it."""
    description, schema = fields.text(tool.get("description")), tool.get("input_schema")
    return Tool(fields.text(tool.get("name")), description, schema, rest(tool, _TOOL))


def _added(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return tools that are defined in the middle of the conversation."""
    for message in jsontext.objects(body.get("messages")):
        for block in fields.items(message.get("content")):
            if block.get("type") == "tool_addition":
                yield from jsontext.objects([fields.path(block, "tool", "definition")])


def _messages(body: dict[str, Any]) -> Iterator[PromptMessage]:
    for message in jsontext.objects(body.get("messages")):
        parts = map(_part, fields.items(message.get("content")))
        yield from messages(fields.text(message.get("role")), parts)


def _part(block: dict[str, Any]) -> Part:
    kind = fields.text(block.get("type"))
    if kind in ("thinking", "redacted_thinking"):
        return Thinking(fields.text(block.get("thinking")))
    if kind.endswith("tool_use"):
        return ToolUse(fields.word(block.get("id")), fields.text(block.get("name")), block.get("input"))
    if kind.endswith("tool_result"):
        return ToolResult(
            fields.word(block.get("tool_use_id")),
            fields.joined(said(_part(each)) for each in fields.items(block.get("content"))),
            is_error=block.get("is_error") is True,
        )
    if kind == "compaction":
        return Text(fields.text(block.get("content")))
    if kind in ("image", "document"):
        return Media(kind, _mention(kind, block))
    return Text(block["text"]) if isinstance(block.get("text"), str) else other(kind, block)


def _mention(kind: str, block: dict[str, Any]) -> str:
    source = fields.mapping(block.get("source"))
    name = block.get("title") or source.get("file_id")
    return fields.media(
        kind, type=source.get("media_type"), url=source.get("url"), name=name, data=source.get("data")
    )


def read_event(draft: Draft, name: str | None, data: dict[str, Any]) -> None:
    """Read an event by its type. A whole response has the type `message`."""
    kind = fields.text(data.get("type")) or name or ""
    if reader := _EVENTS.get(kind):
        reader(draft, data)


def _started(draft: Draft, data: dict[str, Any]) -> None:
    message = fields.mapping(data.get("message"))
    draft.id = fields.word(message.get("id"))
    draft.model = fields.word(message.get("model"))
    _count(draft, message.get("usage"))


def _whole(draft: Draft, data: dict[str, Any]) -> None:
    _started(draft, {"message": data})
    for index, block in enumerate(fields.items(data.get("content"))):
        _begun(draft, {"index": index, "content_block": block})
    draft.stop(data.get("stop_reason"))


def _count(draft: Draft, usage: Any) -> None:
    counts = fields.mapping(usage)
    draft.count(
        input=counts.get("input_tokens"),
        output=counts.get("output_tokens"),
        cached=counts.get("cache_read_input_tokens"),
        cache_written=counts.get("cache_creation_input_tokens"),
        reasoning=fields.path(counts, "output_tokens_details", "thinking_tokens"),
    )


def _begun(draft: Draft, data: dict[str, Any]) -> None:
    """Read the start of a block. In a whole response the block is complete, too."""
    block, key = fields.mapping(data.get("content_block")), fields.index(data.get("index"))
    kind = fields.text(block.get("type"))
    if kind.endswith("tool_use"):
        draft.call(key, block.get("id"), block.get("name"), block.get("input"))
    elif kind == "redacted_thinking":
        draft.hidden_thought(key)
    elif kind == "thinking":
        draft.think(key, block.get("thinking"))
    else:
        draft.text(key, block.get("text"))


def _delta(draft: Draft, data: dict[str, Any]) -> None:
    delta, key = fields.mapping(data.get("delta")), fields.index(data.get("index"))
    kind = fields.text(delta.get("type"))
    if kind == "text_delta":
        draft.text(key, delta.get("text"))
    elif kind == "compaction_delta":
        draft.text(key, delta.get("content"))
    elif kind == "input_json_delta":
        draft.arguments(key, delta.get("partial_json"))
    elif kind == "thinking_delta":
        draft.think(key, delta.get("thinking"))
    elif kind == "signature_delta" and not draft.has(key):
        draft.hidden_thought(key)


def _stopping(draft: Draft, data: dict[str, Any]) -> None:
    draft.stop(fields.path(data, "delta", "stop_reason"))
    _count(draft, data.get("usage"))


def _stopped(draft: Draft, _data: dict[str, Any]) -> None:
    draft.is_complete = True


_EVENTS: dict[str, Callable[[Draft, dict[str, Any]], None]] = {
    "message_start": _started,
    "content_block_start": _begun,
    "content_block_delta": _delta,
    "message_delta": _stopping,
    "message_stop": _stopped,
    "message": _whole,
}

FORM = Form(name="anthropic", prompt=read_prompt, event=read_event, beside_input=("cached", "cache_written"))
