"""What has come from the peer so far: its turns, what was seen of each turn, and the ids of its tool calls.

Processes messages, answers questions. `scheduler` decides what follows for the next step. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from acp_trace.protocol import methods, updates
from acp_trace.protocol.history import HistoryRequests
from acp_trace.protocol.message import Message, MessageKind
from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.protocol.payloads import ParamsView, ToolCallView
from acp_trace.replay.conversation.tool_call_ids import ToolCallIds
from acp_trace.replay.plan.recording import RecordedMessage, RecordedTurn
from acp_trace.replay.plan.steps import HowOften, Late, Plan, Step
from acp_trace.replay.plan.turn_progress import (
    ANY_TEXT,
    TEXT_UPDATES,
    TurnProgress,
    may_be_unsaid,
    missing,
)


@dataclass(slots=True)
class OpenTurn:
    """An open turn of the run."""

    turn: RecordedTurn
    _progress: TurnProgress
    uncounted: list[Message] = field(default_factory=list)  #: requests since the last look at it

    @property
    def progress(self) -> TurnProgress:
        """What was seen of it. Requests are counted on demand, so that their answers need not wait for it."""
        for request in self.uncounted:
            params = request.part("params") if request.method == methods.PERMISSION else {}
            self._progress.on_message(request.kind, request.method, None, params)
        self.uncounted.clear()
        return self._progress


class PeerState:
    """The peer's state. Sessions have their recorded names, turns are named by their recorded prompts.

    `most`: number of lines after a step that still count as progress.
    """

    def __init__(self, plan: Plan, most: int) -> None:
        self._openings = plan.openings
        self._watched = plan.watched  #: turns whose progress matters
        self._measured = plan.measured  #: turns whose amount of text matters
        self._most = most
        self.count = 0  #: lines that came
        self.size = 0  #: bytes of these
        self.since_step = 0  #: lines that came since the last step
        self.stepped_ns = self.went_on_ns = 0  #: when a step was last over; the last progress
        self.received: set[int] = set()  #: recorded frames of the peer that have come
        self.settled: set[int] = set()  #: own requests that are answered, prompts whose turns are over
        self.answered: set[int] = set()  #: own requests that are answered
        self.sent: set[int] = set()  #: own requests that were sent
        self.tool_call_ids = ToolCallIds()
        self._turns: dict[str, OpenTurns[OpenTurn]] = defaultdict(OpenTurns)
        #: What was seen of turns that are over, if something is sent in the middle of them.
        self._over: dict[int, TurnProgress] = {}
        self._session_of: dict[int, str] = {}  #: of each prompt sent
        self._history: dict[str | None, HistoryRequests] = defaultdict(HistoryRequests)
        self._reopening: dict[int, str | None] = {}  #: sessions by the open requests that reopen them
        self._since: Counter[Late] = Counter()  #: updates since the last barrier
        self._ever: Counter[Late] = Counter()

    # -- what the player sends

    def on_step(self, now: int) -> None:
        """Note that a step was sent, or given up."""
        self.went_on_ns = self.stepped_ns = now
        self.since_step = 0

    def on_prompt_sent(self, turn: RecordedTurn) -> None:
        """Note that a prompt was sent."""
        self._session_of[turn.frame] = turn.session
        turns = self._turns[turn.session]
        turns.begin(
            turn.frame, OpenTurn(turn, TurnProgress(self._openings)), settles=turn.settled is not None
        )

    def on_request_sent(self, request: RecordedMessage) -> None:
        """Note that a request was sent."""
        self.sent.add(request.frame)
        if request.method in methods.REOPENERS:
            self._history[request.session].begin(request.frame, request.method, request.part("params"))
            self._reopening[request.frame] = request.session

    def on_skipped(self, frame: int) -> None:
        """Note that a request will never be sent."""
        self.settled.add(frame)

    def on_barrier(self) -> None:
        """Note a request or response of either side, or another message of the player."""
        self._since.clear()

    # -- what comes

    def on_line(self, now: int, size: int, *, sound: bool) -> None:
        """Count a line of `size` bytes; `sound`: it is a message."""
        self.count += 1
        self.size += size
        self.since_step += 1
        if sound and self.since_step <= self._most:
            self.went_on_ns = now

    def on_response(self, frame: int, *, stopped: bool) -> None:
        """An own request was answered; `stopped`: with an error or a stop reason, which end any turn."""
        self.on_barrier()
        self.answered.add(frame)
        if frame in self._reopening:
            self._history[self._reopening.pop(frame)].end(frame)
        turn = self.open_turn(frame)
        if turn is None or stopped or not turn.turn.by_update:
            self._settle(frame)

    def on_message(self, message: Message, session: str | None) -> None:
        """Process a request or notification."""
        turn = self.turn_of(session)
        is_watched = turn is not None and turn.turn.frame in self._watched
        if message.kind is MessageKind.REQUEST:
            self.on_barrier()
            if turn is not None and is_watched:
                turn.uncounted.append(message)
            return
        if message.update is None:
            return
        if self._is_history(session, message.update, turn):
            turn = None
        if turn is not None and is_watched:
            is_read = message.update in updates.TOOL_CALLS or (
                message.update in TEXT_UPDATES and self._reads_text(turn)
            )
            params = message.part("params") if is_read else {}
            turn.progress.on_message(message.kind, message.method, message.update, params)
        late = session, message.update
        self._since[late] += 1
        self._ever[late] += 1
        if message.update in ToolCallIds.UPDATES:
            params = message.part("params")
            self.tool_call_ids.on_update(params, session, turn.turn.frame if turn else None)
        elif message.update == updates.STATE and turn is not None and turn.turn.by_update:
            idle = ParamsView(message.part("params")).update.state == "idle"
            if idle:
                for each in list(self._turns[turn.turn.session]):
                    self._settle(each.turn.frame)

    def _is_history(self, session: str | None, kind: str, turn: OpenTurn | None) -> bool:
        """Whether an update repeats an earlier one: then it neither continues nor settles a turn."""
        history = self._history.get(session) if self._reopening else None
        return history is not None and history.of(kind, has_turn=turn is not None) is not None

    # -- questions

    def turn_of(self, session: str | None) -> OpenTurn | None:
        """Return the turn of a session that something belongs to; None if the session has no open turn."""
        turns = self._turns.get(session or "")
        return None if turns is None else turns.oldest

    def open_turns(self, session: str | None) -> list[int]:
        """Return the open turns of a session, by their prompts, the oldest first."""
        return [each.turn.frame for each in self._turns.get(session or "", ())]

    def open_turn(self, frame: int) -> OpenTurn | None:
        """Return the turn of a prompt, as long as it is open."""
        session = self._session_of.get(frame)
        return None if session is None else self._turns[session].get(frame)

    def unseen(self, step: Step) -> list[str]:
        """Return what a step waits for in its turn, in words; empty once the turn is over."""
        turn = self._turn_of_step(step)
        return [] if turn is None else missing(step.progress, turn.progress.seen)

    def may_be_as_far(self, step: Step) -> bool:
        """Whether the turn of a step may be as far as the step needs, but says less; or it is over."""
        turn = self._turn_of_step(step)
        return turn is None or may_be_unsaid(step.progress, turn.progress.seen)

    def too_little(self, step: Step) -> int | None:
        """Return how many characters came of those that a step needs; None if enough, or its turn is over."""
        turn = self._turn_of_step(step)
        if turn is None or step.amount is None:
            return None
        came = turn.progress.characters[step.amount.kind]
        return came if came < step.amount.characters else None

    def fell_short(self, step: Step) -> int | None:
        """Return how many characters came in a step's turn, if that is over and lacked only text."""
        progress = self._over.get(step.turn or 0)
        if progress is None or step.amount is None or missing(step.progress, progress.seen):
            return None
        return progress.characters[step.amount.kind]

    def _turn_of_step(self, step: Step) -> OpenTurn | None:
        return None if step.turn is None else self.open_turn(step.turn)

    def tool_kind(self, session: str | None, call: object) -> str | None:
        """Return the kind of the tool call that a `{"toolCallId": …}` names, as far as updates gave it."""
        return self.tool_call_ids.kinds.get((session, ToolCallView(call).tool_call_id or ""))

    def absent(self, wanted: Mapping[Late, HowOften]) -> list[Late]:
        """Return which of these updates came less often, both since the last barrier and in all."""
        return [
            late
            for late, often in wanted.items()
            if self._since[late] < often.lately and (often.ever is None or self._ever[late] < often.ever)
        ]

    def _reads_text(self, turn: OpenTurn) -> bool:
        """Whether a chunk's text matters: reading every chunk would take a fifth of a replay's time."""
        if turn.turn.frame in self._measured:
            return True
        return bool(self._openings) and not turn.progress.seen[ANY_TEXT]

    def _settle(self, frame: int) -> None:
        self.settled.add(frame)
        session = self._session_of.get(frame)
        turn = None if session is None else self._turns[session].settle(frame)
        if turn is not None:
            if frame in self._measured:
                self._over[frame] = turn.progress
            for kind in updates.OF_TURN:
                del self._since[session, kind]
