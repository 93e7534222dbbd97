"""The requests of a written client that are not answered yet, and the progress of their turns. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from acp_trace.protocol import methods
from acp_trace.protocol.message import Message
from acp_trace.replay.written.steps import After, WrittenStep

#: The updates that are counted: visible work. Other updates come at any time.
COUNTED = frozenset({"agent_message_chunk", "tool_call", "tool_call_update"})
#: What a step waits for in a turn, under a name other than its method's.
_SEEN = {methods.PERMISSION: "permission"}


@dataclass(slots=True)
class OwnRequest:
    """One open request. `at`: of its outcome; `session`: its id, or empty; `number`: of a prompt, from 1.

    `updates`: counted updates of its turn; `seen`: what came in it; `cancelled_ns`: when it was cancelled.
    """

    step: WrittenStep
    at: int
    session: str
    number: int
    asked_ns: int
    updates: int = 0
    seen: set[str] = field(default_factory=set)
    cancelled_ns: int | None = None

    @property
    def is_prompt(self) -> bool:
        """Whether it is a prompt."""
        return self.step.verb == "prompt"

    @property
    def what(self) -> str:
        """Return it in words: `prompt 2`."""
        return f"prompt {self.number}" if self.is_prompt else self.step.method

    def hear(self, message: Message) -> None:
        """Process an update or a request of the agent that belongs to the turn."""
        method = message.method or ""
        self.updates += message.update in COUNTED
        self.seen.add(message.update or _SEEN.get(method, method))

    def is_as_far(self, after: After, now: int) -> bool:
        """Whether the turn has progressed as far as a step requires."""
        if after.ns is not None and now >= self.asked_ns + after.ns:
            return True
        return after.seen in self.seen or (after.updates is not None and self.updates >= after.updates)


class OwnRequests:
    """All open requests, by their ids as JSON text, in order."""

    def __init__(self) -> None:
        self._open: dict[str, OwnRequest] = {}
        self._beside: set[str] = set()  #: those that the next step need not wait for

    def __bool__(self) -> bool:
        return bool(self._open)

    def __iter__(self) -> Iterator[OwnRequest]:
        return iter(self._open.values())

    @property
    def ids(self) -> list[str]:
        """The ids, as JSON text."""
        return [*self._open]

    @property
    def is_waited_for(self) -> bool:
        """Whether an answer must come before the next step."""
        return not self._open.keys() <= self._beside

    @property
    def newest(self) -> OwnRequest | None:
        """The request that was sent last."""
        return next(reversed(self._open.values()), None)

    def add(self, id_: str, request: OwnRequest) -> None:
        """Add a request that was sent. If its step need not be awaited, the next one may follow at once."""
        self._open[id_] = request
        self._beside = set() if request.step.wait else {*self._beside, id_}

    def answered(self, id_: str | None) -> OwnRequest | None:
        """Remove and return the request with this id; None if there is none."""
        return self._open.pop(id_ or "", None)

    def id_of(self, request: OwnRequest) -> str:
        """Return the id of one of them, as JSON text."""
        return next(id_ for id_, each in self._open.items() if each is request)

    def turn(self, session: str | None = None, *, of_any: bool = False) -> OwnRequest | None:
        """Return the newest open prompt of a session, by its id, or of any."""
        turns = [each for each in self if each.is_prompt and (of_any or each.session == session)]
        return turns[-1] if turns else None
