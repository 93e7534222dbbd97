"""Steps -> the lines that go out: ids of their own, and ids and directories of the run.

When a step is sent is decided elsewhere (`scheduler`); it is sent at the moment when it is asked for here.
"""

from __future__ import annotations

from typing import Any

from acp_trace.compare.bindings import ids_in
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.inbound_requests import InboundRequests
from acp_trace.replay.peer_state import PeerState
from acp_trace.replay.plan import Plan, Step
from acp_trace.replay.recording import RecordedMessage
from acp_trace.replay.rewriting import Rewrite, Rewriter
from acp_trace.replay.tool_call_ids import TERMINAL, TOOL_CALL, ToolCallIds, named
from acp_trace.trace import jsontext


class Sender:
    """Sends steps. `changes`: of each, by its number, what was not as it was recorded."""

    def __init__(self, plan: Plan, peer: PeerState, rewriter: Rewriter, requests: InboundRequests) -> None:
        self.sent = 0
        self.changes: dict[int, list[Rewrite]] = {}
        self._plan = plan
        self._peer = peer
        self._rewriter = rewriter
        self._requests = requests
        self._asked: dict[str, int] = {}  #: open own requests: live id -> recorded frame
        self._ids: set[str] = set()
        self._live_ids: dict[int, Any] = {}  #: own requests: recorded frame -> live id
        self._names: ToolCallIds | None = None  #: what updates of the recording name, once somebody asks

    @property
    def is_owed(self) -> bool:
        """Whether an own request is open."""
        return bool(self._asked)

    def answered(self, id_: str | None) -> RecordedMessage | None:
        """The own request that a response with this id answers; it is open no more."""
        frame = self._asked.pop(id_ or "", None)
        return None if frame is None else self._plan.recording.at(frame)

    def send_answer(self, step: Step) -> bytes:
        """The line for a request that came."""
        said = _said(step)
        self._peer.barrier()
        top = {"id": self._requests.id_of(step.answers or 0)} if "id" in said.value else {}
        return self._out(step, *self._rewriter.message(said, **top))

    def send(self, step: Step) -> bytes:
        """The line of a request, of a notification, or of whatever else own side said."""
        said = _said(step)
        self._peer.barrier()
        self._bind(said)
        if step.target in self._live_ids:
            target = self._plan.recording.at(step.target or 0)
            self._rewriter.sent(target.id or "null", self._live_ids[target.frame])
        if said.kind is not MessageKind.REQUEST or said.frame not in self._plan.recording.exchanges:
            again = self._rewriter.asked_as(said.id) if said.kind is MessageKind.RESPONSE else None
            top = {} if again is None else {"id": again}
            return self._out(step, *self._rewriter.message(said, **top))
        id_ = said.value.get("id")
        if jsontext.string(id_) in self._ids:
            id_ = f"replay-{said.frame}"
        live_id = jsontext.string(id_)
        self._ids.add(live_id)
        self._live_ids[said.frame] = id_
        self._rewriter.sent(said.id or "null", id_)
        self._asked[live_id] = said.frame
        self._peer.on_request_sent(said)
        turn = self._plan.recording.turns.get(said.frame)
        if turn is not None:
            self._peer.on_prompt_sent(turn)
        return self._out(step, *self._rewriter.message(said, id=id_))

    def _out(self, step: Step, text: bytes, changes: list[Rewrite]) -> bytes:
        self.sent += 1
        if changes:
            self.changes[step.number] = changes
        return text + b"\n"

    # -- names that only updates told

    def _bind(self, said: RecordedMessage) -> None:
        """Pairs the tool calls and terminals that a request names, and no request paired."""
        if self._plan.own == "agent" or said.kind is not MessageKind.REQUEST:
            return
        for what, holder, path in ids_in(said.value, said.method or "", "params"):
            was = holder[path[-1]]
            if what not in (TOOL_CALL, TERMINAL) or not isinstance(was, str):
                continue
            one = self._recorded().get(what, said.session, was)
            if one is None or self._rewriter.live_id(what, said.session, was) is not None:
                continue
            taken = self._rewriter.bound(what, said.session)
            live = self._peer.tool_call_ids.like(what, said.session, one, taken)
            if live is not None:
                self._rewriter.bind(what, said.session, was, live)

    def _recorded(self) -> ToolCallIds:
        if self._names is None:
            self._names = named(self._plan.recording, self._plan.live)
        return self._names


def _said(step: Step) -> RecordedMessage:
    """The message of a step that is no end."""
    assert step.said is not None
    return step.said
