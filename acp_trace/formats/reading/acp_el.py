"""Traffic of acp.el, the library of agent-shell: a list of messages, as Emacs prints values.

Learned from its sources (0.14.2: acp.el, acp-traffic.el) and from files that it wrote. Each entry is
`((:direction . incoming) (:kind . request) (:object …))`, where the object is the parsed message: objects are
association lists, arrays vectors. There are no times. The beginning of a long session is gone, because acp.el
keeps a buffer of only 1000 lines.

acp.el reads null, false and {} as the same `nil`, which it sends as {}. In a message from the agent, `nil`
becomes the value that ACP has in that place: false for a flag, {} for a capability, and null elsewhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from acp_trace.formats.reading.lisp import NIL, Dotted, LispReader, NotLisp, Symbol, Vector
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender

NAME = "acp.el"
_SENDERS: dict[str, Sender] = {"outgoing": "client", "incoming": "agent"}
_BEGINS = re.compile(rb"(?:\s|;[^\n]*\n)*\(\s*\(\s*\(:(?:direction|kind|object)[\s.]")
#: Where reading goes on behind an entry that cannot be read.
_ENTRY = re.compile(r"\(\s*\(:direction\s")
_WORDS = {"t": True, ":false": False, ":json-false": False, ":null": None}
#: Members of ACP that are true or false, and those that are objects.
_FLAGS = frozenset(
    {
        "loadSession",
        "image",
        "audio",
        "embeddedContext",
        "http",
        "sse",
        "acp",
        "readTextFile",
        "writeTextFile",
    }
    | {"terminal", "truncated", "multiSelect", "promptQueueing"}
)
_OBJECTS = frozenset({"result", "rawInput", "_meta", "params"})
_ANNOUNCED = "Capabilities"
#: Shared values can make a few bytes expand to many: the limit, in characters of JSON for each one read.
_GROWTH, _FREE = 64, 1 << 20


def recognises(files: Sequence[File]) -> bool:
    """Whether one of the files begins as such a list does."""
    return any(_BEGINS.match(file.data) is not None for file in files)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each file."""
    logs = [_log(file) for file in files if _BEGINS.match(file.data)]
    logs = [log for log in logs if log.messages]
    if not logs:
        raise NotThisFormat("no list of ((:direction …) (:kind …) (:object …)), as acp.el saves its traffic")
    others = (file for file in files if not _BEGINS.match(file.data))
    logs[0].unused += [Unused(file.name, "no traffic of acp.el") for file in others]
    return logs


def _log(file: File) -> Log:
    log = Log(transport="stdio")
    text = file.data.decode("utf-8", "replace")
    room = _Room(len(text) * _GROWTH + _FREE)
    for n, entry in enumerate(_entries(text), 1):
        where = f"item {n}"
        try:
            if isinstance(entry, NotLisp):
                raise entry
            log.messages.append(_sent(entry, room))
        except NotLisp as error:
            log.unused.append(Unused(where, str(error)))
    return log


def _entries(text: str) -> Iterator[Any]:
    """Each item of the list; NotLisp for an item that cannot be read, followed by the items behind it."""
    reader = LispReader(text)
    reader.opens()
    while not reader.closes():
        start = reader.at
        try:
            yield reader.value()
        except NotLisp as error:
            yield error
            following = _ENTRY.search(text, max(reader.at, start + 1))
            if following is None:
                return
            reader.at = following.start()


def _sent(entry: Any, room: _Room) -> Sent:
    words = _members(entry)
    direction = (words or {}).get(":direction")
    sender = _SENDERS.get(direction.name) if isinstance(direction, Symbol) else None
    if words is None or sender is None:
        raise NotLisp("says neither incoming nor outgoing")
    if _members(words.get(":object", NIL)) is None:
        raise NotLisp("has no message")
    value = _Json(sender, room).value(words[":object"])
    return Sent(jsontext.text(value), sender)


class _Room:
    """How much may still be made of a file."""

    def __init__(self, size: int) -> None:
        self._left = size

    def take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise NotLisp("stands for more than a file can hold")


class _Json:
    """Values -> JSON, for what one side sent."""

    def __init__(self, sender: Sender, room: _Room) -> None:
        self._sender = sender
        self._room = room

    def value(self, value: Any, key: str = "", *, announces: bool = False) -> Any:
        """`key`: of the member it is; `announces`: it is one within capabilities."""
        self._room.take(len(value) if isinstance(value, str) else 1)
        if value == NIL:
            return self._nothing(key, announces=announces)
        if isinstance(value, Symbol):
            return _WORDS.get(value.name, value.name)
        if isinstance(value, Vector):
            return [self.value(item) for item in value.items]
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        members = value if isinstance(value, dict) else _members(value)
        if members is not None:
            within = announces or key.endswith(_ANNOUNCED)
            return {_clean(name): self.value(item, name, announces=within) for name, item in members.items()}
        if isinstance(value, Dotted):
            return [self.value(item) for item in (*value.items, value.tail)]
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return _clean(value) if isinstance(value, str) else value

    def _nothing(self, key: str, *, announces: bool) -> Any:
        if self._sender == "client":
            return {}
        if key in _FLAGS:
            return False
        is_object = announces or key in _OBJECTS or key.endswith(_ANNOUNCED)
        return {} if is_object else None


def _members(value: Any) -> dict[str, Any] | None:
    """The members of an association list, or of a property list; None if it is neither."""
    if type(value) is not list:
        return None
    first = value[0]
    if isinstance(first, Symbol) and first.name.startswith(":") and len(value) % 2 == 0:
        keys = value[::2]
        if all(isinstance(key, Symbol) for key in keys):
            return {key.name[1:]: item for key, item in zip(keys, value[1::2], strict=True)}
    pairs = [_pair(item) for item in value]
    return None if None in pairs else dict(pair for pair in pairs if pair is not None)


def _pair(item: Any) -> tuple[str, Any] | None:
    """`(key . value)`, as it prints."""
    if isinstance(item, Dotted):
        key, *rest = item.items
        value = Dotted(rest, item.tail) if rest else item.tail
    elif type(item) is list:
        key, *rest = item
        value = rest or NIL
    else:
        return None
    return (key.name, value) if isinstance(key, Symbol) else (key, value) if isinstance(key, str) else None


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
