"""The engine: lines of the peer and the time go in, lines of the player come out. Does no I/O.

Whoever drives it hands in each line as it comes (`receive`), asks after each for what is due (`due`), and
asks when to look again although nothing came (`wake`). All times are ns of one clock. It never raises,
whatever comes, and never waits: what it waits for can be asked (`waits`). The `scheduler` decides when a step
is due, `matching` which recorded message an incoming one is: this connects them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acp_trace.compare.keys import POLLS
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.replay.inbound_requests import InboundRequests, Serve, Unmatched
from acp_trace.replay.incident_messages import late, unmatched, unused
from acp_trace.replay.incidents import Incident
from acp_trace.replay.matching import Notifications
from acp_trace.replay.patience import Patience
from acp_trace.replay.peer_state import PeerState
from acp_trace.replay.plan import Plan, Step
from acp_trace.replay.rewriting import Rewriter
from acp_trace.replay.scheduler import Decision, Scheduler, State
from acp_trace.replay.sender import Sender
from acp_trace.replay.waiting import waits


@dataclass(slots=True)
class Options:
    """How it is played. `pace`: how much of the recorded pauses is kept, 0 for none."""

    pace: float = 0.0
    unmatched: Unmatched = "fail"
    serve: Serve | None = None


class Conversation:
    """One side of a plan, played."""

    def __init__(self, plan: Plan, rewriter: Rewriter, patience: Patience, options: Options) -> None:
        self.plan = plan
        self.peer = PeerState()
        self.incidents: list[Incident] = []
        self.gone = False  #: the peer closed its output
        self.patience = patience
        self._rewriter = rewriter
        self._scheduler = Scheduler(plan, self.peer, patience, options.pace)
        self._requests = InboundRequests(plan, self.peer, rewriter, options.unmatched, options.serve)
        self._sender = Sender(plan, self.peer, rewriter, self._requests)
        self._notifications = Notifications(plan, self._requests.frame_of)

    def begin(self, now: int) -> None:
        """It begins: from now on is it known for how long nothing went on."""
        self._scheduler.advance(now)
        self.patience.step(now)

    # -- what comes

    def receive(self, line: bytes, now: int) -> list[bytes]:
        """Takes in a line of the peer; what is to be sent to it at once, beside what is `due`."""
        self._scheduler.advance(now)
        self.peer.count += 1
        message = read(line)
        sound = message.kind in (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION)
        self.patience.message(now, len(line), sound=sound)
        if message.kind is MessageKind.RESPONSE:
            self._on_response(message)
        elif message.kind is MessageKind.REQUEST:
            return self._on_request(message)
        elif message.kind is MessageKind.NOTIFICATION:
            self._on_notification(message)
        return []

    def hang_up(self, now: int) -> None:
        """The peer says nothing more."""
        self._scheduler.advance(now)
        self.gone = True

    def lives_in(self, folders: Mapping[str, str]) -> None:
        """Says which directory of the run is which of the recording."""
        self._requests.lives_in(folders)

    def _on_response(self, message: Message) -> None:
        request = self._sender.answered(message.id)
        if request is None:
            return
        self._scheduler.look_at(request.session)
        answer = self.plan.recording.exchanges[request.frame].response_frame
        recorded = None if answer is None else self.plan.recording.at(answer)
        result = message.part("result")
        stops = "stopReason" in result and (recorded is None or "stopReason" not in recorded.part("result"))
        self.peer.on_response(request.frame, stopped=message.is_error or stops)
        if recorded is not None and not message.is_error:
            self._rewriter.learn(recorded, recorded.value, {"result": result})

    def _on_request(self, message: Message) -> list[bytes]:
        session = self._rewriter.recorded_session(message.session_id)
        self.peer.on_message(message, session)
        reaction = self._requests.receive(message, session)
        if reaction.miss is not None:
            got = self.plan.live, self.peer.count
            self.incidents.append(unmatched(message.method or "", session, reaction.miss, got))
        if reaction.frame is not None:
            self._scheduler.look_at(self.plan.recording.at(reaction.frame).session)
        if reaction.step is not None:
            self._scheduler.on_request(reaction.step)
        return [] if reaction.at_once is None else [reaction.at_once]

    def _on_notification(self, message: Message) -> None:
        session = self._rewriter.recorded_session(message.session_id)
        session = self._notifications.session(message, session)
        self.peer.on_message(message, session)
        self._scheduler.look_at(session)
        frame = self._notifications.match(message.method or "", session)
        if frame is not None:
            self.peer.heard.add(frame)

    # -- what goes out

    def due(self, now: int) -> list[bytes]:
        """The lines that are to be sent now, in their order."""
        lines = (self._carry_out(decision) for decision in self._scheduler.due(now))
        return [line for line in lines if line is not None]

    def _carry_out(self, decision: Decision) -> bytes | None:
        """Does what was decided, before the next decision; the line that goes out, if one does."""
        step, state, over = decision
        if state is State.GIVEN_UP:
            self._give_up(step)
            return None
        if step.said is None:
            return None
        if step.is_answer:
            return self._sender.send_answer(step)
        if over is not None:
            aim = self.plan.recording.at(over)
            self.incidents.append(late(step.said, aim, skipped=state is State.SKIPPED))
        if state is State.SKIPPED:
            self.peer.skip(step.said.frame)
            return None
        return self._sender.send(step)

    def _give_up(self, step: Step) -> None:
        request = self.plan.recording.at(step.answers or 0)
        self._requests.give_up(request.frame)
        if request.method not in POLLS:
            self.incidents.append(unused(request))

    # -- how far it is

    def wake(self) -> int | None:
        """When to ask for what is due although nothing came; None if only a line changes anything."""
        return self._scheduler.wake

    @property
    def sent(self) -> int:
        """How many steps went out."""
        return self._sender.sent

    @property
    def closed(self) -> bool:
        """Whether the last step was reached: nothing more is sent."""
        return self._scheduler.closed

    @property
    def over(self) -> bool:
        """Whether the recording is played to its end."""
        return self._scheduler.is_over

    @property
    def deadline(self) -> int | None:
        """When it has waited for too long.

        None for an agent that owes nothing, and is owed nothing: people take their time.
        """
        owes = self._sender.is_owed or self._scheduler.owes
        return None if self.plan.own == "agent" and not owes else self._scheduler.deadline

    def waits(self) -> str:
        """What it waits for, in words."""
        return waits(self.plan, self.peer, self._scheduler)
