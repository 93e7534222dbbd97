"""Ids that the sides invent: where they stand in a message, and which of one trace is which of the other.

Where they stand is known from the protocol's tables; no text is ever searched for them. Names that an
agent gives for good (config options, modes, models, ways to authenticate) are no such ids: those are
compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from acp_trace.protocol import methods
from acp_trace.protocol.methods import BY_NAME

#: What an id is of, by the name of its member.
INVENTED = {
    "sessionId": "session",
    "toolCallId": "tool call",
    "terminalId": "terminal",
    "messageId": "message",
    "optionId": "option",
    "elicitationId": "elicitation",
    "serverId": "server",
    "requestId": "request",
    "id": "request",
}
#: Ids inside of updates, contents and tool calls (schemas: SessionUpdate, ToolCallContent).
_MORE = {
    methods.UPDATE: (
        "params.update.messageId",
        "params.update.toolCallId",
        "params.update.terminalId",
        "params.update.content[].terminalId",
    ),
    methods.PERMISSION: ("params.toolCall.content[].terminalId",),
    methods.PROMPT: ("params.messageId",),
}
#: The session of a message, whatever its method; unknown ones may have it as well.
_SESSION = "params.sessionId"
_ID = (str, int)  # a union would be made anew for every frame
_MOST = 50  #: options of one permission that are looked at: more are only there to make us slow
_Path = tuple[str, ...]
#: The path of an object, and the ids among its members: kind and name of each.
_Holder = tuple[_Path, tuple[tuple[str, str], ...]]


@cache
def _places(method: str, root: str) -> tuple[_Holder, ...]:
    """Where ids stand under `params` or `result`; `[]` stands for every item of an array."""
    row = BY_NAME.get(method)
    named = (_SESSION, *(row.ids if row else ()), *_MORE.get(method, ()))
    found: dict[_Path, dict[tuple[str, str], None]] = {}
    for one in named:
        *path, key = one.replace("[]", ".[]").split(".")
        if (path or [key])[0] == root and key in INVENTED:
            found.setdefault(tuple(path), {})[INVENTED[key], key] = None
    return tuple((path, tuple(ids)) for path, ids in found.items())


def ids_in(message: Any, method: str, root: str) -> Iterator[tuple[str, dict[str, Any], _Path]]:
    """Kind of each id of a message, the object that holds it, and its path, with real indices."""
    for path, named in _places(method, root):
        for holder, where in _holders(message, path):
            for kind, key in named:
                if isinstance(holder.get(key), _ID):
                    yield kind, holder, (*where, key)


def _holders(value: Any, path: _Path, done: int = 0) -> Sequence[tuple[dict[str, Any], _Path]]:
    """The objects at a path, of which the first `done` keys are behind. Every frame is looked at so."""
    for at in range(done, len(path)):
        key = path[at]
        if isinstance(value, dict):
            value = value.get(key)
        elif key == "[]" and isinstance(value, list):
            indexed = [(*path[:at], str(index), *path[at + 1 :]) for index in range(len(value))]
            found = [_holders(inner, real, at + 1) for inner, real in zip(value, indexed, strict=True)]
            return list(chain.from_iterable(found))
        else:
            return ()
    return ((value, path),) if isinstance(value, dict) else ()


class Bindings:
    """Which id of the first trace is which of the second, kind by kind."""

    def __init__(self) -> None:
        self._there: dict[tuple[str, Any], Any] = {}
        self._here: dict[tuple[str, Any], Any] = {}

    def pair(self, kind: str, expected: Any, got: Any) -> bool:
        """Learns a pair of ids; whether it agrees with what is known."""
        known, back = self._there.get((kind, expected)), self._here.get((kind, got))
        if known is None and back is None:
            self._there[kind, expected], self._here[kind, got] = got, expected
            return True
        return bool(known == got)

    def got(self, kind: str, expected: Any) -> Any:
        """The second trace's id for one of the first; None where it is not known."""
        return self._there.get((kind, expected))


def bind_options(expected: object, got: object) -> dict[str, str]:
    """Permission options of the first request by id -> those of the second: by kind, name, position."""
    ours, theirs = _options(expected), _options(got)
    found: dict[str, str] = {}
    for by in (("kind", "name"), ("kind",), ("name",), ()):
        for at, (option_id, option) in enumerate(ours):
            if option_id in found:
                continue
            free = [one for one in theirs if one[0] not in found.values()]
            alike = [one for one in free if all(one[1].get(key) == option.get(key) for key in by)]
            if not by:
                alike = [one for one in theirs[at : at + 1] if one in free]
            if alike:
                found[option_id] = alike[0][0]
    return found


def _options(listed: object) -> list[tuple[str, dict[str, Any]]]:
    options = [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
    return [(one["optionId"], one) for one in options if isinstance(one.get("optionId"), str)][:_MOST]
