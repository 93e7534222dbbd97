"""OpenAI responses, over HTTP and over a WebSocket, as codex uses them.

What codex does beyond the documentation: tools are in an item of the input (`additional_tools`), in
namespaces; the system prompt is in developer messages; over a WebSocket a request continues an earlier
response and holds only what is new. The output of the last event may be empty although items came before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from acp_trace.model import fields, problems
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

_LABELS = ("prompt_cache_key", "safety_identifier", "user", "metadata", "client_metadata", "event_id")
_TOOL = ("type", "name", "description", "parameters", "format")
_KNOWN = ("model", "input", "instructions", "tools", "previous_response_id", "type", "response")
_SYSTEM = ("system", "developer")


def read_prompt(body: dict[str, Any]) -> Prompt:
    """Read a request. Its system prompt is the instructions, and developer messages before any other item.

    In a request that continues another one, such messages come in the middle of the conversation.
    """
    body = {**body, **fields.mapping(body.get("response"))}  # how some wrap a request on a WebSocket
    items = list(fields.items(body.get("input")))
    begins = not body.get("previous_response_id")
    tools = [*jsontext.objects(body.get("tools"))]
    system = [fields.text(body.get("instructions"))]
    messages: list[PromptMessage] = []
    for item in items:
        if item.get("type") == "additional_tools":
            tools += jsontext.objects(item.get("tools"))
        elif item.get("role") in _SYSTEM and begins and not messages:
            system += [fields.text(each.get("text")) for each in fields.items(item.get("content"))]
        else:
            messages.append(_message(item))
    return Prompt(
        model=fields.word(body.get("model")),
        system=fields.joined(system),
        tools=tuple(_tools(tools, "")),
        parameters=rest(body, _KNOWN, _LABELS),
        messages=tuple(messages),
        labels=chosen(body, _LABELS),
        continues=fields.word(body.get("previous_response_id")),
    )


def _tools(tools: list[dict[str, Any]], space: str) -> Iterator[Tool]:
    """Return tools by their names, prefixed with their namespace; built-in tools by their types."""
    for tool in tools:
        kind = fields.text(tool.get("type"))
        name = space + (fields.text(tool.get("name")) or kind)
        if kind == "namespace" and not space:
            yield from _tools(list(jsontext.objects(tool.get("tools"))), f"{name}.")
        else:
            schema = tool.get("parameters", tool.get("format"))
            yield Tool(name, fields.text(tool.get("description")), schema, rest(tool, _TOOL))


def _message(item: dict[str, Any]) -> PromptMessage:
    kind = fields.text(item.get("type"))
    if item.get("role") and kind in ("", "message", "text"):
        content = (_content(each) for each in fields.items(item.get("content")))
        return PromptMessage(fields.text(item["role"]), tuple(content))
    if kind == "text":
        return PromptMessage("user", (_content(item),))
    if kind == "reasoning":
        return PromptMessage("assistant", (Thinking(_thoughts(item)),))
    if kind.endswith("_output"):
        outputs = list(fields.items(item.get("output")))
        text = fields.joined(fields.text(each.get("text", each.get("stdout"))) for each in outputs)
        media = tuple(part for part in map(_content, outputs) if isinstance(part, Media))
        return PromptMessage("tool", (ToolResult(fields.word(item.get("call_id")), text), *media))
    if kind.endswith("_call"):
        return PromptMessage("assistant", (_call(item),))
    return PromptMessage(fields.text(item.get("role")) or kind, (other(kind, item),))


def _call(item: dict[str, Any]) -> ToolUse:
    return ToolUse(fields.word(item.get("call_id")), _name(item), fields.arguments(_given(item)))


def _name(item: dict[str, Any]) -> str:
    """Return the name of a tool; a built-in tool is named by its type: `web_search`, `local_shell`."""
    space = fields.text(item.get("namespace"))
    name = fields.text(item.get("name")) or fields.text(item.get("type")).removesuffix("_call")
    return f"{space}.{name}" if space else name


def _given(item: dict[str, Any]) -> Any:
    return item.get("arguments", item.get("input", item.get("action")))


def _thoughts(item: dict[str, Any]) -> str:
    shown = [*fields.items(item.get("summary")), *fields.items(item.get("content"))]
    return fields.joined(fields.text(each.get("text")) for each in shown)


def _content(item: dict[str, Any]) -> Part:
    kind = fields.text(item.get("type"))
    if kind == "input_image":
        return Media("image", fields.media("image", url=item.get("image_url"), name=item.get("file_id")))
    if kind == "input_file":
        name = item.get("filename") or item.get("file_id")
        return Media(
            "file", fields.media("file", name=name, url=item.get("file_url") or item.get("file_data"))
        )
    text = item.get("text", item.get("refusal"))
    return Text(text) if isinstance(text, str) else other(kind, item)


def read_event(draft: Draft, name: str | None, data: dict[str, Any]) -> None:
    """Read an event by its type; a whole response has none."""
    kind = fields.text(data.get("type")) or name or ""
    if "output" in data and not kind:
        _state(draft, {"status": "completed", **data})  # what is compacted has no status
    elif reader := _EVENTS.get(kind):
        reader(draft, data)
    elif isinstance(data.get("response"), dict):
        _state(draft, data["response"])


def _state(draft: Draft, response: dict[str, Any]) -> None:
    """Set the response's state. Once it has its status, its output counts, if there is any."""
    draft.id = fields.word(response.get("id")) or draft.id
    draft.model = fields.word(response.get("model")) or draft.model
    usage = fields.mapping(response.get("usage"))
    draft.count(
        input=usage.get("input_tokens"),
        output=usage.get("output_tokens"),
        cached=fields.path(usage, "input_tokens_details", "cached_tokens"),
        cache_written=fields.path(usage, "input_tokens_details", "cache_write_tokens"),
        reasoning=fields.path(usage, "output_tokens_details", "reasoning_tokens"),
    )
    status = fields.text(response.get("status"))
    if error := fields.mapping(response.get("error")):
        draft.error = problems.of(error)
        draft.is_complete = True
    if status not in ("", "in_progress", "queued"):
        draft.stop(fields.path(response, "incomplete_details", "reason") or status)
        items = list(jsontext.objects(response.get("output")))
        if not draft.parts() or any(not draft.has(each) for each in _keys(items)):
            draft.clear()
            for place, item in enumerate(items):
                _item(draft, {"output_index": place, "item": item})


def _keys(items: list[dict[str, Any]]) -> Iterator[object]:
    """Return the keys, as its events have them, of the parts in a complete output."""
    for place, item in enumerate(items):
        if item.get("type") == "message":
            for inner, content in enumerate(fields.items(item.get("content"))):
                if content.get("text") or content.get("refusal"):
                    yield ("text", place, inner)
        elif fields.text(item.get("type")).endswith("_call"):
            yield ("call", place)


def _place(data: dict[str, Any]) -> int:
    return fields.index(data.get("output_index"))


def _text(draft: Draft, data: dict[str, Any]) -> None:
    draft.text(("text", _place(data), fields.index(data.get("content_index"))), data.get("delta"))


def _text_done(draft: Draft, data: dict[str, Any]) -> None:
    key = ("text", _place(data), fields.index(data.get("content_index")))
    _whole(draft, key, draft.text, data.get("text", data.get("refusal")))


def _think(draft: Draft, data: dict[str, Any]) -> None:
    draft.think(("thinking", _place(data)), data.get("delta"))


def _think_on(draft: Draft, data: dict[str, Any]) -> None:
    """Begin the next part of a summary, after an empty line."""
    if draft.has(key := ("thinking", _place(data))):
        draft.think(key, "\n\n")


def _arguments(draft: Draft, data: dict[str, Any]) -> None:
    draft.arguments(("call", _place(data)), data.get("delta"))


def _arguments_done(draft: Draft, data: dict[str, Any]) -> None:
    whole = data.get("arguments", data.get("input"))
    _whole(draft, ("call", _place(data)), draft.arguments, whole)


def _whole(draft: Draft, key: object, add: Callable[[Any, Any], None], whole: Any) -> None:
    """Read the end of a part, which repeats the whole part."""
    if draft.has(key):
        draft.only(key, whole)
    else:
        add(key, whole)


def _added(draft: Draft, data: dict[str, Any]) -> None:
    """Read the start of an item: a tool call has its name already. Its other members come again."""
    item = fields.mapping(data.get("item"))
    if fields.text(item.get("type")).endswith("_call"):
        draft.call(("call", _place(data)), item.get("call_id"), _name(item))


def _item(draft: Draft, data: dict[str, Any]) -> None:
    """Read a whole item."""
    item, place = fields.mapping(data.get("item")), _place(data)
    kind = fields.text(item.get("type"))
    if kind == "message":
        for inner, content in enumerate(fields.items(item.get("content"))):
            _whole(draft, ("text", place, inner), draft.text, content.get("text", content.get("refusal")))
    elif kind == "reasoning" or kind.startswith("compaction"):
        key = ("thinking", place)
        if not draft.has(key):
            draft.think(key, _thoughts(item))
        if not draft.has(key) and item.get("encrypted_content"):
            draft.hidden_thought(key)
    elif kind.endswith("_call"):
        given = _given(item)
        draft.call(("call", place), item.get("call_id"), _name(item), given)
        _whole(draft, ("call", place), draft.arguments, given if isinstance(given, str) else None)


def _error(draft: Draft, data: dict[str, Any]) -> None:
    """Read an error that is in the event itself."""
    if "error" not in data:
        draft.error = problems.of({**data, "type": None})
        draft.is_complete = True


_EVENTS: dict[str, Callable[[Draft, dict[str, Any]], None]] = {
    "response.output_text.delta": _text,
    "response.output_text.done": _text_done,
    "response.refusal.delta": _text,
    "response.refusal.done": _text_done,
    "response.reasoning_text.delta": _think,
    "response.reasoning_summary_text.delta": _think,
    "response.reasoning_summary_part.added": _think_on,
    "response.function_call_arguments.delta": _arguments,
    "response.function_call_arguments.done": _arguments_done,
    "response.custom_tool_call_input.delta": _arguments,
    "response.custom_tool_call_input.done": _arguments_done,
    "response.mcp_call_arguments.delta": _arguments,
    "response.mcp_call_arguments.done": _arguments_done,
    "response.output_item.added": _added,
    "response.output_item.done": _item,
    "error": _error,
}

FORM = Form(name="openai-responses", prompt=read_prompt, event=read_event)
