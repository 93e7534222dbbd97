"""What is done about a request of the peer: whose answer it gets, or what it gets instead.

Bindings are learned here from pairs of requests. When an answer is sent is not decided here (`scheduler`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from acp_trace.protocol import methods
from acp_trace.protocol.message import Message
from acp_trace.replay.matching import Match, RecordedRequests
from acp_trace.replay.peer_state import PeerState
from acp_trace.replay.plan import Plan, Step
from acp_trace.replay.rewriting import Rewriter
from acp_trace.trace import jsontext

Unmatched = Literal["fail", "nearest", "workspace"]

#: Serves a request from somewhere else than the recording: its result, or None where it is not to be had.
Serve = Callable[[str, dict[str, Any]], dict[str, Any] | None]

_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602


@dataclass(frozen=True, slots=True)
class Reaction:
    """What becomes of a request. `at_once`: a line for it; `step`: the answer that it gets in time.

    `miss` is the match of a request that the recording does not have. `frame`: which recorded one it is.
    """

    at_once: bytes | None = None
    step: Step | None = None
    miss: Match | None = None
    frame: int | None = None


class InboundRequests:
    """Finds the answers to the peer's requests."""

    def __init__(
        self, plan: Plan, peer: PeerState, rewriter: Rewriter, unmatched: Unmatched, serve: Serve | None
    ) -> None:
        self._plan = plan
        self._peer = peer
        self._rewriter = rewriter
        self._nearest = unmatched == "nearest"
        self._serve = serve if unmatched == "workspace" else None
        self._recorded = RecordedRequests(plan)
        self._ids: dict[int, Any] = {}  #: the live ids of recorded requests
        self._frames: dict[str, int] = {}  #: and the other way round; the text of an id as JSON

    def lives_in(self, folders: Mapping[str, str]) -> None:
        """Says which folder of the live run is which of the recording."""
        for recorded, live in folders.items():
            self._rewriter.folders.pair(recorded, live)
        self._recorded.lives_in(self._rewriter.folders.live)

    def receive(self, message: Message, session: str | None) -> Reaction:
        """Takes in a request; `session` as the recording calls it."""
        params, method = message.part("params"), message.method or ""
        turn = self._peer.turn_of(session)
        match = self._recorded.match(
            method,
            params,
            self._peer.tool_call_ids.kind(session, params.get("toolCall")),
            session=session,
            turn=turn.turn.frame if turn else None,
            nearest=self._nearest,
        )
        id_ = jsontext.value_or_none((message.id or "null").encode())
        miss = match if match.request is None or match.nearest is not None else None
        if miss is not None and self._serve is not None:
            served = self._serve(method, params)
            if served is not None:
                return Reaction(_line({"jsonrpc": "2.0", "id": id_, "result": served}))
        if match.request is None:
            code = _INVALID_PARAMS if match.nearest is not None else _METHOD_NOT_FOUND
            error = {"code": code, "message": _no_answer(method, match)}
            return Reaction(_line({"jsonrpc": "2.0", "id": id_, "error": error}), miss=miss)
        frame = match.request.frame
        again = frame in self._peer.heard
        self._peer.heard.add(frame)
        self._learn(frame, method, params, paired=miss is None)
        step = self._plan.answers.get(frame)
        if step is not None and again:  # a poll: what was answered last is answered again
            assert step.said is not None
            text, _ = self._rewriter.message(step.said, id=id_)
            return Reaction(text + b"\n", miss=miss, frame=frame)
        self._ids[frame] = id_
        self._frames[message.id or "null"] = frame
        self._rewriter.asked(match.request.id or "null", id_)
        return Reaction(step=step, miss=miss, frame=frame)

    def id_of(self, frame: int) -> Any:
        """The live id of a recorded request that came."""
        return self._ids[frame]

    def frame_of(self, id_: str | None) -> int | None:
        """The recorded request that came last with a live id."""
        return self._frames.get(id_ or "")

    def give_up(self, frame: int) -> None:
        """A recorded request is not waited for any more."""
        self._recorded.drop(frame)

    def _learn(self, frame: int, method: str, params: dict[str, Any], *, paired: bool) -> None:
        said = self._plan.recording.at(frame)
        recorded = said.part("params")
        if method == methods.PERMISSION:
            self._rewriter.permission(frame, recorded.get("options"), params.get("options"))
        if paired:
            self._rewriter.learn(said, {"params": recorded}, {"params": params})
        was, now = recorded.get("cwd"), params.get("cwd")
        if method in methods.OPENERS and isinstance(was, str) and isinstance(now, str):
            self.lives_in({was: now})


def _no_answer(method: str, match: Match) -> str:
    """What the peer is told of a request without an answer."""
    near = f" (nearest is frame {match.nearest.frame}: {match.why})" if match.nearest is not None else ""
    return f"acp-trace: the recording has no answer for this {method}{near}"


def _line(message: dict[str, Any]) -> bytes:
    return jsontext.text(message) + b"\n"
