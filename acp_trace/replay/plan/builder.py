"""From the recording, each message of the own side -> a step, with the conditions under which it was sent.

A response waits for the peer's request that it answers, and for own requests and notifications before it; not
for other responses, or two requests in another order would deadlock. A request or notification waits for all
own steps before it, for every response that the own side had received by then, and in the middle of a turn
for what had been seen of that turn (docs/replay.md, What is sent when).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from acp_trace.compare.pairing.request_keys import POLLS
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.plan.recording import OpenRequests, RecordedMessage, Recording
from acp_trace.replay.plan.steps import HowOften, Late, Plan, Step, Track
from acp_trace.replay.plan.turn_progress import Seen, TurnProgress, openings
from acp_trace.replay.timeouts import QUIET_LEAST_NS, QUIET_MOST_NS
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender

_REQUEST, _RESPONSE, _NOTIFICATION = MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION


@dataclass(slots=True)
class _Track:
    """What has come in a track since its last step, and when."""

    responses: list[int] = field(default_factory=list)
    settled: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)  #: all messages of the client so far
    in_steps: int = 0  #: number of them that a step contains already
    held_at: int = 0  #: the latest frame that a next request or notification waits for
    answer_at: int = 0  #: the same for a next answer: without responses, and other answers


def plan(recording: Recording, own: Sender) -> Plan:
    """Return the plan to play one side of a recording: all that this side sent, as steps in order."""
    planning = _Planning(recording, own)
    steps = tuple(planning.steps())
    tracks: dict[Track, list[Step]] = defaultdict(list)
    for step in steps:
        tracks[step.track].append(step)
    return Plan(
        own,
        recording,
        steps,
        {key: tuple(of_track) for key, of_track in tracks.items()},
        planning.received(),
        {step.answers: step for step in steps if step.answers is not None},
        planning.openings,
    )


class _Planning:
    """Walks through a recording once."""

    def __init__(self, recording: Recording, own: Sender) -> None:
        self._recording = recording
        self._own = own
        self.openings = openings(recording) if own == "client" else frozenset()
        self._tracks: dict[Track, _Track] = defaultdict(_Track)
        self._open_requests = OpenRequests(recording)
        self._settling: dict[int, list[int]] = defaultdict(list)
        #: The own requests during which each request of the peer came.
        self._within: dict[int, frozenset[int]] = {}
        self._requested_at: dict[int, int] = {}
        self._progress: dict[int, TurnProgress] = {}  #: of each open turn
        self._progress_at: dict[int, int] = {}
        self._polled: dict[tuple[str | None, str], bytes] = {}  #: the last answer by session and parameters
        self._late: Counter[Late] = Counter()
        self._updates: Counter[Late] = Counter()
        self._barrier_at = self._late_at = 0  #: the last barrier, and the last update after it
        self._over_at: int | None = None  #: when a turn settled, since the last step
        self._number = 0
        self._latest: Track = None  #: of the previous message
        self._requested_in: dict[str, Track] = {}  #: of the client's last request with an id
        for turn in recording.turns.values():
            if turn.settled is not None:
                self._settling[turn.settled].append(turn.frame)

    def steps(self) -> Iterator[Step]:
        """Yield all steps, in order."""
        for message in self._recording.messages:
            if message.sender != self._own:
                self._on_peer(message)
            elif not message.partial:
                yield self._step(message)
            for prompt in self._settling.get(message.frame, ()):
                self._on_settled(prompt, message)
        yield self._end()

    def received(self) -> dict[Track, tuple[int, ...]]:
        """Return the client's messages, with answers, by track, if the agent is played."""
        return {key: tuple(track.received) for key, track in self._tracks.items()}

    # -- the peer

    def _on_peer(self, message: RecordedMessage) -> None:
        track = self._tracks[self._track(message)]
        if message.kind is _RESPONSE and message.answers is not None:
            turn = self._recording.turns.get(message.answers)
            if turn is None or not turn.by_update:
                self._open_requests.end(message.answers)
            track.responses.append(message.answers)
            track.held_at = max(track.held_at, message.t_ns)
            self._barrier(message)
        elif message.kind is _REQUEST:
            if self._own == "client":
                self._within[message.frame] = self._open_requests.within(message.session)
            self._requested_at[message.frame] = message.t_ns
            self._barrier(message)
        if self._own == "client":
            self._on_progress(message)
        elif message.kind in (_REQUEST, _NOTIFICATION) or message.answers is not None:
            opened = self._recording.opened.get(message.frame)
            for each in (track, *([] if opened is None else [self._tracks[opened]])):
                each.received.append(message.frame)
                each.held_at = each.answer_at = max(each.held_at, message.t_ns)

    def _on_progress(self, message: RecordedMessage) -> None:
        if message.update is not None and message.kind is _NOTIFICATION:
            self._late[message.session, message.update] += 1
            self._updates[message.session, message.update] += 1
            self._late_at = message.t_ns
        turn = self._open_requests.turn_of(message.session, message.update)
        if turn is not None:
            params = message.part("params") if message.update or message.kind is _REQUEST else {}
            if self._progress[turn].on_message(message.kind, message.method, message.update, params):
                self._progress_at[turn] = message.t_ns

    def _on_settled(self, prompt: int, message: RecordedMessage) -> None:
        self._over_at = message.t_ns
        turn = self._recording.turns[prompt]
        if message.kind is not _RESPONSE and prompt in self._progress:
            track = self._tracks[self._track(message)]
            track.settled.append(prompt)
            track.held_at = max(track.held_at, message.t_ns)
            for kind in updates.OF_TURN:
                self._late.pop((turn.session, kind), None)
        self._open_requests.end(prompt)
        self._progress.pop(prompt, None)

    # -- the own side

    def _step(self, message: RecordedMessage) -> Step:
        key = self._track(message)
        track = self._tracks[key]
        if message.kind is _RESPONSE and message.answers is not None:
            step = self._answer(message, message.answers, key)
        else:
            step = self._in_turn(message, key)
            track.responses, track.settled, self._over_at = [], [], None
            track.answer_at = message.t_ns
        track.in_steps = len(track.received)
        track.held_at = message.t_ns
        self._barrier(message)
        if message.kind is _REQUEST and message.frame in self._recording.exchanges:
            for given_up in self._open_requests.begin(message):
                self._progress.pop(given_up, None)
            if message.frame in self._recording.turns and self._own == "client":
                self._progress[message.frame] = TurnProgress(self.openings)
        return step

    def _answer(self, message: RecordedMessage, request: int, key: Track) -> Step:
        track, requested_at = self._tracks[key], self._requested_at.get(request, 0)
        return Step(
            self._next(),
            message,
            key,
            answers=request,
            within=self._within.get(request, frozenset()),
            again=self._is_repeated(request, message),
            received=self._newly(track),
            received_count=len(track.received),
            late_ns=max(message.t_ns - requested_at, 0),
            pause_ns=max(message.t_ns - max(track.answer_at, requested_at), 0),
        )

    def _is_repeated(self, frame: int, message: RecordedMessage) -> bool:
        request = self._recording.at(frame)
        if request.method not in POLLS:
            return False
        key = request.session, jsontext.canonical(request.part("params"))
        answer = jsontext.canonical(message.value | {"id": None}).encode()
        before, self._polled[key] = self._polled.get(key), answer
        return before == answer

    def _in_turn(self, message: RecordedMessage, key: Track) -> Step:
        track = self._tracks[key]
        target = self._recording.cancels.get(message.frame)
        turn = self._turn(message, target)
        progress = None if turn is None else self._progress[turn]
        held_at = max(track.held_at, self._progress_at.get(turn, 0) if turn is not None else 0)
        return Step(
            self._next(),
            message,
            key,
            responses=tuple(track.responses),
            over=tuple(track.settled),
            received=self._newly(track),
            received_count=len(track.received),
            turn=turn,
            target=target,
            progress=Seen() if progress is None else progress.wanted,
            amount=None if progress is None else progress.amount,
            late=self._late_for(turn),
            late_ns=max(self._late_at - self._barrier_at, 0),
            quiet_ns=self._quiet(message.t_ns),
            pause_ns=max(message.t_ns - held_at, 0),
        )

    def _turn(self, message: RecordedMessage, target: int | None) -> int | None:
        """Return the turn in whose middle something is sent; without a session, the only open turn."""
        if self._own == "agent":
            return None
        if message.method == methods.CANCEL_REQUEST and target in self._progress:
            return target
        if message.session is None and message.method not in methods.OPENERS and len(self._progress) == 1:
            return next(iter(self._progress))
        return self._open_requests.turn_of(message.session)

    def _end(self) -> Step:
        """Return the end of the recording: all of it was seen, and of open turns as much as there is."""
        turn = next(iter(self._progress), None)
        tracks = self._tracks.values()
        return Step(
            self._next(),
            None,
            None,
            responses=tuple(frame for track in tracks for frame in track.responses),
            over=tuple(frame for track in tracks for frame in track.settled),
            turn=turn,
            progress=Seen() if turn is None else self._progress[turn].wanted,
            late=self._late_for(turn),
            late_ns=max(self._late_at - self._barrier_at, 0),
            quiet_ns=self._quiet(self._recording.duration_ns),
        )

    def _quiet(self, until: int) -> int:
        """Return how long it was quiet after a turn that settled since the last step, within bounds."""
        if self._over_at is None or self._own == "agent":
            return 0
        return min(max(until - self._over_at, QUIET_LEAST_NS), QUIET_MOST_NS)

    def _newly(self, track: _Track) -> tuple[int, ...]:
        at = self._recording.at
        frames = track.received[track.in_steps :]
        return tuple(frame for frame in frames if at(frame).kind is not _RESPONSE)

    def _barrier(self, message: RecordedMessage) -> None:
        self._late.clear()
        self._barrier_at = message.t_ns

    def _late_for(self, turn: int | None) -> dict[Late, HowOften]:
        """Return what came after the last barrier; in the middle of a turn, its progress covers its work.

        How much of a turn's work there will be is unknown: some of it must come after the barrier again.
        """
        if self._own == "agent":
            return {}
        return {
            late: HowOften(1, None) if late[1] in updates.OF_TURN else HowOften(lately, self._updates[late])
            for late, lately in self._late.items()
            if turn is None or late[1] not in updates.OF_TURN
        }

    def _track(self, message: RecordedMessage) -> Track:
        """Return a message's track. An agent's message without a session has that of the message before it.

        The answer to a fork names the session that it opened, and comes after that session's history.
        """
        if self._own == "client":
            return None
        if message.sender == self._own and message.answers in self._recording.opened:
            self._latest = self._recording.opened[message.answers]
            return self._latest
        if message.kind is _REQUEST and message.sender != self._own:
            self._requested_in[message.id or "null"] = message.session
        if message.session is None and message.answers is None and message.sender == self._own:
            return (
                self._requested_in.get(message.id or "", self._latest)
                if message.kind is _RESPONSE
                else self._latest
            )
        self._latest = message.session
        return message.session

    def _next(self) -> int:
        self._number += 1
        return self._number
