"""Which step is due: the state machine of a replay. No line is read or made here, and nothing is sent.

The theory. A plan is a list of steps, in tracks. A step is a message that the player has to send. The steps
of a track that are not answers are sent in order. An answer is sent when its request has come, so two answers
have no order between them. But an answer is not sent before the requests and notifications that the player
had sent before it, nor are those sent before the answers that precede them. Otherwise a peer would see an
order that it never met.

A step waits for three kinds of things:

1. what had come by then: responses, ends of turns, the client's messages, the progress of a turn;
2. what had come just before it, although the step does not depend on it (`late`): for a while;
3. time: the quiet after a turn, and the recorded pause, as far as the pace keeps it.

What is given up, and when. An answer whose request has not come blocks the step after it. It is given up when
the request can no longer come: all turns in which it came are over. The answer to a poll that repeats the
previous one blocks nothing. Neither does an answer whose request a client left out: it has sent a later
request, and a while has passed. A cancel whose turn is over has lost its purpose, and is skipped. A step in
the middle of a turn waits until the turn is as far as it was; if the turn continues silently, the wait ends
after half of the patience. And if the peer itself waits for an answer that the order holds back, so that
neither side could ever continue, the order gives way: the answer is sent early.

Every step is in one state. `TRANSITIONS` is the whole machine; docs/replay.md has it as a table.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import takewhile
from operator import attrgetter
from typing import NamedTuple

from acp_trace.replay.conversation.client_progress import ClientProgress
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.plan.recording import RecordedTurn
from acp_trace.replay.plan.steps import CANCELS, Plan, Stall, Step, Track
from acp_trace.replay.timeouts import STALL_NS, grace


class StepState(StrEnum):
    """The state of a step; `STATES` explains each."""

    WAITING = "waiting"
    HELD = "held"
    READY = "ready"
    PASSED = "passed"
    SENT = "sent"
    SKIPPED = "skipped"
    GIVEN_UP = "given up"


STATES: dict[StepState, str] = {
    StepState.WAITING: (
        "An answer waits for its request, any other step for what came before it in the recording."
    ),
    StepState.HELD: ("In `mock`: the answer's request came, but not yet all that precedes the answer."),
    StepState.READY: (
        "An answer whose request came. It waits for the requests and notifications before it, and for its "
        "pause (`--pace`)."
    ),
    StepState.PASSED: (
        "Passed over: an answer that repeats the previous answer to the same `terminal/output` request, or "
        "an answer whose request the client left out. No step waits for this answer, but its request may "
        "still come."
    ),
    StepState.SENT: "The step was sent.",
    StepState.SKIPPED: "The step no longer makes sense: its turn, or the request it cancels, is over.",
    StepState.GIVEN_UP: (
        "An answer whose request can no longer come. In the recording, one or more turns were open when the "
        "request came. In the run, these turns are over."
    ),
}


class StepEvent(StrEnum):
    """An event that changes a step's state."""

    EARLY_REQUEST = "its request comes early"
    REQUEST = "its request comes"
    CAUGHT_UP = "the client has caught up, or time is up"
    REPEATS = "it repeats the previous answer to the same `terminal/output` request"
    LEFT_OUT = "the client leaves out its request"
    TURN_OVER = "its request can no longer come"
    AIM_OVER = "its turn, or the request it cancels, is over"
    DUE = "everything it waits for is there"


TRANSITIONS: dict[tuple[StepState, StepEvent], StepState] = {
    (StepState.WAITING, StepEvent.EARLY_REQUEST): StepState.HELD,
    (StepState.WAITING, StepEvent.REQUEST): StepState.READY,
    (StepState.WAITING, StepEvent.REPEATS): StepState.PASSED,
    (StepState.WAITING, StepEvent.LEFT_OUT): StepState.PASSED,
    (StepState.WAITING, StepEvent.TURN_OVER): StepState.GIVEN_UP,
    (StepState.WAITING, StepEvent.AIM_OVER): StepState.SKIPPED,
    (StepState.WAITING, StepEvent.DUE): StepState.SENT,
    (StepState.PASSED, StepEvent.EARLY_REQUEST): StepState.HELD,
    (StepState.PASSED, StepEvent.REQUEST): StepState.READY,
    (StepState.HELD, StepEvent.CAUGHT_UP): StepState.READY,
    (StepState.READY, StepEvent.DUE): StepState.SENT,
}

#: Steps in these states are over: no event changes them.
OVER = frozenset({StepState.SENT, StepState.SKIPPED, StepState.GIVEN_UP})

_OWED = frozenset({StepState.HELD, StepState.READY})
_NUMBER = attrgetter("number")


class Decision(NamedTuple):
    """A step that moved: SENT, SKIPPED or GIVEN_UP. `late`: its target, or its turn, is over."""

    step: Step
    state: StepState
    late: int | None = None  #: the own request that is over
    stall: Stall | None = None  #: what it cost until then


@dataclass(slots=True)
class _Queue:
    """A track while it is played."""

    in_turn: list[Step]  #: steps that are not answers
    answers: list[Step]
    client: ClientProgress | None  #: what the client had sent in this track, if the agent is played
    at: int = 0  #: of `in_turn`
    first: int = 0  #: answers before this one are over, or block nothing
    ready: list[Step] = field(default_factory=list)  #: in the state READY, by number
    moved: list[Step] = field(default_factory=list)  #: ready as well, without an order

    @property
    def next(self) -> Step | None:
        """Return the next step in order."""
        return self.in_turn[self.at] if self.at < len(self.in_turn) else None

    @property
    def before(self) -> Step | None:
        """Return the answer that blocks the next step, or would if there were one."""
        answer = self.answers[self.first] if self.first < len(self.answers) else None
        step = self.next
        return answer if answer is not None and (step is None or answer.number < step.number) else None

    def has_come(self, step: Step) -> bool:
        """Whether everything that the client had sent before a step came, or never will."""
        return self.client is None or step.received_count <= self.client.came

    def may_answer(self, step: Step) -> bool:
        """Whether all own requests and notifications before an answer were sent."""
        following = self.next
        return following is None or following.number > step.number


class Scheduler:
    """Decides which step is due. `pace`: the share of recorded pauses to keep. Times are ns of one clock.

    The end is a step of the client's track; an agent has no such step.
    """

    def __init__(self, plan: Plan, peer: PeerState, patience: Patience, pace: float) -> None:
        self.patience = patience
        self.closed = False  #: the last step was reached: nothing more is sent
        self.wake: int | None = None  #: when to ask again without input; None: only a line helps
        self._wakes: list[int] = []  #: the same of the track being examined
        #: The number of the peer's line that completed everything in the recording; None if none did.
        self.whole_at: int | None = None
        self._plan = plan
        self._peer = peer
        self._pace = pace
        self._now = 0
        self._states = {step.number: StepState.WAITING for step in plan.steps}
        self._over = self._owed = (
            0  #: how many are over, and of how many the request came but they are not sent
        )
        self._paused_until = 0  #: the latest end of a recorded pause that was kept
        self._since: dict[int, int] = {}  #: since when a step waits for time only
        self._stall: Stall | None = None  #: of the next step in order
        self._behind: dict[int, int] = {}  #: since when a step waits for its turn's progress
        self._in_text: set[int] = set()  #: steps that wait in the middle of a text, part of which came
        self._requested: dict[int, int] = {}  #: since when the peer waits for an answer
        #: Responses, and turns, that a step waits for, without those that had come at the last look.
        self._open: dict[int, tuple[list[int], list[int]]] = {}
        self._cancels = {target: frame for frame, target in reversed(plan.recording.cancels.items())}
        turns: dict[Track, list[RecordedTurn]] = defaultdict(list)
        for turn in plan.recording.turns.values():
            turns[turn.session].append(turn)
        self._queues = {
            track: _Queue(
                [step for step in steps if step.answers is None and (step.message or plan.own == "client")],
                [step for step in steps if step.answers is not None],
                None if plan.own == "client" else ClientProgress(track, plan, peer, turns[track], pace),
            )
            for track, steps in plan.tracks.items()
        }
        self._look: dict[Track, None] = dict.fromkeys(self._queues)  #: tracks in which something may be due

    # -- what happens

    def look_at(self, session: str | None) -> None:
        """Note that something happened in a session: the next `due` looks at its track."""
        track = session if self._plan.own == "agent" else None
        if track in self._queues:
            self._look[track] = None

    def on_request(self, step: Step, now: int, *, moved: bool = False) -> None:
        """Note that a step's request came; `moved`: in another turn than in the recording."""
        queue = self._queues[step.track]
        self._requested[step.number] = now
        if moved:
            self._move(step, StepEvent.REQUEST)
            queue.moved.append(step)
            return
        if queue.client is None or queue.has_come(step):
            self._move(step, StepEvent.REQUEST)
            insort(queue.ready, step, key=_NUMBER)
            return
        self._move(step, StepEvent.EARLY_REQUEST)
        # Something may have ended a prompt's turn: that answer waits without a limit. For any other answer,
        # the client may be waiting itself before it continues.
        is_prompt = step.answers in self._plan.recording.turns
        until = None if is_prompt else now + grace(step.late_ns, self.patience.timeout_ns)
        queue.client.on_early_request(step, now, until)

    # -- what is due

    def due(self, now: int) -> Iterator[Decision]:
        """Yield each step that moves now, in order. Carry it out before requesting the next one."""
        self._now = now
        looking, self._look = self._look, {}
        wakes: list[int] = []
        for track in looking:
            self._wakes.clear()
            queue = self._queues[track]
            while not self.closed and (decision := self._next_of(queue)) is not None:
                stalls = [] if queue.client is None else queue.client.stalls
                yield decision._replace(stall=stalls.pop()) if stalls else decision
            self._miss(queue)
            if self._wakes:
                self._look[track] = None
                wakes += self._wakes
        self.wake = min(wakes, default=None)

    def _next_of(self, queue: _Queue) -> Decision | None:
        """Return what moves next in one track: answers that are ready first, then the next step in order."""
        if queue.client is not None:
            self._update(queue, queue.client)
        for answer in queue.moved:
            if self._is_paced(answer, self._since.setdefault(answer.number, self._now)):
                queue.moved.remove(answer)
                return Decision(answer, self._move(answer, StepEvent.DUE))
        for answer in takewhile(queue.may_answer, queue.ready):
            if self._is_paced(answer, self._since.setdefault(answer.number, self._now)):
                return self._answer(queue, answer)
        if (given_up := self._pass_by(queue)) is not None:
            return given_up
        step = queue.next
        if step is not None and queue.before is None:
            if queue.client is not None and queue.client.left_out_turn_of(step):
                queue.at += 1
                return Decision(step, self._move(step, StepEvent.AIM_OVER))
            if self._is_due(step, queue):
                return self._in_turn(queue, step)._replace(stall=self._stall)
        return self._let_go(queue)

    def _update(self, queue: _Queue, client: ClientProgress) -> None:
        """Update how much of the client's messages came, and which answers need no more of them."""
        for step in client.update(self._now):
            self._move(step, StepEvent.CAUGHT_UP)
            insort(queue.ready, step, key=_NUMBER)
        self._wake_at(client.wake)

    def _miss(self, queue: _Queue) -> None:
        """Note if the next step of a turn waits only for what the client had sent in that turn."""
        if queue.client is None or queue.ready:
            return
        steps = [*([] if queue.next is None else [queue.next]), *queue.client.first_held]
        step = min(steps, key=_NUMBER, default=None)
        if step is not None:
            self._wake_at(queue.client.miss(step, self._now))

    def cancel_left_out(self, step: Step) -> int | None:
        """Return the client's message that cancelled the request of an answer, if it did not come."""
        frame = self._cancels.get(step.answers or 0)
        client = self._queues[step.track].client
        is_lacking = client is not None and frame is not None and client.lacks(frame, step.frame or 0)
        return frame if is_lacking else None

    def _pass_by(self, queue: _Queue) -> Decision | None:
        """Skip to the first answer whose request may still come; return each that is given up."""
        while queue.first < len(queue.answers):
            step = queue.answers[queue.first]
            given_up = False
            if self._state(step) is StepState.WAITING:
                if step.again:
                    self._move(step, StepEvent.REPEATS)
                elif queue.client is not None and (step.answers or 0) < queue.client.left_out:
                    self._move(step, StepEvent.LEFT_OUT)
                elif step.within and step.within <= self._peer.settled:
                    self._move(step, StepEvent.TURN_OVER)
                    given_up = True
                else:
                    return None
            elif self._state(step) in _OWED:
                return None
            queue.first += 1
            if given_up:
                return Decision(step, StepState.GIVEN_UP)
        return None

    def _let_go(self, queue: _Queue) -> Decision | None:
        """If the peer waits for an answer that order holds back, and nothing moves, let go of the order.

        Responses are awaited all the same, and the order stays if the peer is a client: people take their
        time.
        """
        step, blocked = queue.next, self._blocked(queue)
        if self._plan.own == "agent" or step is None or blocked is None or self._wakes:
            return None
        if not self._is_after(self.patience.halfway(self._peer)):
            return None
        stall = Stall(step, self._now - self._requested[blocked.number], blocks=True)
        return self._answer(queue, blocked)._replace(stall=stall)

    def _blocked(self, queue: _Queue) -> Step | None:
        """Return the first answer that the peer waits for, and that order holds back."""
        if not queue.ready or queue.may_answer(queue.ready[-1]):
            return None
        return next(each for each in queue.ready if not queue.may_answer(each))

    def _answer(self, queue: _Queue, step: Step) -> Decision:
        queue.ready.remove(step)
        self._move(step, StepEvent.DUE)
        return Decision(step, StepState.SENT)

    def _in_turn(self, queue: _Queue, step: Step) -> Decision:
        queue.at += 1
        late = self._too_late(step)
        skipped = late is not None and step.message is not None and step.message.method in CANCELS
        state = self._move(step, StepEvent.AIM_OVER if skipped else StepEvent.DUE)
        self.closed = step.message is None
        return Decision(step, state, late)

    def _too_late(self, step: Step) -> int | None:
        """Return a step's target, or the request of its turn, if that is over already."""
        aim = step.turn if step.target is None else step.target
        if aim is None or step.message is None:
            return None
        turn = self._plan.recording.turns.get(aim)
        was_over = turn is not None and turn.settled is not None and turn.settled < step.message.frame
        return aim if aim in (self._peer.answered if was_over else self._peer.settled) else None

    # -- what a step waits for

    def _is_due(self, step: Step, queue: _Queue) -> bool:
        """Whether the next step in order may be sent now."""
        self._stall = None
        is_there = queue.has_come(step) and self._has_responses(step)
        if not is_there or not self._is_as_far(step, queue):
            self._since.pop(step.number, None)
            return False
        since = self._since.setdefault(step.number, self._now)
        if step.message is None and self.whole_at is None and not self._peer.absent(step.late):
            self.whole_at = self._peer.count
        if step.quiet_ns and not self._is_after(since + step.quiet_ns):
            return False
        patient_until = since + grace(step.late_ns, self.patience.timeout_ns)
        if self._peer.absent(step.late):
            if not self._is_after(patient_until):
                return False
            if self._now - since >= STALL_NS:
                self._stall = Stall(step, self._now - since)
        return self._is_paced(step, since)

    def _is_as_far(self, step: Step, queue: _Queue) -> bool:
        """Whether the turn of a step is as far as it was, or gets no further: the one rule for all steps.

        A turn that continues silently, and may be there, is awaited until half of the patience is over. A
        text that something else has replaced gets no more time.
        """
        if not self._peer.unseen(step):
            came = self._peer.too_little(step)
            if came != 0:
                self._in_text.add(step.number)
            if came is None or (came == 0 and step.number in self._in_text):
                return True
        behind = self._behind.setdefault(step.number, self._now)
        is_blocked = self._blocked(queue) is not None
        may_be_there = is_blocked or (step.message is not None and self._peer.may_be_as_far(step))
        if not may_be_there or not self._is_after(self.patience.halfway(self._peer)):
            return False
        self._stall = Stall(step, self._now - behind, blocks=is_blocked)
        return True

    def _has_responses(self, step: Step) -> bool:
        """Whether all responses and ends of turns have come that had come by then."""
        if step.number not in self._open:
            self._open[step.number] = list(reversed(step.responses)), list(reversed(step.over))
        peer, (responses, turns) = self._peer, self._open[step.number]
        while responses and (responses[-1] in peer.answered or responses[-1] not in peer.sent):
            responses.pop()
        while turns and (turns[-1] in peer.settled or turns[-1] not in peer.sent):
            turns.pop()
        return not (responses or turns)

    def _is_paced(self, step: Step, since: int) -> bool:
        at = since + int(step.pause_ns * self._pace)
        if self._is_after(at):
            return True
        self._paused_until = max(self._paused_until, at)
        return False

    def _is_after(self, when: int) -> bool:
        if self._now < when:
            self._wake_at(when)
        return self._now >= when

    def _wake_at(self, when: int | None) -> None:
        """Look again then at the latest; None: not because of this."""
        if when is not None:
            self._wakes.append(when)

    # -- how far it is

    @property
    def is_over(self) -> bool:
        """Whether the recording is played to its end."""
        return self.closed or self._over >= len(self._plan.steps) - (self._plan.own == "agent")

    @property
    def owes(self) -> bool:
        """Whether a request came whose answer is not sent."""
        return self._owed > 0

    @property
    def deadline(self) -> int:
        """Return when it has waited too long, in ns. A recorded pause that is kept does not count."""
        return max(self.patience.deadline(self._peer), self._paused_until + self.patience.timeout_ns)

    def next_steps(self) -> Iterator[tuple[Step, list[int]]]:
        """Yield the next step of each track, with the frames of the client's messages that it waits for."""
        for queue in self._queues.values():
            step = queue.before
            if step is None:
                unfinished = (answer for answer in queue.answers if self._state(answer) not in OVER)
                step = queue.next or next(unfinished, None)
            if step is not None:
                yield step, [] if queue.client is None else list(queue.client.missed_before(step))

    def _state(self, step: Step) -> StepState:
        return self._states[step.number]

    def _move(self, step: Step, event: StepEvent) -> StepState:
        before = self._states[step.number]
        state = self._states[step.number] = TRANSITIONS[before, event]
        self._owed += (state in _OWED) - (before in _OWED)
        if state in OVER:
            self._over += 1
            if step.message is not None:
                self._peer.on_step(self._now)
        return state
