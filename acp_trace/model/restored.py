"""A difference with its lines in their original words, not in the form in which they were compared.

Two prompts are compared with directories and dates in one form, but people want to read the original. A line
that cannot be found again stays in that form. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from acp_trace.model.prompt_diff import (
    MessageChange,
    Normalise,
    PartChange,
    PromptDiff,
    ToolChange,
)
from acp_trace.model.shapes import Prompt, Text, Thinking, Tool, ToolResult, ToolUse
from acp_trace.model.text_diff import Hunk
from acp_trace.model.value_diff import ValueChange
from acp_trace.trace import jsontext


def restored(
    diff: PromptDiff, prompts: tuple[Prompt, Prompt], forms: tuple[Normalise, Normalise]
) -> PromptDiff:
    """Return the difference in the original texts of these prompts; it was found in these forms."""
    return _Restoring(forms).diff(diff, prompts)


def is_said_alike(diff: PromptDiff) -> bool:
    """Whether both prompts have the same original text at all places that differ in normal form."""
    said = list(_said(diff))
    return bool(said) and all(expected == actual for expected, actual in said)


def _said(diff: PromptDiff) -> Iterator[tuple[object, object]]:
    """Return the original texts of both sides at each difference, if they can be compared."""
    parts = [part for message in diff.messages for part in message.parts or [message]]
    for tool in diff.tools_changed:
        yield from ((hunk.expected, hunk.actual) for hunk in tool.description)
        yield from ((value.expected, value.actual) for value in (*tool.schema, *tool.options))
    for part in parts:
        if isinstance(part, PartChange) and (part.text or part.arguments):
            yield from ((hunk.expected, hunk.actual) for hunk in part.text)
            yield from ((value.expected, value.actual) for value in part.arguments)
        else:
            yield part, None
    yield from ((hunk.expected, hunk.actual) for hunk in diff.system)
    yield from ((value.expected, value.actual) for value in diff.parameters)


class _Restoring:
    def __init__(self, forms: tuple[Normalise, Normalise]) -> None:
        self._forms = forms

    def diff(self, diff: PromptDiff, prompts: tuple[Prompt, Prompt]) -> PromptDiff:
        expected, actual = prompts
        tools = [{tool.name: tool for tool in prompt.tools} for prompt in prompts]
        return msgspec.structs.replace(
            diff,
            system=self._hunks(diff.system, (expected.system, actual.system)),
            tools_changed=tuple(
                self._tool(change, (tools[0][change.name], tools[1][change.name]))
                for change in diff.tools_changed
            ),
            parameters=self._values(diff.parameters, (expected.parameters, actual.parameters)),
            messages=tuple(map(self._message, diff.messages)),
        )

    def _tool(self, change: ToolChange, tools: tuple[Tool, Tool]) -> ToolChange:
        return msgspec.structs.replace(
            change,
            description=self._hunks(change.description, (tools[0].description, tools[1].description)),
            schema=self._values(change.schema, (tools[0].schema, tools[1].schema)),
        )

    def _message(self, change: MessageChange) -> MessageChange:
        return msgspec.structs.replace(change, parts=tuple(map(self._part, change.parts)))

    def _part(self, change: PartChange) -> PartChange:
        parts = change.expected, change.actual
        texts = [part.text for part in parts if isinstance(part, (Text, Thinking, ToolResult))]
        arguments = [part.arguments for part in parts if isinstance(part, ToolUse)]
        if len(texts) == len(parts):
            return msgspec.structs.replace(change, text=self._hunks(change.text, (texts[0], texts[1])))
        if len(arguments) == len(parts):
            values = self._values(change.arguments, (arguments[0], arguments[1]))
            return msgspec.structs.replace(change, arguments=values)
        return change

    def _hunks(self, hunks: Iterable[Hunk], texts: Sequence[str]) -> tuple[Hunk, ...]:
        lines = [text.split("\n") for text in texts]
        return tuple(
            msgspec.structs.replace(
                hunk,
                expected=self._lines(0, hunk.expected, lines[0][hunk.expected_line - 1 :]),
                actual=self._lines(1, hunk.actual, lines[1][hunk.actual_line - 1 :]),
            )
            for hunk in hunks
        )

    def _lines(self, side: int, compared: Sequence[str], said: Sequence[str]) -> tuple[str, ...]:
        if len(said) < len(compared):
            return tuple(compared)
        return tuple(
            line if self._forms[side](line) == form else form
            for form, line in zip(compared, said, strict=False)
        )

    def _values(self, values: Iterable[ValueChange], roots: tuple[Any, Any]) -> tuple[ValueChange, ...]:
        return tuple(
            msgspec.structs.replace(
                value,
                expected=self._value(0, value.expected, said[0]),
                actual=self._value(1, value.actual, said[1]),
                text=self._hunks(value.text, said) if value.text else (),
            )
            for value in values
            for said in [[_at(root, value.path) for root in roots]]
        )

    def _value(self, side: int, compared: str | None, said: Any) -> str | None:
        if compared is None or not isinstance(said, str):
            return compared
        return jsontext.string(said) if jsontext.string(self._forms[side](said)) == compared else compared


def _at(root: Any, path: str) -> Any:
    """Return the value at a JSON Pointer; None if it does not exist."""
    value = root
    for key in path.split("/")[1:]:
        name = key.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value
