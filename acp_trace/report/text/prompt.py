"""`model --call`: what one call sent to the model, and what came back, for people. No text is cut.

First the sizes; then parameters, tools, the system prompt, the messages, each under its role, and the answer.
Unless all is wanted, tools are short, because they are half of most prompts, and what the previous call also
sent is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.model.calls import ModelCall
from acp_trace.model.shapes import (
    Answer,
    Media,
    Other,
    Part,
    Prompt,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
)
from acp_trace.model.shapes import Text as Words
from acp_trace.report import units
from acp_trace.report.safe import safe, safe_lines, shorten
from acp_trace.report.session_names import UNNAMED, SessionNames
from acp_trace.report.text import call_list, styles
from acp_trace.trace import jsontext
from acp_trace.trace.counts import counted

_INDENT = "  "
_SHORT = 40  #: most characters of a name with values beside it
_GIST = 100  #: characters of what a tool is for
_COLOURS = {"user": styles.COLOURS["client"], "assistant": styles.COLOURS["agent"], "tool": styles.OPEN}


def prompt(
    call: ModelCall,
    fact: facts.ModelCall,
    *,
    all_: bool,
    names: SessionNames = UNNAMED,
    before: ModelCall | None = None,
) -> Iterator[Text]:
    """All of it, line by line; with `all_` each tool with its whole description and schema.

    One line replaces what has not changed since `before`, the previous call, unless `all_`.
    """
    prompt = call.prompt()
    known = before.prompt() if before is not None and not all_ else Prompt()
    same = f"as in call {before.call}" if before is not None else ""
    yield from _head(call, fact, prompt, names)
    if prompt.parameters:
        yield _heading("parameters")
        yield from _fields(prompt.parameters, _INDENT)
    if prompt.tools:
        is_same = prompt.tools == known.tools
        yield _heading(f"tools ({len(prompt.tools)})", said=same if is_same else "")
        for tool in () if is_same else prompt.tools:
            yield from _tool(tool, all_=all_)
    if prompt.system:
        is_same = prompt.system == known.system
        yield _heading("system prompt", said=same if is_same else "")
        yield from () if is_same else _lines(prompt.system, _INDENT)
    pairs = zip(prompt.messages, known.messages, strict=False)
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if count:
        yield _heading(f"messages 1–{count}" if count > 1 else "message 1", said=same)
    for number, message in enumerate(prompt.messages[count:], count + 1):
        yield _heading(f"{number}  {safe(message.role)}", _COLOURS.get(message.role, styles.HEADING))
        yield from _parts(message.parts)
    yield from _answer(call.answer, fact)


def _head(call: ModelCall, fact: facts.ModelCall, prompt: Prompt, names: SessionNames) -> Iterator[Text]:
    """Which call, of which turn, how much it sent, and how much came back."""
    text = Text(f"call {call.call}  {safe(fact.model or '?')}", styles.HEADING)
    yield text.append(f"  {call.recognised.form.name} at {safe(call.recognised.provider)}", styles.FAINT)
    if fact.session_id is not None:
        turn = "outside a turn" if fact.turn is None else names.turn(fact.session_id, fact.turn)
        beside = ", beside it" if fact.beside and fact.turn is not None else ""
        session = f"{names.beside(fact.session_id)} {safe(fact.session_id)}".strip()
        found = f"  ({safe(fact.joined_by)})" if fact.joined_by else ""
        yield _line("of", f"{turn}{beside}, session {session}").append(found, styles.FAINT)
    sizes = [f"system prompt {_size(prompt.system)}"] if prompt.system else []
    if prompt.tools:
        tools = "".join(tool.description + _plain(tool.schema) for tool in prompt.tools)
        sizes.append(f"{counted(len(prompt.tools), 'tool')} {_size(tools)}")
    sizes.append(counted(len(prompt.messages), "message"))
    if prompt.messages:
        sizes[-1] += (
            f" {units.size(sum(_part_size(part) for each in prompt.messages for part in each.parts))}"
        )
    yield _line("prompt", ", ".join(sizes))
    yield _line("answered", _answered(call.answer, fact))
    for line in _notes(call, fact, prompt):
        yield Text(f" {line}", styles.OPEN)


def _line(label: str, text: str) -> Text:
    return Text(f" {label:<10}", styles.FAINT).append(text, "default")


def _answered(answer: Answer, fact: facts.ModelCall) -> str:
    said = [] if fact.status is None else [str(fact.status)]
    said += [] if fact.duration_ns is None else [f"in {units.duration(fact.duration_ns)}"]
    if fact.first_token_ns is not None:
        said.append(f"first token after {units.duration(fact.first_token_ns)}")
    said.append(call_list.how(fact)[0])
    counts = (
        (answer.tokens.input, "in"),
        (answer.tokens.cached, "cached"),
        (answer.tokens.output, "out"),
        (answer.tokens.reasoning, "thoughts"),
    )
    counted = [f"{units.number(count)} {what}" for count, what in counts if count is not None]
    said += [f"tokens: {', '.join(counted)}"] if counted else []
    return " · ".join(said)


def _notes(call: ModelCall, fact: facts.ModelCall, prompt: Prompt) -> Iterator[str]:
    if fact.error is not None:
        yield safe(fact.error)
    if fact.retry_of is not None:
        yield f"retry of call {fact.retry_of}"
    if call.earlier is not None:
        yield f"continues call {call.earlier.call}: the messages of that call are included"
    elif prompt.continues is not None:
        yield f"continues {safe(prompt.continues)}, which is not in the trace: earlier messages are missing"


def _tool(tool: Tool, *, all_: bool) -> Iterator[Text]:
    first, *more = safe_lines(tool.description).strip().split("\n")
    text = Text(_INDENT).append(safe(tool.name), styles.HEADING)
    yield text.append(f"  {shorten(first, _GIST)}", styles.FAINT) if first and not all_ else text
    if not all_:
        if parameters := ", ".join(_parameters(tool.schema)):
            yield Text(f"{_INDENT * 2}{parameters}")
        return
    yield from (
        Text(f"{_INDENT * 2}{line}".rstrip()) for line in ([first, *more] if tool.description else [])
    )
    yield from _lines(_indented(tool.schema), _INDENT * 2, styles.FAINT)
    yield from _fields(tool.options, _INDENT * 2)


def _parameters(schema: Any) -> Iterator[str]:
    """`path: string`, `limit?: number`; nothing if it is not a JSON Schema."""
    members = jsontext.as_object(schema)
    required = members.get("required")
    for name, value in jsontext.as_object(members.get("properties")).items():
        optional = "" if isinstance(required, list) and name in required else "?"
        kind = _type(value)
        yield safe(f"{name}{optional}{': ' if kind else ''}{kind}")


def _type(schema: Any) -> str:
    """The type of a value in a word or two; empty if it says none."""
    if not isinstance(schema, dict):
        return ""
    if isinstance(values := schema.get("enum"), list):
        return " | ".join(jsontext.string(value) for value in values)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(str(each) for each in kind)
    if kind == "array" and (inner := _type(schema.get("items"))):
        return f"{inner}[]" if " | " not in inner or inner.endswith("[]") else f"({inner})[]"
    return kind if isinstance(kind, str) else ""


def _answer(answer: Answer, fact: facts.ModelCall) -> Iterator[Text]:
    yield _heading("answer", styles.COLOURS["agent"])
    yield from _parts(answer.parts)
    if answer.error is not None:
        said = ": ".join(filter(None, (answer.error.type, answer.error.message)))
        yield Text(f"{_INDENT}error  {safe(said)}", styles.ERROR)
    elif answer.is_broken_off:
        yield Text(f"{_INDENT}({call_list.how(fact)[0]})", styles.OPEN)


def _parts(parts: Sequence[Part]) -> Iterator[Text]:
    for part in parts:
        yield from _part(part)


def _part(part: Part) -> Iterator[Text]:
    if isinstance(part, Words):
        yield from _lines(part.text, _INDENT)
    elif isinstance(part, Thinking):
        yield Text(f"{_INDENT}thought{'' if part.text else ' (encrypted)'}", styles.FAINT)
        yield from _lines(part.text, _INDENT * 2, styles.FAINT) if part.text else ()
    elif isinstance(part, ToolUse):
        yield _labelled("tool call", part.name, part.id)
        arguments = part.arguments
        yield from (
            _fields(arguments, _INDENT * 2)
            if isinstance(arguments, dict)
            else _lines(_plain(arguments), _INDENT * 2)
        )
    elif isinstance(part, ToolResult):
        text = _labelled("result", part.name or "", part.id)
        yield text.append("  error", styles.ERROR) if part.is_error else text
        yield from _lines(part.text, _INDENT * 2)
    elif isinstance(part, Media):
        yield _labelled(part.kind, part.mention, None)
    elif isinstance(part, Other):
        yield _labelled(part.kind, part.text, None)


def _labelled(label: str, name: str, id: str | None) -> Text:
    text = Text(f"{_INDENT}{safe(label)}", styles.FAINT)
    text.append(f"  {safe(name)}" if name else "", "default")
    return text.append(f"  {safe(id)}" if id else "", styles.FAINT)


def _fields(fields: Mapping[str, Any], indent: str) -> Iterator[Text]:
    """Each name with its value beside it; below it, if it has several lines."""
    width = max((len(name) for name in fields if len(name) <= _SHORT), default=0)
    for name, value in fields.items():
        shown = _plain(value)
        if "\n" not in shown.rstrip("\n"):
            label = Text(f"{indent}{safe(name):<{width}}  ", styles.FAINT)
            yield label.append(safe(shown.rstrip("\n")), "default")
            continue
        yield Text(f"{indent}{safe(name)}", styles.FAINT)
        yield from _lines(shown, indent + _INDENT)


def _lines(text: str, indent: str, style: str = "") -> Iterator[Text]:
    for line in safe_lines(text.replace("\r\n", "\n").expandtabs(4)).rstrip("\n").split("\n"):
        yield Text(f"{indent}{line}".rstrip(), style)


def _heading(title: str, style: str = styles.HEADING, *, said: str = "") -> Text:
    return Text.assemble((f"\n{title}", style), (f"  {said}" if said else "", styles.FAINT))


def _plain(value: Any) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else jsontext.string(value)


def _indented(value: Any) -> str:
    """JSON over several lines."""
    import json

    try:
        return json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return jsontext.string(value)


def _size(text: str) -> str:
    return units.size(len(text.encode("utf-8", "surrogatepass")))


def _part_size(part: Part) -> int:
    if isinstance(part, ToolUse):
        return len(_plain(part.arguments).encode("utf-8", "surrogatepass"))
    return 0 if isinstance(part, Media) else len(part.text.encode("utf-8", "surrogatepass"))
