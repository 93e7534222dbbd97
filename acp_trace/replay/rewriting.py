"""Recorded messages of the own side -> what goes out: ids that the live side made up, and folders.

Both stand where the protocol's tables say (`compare.bindings.places`, `_PATHS` here); no text is searched,
but for command lines and prompts, where a folder is a word of its own. Everything else goes out as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from acp_trace.compare.bindings import bind_options, ids_in
from acp_trace.compare.pointers import written
from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.directories import MovedDirectories
from acp_trace.replay.recording import RecordedMessage
from acp_trace.trace import jsontext

_SESSION, _OPTION, _REQUEST_ID = "session", "option", "request"
#: Ids that a side may use in one session and again, for something else, in another.
_OF_SESSION = frozenset({"tool call", "terminal", "message"})

#: Where paths stand, by method: as `params.…` and `result.…`. `[]` is every item, `*` ends a place whose
#: strings are texts with paths in them.
_OPENER = ("params.cwd", "params.additionalDirectories.[]", "params.mcpServers.[].command",
           "params.mcpServers.[].args.[].*")  # fmt: skip
_UPDATE = ("params.update.locations.[].path", "params.update.content.[].path",
           "params.update.content.[].content.uri", "params.update.rawInput.path",
           "params.update.rawInput.filePath", "params.update.title.*")  # fmt: skip
_PATHS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(methods.OPENERS, _OPENER),
    methods.LIST: ("params.cwd", "result.sessions.[].cwd"),
    methods.PROMPT: ("params.prompt.[].uri", "params.prompt.[].resource.uri", "params.prompt.[].text.*"),
    methods.UPDATE: _UPDATE,
    methods.PERMISSION: ("params.toolCall.locations.[].path", "params.toolCall.content.[].path",
                         "params.toolCall.rawInput.path", "params.toolCall.rawInput.filePath",
                         "params.toolCall.title.*"),
    "fs/read_text_file": ("params.path",),
    "fs/write_text_file": ("params.path",),
    "terminal/create": ("params.cwd", "params.command.*", "params.args.[].*"),
}  # fmt: skip


class Rewrite(msgspec.Struct, frozen=True):
    """One place of a message that is not sent as it was recorded."""

    pointer: str
    what: str  #: session, tool call, option …, id or folder
    was: str
    now: str


class Rewriter:
    """What is known of the live run's names, and messages with them in place of the recorded ones."""

    def __init__(self) -> None:
        self.folders = MovedDirectories()
        self._ids: dict[tuple[str, str | None], dict[Any, Any]] = {}  #: by kind and recorded session
        self._recorded: dict[str, str] = {}  #: live session -> recorded
        self._options: dict[int, dict[str, str]] = {}  #: by the recorded permission
        self._own_ids: dict[str, Any] = {}  #: JSON text of a recorded own request's id -> what was sent
        self._live_ids: dict[str, Any] = {}  #: the same of the live side's requests

    # -- learning

    def bind(self, what: str, session: str | None, recorded: Any, live: Any) -> None:
        """Learns which id is which; `session`: the recorded one that it belongs to.

        An id that is given out again is what it was given last. Sessions are paired once.
        """
        scope = session if what in _OF_SESSION else None
        known = self._ids.setdefault((what, scope), {})
        if what != _SESSION:
            known[recorded] = live
        elif recorded not in known and live not in self._recorded:
            known[recorded] = live
            self._recorded[live] = recorded

    def live_id(self, what: str, session: str | None, recorded: Any) -> Any:
        """The live id for a recorded one; None where it is not known."""
        return self._ids.get((what, session if what in _OF_SESSION else None), {}).get(recorded)

    def bound(self, what: str, session: str | None) -> set[Any]:
        """The live ids that have a recorded one."""
        return set(self._ids.get((what, session if what in _OF_SESSION else None), {}).values())

    def recorded_session(self, live: str | None) -> str | None:
        """What the recording calls a live session; one that was never learned has its own name."""
        return self._recorded.get(live, live) if live is not None else None

    def learn(self, said: RecordedMessage, recorded: Any, live: Any) -> None:
        """Learns the ids of a message and of the one that takes its place in the live run, place by place."""
        method, root = said.method or "", "result" if said.kind is MessageKind.RESPONSE else "params"
        theirs = {path: holder[path[-1]] for _, holder, path in ids_in(live, method, root)}
        for what, holder, path in ids_in(recorded, method, root):
            if what not in (_OPTION, _REQUEST_ID) and path in theirs:
                was, now = holder[path[-1]], theirs[path]
                if type(was) is type(now):
                    self.bind(what, said.session, was, now)

    def permission(self, frame: int, recorded: Any, live: Any) -> None:
        """Learns the options of a permission: by kind, then by name, then by position."""
        self._options[frame] = bind_options(recorded, live)

    def sent(self, recorded_id: str, live_id: Any) -> None:
        """Notes the id with which an own request went out."""
        self._own_ids[recorded_id] = live_id

    def asked(self, recorded_id: str, live_id: Any) -> None:
        """Notes the id with which a request of the live side came."""
        self._live_ids[recorded_id] = live_id

    def asked_as(self, recorded_id: str | None) -> Any:
        """The id of the live side's request that had this one in the recording; None where none had."""
        return self._live_ids.get(recorded_id or "")

    # -- rewriting

    def message(self, said: RecordedMessage, **top: Any) -> tuple[bytes, list[Rewrite]]:
        """A message as it goes out, and what is not as it was. `top`: its `id`, where that is another."""
        value = jsontext.value_or_none(said.text)
        if not isinstance(value, dict):
            return said.text, []
        changes = [
            Rewrite(f"/{key}", "id", jsontext.string(value.get(key)), jsontext.string(now))
            for key, now in top.items()
            if jsontext.string(value.get(key)) != jsontext.string(now)
        ]
        value.update(top)
        root = "params" if "method" in value else "result"
        changes += self._invented(value, said, root)
        changes += self._paths(value, said.method or "", root)
        return (jsontext.text(value) if changes else said.text), changes

    def _invented(self, value: dict[str, Any], said: RecordedMessage, root: str) -> Iterator[Rewrite]:
        for what, holder, path in ids_in(value, said.method or "", root):
            was = holder[path[-1]]
            if what == _REQUEST_ID:  # who takes a request back sent it; else it is one that came
                known = self._own_ids if said.method in methods.CANCEL_REQUESTS else self._live_ids
                now = known.get(jsontext.string(was))
            elif what == _OPTION:
                now = self._options.get(said.answers or 0, {}).get(was)
            else:
                now = self.live_id(what, said.session, was)
            if now is not None and now != was:
                holder[path[-1]] = now
                yield Rewrite(written(path), what, str(was), str(now))

    def _paths(self, value: dict[str, Any], method: str, root: str) -> Iterator[Rewrite]:
        for place in _PATHS.get(method, ()):
            keys = place.split(".")
            if keys[0] == root:
                text = keys[-1] == "*"
                change = self.folders.text if text else self.folders.path
                yield from _changed(value, keys[:-1] if text else keys, change, ())


def _changed(
    value: Any, keys: list[str], change: Callable[[str], str], where: tuple[str, ...]
) -> Iterator[Rewrite]:
    """Changes the strings at a place of a value, item by item where it goes through arrays."""
    key, rest = keys[0], keys[1:]
    at: Mapping[Any, Any] | None = None
    if key == "[]" and isinstance(value, list):
        at = dict(enumerate(value))
    elif isinstance(value, dict) and key in value:
        at = {key: value[key]}
    for name, inner in (at or {}).items():
        path = (*where, str(name))
        if rest:
            yield from _changed(inner, rest, change, path)
        elif isinstance(inner, str) and (now := change(inner)) != inner:
            value[name] = now
            yield Rewrite(written(path), "folder", inner, now)
