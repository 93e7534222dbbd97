"""A wire form: two readers, and how the provider counts tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from acp_trace.model.draft import Draft
from acp_trace.model.shapes import Media, Other, Part, Prompt, PromptMessage, Text, ToolResult
from acp_trace.trace import jsontext

_SHORT = 400  #: characters kept of a part without a shape of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A wire form. Its readers take any JSON object, and never raise."""

    name: str
    #: The JSON of a request -> what it sends to the model.
    prompt: Callable[[dict[str, Any]], Prompt]
    #: An event (its name, its JSON) -> the answer so far. A whole response is one event.
    event: Callable[[Draft, str | None, dict[str, Any]], None]
    #: Tokens that the provider counts beside `input` and `output`, not in them.
    beside_input: tuple[str, ...] = ()
    beside_output: tuple[str, ...] = ()


def rest(body: Mapping[str, Any], *known: Iterable[str]) -> dict[str, Any]:
    """Return the remaining members of a request: its parameters. Null members count as missing."""
    away = {key for keys in known for key in keys}
    return {key: value for key, value in body.items() if key not in away and value is not None}


def chosen(body: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Return these keys of a request, if it has them."""
    return {key: body[key] for key in keys if body.get(key) is not None}


def messages(role: str, parts: Iterable[Part]) -> Iterator[PromptMessage]:
    """Return a message as one or two: results of tools, and what the user said."""
    given = tuple(parts)
    results = tuple(part for part in given if isinstance(part, ToolResult))
    words = tuple(part for part in given if not isinstance(part, ToolResult))
    if results:
        yield PromptMessage("tool", results)
    if words or not results:
        yield PromptMessage(role, words)


def other(kind: str, item: dict[str, Any]) -> Other:
    """Return a part that has no shape here."""
    return Other(kind or "object", jsontext.short(item, _SHORT))


def said(part: Part) -> str:
    """Return the text of a part of a tool's result; anything else is mentioned."""
    if isinstance(part, Media):
        return f"[{part.kind}: {part.mention}]"
    return part.text if isinstance(part, Text) else ""
