"""What a tool is: a name, words that say when to use it, the shape of its arguments, and a function. Pure.

A language model reads the words and decides by them. So they agree with the docs, use the same names, and
say what to do next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from acp_trace.report.safe import shorten
from acp_trace.trace.home import Home
from acp_trace.trace.near_misses import suggestion

#: What a tool answers with, ready for msgspec.json.encode.
Document = dict[str, Any]


class CallRefused(Exception):
    """The call cannot be answered. The message is one line: what is wrong, and what to do."""


class CallAnswer(NamedTuple):
    """What a call gives: JSON text, or a line that says why not. `fault`: a traceback, if it is ours."""

    text: str
    is_error: bool
    fault: str | None = None


class Arguments(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a tool is called with. Each tool has a class of its own."""


class McpTool(NamedTuple):
    """One tool. `run` raises CallRefused, and like what reads traces."""

    name: str
    title: str
    arguments: type[Arguments]
    run: Callable[[Home, Any], Document]

    @property
    def description(self) -> str:
        """When to use it, and what it gives: paragraphs without line breaks inside."""
        paragraphs = (self.arguments.__doc__ or "").strip().split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        _, components = msgspec.json.schema_components([self.arguments])
        schema: dict[str, Any] = components[self.arguments.__name__]
        properties = {name: _plain_shape(shape) for name, shape in schema["properties"].items()}
        kept = {key: value for key, value in schema.items() if key not in _ELSEWHERE}
        return {**kept, "properties": properties}


#: Members beside a schema, not part of it.
_ELSEWHERE = ("title", "description")


def _plain_shape(shape: dict[str, Any]) -> dict[str, Any]:
    """The schema of an argument as all clients read it: words have a type, and null is not named.

    That an argument may be left out is said by `required`; some providers refuse a choice of types.
    """
    if len(inner := [each for each in shape.get("anyOf", ()) if each != {"type": "null"}]) == 1:
        kept = {key: value for key, value in shape.items() if key not in ("anyOf", "default")}
        return _plain_shape({**kept, **inner[0]})
    if "anyOf" in shape and "type" in shape:
        return _plain_shape({key: value for key, value in shape.items() if key != "anyOf"})
    if shape.get("default") in ((), {}):  # it says no more than that the argument may be left out
        shape = {key: value for key, value in shape.items() if key != "default"}
    if "items" in shape:
        return {**shape, "items": _plain_shape(shape["items"])}
    return {"type": "string", **shape} if "enum" in shape else shape


TraceName = Annotated[
    str,
    Meta(
        description="A trace: an id or its unique beginning or end, `last` (the newest recorded one), "
        "`last~2`, `last-run` (the newest run of replay or mock), the path of a trace file, or its address "
        "in a place that this server may read."
    ),
]
SessionName = Annotated[
    str,
    Meta(description="Only this session: its name, such as S2, its id, or the beginning or end of its id."),
]
TurnName = Annotated[
    int | str,  # in the schema a string, because some providers refuse a choice of types
    Meta(
        description="Only this turn: its number, from 0 in its session, or its name, such as S2.0.",
        extra_json_schema={"type": "string"},
    ),
]
Limit = Annotated[int, Meta(description="The maximum number of items to return.", ge=1, le=200)]
Offset = Annotated[
    int,
    Meta(description="The items to skip: the `next_offset` of the previous answer. -20: the last 20."),
]


def read_arguments(tool: McpTool, given: dict[str, Any] | None) -> Arguments:
    """The arguments of a call. Raises CallRefused.

    Models give null for what they leave out, and numbers as text: both are taken.
    """
    known = [field.encode_name for field in msgspec.structs.fields(tool.arguments)]
    present = {key: value for key, value in (given or {}).items() if value is not None}
    for name in present:
        if name not in known:
            near = suggestion(name, known) or f"; it has {', '.join(known)}"
            raise CallRefused(f"{tool.name} has no argument {shorten(name, 60)!r}{near}")
    try:
        return msgspec.convert(present, tool.arguments, strict=False)
    except msgspec.ValidationError as error:
        raise CallRefused(f"{tool.name}: {error}") from None
