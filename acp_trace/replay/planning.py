"""From the recording, each message of the own side -> a step, with the conditions under which it was sent.

A response waits for the live request that it answers, and for own requests and notifications before it;
not for other responses, or two requests asked in another order would deadlock. A request or notification
waits for all own steps before it, for every response that own side had got by then, and in the middle of
a turn for what had been seen of that turn (docs/replay.md, What is sent when).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from acp_trace.compare.keys import POLLS
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.limits import QUIET_LEAST_NS, QUIET_MOST_NS
from acp_trace.replay.open_requests import OpenRequests
from acp_trace.replay.plan import HowOften, Late, Plan, Step, Track
from acp_trace.replay.recording import RecordedMessage, Recording
from acp_trace.replay.turn_progress import Seen, TurnProgress
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender

_REQUEST, _RESPONSE, _NOTIFICATION = MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION


@dataclass(slots=True)
class _Track:
    """What has come in a track since its last step, and when."""

    responses: list[int] = field(default_factory=list)
    settled: list[int] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)  #: all that the client ever said
    told_to: int = 0  #: so many of them stand with a step already
    held_at: int = 0  #: the latest of all that a next request or notification waits for
    answer_at: int = 0  #: the same for a next answer: not for responses, nor for other answers


def plan(recording: Recording, own: Sender) -> Plan:
    """The plan for one side of a recording."""
    planning = _Planning(recording, own)
    steps = tuple(planning.steps())
    tracks: dict[Track, list[Step]] = defaultdict(list)
    for step in steps:
        tracks[step.track].append(step)
    return Plan(
        own,
        recording,
        steps,
        {key: tuple(some) for key, some in tracks.items()},
        planning.heard(),
        {step.answers: step for step in steps if step.answers is not None},
    )


class _Planning:
    """Walks through a recording once."""

    def __init__(self, recording: Recording, own: Sender) -> None:
        self._recording = recording
        self._own = own
        self._tracks: dict[Track, _Track] = defaultdict(_Track)
        self._open_requests = OpenRequests(recording)
        self._settling: dict[int, list[int]] = defaultdict(list)
        self._within: dict[int, frozenset[int]] = {}  #: live request -> own requests in whose course it came
        self._asked_at: dict[int, int] = {}
        self._progress: dict[int, TurnProgress] = {}  #: of each open turn
        self._sighted_at: dict[int, int] = {}
        self._polled: dict[tuple[str | None, str], bytes] = {}  #: the last answer by session and parameters
        self._late: Counter[Late] = Counter()
        self._updates: Counter[Late] = Counter()
        self._barrier_at = self._late_at = 0  #: the last barrier, and the last update after it
        self._over_at: int | None = None  #: when a turn settled, since the last step
        self._number = 0
        self._latest: Track = None  #: of the message before this one
        self._asked_in: dict[str, Track] = {}  #: of the client's last request with an id
        for turn in recording.turns.values():
            if turn.settled is not None:
                self._settling[turn.settled].append(turn.frame)

    def steps(self) -> Iterator[Step]:
        """All steps, in their order."""
        for said in self._recording.said:
            if said.sender != self._own:
                self._heard(said)
            elif not said.partial:
                yield self._step(said)
            for prompt in self._settling.get(said.frame, ()):
                self._settled(prompt, said)
        yield self._end()

    def heard(self) -> dict[Track, tuple[int, ...]]:
        """What the client said, answers as well, by track, when the agent is played."""
        return {key: tuple(track.heard) for key, track in self._tracks.items()}

    # -- the live side

    def _heard(self, said: RecordedMessage) -> None:
        track = self._tracks[self._track(said)]
        if said.kind is _RESPONSE and said.answers is not None:
            turn = self._recording.turns.get(said.answers)
            if turn is None or not turn.by_update:
                self._open_requests.end(said.answers)
            track.responses.append(said.answers)
            track.held_at = max(track.held_at, said.t_ns)
            self._barrier(said)
        elif said.kind is _REQUEST:
            if self._own == "client":
                self._within[said.frame] = self._open_requests.within(said.session)
            self._asked_at[said.frame] = said.t_ns
            self._barrier(said)
        if self._own == "client":
            self._seen(said)
        elif said.kind in (_REQUEST, _NOTIFICATION) or said.answers is not None:
            track.heard.append(said.frame)
            track.held_at = track.answer_at = max(track.held_at, said.t_ns)

    def _seen(self, said: RecordedMessage) -> None:
        if said.update is not None and said.kind is _NOTIFICATION:
            self._late[said.session, said.update] += 1
            self._updates[said.session, said.update] += 1
            self._late_at = said.t_ns
        turn = self._open_requests.turn_of(said.session)
        if turn is not None:
            params = said.part("params") if said.update or said.kind is _REQUEST else {}
            if self._progress[turn].see(said.kind, said.method, said.update, params):
                self._sighted_at[turn] = said.t_ns

    def _settled(self, prompt: int, said: RecordedMessage) -> None:
        self._over_at = said.t_ns
        turn = self._recording.turns[prompt]
        if said.kind is not _RESPONSE and prompt in self._progress:
            track = self._tracks[self._track(said)]
            track.settled.append(prompt)
            track.held_at = max(track.held_at, said.t_ns)
            for kind in updates.OF_TURN:
                self._late.pop((turn.session, kind), None)
        self._open_requests.end(prompt)
        self._progress.pop(prompt, None)

    # -- the own side

    def _step(self, said: RecordedMessage) -> Step:
        key = self._track(said)
        track = self._tracks[key]
        if said.kind is _RESPONSE and said.answers is not None:
            step = self._answer(said, said.answers, key)
        else:
            step = self._told(said, key)
            track.responses, track.settled, self._over_at = [], [], None
            track.answer_at = said.t_ns
        track.told_to = len(track.heard)
        track.held_at = said.t_ns
        self._barrier(said)
        if said.kind is _REQUEST and said.frame in self._recording.exchanges:
            for given_up in self._open_requests.begin(said):
                self._progress.pop(given_up, None)
            if said.frame in self._recording.turns and self._own == "client":
                self._progress[said.frame] = TurnProgress()
        return step

    def _answer(self, said: RecordedMessage, asked: int, key: Track) -> Step:
        track, asked_at = self._tracks[key], self._asked_at.get(asked, 0)
        return Step(
            self._next(),
            said,
            key,
            answers=asked,
            within=self._within.get(asked, frozenset()),
            again=self._again(asked, said),
            heard=self._newly(track),
            heard_to=len(track.heard),
            late_ns=max(said.t_ns - asked_at, 0),
            pause_ns=max(said.t_ns - max(track.answer_at, asked_at), 0),
        )

    def _again(self, asked: int, said: RecordedMessage) -> bool:
        request = self._recording.at(asked)
        if request.method not in POLLS:
            return False
        key = request.session, jsontext.canonical(request.part("params"))
        answer = jsontext.canonical(said.value | {"id": None}).encode()
        before, self._polled[key] = self._polled.get(key), answer
        return before == answer

    def _told(self, said: RecordedMessage, key: Track) -> Step:
        track = self._tracks[key]
        target = self._recording.cancels.get(said.frame)
        turn = self._open_requests.turn_of(said.session) if self._own == "client" else None
        if said.method == methods.CANCEL_REQUEST and target in self._progress:
            turn = target
        held_at = max(track.held_at, self._sighted_at.get(turn, 0) if turn is not None else 0)
        return Step(
            self._next(),
            said,
            key,
            responses=tuple(track.responses),
            over=tuple(track.settled),
            heard=self._newly(track),
            heard_to=len(track.heard),
            turn=turn,
            target=target,
            progress=Seen(self._progress[turn].seen) if turn is not None else Seen(),
            late=self._late_for(turn),
            late_ns=max(self._late_at - self._barrier_at, 0),
            quiet_ns=self._quiet(said.t_ns),
            pause_ns=max(said.t_ns - held_at, 0),
        )

    def _end(self) -> Step:
        """When the recording is over: all of it was seen, of turns that are open as much as there is."""
        turn = next(iter(self._progress), None)
        tracks = self._tracks.values()
        return Step(
            self._next(),
            None,
            None,
            responses=tuple(one for track in tracks for one in track.responses),
            over=tuple(one for track in tracks for one in track.settled),
            turn=turn,
            progress=Seen(self._progress[turn].seen) if turn is not None else Seen(),
            late=self._late_for(turn),
            late_ns=max(self._late_at - self._barrier_at, 0),
            quiet_ns=self._quiet(self._recording.duration_ns),
        )

    def _quiet(self, until: int) -> int:
        """As long as it was quiet after a turn that settled since the last step, within bounds."""
        if self._over_at is None or self._own == "agent":
            return 0
        return min(max(until - self._over_at, QUIET_LEAST_NS), QUIET_MOST_NS)

    def _newly(self, track: _Track) -> tuple[int, ...]:
        at = self._recording.at
        return tuple(one for one in track.heard[track.told_to :] if at(one).kind is not _RESPONSE)

    def _barrier(self, said: RecordedMessage) -> None:
        self._late.clear()
        self._barrier_at = said.t_ns

    def _late_for(self, turn: int | None) -> dict[Late, HowOften]:
        """What came after the last barrier: in the middle of a turn its sights stand for its work.

        Of a turn's work it is not known how much there will be: some of it must come after the barrier again.
        """
        if self._own == "agent":
            return {}
        return {
            late: HowOften(1, None) if late[1] in updates.OF_TURN else HowOften(lately, self._updates[late])
            for late, lately in self._late.items()
            if turn is None or late[1] not in updates.OF_TURN
        }

    def _track(self, said: RecordedMessage) -> Track:
        """Where a message stands. What the agent says of no session comes after what came just before it."""
        if self._own == "client":
            return None
        if said.kind is _REQUEST and said.sender != self._own:
            self._asked_in[said.id or "null"] = said.session
        if said.session is None and said.answers is None and said.sender == self._own:
            return self._asked_in.get(said.id or "", self._latest) if said.kind is _RESPONSE else self._latest
        self._latest = said.session
        return said.session

    def _next(self) -> int:
        self._number += 1
        return self._number
