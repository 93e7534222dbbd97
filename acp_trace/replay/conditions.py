"""Whether what a step waits for is there: what came, and the time. Sends nothing.

Everything but time is asked of the live side. Times are ns of the driver's clock; `wake` says when one that
was waited for will have come.
"""

from __future__ import annotations

from acp_trace.replay.lanes import Lane
from acp_trace.replay.live import Live
from acp_trace.replay.patience import grace
from acp_trace.replay.plan import Plan, Step
from acp_trace.replay.sights import missing


class Conditions:
    """Looks at steps. `pace`: how much of the recorded pauses is kept."""

    def __init__(self, plan: Plan, live: Live, timeout_ns: int, pace: float) -> None:
        self.now = 0
        self.wake: int | None = None
        self.paused_until = 0  #: the latest end of a recorded pause that was waited for
        self._plan = plan
        self._live = live
        self._timeout_ns = timeout_ns
        self._pace = pace
        self._since: dict[int, int] = {}  #: since when a step's conditions hold
        #: Responses, and turns, that a step waits for, without those that were there when it was looked at.
        self._open: dict[int, tuple[list[int], list[int]]] = {}

    def begin(self, now: int) -> None:
        """Another lane is looked at, or the same one at another time."""
        self.now, self.wake = now, None

    def look_at(self, when: int) -> None:
        """Asks to be looked at again then."""
        self.wake = when if self.wake is None else min(self.wake, when)

    # -- what has to come

    def responses(self, step: Step) -> bool:
        """Whether all responses are there, and all turns over, that had been by then."""
        if step.number not in self._open:
            self._open[step.number] = list(reversed(step.responses)), list(reversed(step.over))
        live, (responses, over) = self._live, self._open[step.number]
        while responses and (responses[-1] in live.answered or responses[-1] not in live.sent):
            responses.pop()
        while over and (over[-1] in live.settled or over[-1] not in live.sent):
            over.pop()
        return not (responses or over)

    def came(self, frame: int) -> bool:
        """Whether a message of the recorded client came: an answer, when the live one gave its own."""
        answers = self._plan.recording.at(frame).answers
        return frame in self._live.heard if answers is None else answers in self._live.answered

    def unanswered(self, step: Step) -> list[int]:
        """Own requests whose responses it waits for."""
        live = self._live
        return [one for one in step.responses if one in live.sent and one not in live.answered]

    def unsettled(self, step: Step) -> list[int]:
        """Prompts whose turns it waits for."""
        live = self._live
        return [one for one in step.over if one in live.sent and one not in live.settled]

    def unseen(self, step: Step) -> list[str]:
        """What of its turn it waits for, in words; nothing once that is over."""
        going = None if step.turn is None else self._live.going(step.turn)
        return [] if going is None else missing(step.sights, going.sights.seen)

    # -- and the time

    def told(self, step: Step, lane: Lane) -> bool:
        """Whether a step that comes in its turn may be sent now."""
        if lane.came < step.heard_to or not self.responses(step) or self.unseen(step):
            self._since.pop(step.number, None)
            return False
        return self.timely(step)

    def timely(self, step: Step) -> bool:
        """Whether it is time for a step, everything else being there."""
        since = self._since.setdefault(step.number, self.now)
        if step.quiet_ns and not self._after(since + step.quiet_ns):
            return False
        if self._live.lately(step.late) and not self._after(since + grace(step.late_ns, self._timeout_ns)):
            return False
        return self._paced(step, since)

    def answer(self, step: Step) -> bool:
        """Whether it is time for an answer that was asked for, and is not in anybody's way."""
        return self._paced(step, self._since.setdefault(step.number, self.now))

    def until(self, step: Step) -> int | None:
        """How long an answer waits for all that the client had said by then; None for ever.

        That of a prompt does: something may have ended the turn. As to any other, a client may as well wait
        for this answer before it goes on.
        """
        if step.answers in self._plan.recording.turns:
            return None
        return self.now + grace(step.late_ns, self._timeout_ns)

    def hear(self, lane: Lane) -> None:
        """Looks what came of what the client had said, and for which answers that is enough."""
        lane.hear(self.came)
        next_ = lane.release(self.now)
        if next_ is not None:
            self.look_at(next_)

    def _paced(self, step: Step, since: int) -> bool:
        at = since + int(step.pause_ns * self._pace)
        if self._after(at):
            return True
        self.paused_until = max(self.paused_until, at)
        return False

    def _after(self, when: int) -> bool:
        if self.now < when:
            self.look_at(when)
        return self.now >= when
