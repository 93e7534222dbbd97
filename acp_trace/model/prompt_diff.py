"""How the prompts of two calls differ, as briefly as a reader wants it. Data only: a report makes the lines.

The system prompt is compared by lines, tools by name and place in their schema, parameters by name, messages
from the first difference. Labels are not compared. Each run makes its own ids of tool calls: they are
compared by their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Literal

import msgspec

from acp_trace.model.shapes import (
    Part,
    Prompt,
    PromptMessage,
    Text,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
)
from acp_trace.model.text_diff import Hunk, blocks, hunks
from acp_trace.model.value_diff import ValueChange, changes
from acp_trace.trace import jsontext

#: The function applied to each text before comparison: directories, dates … are put into one form.
Normalise = Callable[[str], str]

#: Messages as they are, and as they are compared.
_Messages = Sequence[tuple[PromptMessage, PromptMessage]]
_DEEPEST = 100  #: levels of a schema; real ones have a dozen


class ToolChange(msgspec.Struct, frozen=True):
    """A tool that both have, and that differs."""

    name: str
    description: tuple[Hunk, ...]
    schema: tuple[ValueChange, ...]
    options: tuple[ValueChange, ...] = ()


class PartChange(msgspec.Struct, frozen=True):
    """A part of a message. `text` for words, thoughts and results; `arguments` for a tool call.

    One side is None if only the other message has such a part. If the two are of different kinds, nothing is
    compared.
    """

    expected: Part | None
    actual: Part | None
    text: tuple[Hunk, ...] = ()
    arguments: tuple[ValueChange, ...] = ()


class MessageChange(msgspec.Struct, frozen=True):
    """A message that differs, or that only one side has. Places count from 1."""

    change: Literal["added", "removed", "changed"]
    role: str
    expected_place: int | None
    actual_place: int | None
    #: All of an added or removed message.
    message: PromptMessage | None = None
    parts: tuple[PartChange, ...] = ()


class PromptDiff(msgspec.Struct, frozen=True, kw_only=True):
    """How two prompts differ."""

    model: ValueChange | None = None
    system: tuple[Hunk, ...] = ()
    tools_added: tuple[str, ...] = ()
    tools_removed: tuple[str, ...] = ()
    tools_changed: tuple[ToolChange, ...] = ()
    #: The same tools in another order: the names in both orders.
    tools_order: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    parameters: tuple[ValueChange, ...] = ()
    #: Number of messages before the first that differs.
    messages_common: int = 0
    messages: tuple[MessageChange, ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """Which of `model`, `system`, `tools`, `parameters`, `messages` differ, in this order."""
        tools = self.tools_added or self.tools_removed or self.tools_changed or self.tools_order
        areas = {
            "model": self.model,
            "system": self.system,
            "tools": tools,
            "parameters": self.parameters,
            "messages": self.messages,
        }
        return tuple(area for area, what in areas.items() if what)


def difference(
    expected: Prompt,
    actual: Prompt,
    normalise: Normalise | None = None,
    normalise_actual: Normalise | None = None,
) -> PromptDiff:
    """Return how `actual` differs from `expected`, after each text of both has passed `normalise`.

    Texts of `actual` pass `normalise_actual` instead, if it is given: other directories have the same names.
    """
    was = _settled(expected, normalise or _as_is)
    now = _settled(actual, normalise_actual or normalise or _as_is)
    tools = [{tool.name: tool for tool in prompt.tools} for prompt in (was, now)]
    names = [tuple(by_name) for by_name in tools]
    common = [tuple(name for name in names[i] if name in tools[1 - i]) for i in (0, 1)]
    message_changes, common_messages = _messages(
        list(zip(expected.messages, was.messages, strict=True)),
        list(zip(actual.messages, now.messages, strict=True)),
    )
    model = changes(was.model, now.model)
    return PromptDiff(
        model=model[0] if model else None,
        system=hunks(was.system, now.system),
        tools_added=tuple(name for name in names[1] if name not in tools[0]),
        tools_removed=tuple(name for name in names[0] if name not in tools[1]),
        tools_changed=tuple(
            change for name in common[0] if (change := _tool(tools[0][name], tools[1][name])) is not None
        ),
        tools_order=(common[0], common[1]) if common[0] != common[1] else None,
        parameters=changes(was.parameters, now.parameters),
        messages_common=common_messages,
        messages=message_changes,
    )


def _as_is(text: str) -> str:
    return text


def _tool(expected: Tool, actual: Tool) -> ToolChange | None:
    description = hunks(expected.description, actual.description)
    schema = changes(expected.schema, actual.schema)
    options = changes(expected.options, actual.options)
    differs = description or schema or options
    return ToolChange(expected.name, description, schema, options) if differs else None


def _messages(expected: _Messages, actual: _Messages) -> tuple[tuple[MessageChange, ...], int]:
    """Return what differs, and how many messages come before. Corresponding messages are compared."""
    was, now = ([_key(settled) for _, settled in messages] for messages in (expected, actual))
    found: list[MessageChange] = []
    stretches = blocks(was, now)
    for begin, end, actual_begin, actual_end in stretches:
        for i, j in zip_longest(range(begin, end), range(actual_begin, actual_end)):
            if i is not None and j is not None and expected[i][0].role == actual[j][0].role:
                parts = _parts(expected[i], actual[j])
                found.append(MessageChange("changed", expected[i][0].role, i + 1, j + 1, None, parts))
                continue
            if i is not None:
                found.append(MessageChange("removed", expected[i][0].role, i + 1, None, expected[i][0]))
            if j is not None:
                found.append(MessageChange("added", actual[j][0].role, None, j + 1, actual[j][0]))
    return tuple(found), stretches[0][0] if stretches else len(expected)


def _key(message: PromptMessage) -> str:
    return f"{message.role} {jsontext.canonical(msgspec.to_builtins(message))}"


def _parts(
    expected: tuple[PromptMessage, PromptMessage], actual: tuple[PromptMessage, PromptMessage]
) -> tuple[PartChange, ...]:
    rows = zip_longest(expected[0].parts, actual[0].parts, expected[1].parts, actual[1].parts)
    return tuple(
        msgspec.structs.replace(_part(settled, actual_settled), expected=was, actual=now)
        for was, now, settled, actual_settled in rows
        if settled != actual_settled
    )


def _part(expected: Part | None, actual: Part | None) -> PartChange:
    if isinstance(expected, ToolUse) and isinstance(actual, ToolUse) and expected.name == actual.name:
        return PartChange(expected, actual, arguments=changes(expected.arguments, actual.arguments))
    for kind in (Text, Thinking, ToolResult):
        if isinstance(expected, kind) and isinstance(actual, kind):
            return PartChange(expected, actual, text=hunks(expected.text, actual.text))
    return PartChange(expected, actual)


def _settled(prompt: Prompt, normalise: Normalise) -> Prompt:
    """Return the prompt with its texts in normal form, and the ids of its tool calls numbered."""
    numbers: dict[str, str] = {}

    def number(id: str | None) -> str | None:
        return None if id is None else numbers.setdefault(id, f"#{len(numbers) + 1}")

    def part(of: Part) -> Part:
        if isinstance(of, ToolUse):
            return ToolUse(number(of.id), of.name, _texts(of.arguments, normalise))
        if isinstance(of, ToolResult):
            return ToolResult(number(of.id), normalise(of.text), of.name, of.is_error)
        if isinstance(of, (Text, Thinking)):
            return type(of)(normalise(of.text))
        return of

    return msgspec.structs.replace(
        prompt,
        system=normalise(prompt.system),
        tools=tuple(
            Tool(tool.name, normalise(tool.description), _texts(tool.schema, normalise), tool.options)
            for tool in prompt.tools
        ),
        parameters=_texts(prompt.parameters, normalise),
        messages=tuple(PromptMessage(each.role, tuple(map(part, each.parts))) for each in prompt.messages),
    )


def _texts(value: Any, normalise: Normalise, depth: int = 0) -> Any:
    """A JSON value with each text in it passed through `normalise`; what is nested too deeply is kept."""
    if normalise is _as_is or depth > _DEEPEST:
        return value
    if isinstance(value, str):
        return normalise(value)
    if isinstance(value, list):
        return [_texts(item, normalise, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _texts(item, normalise, depth + 1) for key, item in value.items()}
    return value
