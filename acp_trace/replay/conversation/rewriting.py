"""Recorded messages of the played side -> messages to send, with the peer's new ids and new directories.

The protocol's tables list the places of both (`normalize.bindings`, `_PATHS` here). Texts are not searched,
except command lines, prompts, errors and output, in which a directory is a separate word. Everything else is
sent as recorded. This module keeps all known ids of the run, including those of requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from acp_trace.normalize.bindings import bind_options, ids_in
from acp_trace.normalize.moved_directories import MovedDirectories
from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.plan.recording import RecordedMessage
from acp_trace.trace import jsontext
from acp_trace.trace.json_pointer import written

_SESSION, _OPTION, _REQUEST_ID = "session", "option", "request"
#: Ids that a side may use again in another session, for something else.
_OF_SESSION = frozenset({"tool call", "terminal", "message"})

#: The places of paths, by method: as `params.…` and `result.…`. `[]` is every item, `*` ends a place whose
#: strings are texts with paths in them, and `**` one below which all strings are such texts.
_OPENER = ("params.cwd", "params.additionalDirectories.[]", "params.mcpServers.[].command",
           "params.mcpServers.[].args.[].*")  # fmt: skip
_UPDATE = ("params.update.locations.[].path", "params.update.content.[].path",
           "params.update.content.[].content.uri", "params.update.rawInput.**",
           "params.update.title.*")  # fmt: skip
_PATHS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(methods.OPENERS, _OPENER),
    methods.LIST: ("params.cwd", "result.sessions.[].cwd"),
    methods.PROMPT: ("params.prompt.[].uri", "params.prompt.[].resource.uri", "params.prompt.[].text.*"),
    methods.UPDATE: _UPDATE,
    methods.PERMISSION: ("params.toolCall.locations.[].path", "params.toolCall.content.[].path",
                         "params.toolCall.content.[].content.text.*", "params.toolCall.rawInput.**",
                         "params.toolCall.title.*"),
    methods.READ_FILE: ("params.path",),
    methods.WRITE_FILE: ("params.path",),
    methods.TERMINAL_CREATE: ("params.cwd", "params.command.*", "params.args.[].*"),
    methods.TERMINAL_OUTPUT: ("result.output.*",),
}  # fmt: skip
_ERROR = ("error.message.*",)  #: of any method


class Rewrite(msgspec.Struct, frozen=True):
    """One place of a message that is not sent as recorded."""

    pointer: str
    what: str  #: session, tool call, option …, id or directory
    was: str
    now: str


class Rewriter:
    """The known names of the run; it puts them into messages in place of the recorded ones."""

    def __init__(self) -> None:
        self.directories = MovedDirectories()
        self._ids: dict[tuple[str, str | None], dict[Any, Any]] = {}  #: by kind and recorded session
        self._recorded_sessions: dict[str, str] = {}  #: by the session of the run
        self._options: dict[int, dict[str, str]] = {}  #: by the recorded permission
        self._own_ids: dict[str, Any] = {}  #: JSON text of a recorded own request's id -> what was sent
        self._peer_ids: dict[str, Any] = {}  #: the same of the peer's requests
        self._id_of: dict[int, Any] = {}  #: the same by the recorded frame
        self._frame_of: dict[str, int] = {}  #: the inverse; the text of an id as JSON

    # -- learning

    def bind(self, what: str, session: str | None, recorded: Any, actual: Any) -> None:
        """Learn which ids correspond; `session`: the recorded session that they belong to.

        For an id that is given out again, the last pair counts. Sessions are paired once.
        """
        ids = self._ids.setdefault((what, session if what in _OF_SESSION else None), {})
        if what != _SESSION:
            ids[recorded] = actual
        elif recorded not in ids and actual not in self._recorded_sessions:
            ids[recorded] = actual
            self._recorded_sessions[actual] = recorded

    def actual_id(self, what: str, session: str | None, recorded: Any) -> Any:
        """Return the run's id for a recorded one; None if it is not known."""
        return self._ids.get((what, session if what in _OF_SESSION else None), {}).get(recorded)

    def bound(self, what: str, session: str | None) -> set[Any]:
        """Return all ids of the run, of a kind and session, that have a recorded counterpart."""
        return set(self._ids.get((what, session if what in _OF_SESSION else None), {}).values())

    def recorded_session(self, actual: str | None) -> str | None:
        """Return the recorded name of a session of the run; an unknown session keeps its own name."""
        return self._recorded_sessions.get(actual, actual) if actual is not None else None

    def learn(self, message: RecordedMessage, expected: Any, actual: Any) -> None:
        """Learn the ids of a message and of its counterpart in the run, place by place."""
        method, root = message.method or "", "result" if message.kind is MessageKind.RESPONSE else "params"
        actual_ids = {path: holder[path[-1]] for _, holder, path in ids_in(actual, method, root)}
        for what, holder, path in ids_in(expected, method, root):
            if what not in (_OPTION, _REQUEST_ID) and path in actual_ids:
                was, now = holder[path[-1]], actual_ids[path]
                if type(was) is type(now):
                    self.bind(what, message.session, was, now)

    def learn_request(
        self,
        request: RecordedMessage,
        params: dict[str, Any],
        *,
        chosen: str | None,
        same_params: bool,
    ) -> None:
        """Learn from a request of the peer: its ids, and the options of a permission.

        `chosen`: the recorded option that will be selected. `same_params`: whether its parameters fit, so
        that its ids are in the same places.
        """
        expected = request.part("params")
        if request.method == methods.PERMISSION:
            options = expected.get("options"), params.get("options")
            self._options[request.frame] = bind_options(*options, chosen)
        if same_params:
            self.learn(request, {"params": expected}, {"params": params})

    # -- ids of requests

    def on_sent(self, recorded_id: str, id_: Any) -> None:
        """Note the id with which an own request was sent."""
        self._own_ids[recorded_id] = id_

    def on_request(self, request: RecordedMessage, id_text: str | None, id_: Any) -> None:
        """Note the id, and its JSON text, with which a recorded request of the peer came."""
        self._id_of[request.frame] = self._peer_ids[request.id or "null"] = id_
        self._frame_of[id_text or "null"] = request.frame

    def id_of(self, frame: int) -> Any:
        """Return the id with which a recorded request of the peer came."""
        return self._id_of[frame]

    def frame_of(self, id_text: str | None) -> int | None:
        """Return the recorded request that came last with an id, given as its JSON text."""
        return self._frame_of.get(id_text or "")

    def peer_id(self, recorded_id: str | None) -> Any:
        """Return the id of the peer's request that had this id in the recording; None if none had it."""
        return self._peer_ids.get(recorded_id or "")

    # -- rewriting

    def rewrite(self, message: RecordedMessage, **top: Any) -> tuple[bytes, list[Rewrite]]:
        """Return a message to send, without a newline, and its changes. `top`: its `id`, if that differs.

        A `session/prompt` recorded as `{"id": 2, …, "sessionId": "s-1"}` becomes `{"id": 2, …, "sessionId":
        "s-9"}`, with the change `/params/sessionId`, `session`, from `s-1` to `s-9`.
        """
        value = jsontext.value_or_none(message.text)
        if not isinstance(value, dict):
            return message.text, []
        changes = [
            Rewrite(f"/{key}", "id", jsontext.string(value.get(key)), jsontext.string(now))
            for key, now in top.items()
            if jsontext.string(value.get(key)) != jsontext.string(now)
        ]
        value.update(top)
        root = "params" if "method" in value else "error" if "error" in value else "result"
        changes += self._invented(value, message, root)
        changes += self._paths(value, message.method or "", root)
        return (jsontext.text(value) if changes else message.text), changes

    def _invented(self, value: dict[str, Any], message: RecordedMessage, root: str) -> Iterator[Rewrite]:
        for what, holder, path in ids_in(value, message.method or "", root):
            was = holder[path[-1]]
            if what == _REQUEST_ID:  # a side cancels its own request; else one that came
                ids = self._own_ids if message.method in methods.CANCEL_REQUESTS else self._peer_ids
                now = ids.get(jsontext.string(was))
            elif what == _OPTION:
                now = self._options.get(message.answers or 0, {}).get(was)
            else:
                now = self.actual_id(what, message.session, was)
            if now is not None and now != was:
                holder[path[-1]] = now
                yield Rewrite(written(path), what, str(was), str(now))

    def _paths(self, value: dict[str, Any], method: str, root: str) -> Iterator[Rewrite]:
        for place in _ERROR if root == "error" else _PATHS.get(method, ()):
            keys = place.split(".")
            if keys[0] == root:
                text = keys[-1].startswith("*")
                change = self.directories.text if text else self.directories.path
                keys = keys[:-1] if keys[-1] == "*" else keys
                yield from _changed(value, keys, change, ())


def _changed(
    value: Any, keys: list[str], change: Callable[[str], str], where: tuple[str, ...]
) -> Iterator[Rewrite]:
    """Change the strings at a place of a value, item by item in arrays."""
    key, rest = keys[0], keys[1:]
    at: Mapping[Any, Any] | None = None
    if isinstance(value, list) and key in ("[]", "**"):
        at = dict(enumerate(value))
    elif isinstance(value, dict) and key == "**":
        at = dict(value)
    elif isinstance(value, dict) and key in value:
        at = {key: value[key]}
    for name, inner in (at or {}).items():
        path = (*where, str(name))
        if key == "**" and isinstance(inner, (dict, list)):
            yield from _changed(inner, keys, change, path)
        elif rest:
            yield from _changed(inner, rest, change, path)
        elif isinstance(inner, str) and (now := change(inner)) != inner:
            value[name] = now
            yield Rewrite(written(path), "directory", inner, now)
