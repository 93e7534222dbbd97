"""The engine: lines of the live side and the time go in, lines of the own side come out. Does no I/O.

Whoever drives it hands in each line as it comes (`take`), asks after each for what is due (`due`), and
asks when to look again although nothing came (`wake`). All times are ns of one clock. It never raises,
whatever comes, and never waits: what it waits for can be asked (`waits`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from acp_trace.compare.keys import POLLS
from acp_trace.protocol.message import Kind, Message, read
from acp_trace.replay.asked import Requests, Serve, Unmatched
from acp_trace.replay.conditions import Conditions
from acp_trace.replay.incidents import Incident
from acp_trace.replay.lanes import Lane, lanes
from acp_trace.replay.live import Live
from acp_trace.replay.notices import Notices
from acp_trace.replay.noticing import late, unmatched, unused
from acp_trace.replay.patience import Patience
from acp_trace.replay.plan import Plan, Step, Track
from acp_trace.replay.rewriting import Rewriter
from acp_trace.replay.saying import Saying
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
        self.live = Live()
        self.incidents: list[Incident] = []
        self.closed = False  #: the last step was reached: nothing more is sent
        self.gone = False  #: the live side closed its output
        self.done: set[int] = set()  #: numbers of steps that are sent, skipped or given up
        self.conditions = Conditions(plan, self.live, patience.timeout_ns, options.pace)
        self.lanes = lanes(plan)
        self.patience = patience
        self._rewriter = rewriter
        self._requests = Requests(plan, self.live, rewriter, options.unmatched, options.serve)
        self._saying = Saying(plan, self.live, rewriter, self._requests)
        self._wake: int | None = None
        self._look: dict[Track, None] = dict.fromkeys(self.lanes)  #: lanes where something may be due
        self._notices = Notices(plan, self._requests.frame_of)

    def begin(self, now: int) -> None:
        """It begins: from now on is it known for how long nothing went on."""
        self.conditions.now = now
        self.patience.step(now)

    # -- what comes

    def take(self, line: bytes, now: int) -> list[bytes]:
        """Takes in a line of the live side; what is to be said to it at once, beside what is `due`."""
        self.conditions.now = now
        self.live.count += 1
        message = read(line)
        sound = message.kind in (Kind.REQUEST, Kind.RESPONSE, Kind.NOTIFICATION)
        self.patience.message(now, len(line), sound=sound)
        if message.kind is Kind.RESPONSE:
            self._answered(message)
        elif message.kind is Kind.REQUEST:
            return self._requested(message)
        elif message.kind is Kind.NOTIFICATION:
            self._notified(message)
        return []

    def hang_up(self, now: int) -> None:
        """The live side says nothing more."""
        self.conditions.now, self.gone = now, True

    def lives_in(self, folders: Mapping[str, str]) -> None:
        """Says which folder of the live run is which of the recording."""
        self._requests.lives_in(folders)

    def _answered(self, message: Message) -> None:
        said = self._saying.asked(message.id)
        if said is None:
            return
        self._looks_at(said.session)
        answer = self.plan.recording.exchanges[said.frame].response_frame
        recorded = None if answer is None else self.plan.recording.at(answer)
        result = message.part("result")
        stops = "stopReason" in result and (recorded is None or "stopReason" not in recorded.part("result"))
        self.live.answer(said.frame, stopped=message.is_error or stops)
        if recorded is not None and not message.is_error:
            self._rewriter.learn(recorded, recorded.value, {"result": result})

    def _requested(self, message: Message) -> list[bytes]:
        session = self._rewriter.recorded_session(message.session_id)
        self.live.tell(message, session)
        found = self._requests.take(message, session)
        if found.miss is not None:
            got = self.plan.live, self.live.count
            self.incidents.append(unmatched(message.method or "", session, found.miss, got))
        if found.frame is not None:
            self._looks_at(self.plan.recording.at(found.frame).session)
        if found.step is not None:
            self.lanes[found.step.track].asked(found.step, self.conditions.until(found.step))
        return [] if found.at_once is None else [found.at_once]

    def _notified(self, message: Message) -> None:
        session = self._notices.session(message, self._rewriter.recorded_session(message.session_id))
        self.live.tell(message, session)
        self._looks_at(session)
        frame = self._notices.take(message, session)
        if frame is not None:
            self.live.heard.add(frame)

    # -- what goes out

    def due(self, now: int) -> list[bytes]:
        """The lines that are to be sent now, in their order."""
        out: list[bytes] = []
        looking, self._look = self._look, {}
        wakes: list[int] = []
        for track in looking:
            self.conditions.begin(now)
            while (said := self._from(self.lanes[track])) is not None:
                out += said
            if (wake := self.conditions.wake) is not None:
                self._look[track] = None
                wakes.append(wake)
        self._wake = min(wakes, default=None)
        return out

    def wake(self) -> int | None:
        """When to ask for what is due although nothing came; None where only a line changes anything."""
        return self._wake

    @property
    def sent(self) -> int:
        """How many steps went out."""
        return self._saying.sent

    @property
    def over(self) -> bool:
        """Whether the recording is played to its end."""
        return self.closed or len(self.done) >= len(self.plan.steps) - (self.plan.own == "agent")

    @property
    def deadline(self) -> int | None:
        """When it has waited for too long. A recorded pause that is kept is no such waiting.

        None for an agent that owes nothing, and is owed nothing: people take their time.
        """
        owes = self._saying.waits or any(lane.owes for lane in self.lanes.values())
        if self.plan.own == "agent" and not owes:
            return None
        return max(self.patience.deadline, self.conditions.paused_until + self.patience.timeout_ns)

    def waits(self) -> str:
        """What it waits for, in words."""
        return waits(self)

    def _looks_at(self, session: str | None) -> None:
        track = session if self.plan.own == "agent" else None
        if track in self.lanes:
            self._look[track] = None

    def _from(self, lane: Lane) -> list[bytes] | None:
        """What one lane sends next; an empty list for a step that is given up, None where nothing is due."""
        if self.closed:
            return None
        self.conditions.hear(lane)
        for step in takewhile(lane.may_answer, lane.ready):
            if self.conditions.answer(step):
                return self._answer(lane, step)
        lane.pass_by(self.done, self._needless)
        told = lane.next
        if told is not None and lane.before is None and self.conditions.told(told, lane):
            return self._tell(lane, told)
        return self._unstick(lane)

    def _unstick(self, lane: Lane) -> list[bytes] | None:
        """When the live side waits for an answer that an order holds back, and nothing goes on: lets go.

        Half of what patience allows is waited first. What was seen of a turn is given up before the order
        of answers is; responses are not, and nothing is where the client is live: people take their time.
        """
        told = lane.next
        held = bool(lane.ready) and not lane.may_answer(lane.ready[-1])
        if self.plan.own == "agent" or told is None or not held or self.conditions.wake is not None:
            return None
        at = self.patience.halfway
        if self.conditions.now < at:
            self.conditions.look_at(at)
            return None
        if lane.before is None and self.conditions.responses(told):
            return self._tell(lane, told)
        return self._answer(lane, next(step for step in lane.ready if not lane.may_answer(step)))

    def _needless(self, step: Step) -> bool:
        """Whether nobody needs this answer to go on: gives it up where nobody will ask for it any more."""
        if step.answers is None or step.answers in self.live.heard:
            return False
        if step.again:
            return True
        if not step.within or not step.within <= self.live.settled:
            return False
        asked = self.plan.recording.at(step.answers)
        self._requests.give_up(asked.frame)
        self._done(step)
        if asked.method not in POLLS:
            self.incidents.append(unused(asked))
        return True

    def _answer(self, lane: Lane, step: Step) -> list[bytes]:
        lane.ready.remove(step)
        self._done(step)
        return [self._saying.answer(step)]

    def _tell(self, lane: Lane, step: Step) -> list[bytes]:
        lane.at += 1
        said = step.said
        if said is None:
            self.closed = True
            self.done.add(step.number)
            return []
        self._done(step)
        why = self._saying.too_late(step)
        if why is not None:
            self.incidents.append(late(said, why))
            if why.skipped:
                self.live.skip(said.frame)
                return []
        return [self._saying.tell(step)]

    def _done(self, step: Step) -> None:
        self.done.add(step.number)
        self.patience.step(self.conditions.now)
