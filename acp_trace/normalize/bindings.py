"""Ids that the sides invent: their places in messages, and which expected id matches which actual one.

Their places come from the protocol's tables; no text is ever searched for them. Permanent names of an agent
(config options, modes, models, ways to authenticate) are not such ids: they are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from acp_trace.protocol import methods
from acp_trace.protocol.methods import BY_NAME
from acp_trace.trace.jsontext import objects

#: The kind of an id, by the name of its member.
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
#: Ids inside updates, contents and tool calls (schemas: SessionUpdate, ToolCallContent).
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
#: The session of a message of any method, including unknown ones.
_SESSION = "params.sessionId"
_ID = (str, int)  # a union would be made again for every frame
_MOST = 50  #: options of one permission that are looked at: only a hostile trace has more, to slow us down
_Path = tuple[str, ...]
#: The path of an object, and the ids among its members: kind and name of each.
_Holder = tuple[_Path, tuple[tuple[str, str], ...]]


@cache
def _places(method: str, root: str) -> tuple[_Holder, ...]:
    """Return the places of ids under `params` or `result`; `[]` means every item of an array."""
    row = BY_NAME.get(method)
    named = (_SESSION, *(row.ids if row else ()), *_MORE.get(method, ()))
    holders: dict[_Path, dict[tuple[str, str], None]] = {}
    for place in named:
        *path, key = place.replace("[]", ".[]").split(".")
        if (path or [key])[0] == root and key in INVENTED:
            holders.setdefault(tuple(path), {})[INVENTED[key], key] = None
    return tuple((path, tuple(ids)) for path, ids in holders.items())


def ids_in(message: Any, method: str, root: str) -> Iterator[tuple[str, dict[str, Any], _Path]]:
    """Yield the kind of each id in a message, the object that holds it, and its path, with real indices.

    For a `session/cancel` with `params` for `root`, that is
    `("session", {"sessionId": "s"}, ("params", "sessionId"))`.
    """
    for path, named in _places(method, root):
        for holder, where in _holders(message, path):
            for kind, key in named:
                if isinstance(holder.get(key), _ID):
                    yield kind, holder, (*where, key)


def _holders(value: Any, path: _Path, done: int = 0) -> Sequence[tuple[dict[str, Any], _Path]]:
    """Return the objects at a path whose first `done` keys are already resolved. Runs for each frame."""
    for at in range(done, len(path)):
        key = path[at]
        if isinstance(value, dict):
            value = value.get(key)
        elif key == "[]" and isinstance(value, list):
            indexed = [(*path[:at], str(index), *path[at + 1 :]) for index in range(len(value))]
            holders = [_holders(inner, real, at + 1) for inner, real in zip(value, indexed, strict=True)]
            return list(chain.from_iterable(holders))
        else:
            return ()
    return ((value, path),) if isinstance(value, dict) else ()


class Bindings:
    """Pairs of matching ids of the expected and the actual trace, kind by kind."""

    def __init__(self) -> None:
        self._actual: dict[tuple[str, Any], Any] = {}
        self._expected: dict[tuple[str, Any], Any] = {}

    def copy(self) -> Bindings:
        """Return a copy that can be extended."""
        made = Bindings()
        made._actual, made._expected = {**self._actual}, {**self._expected}
        return made

    def pair(self, kind: str, expected: Any, actual: Any) -> bool:
        """Add a pair of ids; return whether it agrees with the known pairs."""
        bound, back = self._actual.get((kind, expected)), self._expected.get((kind, actual))
        if bound is None and back is None:
            self._actual[kind, expected], self._expected[kind, actual] = actual, expected
            return True
        return bool(bound == actual)

    def actual(self, kind: str, expected: Any) -> Any:
        """Return the actual trace's id for an id of the expected trace; None if it is unknown."""
        return self._actual.get((kind, expected))


def bind_options(expected: object, actual: object, chosen: str | None = None) -> dict[str, str]:
    """Return the actual id of each expected option of a permission: by kind and name, by either, by position.

    `[{"optionId": "a", "kind": "allow_once"}]` and `[{"optionId": "1", "kind": "allow_once"}]` give
    `{"a": "1"}`. `chosen`: the expected option that takes precedence over similar ones.
    """
    expected_options, actual_options = _options(expected), _options(actual)
    bound: dict[str, str] = {}
    in_order = sorted(enumerate(expected_options), key=lambda each: each[1][0] != chosen)
    for by in (("kind", "name"), ("kind",), ("name",), ()):
        for at, (option_id, option) in in_order:
            if option_id in bound:
                continue
            free = [each for each in actual_options if each[0] not in bound.values()]
            alike = [each for each in free if all(each[1].get(key) == option.get(key) for key in by)]
            if not by:
                alike = [each for each in actual_options[at : at + 1] if each in free]
            if alike:
                bound[option_id] = alike[0][0]
    return bound


def _options(listed: object) -> list[tuple[str, dict[str, Any]]]:
    return [(each["optionId"], each) for each in objects(listed) if isinstance(each.get("optionId"), str)][
        :_MOST
    ]
