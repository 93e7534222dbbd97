"""A track while it is played: how far its steps are, and which answers were asked for. Pure bookkeeping.

Whether a step's conditions hold is asked elsewhere (`conditions`); what stands in whose way, here.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
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
    ready: list[Step] = field(
        default_factory=list
    )  #: asked for and not sent, by number

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

    def asked(self, step: Step) -> None:
        """An answer was asked for."""
        insort(self.ready, step, key=attrgetter("number"))

    def may_answer(self, step: Step) -> bool:
        """Whether all own requests and notifications before an answer were sent."""
        told = self.next
        return told is None or told.number > step.number

    def heard(self, came: Callable[[int], bool]) -> int:
        """How many of the client's messages in this track came, without a hole."""
        while self.came < len(self.client) and came(self.client[self.came]):
            self.came += 1
        return self.came

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
