"""The effect of each fault in a run: the frame that carries it, and how the peer reacted. Pure.

An effect contains only what can be seen: a peer that received an invalid message, and went on, may have
ignored it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from acp_trace.analyze.facts import Exchange, Facts
from acp_trace.protocol.message import MessageKind, read
from acp_trace.replay.faults.declaration import MODEL, PlannedFault
from acp_trace.replay.faults.injector import FaultHit
from acp_trace.trace.entries import AFTER_ALL, SENT, End, Entry, EntryKind, Sender
from acp_trace.trace.jsontext import value_or_none

NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class FaultEffect:
    """One fault. `frame`: of the run, or None; `since`: its consequences have this frame, or a later one.

    `frame` is the frame that carries the fault. If nothing was sent, it is the request of the peer that got
    no answer, if there was one.
    """

    fault: PlannedFault
    frame: int | None
    effect: str
    since: int = AFTER_ALL

    @property
    def is_reached(self) -> bool:
        """Whether the run reached it."""
        return self.effect != NOT_REACHED


@dataclass(frozen=True, slots=True)
class _Sent:
    """A frame of the run. `number`: its position among its side's frames."""

    frame: int
    sender: str
    data: bytes


def effects(
    faults: Iterable[PlannedFault],
    hits: Sequence[FaultHit],
    run: Sequence[Entry],
    facts: Facts,
    own: Sender,
    *,
    died: bool,
) -> list[FaultEffect]:
    """Return the effects of the faults, in order. `died`: the peer ended too early, or hung."""
    of_fault = {hit.fault: hit for hit in hits}
    until = {hit.fault: then.heard for hit, then in pairwise(hits)}
    aftermath = _Aftermath(run, facts, own, died=died)
    return [
        aftermath.of_model(fault)
        if fault.method == MODEL
        else aftermath.of_message(fault, of_fault.get(fault), until.get(fault))
        for fault in faults
    ]


class _Aftermath:
    """The run, for questions about the peer's reaction."""

    def __init__(self, run: Sequence[Entry], facts: Facts, own: Sender, *, died: bool) -> None:
        sent = [entry for entry in run if entry.kind in SENT and entry.sender is not None]
        frames = [_Sent(number, str(entry.sender), entry.data) for number, entry in enumerate(sent, 1)]
        self._own = [frame for frame in frames if frame.sender == own]
        self._peer = [frame for frame in frames if frame.sender != own]
        self._facts, self._died, self._own_side = facts, died, own
        ends = [entry for entry in run if entry.kind is EntryKind.END]
        self._end = End.of(value_or_none(ends[-1].data)) if ends else End()
        self._by_request = {exchange.frame: exchange for exchange in facts.exchanges}

    def of_message(self, fault: PlannedFault, hit: FaultHit | None, until: int | None) -> FaultEffect:
        """Return the effect of a fault of a message. `until`: the peer's frames by the next fault."""
        if hit is None:
            return FaultEffect(fault, None, NOT_REACHED)
        before = [*self._own[: hit.own], *self._peer[: hit.heard]]
        since = max((each.frame for each in before), default=0) + 1
        frame = None
        if hit.carries and hit.own < len(self._own):
            frame = self._own[hit.own].frame
            since = min(since, frame)
        elif not hit.carries and hit.request is not None and hit.request <= len(self._peer):
            frame = self._peer[hit.request - 1].frame
        then = self._peer[hit.heard : until]
        exchange = self._by_request.get(frame or 0) if hit.carries else None
        words = [*self._answered(exchange, then), self._went_on(fault, exchange, then, is_last=until is None)]
        return FaultEffect(fault, frame, ", ".join(filter(None, words)), since)

    def _answered(self, exchange: Exchange | None, then: Sequence[_Sent]) -> list[str]:
        """Return how the peer answered the request with the fault, or a line that it could not read."""
        if exchange is not None:
            if exchange.outcome == "error":
                return [f"answered with error {exchange.error_code}"]
            return ["answered" if exchange.outcome == "result" else "never answered"]
        for sent in then:
            message = read(sent.data)
            if message.kind is MessageKind.RESPONSE and message.is_error and message.id in (None, "null"):
                return [f"answered with error {message.part('error').get('code')}"]
        return []

    def _went_on(
        self, fault: PlannedFault, exchange: Exchange | None, then: Sequence[_Sent], *, is_last: bool
    ) -> str:
        """Return what the peer did after that. `is_last`: no other fault followed."""
        answer = exchange.response_frame if exchange is not None else None
        more = [each for each in then if each.frame != answer]
        end = self._end
        if not is_last:
            return "went on" if more else ""
        if self._own_side == "client" and end.aborted is None and (self._died or fault.kind.is_once):
            by = f"signal {end.signal}" if end.signal is not None else f"exit code {end.exit_code}"
            return f"ended with {by}"
        if end.aborted == "stayed":
            return "had to be ended"
        if self._died:
            return "hung" if end.aborted == "timeout" else str(end.aborted)
        if more:
            return "went on"
        return "said nothing more" if self._own_side == "client" else "left"

    def of_model(self, fault: PlannedFault) -> FaultEffect:
        """Return the effect of a fault of the model: the call, and the next one."""
        calls = self._facts.model_calls
        at = (fault.nth or 1) - 1
        if at >= len(calls):
            return FaultEffect(fault, None, NOT_REACHED)
        call = calls[at]
        turns = [turn for turn in self._facts.turns if turn.session_id == call.session_id]
        prompts = [turn.frame for turn in turns if (turn.t_ns or 0) <= call.started_ns]
        since = max(prompts, default=1)
        if self._died:
            return FaultEffect(fault, None, self._went_on(fault, None, [], is_last=True), since)
        if any(later.retry_of is not None and later.retry_of <= call.call for later in calls[at + 1 :]):
            return FaultEffect(fault, None, "asked again", since)
        ended = next((turn for turn in turns if turn.frame == since), None)
        exchange = self._by_request.get(since)
        if exchange is not None and exchange.outcome == "error":
            return FaultEffect(fault, None, f"answered with error {exchange.error_code}", since)
        if ended is not None and ended.stop_reason is not None:
            return FaultEffect(fault, None, f"ended the turn with {ended.stop_reason}", since)
        return FaultEffect(fault, None, "never answered", since)
