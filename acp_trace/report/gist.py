"""The content of a frame, in a few words: the last column of `acp-trace frames`. One row a kind of message.

Returns text as it came; the caller makes it safe and cuts it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_trace.analyze.frame import Frame
from acp_trace.protocol import methods, outcomes, updates
from acp_trace.protocol.envelopes import carries
from acp_trace.protocol.message import MessageKind, batch
from acp_trace.protocol.payloads import TextUpdate, first_text
from acp_trace.report.statements.failures import error_words
from acp_trace.story.messages import chunk_of
from acp_trace.trace.jsontext import as_object, objects, string_or_none, value_or_none

_Object = dict[str, Any]
_MOST = 20  #: messages of a batch that are named


def gist(frame: Frame) -> str:
    """The few words; empty if there is nothing to add to the method."""
    return chunk_gist(chunk) if (chunk := chunk_of(frame)) is not None else other_gist(frame)


def chunk_gist(chunk: TextUpdate) -> str:
    """The few words about a chunk of text."""
    return f'"{chunk.content.text}"'


def other_gist(frame: Frame) -> str:
    """The few words about anything but a chunk of text."""
    if frame.kind is MessageKind.TEXT:
        return frame.data.decode("utf-8", "replace")
    if frame.kind is MessageKind.BYTES:
        return frame.data[:40].hex(" ")
    message = value_or_none(frame.data)
    if not isinstance(message, dict):
        return _messages(frame.data) or frame.data[:80].decode("utf-8", "replace")
    if frame.kind is MessageKind.RESPONSE:
        return _response(frame.method or "", message)
    params = as_object(message.get("params"))
    update = as_object(params.get("update"))
    if frame.update is not None:
        return _UPDATES.get(frame.update, _keys)(update)
    if carries(frame.method) is not None:
        return _carried(params)
    return _PARAMS.get(frame.method or "", _keys)(params)


def _carried(part: _Object) -> str:
    """The gist of the message inside an envelope."""
    method, inner = string_or_none(part.get("method")) or "", as_object(part.get("params"))
    update = as_object(inner.get("update"))
    kind = string_or_none(update.get("sessionUpdate"))
    says = _PARAMS.get(method, _keys)(inner) if kind is None else _UPDATES.get(kind, _keys)(update)
    return _words("›", method, kind, says)


def _messages(data: bytes) -> str:
    """Of a batch, its first messages by their places."""
    messages = enumerate((batch(data) or [])[:_MOST])
    return "  ".join(
        f"[{item}] {_words(one.method or str(one.kind), one.update, one.id)}" for item, one in messages
    )


def _response(method: str, part: _Object) -> str:
    if "error" in part:
        error = as_object(part["error"])
        message, cause = string_or_none(error.get("message")), outcomes.details(error.get("data"))
        return _words("error", error.get("code"), error_words(message, cause))
    result = part.get("result")
    return _RESULTS.get(method, _keys)(result) if isinstance(result, dict) else ""


def _words(*parts: object) -> str:
    return " ".join(str(part) for part in parts if isinstance(part, (str, int, float)) and part != "")


def _keys(part: _Object) -> str:
    """Of a message that no row below knows: its plain members."""
    plain = (
        f"{key}={item}"
        for key, item in part.items()
        if isinstance(item, (str, int, float)) and key not in ("sessionId", "sessionUpdate")
    )
    return " ".join(plain)


def _quoted(text: str | None) -> str:
    return "" if text is None else f'"{text}"'


def _who(*keys: str) -> Callable[[_Object], str]:
    def words(part: _Object) -> str:
        who = next((as_object(part[key]) for key in keys if key in part), {})
        return _words("protocol", part.get("protocolVersion"), who.get("name"), who.get("version"))

    return words


def _session(part: _Object) -> str:
    return _words(part.get("sessionId"), part.get("cwd"), _options(part))


def _options(part: _Object) -> str:
    return " ".join(
        f"{option.get('id', option.get('configId'))}={option.get('currentValue')}"
        for option in objects(part.get("configOptions"))
    )


def _tool_call(part: _Object) -> str:
    return _words(part.get("status"), part.get("kind"), _quoted(string_or_none(part.get("title"))))


def _asked(part: _Object) -> str:
    names = (str(option.get("optionId")) for option in objects(part.get("options")))
    return _words(_tool_call(as_object(part.get("toolCall"))), " | ".join(names))


def _outcome(part: _Object) -> str:
    outcome = as_object(part.get("outcome"))
    return _words(outcome.get("outcome"), outcome.get("optionId"))


def _usage(part: _Object) -> str:
    return _words(part.get("used"), "of", part.get("size"))


def _info(part: _Object) -> str:
    """Which metadata it brings: absent fields stay as they were, null takes away."""
    changes = []
    if "title" in part:
        changes.append(f"title → {_quoted(string_or_none(part['title'])) or '∅'}")
    meta = part.get("_meta")
    if isinstance(meta, dict):
        keys = (f"−{key}" if value is None else key for key, value in meta.items())
        changes.append(" ".join(["_meta", *keys]))
    elif "_meta" in part:
        changes.append("_meta → ∅")
    if "updatedAt" in part:
        changes.append(f"updatedAt → {string_or_none(part['updatedAt']) or '∅'}")
    return " · ".join(changes)


def _commands(part: _Object) -> str:
    commands = part.get("availableCommands", part.get("commands"))
    return f"{len(commands)} commands" if isinstance(commands, list) else ""


_PARAMS: dict[str, Callable[[_Object], str]] = {
    methods.INITIALIZE: _who("clientInfo", "info"),
    methods.NEW: _session,
    methods.LOAD: _session,
    methods.RESUME: _session,
    methods.FORK: _session,
    methods.PROMPT: lambda found: _quoted(first_text(found.get("prompt"))),
    methods.PERMISSION: _asked,
    methods.SET_OPTION: lambda found: _words(found.get("configId"), "→", found.get("value")),
    methods.SET_MODE: lambda found: _words("→", found.get("modeId")),
    "session/set_model": lambda found: _words("→", found.get("modelId")),
    methods.READ_FILE: lambda found: _words(found.get("path")),
    methods.WRITE_FILE: lambda found: _words(found.get("path")),
    methods.TERMINAL_CREATE: lambda found: _words(found.get("command")),
    methods.CANCEL_REQUEST: lambda found: _words("request", found.get("requestId", found.get("id"))),
}

_RESULTS: dict[str, Callable[[_Object], str]] = {
    methods.INITIALIZE: _who("agentInfo", "info"),
    methods.NEW: _session,
    methods.LOAD: _options,
    methods.RESUME: _options,
    methods.FORK: _session,
    methods.SET_OPTION: _options,
    methods.PROMPT: lambda found: _words(found.get("stopReason")),
    methods.PERMISSION: _outcome,
    methods.READ_FILE: lambda found: _quoted(string_or_none(found.get("content"))),
}

_UPDATES: dict[str, Callable[[_Object], str]] = {
    **dict.fromkeys(updates.CHUNKS, lambda found: _quoted(first_text(found.get("content")))),
    updates.TOOL_CALL: _tool_call,
    updates.TOOL_CALL_UPDATE: _tool_call,
    "available_commands_update": _commands,
    updates.CONFIG: _options,
    updates.USAGE: _usage,
    updates.STATE: lambda found: _words(found.get("state"), found.get("stopReason")),
    updates.SESSION_INFO: _info,
}
