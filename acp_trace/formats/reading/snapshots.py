"""The snapshots that claude-agent-acp and codex-acp keep of their own tests: what the agent has sent.

    {"kind":"sessionUpdate","payload":{…}}                           claude-agent-acp
    {"kind":"notification","method":"session/update","payload":{…}}  claude-agent-acp, version 2
    {"direction":"notify","method":"session/update","params":{…}}    codex-acp
    {"method":"sessionUpdate","args":[{…}]}                          codex-acp, over several lines
    [{"sessionUpdate":{…}},{"promptResponse":{…}}]                   codex-acp, version 2

- Names such as `sessionUpdate` are those of the SDK. What is under `params` of a response is its result, and
  under the `sessionUpdate` of a list only the update.
- The agent has sent all messages. They have no ids (`null` is used instead) and no times, and the client's
  calls are missing. Varying values are replaced (`<session>`, `<cwd>`), so payloads are not checked.
- The traffic between codex-acp and Codex (`codexRequest`, `eventType`) is not ACP.

Learned from agentclientprotocol/claude-agent-acp (src/tests/acp-scenarios) and agentclientprotocol/codex-acp
(src/__tests__), 2026-04 to 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from acp_trace.formats.reading import json_in_text, json_parts, text_lines
from acp_trace.formats.reading.json_in_text import FoundValue
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.trace.jsontext import as_object, objects

NAME = "snapshots"

_MOST, _HEAD = 100, 400_000  #: values, and characters, by which a log is recognised
_LACKS = ("client_calls", "client_responses", "payloads")


class _Kind(NamedTuple):
    """What a message is: which part of it a snapshot has, and whether it has an id."""

    part: str
    has_id: bool


class _Entry(NamedTuple):
    """A message of a snapshot. `content`: its params, result or error, as its kind says."""

    method: str
    kind: _Kind
    content: Any


_RESPONSE, _REQUEST, _NOTIFICATION = _Kind("result", True), _Kind("params", True), _Kind("params", False)
#: Names of the SDK: which method, and which kind of message.
_NAMES: dict[str, tuple[str, _Kind]] = {
    "initialize": ("initialize", _RESPONSE),
    "authenticate": ("authenticate", _RESPONSE),
    "newSession": ("session/new", _RESPONSE),
    "loadSession": ("session/load", _RESPONSE),
    "resumeSession": ("session/resume", _RESPONSE),
    "forkSession": ("session/fork", _RESPONSE),
    "listSessions": ("session/list", _RESPONSE),
    "closeSession": ("session/close", _RESPONSE),
    "setSessionMode": ("session/set_mode", _RESPONSE),
    "setSessionConfigOption": ("session/set_config_option", _RESPONSE),
    "promptResponse": ("session/prompt", _RESPONSE),
    "promptError": ("session/prompt", _Kind("error", True)),
    "sessionUpdate": ("session/update", _NOTIFICATION),
    "completeElicitation": ("elicitation/complete", _NOTIFICATION),
    "requestPermission": ("session/request_permission", _REQUEST),
    "permissionRequest": ("session/request_permission", _REQUEST),
    "createElicitation": ("elicitation/create", _REQUEST),
    "readTextFile": ("fs/read_text_file", _REQUEST),
    "writeTextFile": ("fs/write_text_file", _REQUEST),
}
#: Names that have a method of their own in what they hold.
_EXTENSIONS = {
    "extNotification": _NOTIFICATION,
    "notify": _NOTIFICATION,
    "extMethod": _REQUEST,
    "request": _REQUEST,
}
#: Kinds of messages that have the protocol's method beside them.
_KINDS = {
    "request": _REQUEST,
    "response": _RESPONSE,
    "notification": _NOTIFICATION,
    "notify": _NOTIFICATION,
}
#: Values in the place of a message that are not ACP messages.
_OTHERS = ("codexRequest", "codexResponse", "codexNotification")


def recognises(files: Sequence[File]) -> bool:
    """Mostly messages in one of these forms."""
    return bool(files) and all(_is_snapshot(file) for file in files)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each file."""
    logs = [_read(file, files) for file in files]
    if not any(log.messages for log in logs):
        raise NotThisFormat("looked for messages as in the test snapshots of claude-agent-acp and codex-acp")
    return [log for log in logs if log.messages]


def _is_snapshot(file: File) -> bool:
    values = [value for _, value in islice(_values(_text(file)[:_HEAD]), _MOST)]
    messages = sum(_entry(value) is not None for value in values)
    return messages > 0 and 2 * (messages + sum(map(_is_other, values))) > len(values)


def _text(file: File) -> str:
    return text_lines.utf_8(file.data).decode("utf-8", "replace")


def _read(file: File, files: Sequence[File]) -> Log:
    log = Log(lacks=_LACKS)
    for line, value in _values(_text(file)):
        entry = _entry(value)
        if entry is None:
            why = "is from codex-acp to Codex or back" if _is_other(value) else "is not a message"
            log.unused.append(Unused(text_lines.where(files, file, line), why))
        else:
            log.messages.append(Sent(_message(entry), "agent"))
    return log


def _values(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file: a line each, one after another, in a list, or in the list of a `transcript`."""
    for found in json_in_text.found(text):
        if isinstance(found, FoundValue):
            for value in found.value if isinstance(found.value, list) else [found.value]:
                inner = as_object(value).get("transcript")
                for one in objects(inner if isinstance(inner, list) else [value]):
                    yield found.line, one


def _is_other(value: Mapping[str, Any]) -> bool:
    return any(name in value for name in _OTHERS)


def _entry(value: Mapping[str, Any]) -> _Entry | None:
    """The message of an object, in whichever form."""
    if "jsonrpc" in value:
        return None
    kind, method = value.get("kind", value.get("direction")), value.get("method")
    if isinstance(kind, str) and "payload" in value:
        return _of_kind(kind, method, value["payload"])
    if isinstance(kind, str) and isinstance(method, str) and "params" in value:
        return _of_kind(kind, method, value["params"])
    arguments = value.get("args")
    if isinstance(method, str) and isinstance(arguments, list) and arguments:
        if method in _EXTENSIONS and isinstance(arguments[0], str):
            content = arguments[1] if len(arguments) > 1 else None
            return _Entry(arguments[0], _EXTENSIONS[method], content)
        return _of_name(method, arguments[0])
    if len(value) == 1:
        name, content = next(iter(value.items()))
        return _of_name(name, {"update": content} if name == "sessionUpdate" else content)
    return None


def _of_kind(kind: str, method: object, content: Any) -> _Entry | None:
    if isinstance(method, str):
        return _Entry(method, _KINDS[kind], content) if kind in _KINDS else None
    return _of_name(kind, content)


def _of_name(name: str, content: Any) -> _Entry | None:
    if name in _EXTENSIONS and isinstance(method := as_object(content).get("method"), str):
        return _Entry(method, _EXTENSIONS[name], as_object(content).get("params"))
    return _Entry(*_NAMES[name], content) if name in _NAMES else None


def _message(entry: _Entry) -> bytes:
    content, id_ = json_parts.written(entry.content), b"null" if entry.kind.has_id else None
    if entry.kind.part == "params":
        return json_parts.request(json_parts.written(entry.method), content, id_)
    return json_parts.response(b"null", content, is_error=entry.kind.part == "error")
