"""How two prompts differ, and what a call asks, one line each. The lines are not yet safe for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from acp_trace.model.prompt_diff import MessageChange, PartChange, PromptDiff, ToolChange
from acp_trace.model.shapes import (
    Media,
    Other,
    Part,
    Prompt,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from acp_trace.model.text_diff import Hunk
from acp_trace.model.value_diff import ValueChange
from acp_trace.trace import jsontext
from acp_trace.trace.counts import counted, noun_for

_LONG = 60  #: characters of a value or of a text
#: Words of a JSON Schema that do not help a reader to find a place.
_SCHEMA_WORDS = frozenset({"properties", "items", "anyOf", "oneOf", "allOf", "additionalProperties", "$defs"})
_KINDS: dict[type, str] = {
    Text: "text",
    Thinking: "thought",
    ToolUse: "tool call",
    ToolResult: "tool result",
    Media: "media",
    Other: "part",
}


def difference(diff: PromptDiff) -> str:
    """Return how prompts differ: `system prompt: 1 line changed; tool bash: schema of timeout changed`."""
    return "; ".join(_differences(diff))


def call(prompt: Prompt) -> str:
    """Return what a call asks, in a few words: its model, its tools, and the last message to it."""
    tools = counted(len(prompt.tools), "tool") if prompt.tools else "no tools"
    said = f"; last {_last(prompt)}" if prompt.messages else ""
    return f"{prompt.model or 'unknown model'}, {tools}{said}"


def numbers(what: str, of: Sequence[int]) -> str:
    """Return numbers with their noun: `call 3`, `calls 1–10, 12`."""
    return f"{noun_for(len(of), what)} {ranges(of)}"


def ranges(of: Sequence[int]) -> str:
    """Return numbers as ranges: `1–10, 12`."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(sorted(set(of))), lambda item: item[1] - item[0])
    ]
    return ", ".join(_run(run) for run in runs)


def _run(run: Sequence[int]) -> str:
    if len(run) == 1:
        return str(run[0])
    return f"{run[0]}{'–' if len(run) > 2 else ', '}{run[-1]}"


def place(path: str) -> str:
    """Return a short name for a place in a schema: `/properties/todos/items/properties/id` is `todos.id`."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in path.split("/")[1:]]
    named: list[str] = []
    is_name = False  # the key after `properties` is a name, whatever it is
    for key in keys:
        if is_name or key not in _SCHEMA_WORDS:
            named += [] if key.isdigit() and not is_name else [key]
            is_name = False
        else:
            is_name = key in {"properties", "$defs"}
    return ".".join(named)


def _differences(diff: PromptDiff) -> Iterator[str]:
    if diff.model is not None:
        yield f"model: {_plain(diff.model.expected)} → {_plain(diff.model.actual)}"
    yield from (_parameter(value) for value in diff.parameters)
    if diff.system:
        yield f"system prompt: {lines(diff.system)}"
    yield from (_message(message) for message in diff.messages)
    for names, what in ((diff.tools_added, "added"), (diff.tools_removed, "removed")):
        if names:
            yield f"{noun_for(len(names), 'tool')} {', '.join(names)} {what}"
    yield from (_tool(tool) for tool in diff.tools_changed)
    if diff.tools_order is not None:
        yield "tools in another order"


def lines(hunks: Iterable[Hunk]) -> str:
    """Return how many lines of a text differ: `1 line changed, 2 added`."""
    changed = added = removed = 0
    for hunk in hunks:
        both = min(len(hunk.expected), len(hunk.actual))
        changed += both
        added += len(hunk.actual) - both
        removed += len(hunk.expected) - both
    counts = [(number, what) for number, what in (
        (changed, "changed"), (added, "added"), (removed, "removed")
    ) if number]  # fmt: skip
    first, *others = [f"{number} {what}" for number, what in counts] or ["0 changed"]
    number, _, what = first.partition(" ")
    return ", ".join([f"{counted(int(number), 'line')} {what}", *others])


def _parameter(value: ValueChange) -> str:
    name = ".".join(value.path.split("/")[1:]) or "parameters"
    if value.expected is None:
        return f"parameter {name} added: {_plain(value.actual)}"
    if value.actual is None:
        return f"parameter {name} removed: {_plain(value.expected)}"
    if value.text:
        return f"parameter {name}: {lines(value.text)}"
    return f"parameter {name}: {_plain(value.expected)} → {_plain(value.actual)}"


def _tool(tool: ToolChange) -> str:
    said = [f"description: {lines(tool.description)}"] if tool.description else []
    said += _schema(tool.schema)
    if tool.options:
        names = dict.fromkeys(value.path.split("/")[1] if value.path else "" for value in tool.options)
        said.append(f"{', '.join(names)} changed")
    return f"tool {tool.name}: {'; '.join(said)}"


def _schema(values: Iterable[ValueChange]) -> list[str]:
    """Return the parameters that are new or gone, those whose schema differs, and other keys."""
    names: dict[str, dict[str, None]] = {}
    for value in values:
        keys = value.path.split("/")[1:]
        inside = _parameter_of(keys)
        if inside is None:
            names.setdefault("key", {})[".".join(keys[:1]) or "schema"] = None
        elif len(inside) == len(keys) and value.expected is None:
            names.setdefault("added", {})[place(value.path)] = None
        elif len(inside) == len(keys) and value.actual is None:
            names.setdefault("removed", {})[place(value.path)] = None
        else:
            names.setdefault("changed", {})[place("/" + "/".join(inside))] = None
    if "added" in names or "removed" in names:  # a new parameter is mentioned once, even if required
        names.get("key", {}).pop("required", None)
    said = [
        f"{noun_for(len(names[what]), 'parameter')} {', '.join(names[what])} {what}"
        for what in ("added", "removed")
        if what in names
    ]
    if "changed" in names:
        said.append(f"schema of {', '.join(names['changed'])} changed")
    if names.get("key"):
        said.append(f"{', '.join(names['key'])} changed")
    return said


def _parameter_of(keys: Sequence[str]) -> Sequence[str] | None:
    """Return the keys of a place as far as they name a parameter; None if it does not belong to one."""
    ends = [
        at for at, key in enumerate(keys[:-1]) if key == "properties" and (at == 0 or keys[at - 1] != key)
    ]
    return keys[: ends[-1] + 2] if ends else None


def _message(change: MessageChange) -> str:
    number = change.expected_place if change.actual_place is None else change.actual_place
    head = f"message {number} ({change.role})"
    if change.message is not None:
        said = [_gist(part) for part in change.message.parts[:1]]
        return f"{head} {change.change}{': ' if said else ''}{''.join(said)}"
    return f"{head}: {', '.join(dict.fromkeys(map(_part, change.parts))) or 'changed'}"


def _part(change: PartChange) -> str:
    expected, actual = change.expected, change.actual
    part = actual if expected is None else expected
    what = _KINDS[type(part)]
    if isinstance(part, (ToolUse, ToolResult)) and part.name:
        what = f"{what} {part.name}"
    if expected is None or actual is None:
        return f"{what} {'added' if expected is None else 'removed'}"
    if change.arguments:
        names = dict.fromkeys(place(value.path) for value in change.arguments)
        return f"{what}: {', '.join(filter(None, names)) or 'arguments'} changed"
    if change.text:
        return lines(change.text) if what == "text" else f"{what}: {lines(change.text)}"
    if type(expected) is not type(actual):
        return f"{what} became {_KINDS[type(actual)]}"
    if isinstance(expected, ToolUse) and isinstance(actual, ToolUse) and expected.name != actual.name:
        return f"{what} became {actual.name}"
    return f"{what} changed"


def _last(prompt: Prompt) -> str:
    message = prompt.messages[-1]
    return f"{message.role}: {_gist(message.parts[-1])}" if message.parts else message.role


def _gist(part: Part) -> str:
    """Return how a part begins, in one line."""
    if isinstance(part, ToolUse):
        return _short(f"{part.name} {jsontext.string(part.arguments)}")
    if isinstance(part, Media):
        return _short(f"{part.kind} {part.mention}")
    return _short(part.text)


def _plain(text: str | None) -> str:
    """Return a JSON text for people: a string without its quotes."""
    value = jsontext.value_or_none(text.encode()) if text is not None else None
    return _short(value if isinstance(value, str) and value else text or "nothing")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 1]}…"
