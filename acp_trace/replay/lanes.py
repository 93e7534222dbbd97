"""A track while it is played: how far its steps are, and which answers were asked for. Pure bookkeeping.

Whether a step's conditions hold is asked elsewhere (`conditions`); what stands in whose way, here.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import attrgetter

from acp_trace.replay.plan import Plan, Step, Track


@dataclass(slots=True)
class Lane:
    """The steps of a track that come in their turn, its answers, and how far both are."""

    track: Track
    told: list[Step]
    answers: list[Step]
    client: tuple[int, ...]  #: what the client said in this track, when the agent is played
    at: int = 0  #: of `told`
    answered: int = 0  #: answers before this one are done, or stand in nobody's way
    came: int = 0  #: so many of `client` came, without a hole
    ready: list[Step] = field(default_factory=list)  #: asked for and not sent, by number
    _held: list[tuple[int, int, Step]] = field(default_factory=list)  #: a heap, by what they wait for
    _until: list[tuple[int, int, Step]] = field(default_factory=list)  #: a heap, by how long they wait
    _released: set[int] = field(default_factory=set)

    @property
    def next(self) -> Step | None:
        """The step whose turn it is."""
        return self.told[self.at] if self.at < len(self.told) else None

    @property
    def before(self) -> Step | None:
        """The answer that stands in the way of the next step, or would if there were one."""
        answer = self.answers[self.answered] if self.answered < len(self.answers) else None
        told = self.next
        return answer if answer is not None and (told is None or answer.number < told.number) else None

    def first(self, done: AbstractSet[int]) -> Step | None:
        """The first answer that is not done, though it stands in nobody's way."""
        return next((one for one in self.answers if one.number not in done), None)

    def asked(self, step: Step, until: int | None) -> None:
        """An answer was asked for. It waits for what the client had said by then, if so until a time."""
        if step.heard_to <= self.came:
            insort(self.ready, step, key=attrgetter("number"))
            return
        heappush(self._held, (step.heard_to, step.number, step))
        if until is not None:
            heappush(self._until, (until, step.number, step))

    def release(self, now: int) -> int | None:
        """Makes those answers ready that have waited for their client; when to look at the next."""
        while self._held and self._held[0][0] <= self.came:
            self._release(heappop(self._held)[2])
        while self._until and (self._until[0][0] <= now or self._until[0][1] in self._released):
            self._release(heappop(self._until)[2])
        return self._until[0][0] if self._until else None

    def _release(self, step: Step) -> None:
        if step.number not in self._released:
            self._released.add(step.number)
            insort(self.ready, step, key=attrgetter("number"))

    @property
    def owes(self) -> bool:
        """Whether an answer was asked for and is not sent."""
        return bool(self.ready) or any(number not in self._released for _, number, _ in self._held)

    def may_answer(self, step: Step) -> bool:
        """Whether all own requests and notifications before an answer were sent."""
        told = self.next
        return told is None or told.number > step.number

    def hear(self, came: Callable[[int], bool]) -> None:
        """Looks how many of the client's messages in this track came, without a hole."""
        while self.came < len(self.client) and came(self.client[self.came]):
            self.came += 1

    def pass_by(self, done: AbstractSet[int], needless: Callable[[Step], bool]) -> None:
        """Goes on to the first answer that is neither done nor needless."""
        while self.answered < len(self.answers):
            step = self.answers[self.answered]
            if step.number not in done and not needless(step):
                return
            self.answered += 1


def lanes(plan: Plan) -> dict[Track, Lane]:
    """All lanes of a plan. The end is a step that the client's lane comes to; an agent has none."""
    made: dict[Track, Lane] = {}
    for track, steps in plan.tracks.items():
        told = [one for one in steps if not one.is_answer and (one.said or plan.own == "client")]
        answers = [one for one in steps if one.is_answer]
        made[track] = Lane(track, told, answers, plan.heard.get(track, ()))
    return made
