"""Finds the messages in a JSON value: itself, those wrapped in it, or the one that words complete. Pure.

Wrappers are recognised by their content, not by their names: objects or lists around a message, over several
levels, or a string with JSON in it. The parameters of a session/update alone also count as a message.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from acp_trace.formats.reading import json_in_text, json_parts, log_times, marks, messages_in_words
from acp_trace.formats.reading.json_in_text import FoundValue
from acp_trace.formats.reading.log_times import LogTime
from acp_trace.formats.reading.marks import Mark
from acp_trace.trace.jsontext import value_or_none

_DEEPEST = 16  #: objects and lists around a message
#: What messages have, where a tool writes members of its own beside them.
_MEMBERS = ("id", "method", "params", "result", "error")
#: Members of objects that only look like messages: Zed's items, and codex-acp's traffic with Codex.
_NO_MESSAGE = ("_direction", "eventType")
_BASE64 = "eyJ"  #: `{"` in base64
_SHORTEST = 20  #: bytes of a message
_NOT_ACP = "codex"  #: how members begin that hold what codex-acp says to Codex


class FoundMessage(NamedTuple):
    """A message in a text, with the values beside it."""

    data: bytes
    mark: Mark
    time: LogTime | None
    value: Any = None


def messages_in_text(text: str) -> Iterator[FoundMessage]:
    """The messages of all values of a text."""
    for item in json_in_text.found(text):
        if isinstance(item, FoundValue):
            yield from messages_of(item)


def _before(item: FoundValue) -> str:
    """The text about a value: in its line, or above it."""
    if messages_in_words.has_call(item.before):
        return item.before
    if messages_in_words.names_part(item.before) or not item.before.strip(" \t,"):
        return " ".join((*(one.text for one in item.above), item.before))
    return item.before


def is_headed(item: FoundValue) -> bool:
    """Whether the lines above a value say something of it."""
    before = _before(item)
    is_above = before != item.before
    return is_above and (bool(marks.of_text(before)) or log_times.in_text(before) is not None)


def messages_of(
    item: FoundValue, refusals: messages_in_words.Refusals | None = None
) -> Iterator[FoundMessage]:
    """The messages of a value: itself, or what is in it."""
    before = _before(item)
    time, mark = log_times.in_text(before), marks.of_text(before)
    if refusals is not None and (response := refusals.response(item.between, item.value)) is not None:
        yield FoundMessage(response, (), time)
    elif item.is_cut:
        return
    elif isinstance(item.value, dict) and is_message(item.value):
        if refusals is not None:
            refusals.take(item.before, item.value)
        yield _itself(item.value, item.text, mark, time)
    elif (rebuilt := messages_in_words.rebuilt(before, item.text)) is not None:
        yield FoundMessage(rebuilt, mark, time)
    else:
        yield from _within(item.value, mark, time, 0)


def _itself(value: Mapping[str, Any], text: str | None, mark: Mark, time: LogTime | None) -> FoundMessage:
    """A message, without what a tool wrote beside it. `text`: as it appears in the log."""
    if "jsonrpc" not in value and not value.keys() <= set(_MEMBERS):
        time, mark = log_times.in_members(value) or time, (*mark, *marks.of_members(value))
        value, text = {name: value[name] for name in _MEMBERS if name in value}, None
    if isinstance(value.get("method"), dict) or isinstance(value.get("jsonrpc"), float):
        value, text = _of_kotlin(value), None
    data = json_parts.written(value) if text is None else text.encode("utf-8", "replace")
    return FoundMessage(data, mark, time, value)


def _of_kotlin(value: Mapping[str, Any]) -> dict[str, Any]:
    """A message whose method is a class with one member, and whose version looks like a number."""
    method = value.get("method")
    named = {"method": method.get("name")} if isinstance(method, dict) else {}
    kept = {key: member for key, member in value.items() if not (key == "error" and member is None)}
    return {**kept, **named, "jsonrpc": "2.0"}


def _within(value: Any, mark: Mark, time: LogTime | None, depth: int) -> Iterator[FoundMessage]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        yield from _in_string(value, mark, time, depth)
    elif isinstance(value, dict):
        if is_message(value):
            yield _itself(value, None, mark, time)
            return
        mark = (*mark, *marks.of_members(value))
        time = log_times.in_members(value) or time
        if _is_update(value):
            params = {name: value[name] for name in ("sessionId", "update", "_meta") if name in value}
            yield FoundMessage(
                json_parts.request(b'"session/update"', json_parts.written(params), None), mark, time
            )
            return
        for name, member in value.items():
            if isinstance(member, dict | list | str) and not name.startswith(_NOT_ACP):
                yield from _within(member, mark, time, depth + 1)
    elif isinstance(value, list):
        if len(value) > _SHORTEST and all(isinstance(one, int) and 0 <= one < 256 for one in value):
            yield from _in_string(bytes(value).decode("utf-8", "replace"), mark, time, depth)
            return
        for member in value:
            yield from _within(member, mark, time, depth + 1)


def _in_string(text: str, mark: Mark, time: LogTime | None, depth: int) -> Iterator[FoundMessage]:
    """What is in a string: JSON, perhaps after a few words."""
    if text.startswith(_BASE64):
        text = _decoded(text)
    if text[:1] in ("{", "[") and (value := value_or_none(text.encode("utf-8", "replace"))) is not None:
        yield from _within(value, mark, time, depth + 1)
    elif '{"' in text or '{\\"' in text:
        for item in json_in_text.found(text):
            if isinstance(item, FoundValue) and not item.is_cut:
                yield from _within(item.value, (*mark, *marks.of_text(item.before)), time, depth + 1)


def _decoded(text: str) -> str:
    """The decoded text of base64; the text itself if it is not base64."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except (ValueError, UnicodeDecodeError):
        return text


def is_message(value: Mapping[str, Any]) -> bool:
    """Whether an object is a message, perhaps without `jsonrpc`."""
    has_id, answers = "id" in value, "result" in value or "error" in value
    method = value.get("method")
    calls = isinstance(method, str) or (isinstance(method, dict) and isinstance(method.get("name"), str))
    if any(name in value for name in _NO_MESSAGE):
        return False
    if "jsonrpc" in value:
        return calls or answers
    error = value.get("error")
    if value.keys() == {"error"} and isinstance(error, dict) and isinstance(error.get("code"), int):
        return True
    is_wrapped = any(isinstance(member, dict) and "jsonrpc" in member for member in value.values())
    return not is_wrapped and ((calls and "params" in value) or (has_id and answers))


def _is_update(value: Mapping[str, Any]) -> bool:
    """Whether these are the parameters of a session/update, which need no id to be a message."""
    update = value.get("update")
    return (
        isinstance(value.get("sessionId"), str)
        and isinstance(update, dict)
        and isinstance(update.get("sessionUpdate"), str)
    )
