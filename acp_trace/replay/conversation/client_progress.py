"""How far a live client has come in one track, which answers wait for it, and what it leaves out.

Used only if the agent is played.

If a client sends a later request, or waits for the end of a turn in which it had sent something, it will not
send what it skipped: after a while that is no longer awaited. An answer that it owes stays awaited: people
take their time. Pure: times are ns of one clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.plan.recording import RecordedTurn
from acp_trace.replay.plan.steps import Plan, Stall, Step, Track
from acp_trace.replay.timeouts import AWAITED_NS, LEFT_OUT_NS, RECORDED_TIMES


class _Absence(NamedTuple):
    """The client does not send what it had sent by then, though it waits for what follows."""

    until: int  #: when that counts as left out
    frame: int  #: all before this frame
    since: int
    step: Step  #: what waits for it
    awaited: int | None = None  #: this frame ends the absence at once


class ClientProgress:
    """The client's messages of one track, with its `turns`. `pace`: the share of recorded pauses to keep."""

    def __init__(
        self, track: Track, plan: Plan, peer: PeerState, turns: Sequence[RecordedTurn], pace: float
    ) -> None:
        self.came = 0  #: number of messages that came, or never will, without a hole
        self.left_out = 0  #: what the client had sent before this frame will not come
        self.stalls: list[Stall] = []  #: to be noted with the next decision
        self._frames = plan.received.get(track, ())
        self._plan = plan
        self._peer = peer
        self._pace = pace
        self._turns = turns
        self._absences: list[_Absence] = []  #: the first that had not come at the last look
        self._awaited: int | None = None  #: it had come in the middle of a turn that is still open
        self._is_in_turn = False  #: it had come in the middle of a turn that is going on
        self._is_timed = False  #: it has an absence
        self._held: set[int] = set()  #: the steps that wait for it, by number
        self._by_count: list[tuple[int, int, Step]] = []  #: a heap of these, by their least count
        self._by_time: list[tuple[int, int, Step]] = []  #: the same, by when they stop waiting

    def on_early_request(self, step: Step, now: int, until: int | None) -> None:
        """Note a step's request that came before everything that the client had sent by then.

        `until`: when the step stops waiting, if ever.
        """
        self._held.add(step.number)
        heappush(self._by_count, (step.received_count, step.number, step))
        if until is not None:
            heappush(self._by_time, (until, step.number, step))
        following = (self._frames[at] for at in range(self.came, len(self._frames)))
        absent = next((frame for frame in following if not self._has_come(frame)), None)
        if absent is not None and absent < (step.answers or 0):
            heappush(self._absences, _Absence(now + LEFT_OUT_NS, step.answers or 0, now, step))

    @property
    def wake(self) -> int | None:
        """Return when to look again, after an update."""
        absences = [absence.until for absence in self._absences[:1]]
        return min([*absences, *(until for until, _, _ in self._by_time[:1])], default=None)

    @property
    def first_held(self) -> list[Step]:
        """Return the step that has to wait for the fewest messages; empty if no step waits."""
        return [step for _, _, step in self._by_count[:1]]

    def update(self, now: int) -> list[Step]:
        """Update what came, and what never will; return the steps that no longer wait."""
        while self._absences and self._absences[0].until <= now:
            self._leave_out(heappop(self._absences), now)
        frames = self._frames
        while self.came < len(frames) and (
            frames[self.came] < self.left_out or self._has_come(frames[self.came])
        ):
            self.came += 1
        steps: list[Step] = []
        while self._by_count and self._by_count[0][0] <= self.came:
            steps += self._released(heappop(self._by_count)[2])
        while self._by_time:
            until, number, _ = self._by_time[0]
            if until > now and number in self._held:
                break
            steps += self._released(heappop(self._by_time)[2])
        return steps

    def _released(self, step: Step) -> list[Step]:
        if step.number not in self._held:
            return []
        self._held.remove(step.number)
        return [step]

    def _leave_out(self, absence: _Absence, now: int) -> None:
        """Treat everything that the client had sent before a frame as left out."""
        if absence.awaited is not None and absence.awaited not in self._frames[self.came : self.came + 1]:
            return
        absent = [frame for frame in self._frames[self.came :] if frame < absence.frame]
        absent = [frame for frame in absent if not self._has_come(frame)]
        self.left_out = max(self.left_out, absence.frame)
        if absent:
            self.stalls.append(Stall(absence.step, now - absence.since, blocks=True, absent=tuple(absent)))

    def miss(self, step: Step, now: int) -> int | None:
        """Note a step that waits only for what came in the middle of a turn; return when to look again.

        The client waits for the end of that turn.
        """
        if self.came >= min(len(self._frames), step.received_count):
            return None
        awaited = self._frames[self.came]
        if awaited != self._awaited:
            self._awaited, self._is_timed = awaited, False
            self._is_in_turn = any(
                turn.frame < awaited <= (turn.settled or awaited) and self._has_come(turn.frame)
                for turn in self._turns
            )
        if not self._is_in_turn or self._is_timed:
            return None
        at = self._plan.recording.at
        if any(at(frame).answers is not None for frame in self.missed_before(step)):
            return None
        recorded_ns = at(awaited).t_ns - at(max(awaited - 1, 1)).t_ns
        until = now + AWAITED_NS + int(RECORDED_TIMES * self._pace * recorded_ns)
        heappush(self._absences, _Absence(until, step.frame or 0, now, step, awaited))
        self._is_timed = True
        return until

    def missed_before(self, step: Step) -> Iterator[int]:
        """Yield the frames that a step waits for and that have not come."""
        for at in range(self.came, min(len(self._frames), step.received_count)):
            if not self._has_come(self._frames[at]):
                yield self._frames[at]

    def lacks(self, frame: int, before: int) -> bool:
        """Whether a message that had come before a frame will not come."""
        return frame < min(self.left_out, before) and not self._has_come(frame)

    def left_out_turn_of(self, step: Step) -> bool:
        """Whether the agent sent this in a turn whose prompt the client left out."""
        frame = step.frame or 0
        if not self.left_out:
            return False
        turns = [turn for turn in self._turns if turn.frame < frame <= (turn.settled or frame)]
        return (
            bool(turns)
            and turns[0].frame < self.left_out
            and not any(self._has_come(turn.frame) for turn in turns)
        )

    def _has_come(self, frame: int) -> bool:
        """Whether a message of the recorded client came; for an answer, whether the peer gave its own."""
        answers = self._plan.recording.at(frame).answers
        return frame in self._peer.received if answers is None else answers in self._peer.answered
