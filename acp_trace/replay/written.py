"""A written conversation: what a client says while a trace is recorded, as data. Read and checked here.

It stands under `record` in `NAME.replay.toml`, or in a test (docs/pytest.md, "Record once"). What it makes a
client do is decided in `conversation.written_client`; nothing is played here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_trace.trace import near_misses

#: The answer to a permission request that chooses no option (protocol 1, RequestPermissionOutcome).
CANCELLED = "cancelled"
#: One word for every permission request, or one for each of them, in their order.
Permission = str | tuple[str, ...]
_MOST_UPDATES = 1_000_000


class WrittenError(ValueError):
    """A conversation that says nothing, or something that means nothing. The message is one line."""


@dataclass(frozen=True, slots=True)
class WrittenTurn:
    """One prompt. `permission`: None for that of the conversation.

    `cancel_after`: so many of its messages and updates of tools later it is cancelled; None: never.
    """

    text: str
    permission: Permission | None = None
    cancel_after: int | None = None


@dataclass(frozen=True, slots=True)
class WrittenConversation:
    """What a client says, and which requests of the agent it can answer.

    A permission is the kind, the id or the name of an option, or `cancelled`. `files`, `terminals`: the
    client says that it has these, and serves them from the directory of the session.
    """

    turns: tuple[WrittenTurn, ...]
    permission: Permission | None = None
    files: bool = False
    terminals: bool = False


def conversation(value: object) -> WrittenConversation:
    """What a table says: `{"prompts": ["Hello"], "permission": "allow_once"}`. Raises WrittenError."""
    given = _checked(value, _KEYS, "it")
    if not given.get("turns"):
        raise WrittenError('it has no prompts: add `prompts = ["…"]`')
    return WrittenConversation(**given)


def _turn(value: object) -> WrittenTurn:
    if isinstance(value, str):
        value = {"text": value}
    given = _checked(value, _TURN_KEYS, "a prompt")
    if not given.get("text"):
        raise WrittenError("a prompt has no text")
    return WrittenTurn(**given)


def _turns(value: object, key: str) -> tuple[WrittenTurn, ...]:
    if not isinstance(value, (list, tuple)):
        raise WrittenError(f"{key} is {value!r}: it must be a list of texts, or of tables with `text`")
    return tuple(_turn(each) for each in value)


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise WrittenError(f"{key} is {value!r}: it must be a text")
    return value


def _permission(value: object, key: str) -> Permission:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) and each for each in value):
        return tuple(value)
    raise WrittenError(f"{key} is {value!r}: it must be an answer such as allow_once, or a list of answers")


def _updates(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_UPDATES:
        raise WrittenError(f"{key} is {value!r}: it must be a number of updates, from 0 on")
    return value


def _flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise WrittenError(f"{key} is {value!r}: it must be true or false")
    return value


_Parse = Callable[[object, str], Any]
#: What may be said, the field that it becomes, and how it is read.
_TURN_KEYS: dict[str, tuple[str, _Parse]] = {
    "text": ("text", _text),
    "permission": ("permission", _permission),
    "cancel_after": ("cancel_after", _updates),
}
_KEYS: dict[str, tuple[str, _Parse]] = {
    "prompts": ("turns", _turns),
    "permission": ("permission", _permission),
    "files": ("files", _flag),
    "terminals": ("terminals", _flag),
}


def _checked(value: object, keys: Mapping[str, tuple[str, _Parse]], what: str) -> dict[str, Any]:
    """The fields of a table. Raises WrittenError."""
    if not isinstance(value, Mapping):
        raise WrittenError(f"{what} is {value!r}: it must be a table with {', '.join(keys)}")
    fields: dict[str, Any] = {}
    for key, given in value.items():
        if key not in keys:
            hint = near_misses.suggestion(str(key), keys, most=1) or f": it is not one of {', '.join(keys)}"
            raise WrittenError(f"{what} has no {key!r}{hint}")
        name, parse = keys[key]
        fields[name] = parse(given, key)
    return fields
