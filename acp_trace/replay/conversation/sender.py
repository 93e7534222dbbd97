"""The player's own requests and notifications -> lines to send, with new ids and those of the run.

`scheduler` decides when they are sent. This module also knows which own requests are open.
"""

from __future__ import annotations

from typing import Any

from acp_trace.normalize.bindings import ids_in
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.conversation.tool_call_ids import TERMINAL, TOOL_CALL, ToolCallIds, recorded_ids
from acp_trace.replay.plan.recording import RecordedMessage
from acp_trace.replay.plan.steps import Plan
from acp_trace.trace import jsontext


class MessageSender:
    """Sends messages that are not answers, and notes what was sent."""

    def __init__(self, plan: Plan, peer: PeerState, rewriter: Rewriter) -> None:
        self._plan = plan
        self._peer = peer
        self._rewriter = rewriter
        self._open: dict[str, int] = {}  #: own requests: id of the run -> recorded frame
        self._ids: set[str] = set()
        self._sent_ids: dict[int, Any] = {}  #: own requests: recorded frame -> id of the run
        self._recorded_ids: ToolCallIds | None = None  #: of the recording, once needed

    @property
    def is_owed(self) -> bool:
        """Whether an own request is open."""
        return bool(self._open)

    @property
    def open_ids(self) -> list[str]:
        """The ids of the own requests that are open."""
        return [*self._open]

    def on_response(self, id_: str | None) -> RecordedMessage | None:
        """Close and return the own request that a response with this id answers; None if there is none."""
        frame = self._open.pop(id_ or "", None)
        return None if frame is None else self._plan.recording.at(frame)

    def send(self, message: RecordedMessage, target: int | None) -> bytes:
        """Return the line for a message, without its newline. `target`: the own request that it cancels."""
        self._bind(message)
        if target in self._sent_ids:
            cancelled = self._plan.recording.at(target or 0)
            self._rewriter.on_sent(cancelled.id or "null", self._sent_ids[cancelled.frame])
        if message.kind is not MessageKind.REQUEST or message.frame not in self._plan.recording.exchanges:
            again = self._rewriter.peer_id(message.id) if message.kind is MessageKind.RESPONSE else None
            return self._rewriter.rewrite(message, **({} if again is None else {"id": again}))[0]
        return self._rewriter.rewrite(message, id=self._on_request(message))[0]

    def _on_request(self, request: RecordedMessage) -> Any:
        """Note a request to send; return its id, which is unique."""
        id_ = request.value.get("id")
        if jsontext.string(id_) in self._ids:
            id_ = f"replay-{request.frame}"
        self._ids.add(jsontext.string(id_))
        self._sent_ids[request.frame] = id_
        self._open[jsontext.string(id_)] = request.frame
        self._rewriter.on_sent(request.id or "null", id_)
        self._peer.on_request_sent(request)
        turn = self._plan.recording.turns.get(request.frame)
        if turn is not None:
            self._peer.on_prompt_sent(turn)
        return id_

    def _bind(self, message: RecordedMessage) -> None:
        """Pair the tool calls and terminals in a request that only updates named before."""
        if self._plan.own == "agent" or message.kind is not MessageKind.REQUEST:
            return
        for kind, holder, path in ids_in(message.value, message.method or "", "params"):
            expected = holder[path[-1]]
            if kind not in (TOOL_CALL, TERMINAL) or not isinstance(expected, str):
                continue
            recorded = self._recorded().get(kind, message.session, expected)
            if recorded is None or self._rewriter.actual_id(kind, message.session, expected) is not None:
                continue
            bound = self._rewriter.bound(kind, message.session)
            actual = self._peer.tool_call_ids.match(kind, message.session, recorded, bound)
            if actual is not None:
                self._rewriter.bind(kind, message.session, expected, actual)

    def _recorded(self) -> ToolCallIds:
        if self._recorded_ids is None:
            self._recorded_ids = recorded_ids(self._plan.recording, self._plan.peer)
        return self._recorded_ids
