"""The members that distinguish the results of one ACP method from those of others. A table.

Made from the facts of the ACP schemas (npm `@agentclientprotocol/sdk` 2.4.0: v1, v1 unstable, v2, v2
unstable). It is not a schema: types are not checked.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import NamedTuple

from acp_trace.protocol.methods import BY_NAME, ELICITATION, Side


class ResultFit(IntEnum):
    """How well a result answers a method."""

    NOT = 0  #: it lacks what such results have, or has what only others have
    PERHAPS = 1  #: nothing contradicts it
    WELL = 2  #: its members are those of such results


class _Members(NamedTuple):
    """The members of a method's results. `_meta`, which all may have, distinguishes nothing."""

    needed: frozenset[str]  #: a result has one of these, if the set is not empty
    allowed: frozenset[str]


def _row(needed: str = "", allowed: str = "") -> _Members:
    return _Members(frozenset(needed.split()), frozenset(f"{needed} {allowed}".split()))


_INITIALIZED = _row("protocolVersion", "agentCapabilities agentInfo authMethods capabilities info")
_OPENED = "modes models configOptions availableCommands"

#: Results of methods that are missing here have no members of their own, or are null.
_RESULTS: dict[str, _Members] = {
    "initialize": _INITIALIZED,
    "proxy/initialize": _INITIALIZED,
    "_proxy/initialize": _INITIALIZED,
    "auth/status": _row("state", "accounts"),
    "session/new": _row("sessionId", _OPENED),
    "session/fork": _row("sessionId", _OPENED),
    "session/load": _row(allowed=_OPENED),
    "session/resume": _row(allowed=_OPENED),
    "session/list": _row("sessions", "nextCursor"),
    "session/status": _row("status", "state"),
    "session/set_title": _row("title"),
    "session/set_config_option": _row("configOptions"),
    # In draft 2 a prompt is answered before its work is done: with an id instead of a stop reason.
    "session/prompt": _row("stopReason messageId", "usage userMessageId"),
    "session/request_permission": _row("outcome"),
    "providers/list": _row("providers"),
    "fs/read_text_file": _row("content"),
    "terminal/create": _row("terminalId"),
    "terminal/output": _row("output", "truncated exitStatus"),
    "terminal/wait_for_exit": _row(allowed="exitCode signal"),
    ELICITATION: _row("action", "content"),
}
_NOTHING = _row()
_TELLING = frozenset[str]().union(*(row.allowed for row in _RESULTS.values()))


def fit(method: str, members: Collection[str]) -> ResultFit:
    """Return how well a result with these members answers a method."""
    if method not in _RESULTS and (method not in BY_NAME or BY_NAME[method].handler == "both"):
        return ResultFit.PERHAPS  # an extension may answer with anything
    row = _RESULTS.get(method, _NOTHING)
    if row.needed and not row.needed & set(members):
        return ResultFit.NOT
    telling = _TELLING & set(members)
    if telling & row.allowed:
        return ResultFit.WELL
    return ResultFit.NOT if telling else ResultFit.PERHAPS


def handler_of(members: Collection[str]) -> Side | None:
    """Return the side that gives such a result, for any method: `agent`, `client`, or None if either may."""
    methods = (name for name in _RESULTS if fit(name, members) is ResultFit.WELL)
    handlers = {BY_NAME[name].handler for name in methods if name in BY_NAME} - {"both"}
    return handlers.pop() if len(handlers) == 1 else None
