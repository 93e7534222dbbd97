"""What a frame says, in a few words: the last column of `acp-trace frames`. One row a kind of message.

Gives text as it came; whoever prints it makes it safe and cuts it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_trace.analyze.frame import Frame
from acp_trace.protocol import updates
from acp_trace.protocol.content import first_text, text_of
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.text_chunk import TextUpdate, text_update
from acp_trace.trace.jsontext import value_or_none

_Object = dict[str, Any]


def chunk_of(frame: Frame) -> TextUpdate | None:
    """What a chunk of text says; None if the frame is something else."""
    return text_update(frame.data) if frame.update in updates.CHUNKS else None


def gist(frame: Frame) -> str:
    """The few words; empty where there is nothing to add to the method."""
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
        return frame.data[:80].decode("utf-8", "replace")
    if frame.kind is MessageKind.RESPONSE:
        return _response(frame.method or "", message)
    params = _object(message.get("params"))
    update = _object(params.get("update"))
    if frame.update is not None:
        return _UPDATES.get(frame.update, _keys)(update)
    return _PARAMS.get(frame.method or "", _keys)(params)


def _response(method: str, part: _Object) -> str:
    if "error" in part:
        error = _object(part["error"])
        return _words("error", error.get("code"), error.get("message"))
    result = part.get("result")
    return _RESULTS.get(method, _keys)(_object(result)) if isinstance(result, dict) else ""


def _object(part: object) -> _Object:
    return part if isinstance(part, dict) else {}


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
        who = next((_object(part[key]) for key in keys if key in part), {})
        return _words("protocol", part.get("protocolVersion"), who.get("name"), who.get("version"))

    return words


def _session(part: _Object) -> str:
    return _words(part.get("sessionId"), part.get("cwd"), _options(part))


def _options(part: _Object) -> str:
    options = part.get("configOptions")
    if not isinstance(options, list):
        return ""
    return " ".join(
        f"{option.get('id', option.get('configId'))}={option.get('currentValue')}"
        for option in options
        if isinstance(option, dict)
    )


def _tool_call(part: _Object) -> str:
    return _words(part.get("status"), part.get("kind"), _quoted(_text(part.get("title"))))


def _text(part: object) -> str | None:
    return part if isinstance(part, str) else None


def _chunk(part: _Object) -> str:
    return _quoted(text_of(part.get("content")))


def _asked(part: _Object) -> str:
    options = part.get("options")
    names = (
        [str(option.get("optionId")) for option in options if isinstance(option, dict)]
        if isinstance(options, list)
        else []
    )
    return _words(_tool_call(_object(part.get("toolCall"))), " | ".join(names))


def _outcome(part: _Object) -> str:
    outcome = _object(part.get("outcome"))
    return _words(outcome.get("outcome"), outcome.get("optionId"))


def _usage(part: _Object) -> str:
    return _words(part.get("used"), "of", part.get("size"))


def _info(part: _Object) -> str:
    """Which metadata it brings: absent fields stay as they were, null takes away."""
    changes = []
    if "title" in part:
        changes.append(f"title → {_quoted(_text(part['title'])) or '∅'}")
    meta = part.get("_meta")
    if isinstance(meta, dict):
        keys = (f"−{key}" if value is None else key for key, value in meta.items())
        changes.append(" ".join(["_meta", *keys]))
    elif "_meta" in part:
        changes.append("_meta → ∅")
    if "updatedAt" in part:
        changes.append(f"updatedAt → {_text(part['updatedAt']) or '∅'}")
    return " · ".join(changes)


def _commands(part: _Object) -> str:
    commands = part.get("availableCommands", part.get("commands"))
    return f"{len(commands)} commands" if isinstance(commands, list) else ""


_PARAMS: dict[str, Callable[[_Object], str]] = {
    "initialize": _who("clientInfo", "info"),
    "session/new": _session,
    "session/load": _session,
    "session/resume": _session,
    "session/fork": _session,
    "session/prompt": lambda found: _quoted(first_text(found.get("prompt"))),
    "session/request_permission": _asked,
    "session/set_config_option": lambda found: _words(found.get("configId"), "→", found.get("value")),
    "session/set_mode": lambda found: _words("→", found.get("modeId")),
    "session/set_model": lambda found: _words("→", found.get("modelId")),
    "fs/read_text_file": lambda found: _words(found.get("path")),
    "fs/write_text_file": lambda found: _words(found.get("path")),
    "terminal/create": lambda found: _words(found.get("command")),
    "$/cancel_request": lambda found: _words("request", found.get("requestId", found.get("id"))),
}

_RESULTS: dict[str, Callable[[_Object], str]] = {
    "initialize": _who("agentInfo", "info"),
    "session/new": _session,
    "session/load": _options,
    "session/resume": _options,
    "session/fork": _session,
    "session/set_config_option": _options,
    "session/prompt": lambda found: _words(found.get("stopReason")),
    "session/request_permission": _outcome,
    "fs/read_text_file": lambda found: _quoted(_text(found.get("content"))),
}

_UPDATES: dict[str, Callable[[_Object], str]] = {
    **dict.fromkeys(updates.CHUNKS, _chunk),
    "tool_call": _tool_call,
    "tool_call_update": _tool_call,
    "available_commands_update": _commands,
    "config_option_update": _options,
    "usage_update": _usage,
    "state_update": lambda found: _words(found.get("state"), found.get("stopReason")),
    "session_info_update": _info,
}
