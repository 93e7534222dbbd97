"""The words in which a fault or a variation is told: what the scripted agent says in place of what it would.

An edit takes the place of one labelled message; a switch is a table of edits by label. What goes out may be
a message, a raw line, or something to do (`wire`).
"""

from __future__ import annotations

from copy import deepcopy

from tests.replay.wire import EVERY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from acp_trace.compare.codes import Match
    from tests.replay.wire import Edit, Message, Wire

    Switch = Mapping[str, Edit]


class Case:
    """One fault, or one variation. `codes`: of the causes that must be told, its own one first.

    Each is told from its own level on (`levels`). `follows`: what is told as a consequence of a refused
    request. `at`: what is told at a level where that is something else, with `>` before what follows.
    `ends`: the run is over before the recording is. `hangs`: somebody has to lose patience.
    `is_away`: a note says that the model may have been away.
    """

    __slots__ = ("at", "codes", "edits", "ends", "follows", "hangs", "is_away", "style")

    def __init__(
        self,
        *edits: Switch,
        codes: str = "",
        follows: str = "",
        ends: bool = False,
        hangs: bool = False,
        is_away: bool = False,
        at: Mapping[Match, str] | None = None,
        style: Mapping[str, Any] | None = None,
    ) -> None:
        self.edits = {label: edit for some in edits for label, edit in some.items()}
        assert len(self.edits) == sum(map(len, edits)), "two edits of one message"
        self.codes = tuple(codes.split())
        self.follows = tuple(follows.split())
        self.ends = ends
        self.hangs = hangs
        self.is_away = is_away
        self.at = at or {}
        self.style = style or {}


def drop(*labels: str) -> Switch:
    """These messages are not sent. A question that is not asked has the answer that lets the turn go on."""
    return dict.fromkeys(labels, lambda _wire, _message: [])


def after(label: str, *more: Any) -> Switch:
    """More comes after a message."""
    return {label: lambda _wire, message: [message, *more]}


def before(label: str, *more: Any) -> Switch:
    """More comes before a message."""
    return {label: lambda _wire, message: [*more, message]}


def instead(label: str, *more: Any) -> Switch:
    """Something else comes in the place of a message."""
    return {label: lambda _wire, _message: [*more]}


def later(label: str, than: str) -> Switch:
    """A message comes after another one. A question that waits so is not waited for."""
    held: list[Message] = []

    def hold(wire: Wire, message: Message) -> list[Any]:
        held.append(message)
        return []

    def release(wire: Wire, message: Message) -> list[Any]:
        return [message, *held]

    return {label: hold, than: release}


def twice(label: str) -> Switch:
    """A message is sent a second time, a request with another id."""

    def edit(wire: Wire, message: Message) -> list[Any]:
        again = wire.asked(message["method"], **message["params"]) if "method" in message else message
        return [message, again if "id" in message else message]

    return {label: edit}


def change(label: str, at: str, value: Any, *more: Any) -> Switch:
    """A message has another value at a place: keys, with a dot between. `more`: further places and values."""
    places = [(at, value), *zip(more[::2], more[1::2], strict=True)]

    def edit(wire: Wire, message: Message) -> list[Any]:
        changed = deepcopy(message)  # the script may say a part of it again
        for place, new in places:
            put(changed, place.split("."), new)
        return [changed]

    return {label: edit}


def every(edit: Callable[[Message], Message]) -> Switch:
    """Every message, or what an edit makes of it."""
    return {EVERY: lambda _wire, message: [edit(message)] if message else []}


def refuse(label: str, code: int = -32603, message: str = "no") -> Switch:
    """An error comes in the place of a result."""

    def edit(_wire: Wire, request: Message) -> list[Any]:
        return [{"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}}]

    return {label: edit}


def grant(label: str, **result: Any) -> Switch:
    """A result comes in the place of an error."""
    return {label: lambda _wire, message: [{"jsonrpc": "2.0", "id": message["id"], "result": result}]}


def forgets_session(wire: Wire, message: Message) -> list[Any]:
    """A session is not opened, and every request for it is refused."""
    wire.folders.clear()
    return refuse("it", -32000)["it"](wire, message)


def ignores_set(wire: Any, message: Message) -> list[Any]:
    """The option has its old value, then and later."""
    wire.config["model"] = "quick"
    return [{**message, "result": {"configOptions": wire.options()}}]


def forces_mode(wire: Wire, message: Message) -> list[Any]:
    """Nothing is said, and no mode is waited for."""
    wire.modes[wire.session] = "plan"
    return []


def goes_on(_wire: Wire, message: Message) -> list[Any]:
    """The turn goes on, and ends as if nobody had cancelled it."""
    return [chunk(), {**message, "result": {"stopReason": "end_turn"}}]


def cancels_itself(wire: Wire, message: Message) -> list[Any]:
    """Nothing is said, and no cancel is waited for."""
    wire.cancelled = True
    return []


def put(value: Any, keys: list[str], new: Any) -> None:
    """Puts a value at a place, or takes it away where the new one is `GONE`."""
    for key in keys[:-1]:
        value = value[int(key) if isinstance(value, list) else key]
    last: Any = int(keys[-1]) if isinstance(value, list) else keys[-1]
    if new is GONE:
        del value[last]
    else:
        value[last] = new


#: No value.
GONE = object()


# -- what may come more


def up(kind: str, /, **fields: Any) -> Callable[[Wire], Message]:
    """An update of the session that is going on."""
    return lambda wire: wire.updated(kind, **fields)


def chunk(text: str = "more", kind: str = "agent_message_chunk") -> Callable[[Wire], Message]:
    """A chunk of a message."""
    return up(kind, content={"type": "text", "text": text})


def tool(name: str, status: str, kind: str = "think") -> Callable[[Wire], Message]:
    """A tool call."""
    return up("tool_call", toolCallId=name, kind=kind, title="Think", status=status)


def asks(method: str, **params: Any) -> Callable[[Wire], Message]:
    """A question that nobody waits for."""
    return lambda wire: wire.asked(method, **params)
