"""What has come from the peer so far: how much, in which turns, what can be seen of each, and its tool calls.

Takes in messages, answers questions. What follows from them for the next step stands in `scheduler`. Pure:
times are given, in ns of one clock.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from acp_trace.compare.pairing.keys import POLLS
from acp_trace.protocol import methods, updates
from acp_trace.protocol.content import first_text
from acp_trace.protocol.message import Message, MessageKind
from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.replay.plan import HowOften, Late
from acp_trace.replay.recording import RecordedMessage, RecordedTurn
from acp_trace.replay.timeouts import (
    FLOOD_BYTES,
    FLOOD_TIMES,
    LONGEST_TIMES,
    MESSAGES_MORE,
    MESSAGES_TIMES,
    RECORDED_TIMES,
)
from acp_trace.replay.tool_call_ids import ToolCallIds

_ONCE = {
    "agent_message_chunk": "message",
    "agent_message": "message",
    "agent_thought_chunk": "thought",
    "agent_thought": "thought",
}
#: How far each status of a tool call is; what an agent may leave out (`pending`) is no step of its own.
_RANKS = {"in_progress": 1, **dict.fromkeys(updates.TOOL_CALL_ENDS, 2)}
_CALLS = frozenset({updates.TOOL_CALL, updates.TOOL_CALL_UPDATE})
_WORDS = ("tool call", "tool call under way", "tool call over")
#: Any thought or message, also one that says nothing of the model.
_ANY_TEXT = "text"
_TEXTS = frozenset({_ANY_TEXT, *_ONCE.values()})

#: A thought or a message, and its text: `("message", "Hello")`.
Chunk = tuple[str, str]

#: What was seen of a turn, and how often: `{"message": 1, "tool call over": 2}`.
Seen = Counter[str]


class TurnProgress:
    """Counts what is seen of one turn while it goes on: kinds of events, never chunks.

    The same counting serves the recording, where it says what had been seen when something was sent, and the
    run, where that must be seen again (docs/replay.md, What is sent when). A thought or a message counts once
    however many chunks it has, and its characters from the last tool call or request on; of tool calls counts
    how many there are, how many are under way and how many are over. Whether a permission comes before its
    tool call is announced or after makes no difference: either names it. `openings`: chunks that are no words
    of a model where a turn begins with one. Whoever feeds it knows that the messages are of its session.
    """

    def __init__(self, openings: AbstractSet[Chunk] = frozenset()) -> None:
        self.seen: Seen = Counter()
        self.characters: Counter[str] = Counter()  #: of thoughts and messages, since anything else
        self.latest: str | None = None  #: which of both came last, since anything else
        self._openings = openings
        self._ranks: dict[str, int] = {}
        #: Of `seen`: a sum over all kinds, for each message, would make a flood of methods slow.
        self._total = 0

    def on_message(
        self, kind: MessageKind, method: str | None, update: str | None, params: dict[str, Any]
    ) -> bool:
        """Takes in a message of the agent; returns whether that was something new."""
        before = self._total
        if kind is MessageKind.REQUEST and method is not None and method not in POLLS:
            self._add(method)
            if method == methods.PERMISSION:
                self._on_tool_call(params.get("toolCall"))
        elif kind is MessageKind.NOTIFICATION and update is not None:
            if (chunk := chunk_of(update, params)) is not None:
                self._on_text(chunk)
            self._on_tool_call(params.get("update"))
        return self._total != before

    @property
    def wanted(self) -> Seen:
        """What must be seen again: that there was text at all only where it was not the model's."""
        wanted = Counter(self.seen)
        if any(wanted[kind] for kind in _ONCE.values()):
            del wanted[_ANY_TEXT]
        return wanted

    def _on_text(self, chunk: Chunk) -> None:
        kind, text = chunk
        is_first = not self.seen[_ANY_TEXT]
        if is_first:
            self._add(_ANY_TEXT)
        if is_first and chunk in self._openings:
            return
        if not self.seen[kind]:
            self._add(kind)
        self.latest = kind
        self.characters[kind] += max(len(text), 1)

    def _on_tool_call(self, call: object) -> None:
        if not isinstance(call, dict) or not isinstance(call.get("toolCallId"), str):
            return
        call_id, status = call["toolCallId"], call.get("status")
        before = self._ranks.get(call_id, -1)
        rank = max(before, _RANKS.get(status, 0) if isinstance(status, str) else 0)
        for passed in range(before + 1, rank + 1):
            self._add(_WORDS[passed])
        self._ranks[call_id] = rank

    def _add(self, what: str) -> None:
        if what not in _TEXTS:
            self.characters.clear()
            self.latest = None
        self.seen[what] += 1
        self._total += 1


def chunk_of(update: str | None, params: dict[str, Any]) -> Chunk | None:
    """The thought or message that an update is; None if it is none."""
    kind, body = _ONCE.get(update or ""), params.get("update")
    if kind is None:
        return None
    return kind, first_text(body.get("content") if isinstance(body, dict) else None) or ""


def missing(wanted: Mapping[str, int], seen: Seen) -> list[str]:
    """What is wanted and not seen yet, in words: `["tool call over × 2"]`."""
    return [
        f"{what} × {count}" if count > 1 else what for what, count in wanted.items() if seen[what] < count
    ]


class Patience:
    """When waiting has gone on for too long, and when what comes is a flood.

    What counts as going on is a step that was sent, and any message while there are not far more of them than
    were recorded: a flood of messages, or of lines that are none, does not keep a replay alive. `frames`,
    `size` (bytes) and `duration_ns` are those of the recording.
    """

    def __init__(self, timeout_ns: int, frames: int, size: int, duration_ns: int) -> None:
        self.timeout_ns = timeout_ns
        self._frames = MESSAGES_TIMES * frames + MESSAGES_MORE
        self._bytes = MESSAGES_TIMES * size + FLOOD_BYTES
        self._longest = max(LONGEST_TIMES * timeout_ns, RECORDED_TIMES * duration_ns)
        self._moved = self._stepped = 0
        self._came = self._size = 0

    def on_step(self, now: int) -> None:
        """A step was sent, or given up."""
        self._moved = self._stepped = now
        self._came = 0

    def on_line(self, now: int, size: int, *, sound: bool) -> None:
        """A line of so many bytes came; `sound`: it is a message."""
        self._came += 1
        self._size += size
        if sound and self._came <= self._frames:
            self._moved = now

    @property
    def is_flooded(self) -> bool:
        """Whether more came than anything recorded explains."""
        return self._size > self._bytes or self._came > FLOOD_TIMES * self._frames

    @property
    def is_drowned(self) -> bool:
        """Whether what came since the last step is far more than was recorded: it never came to the point."""
        return self._came > self._frames

    @property
    def halfway(self) -> int:
        """When half of what is enough is over, in ns."""
        return self._moved + self.timeout_ns // 2

    @property
    def deadline(self) -> int:
        """When it is enough, in ns."""
        return min(self._moved + self.timeout_ns, self._stepped + self._longest)


@dataclass(slots=True)
class OpenTurn:
    """A turn that is open in the run."""

    turn: RecordedTurn
    progress: TurnProgress


class PeerState:
    """The peer. Sessions are named as the recording names them, turns by their recorded prompts."""

    def __init__(
        self, openings: AbstractSet[Chunk] = frozenset(), measured: AbstractSet[int] = frozenset()
    ) -> None:
        self._openings = openings
        self._measured = measured  #: turns of which it matters how much they say
        self.count = 0  #: lines that came
        self.received: set[int] = set()  #: recorded frames of the peer that came
        self.settled: set[int] = set()  #: own requests that are answered, prompts whose turns are over
        self.answered: set[int] = set()  #: own requests that are answered
        self.sent: set[int] = set()  #: own requests that were sent
        self.tool_call_ids = ToolCallIds()
        self._turns: dict[str, OpenTurns[OpenTurn]] = defaultdict(OpenTurns)
        self._session_of: dict[int, str] = {}  #: of each prompt that was sent
        self._loading: dict[int, str | None] = {}  #: sessions by the open requests that replay their past
        self._since: Counter[Late] = Counter()  #: updates since the last barrier
        self._ever: Counter[Late] = Counter()

    # -- what the player sends

    def on_prompt_sent(self, turn: RecordedTurn) -> None:
        """A prompt was sent."""
        self._session_of[turn.frame] = turn.session
        turns = self._turns[turn.session]
        turns.begin(
            turn.frame, OpenTurn(turn, TurnProgress(self._openings)), settles=turn.settled is not None
        )

    def on_request_sent(self, request: RecordedMessage) -> None:
        """A request was sent. While one makes the agent replay history, no turn settles by that."""
        self.sent.add(request.frame)
        if request.method in methods.OPENERS and methods.replays_history(
            request.method, request.part("params")
        ):
            self._loading[request.frame] = request.session

    def on_skipped(self, frame: int) -> None:
        """A request will never be sent."""
        self.settled.add(frame)

    def on_barrier(self) -> None:
        """There was a request or a response of either side, or the player sent something else."""
        self._since.clear()

    # -- what comes

    def on_response(self, frame: int, *, stopped: bool) -> None:
        """An own request was answered; `stopped`: with an error or a stop reason, which end any turn."""
        self.on_barrier()
        self.answered.add(frame)
        self._loading.pop(frame, None)
        turn = self.open_turn(frame)
        if turn is None or stopped or not turn.turn.by_update:
            self._settle(frame)

    def on_message(self, message: Message, session: str | None) -> None:
        """Takes in a request or notification."""
        turn = self.turn_of(session)
        if turn is not None:
            is_read = (
                message.update in _CALLS
                or message.method == methods.PERMISSION
                or (message.update in _ONCE and self._reads_text(turn))
            )
            params = message.part("params") if is_read else {}
            turn.progress.on_message(message.kind, message.method, message.update, params)
        if message.kind is MessageKind.REQUEST:
            self.on_barrier()
        if message.kind is not MessageKind.NOTIFICATION or message.update is None:
            return
        late = session, message.update
        self._since[late] += 1
        self._ever[late] += 1
        if message.update in ToolCallIds.UPDATES:
            params = message.part("params")
            self.tool_call_ids.on_update(params, session, turn.turn.frame if turn else None)
        elif message.update == updates.STATE and turn is not None and turn.turn.by_update:
            update = message.part("params").get("update")
            idle = isinstance(update, dict) and update.get("state") == "idle"
            if idle and session not in self._loading.values():
                for each in list(self._turns[turn.turn.session]):
                    self._settle(each.turn.frame)

    # -- questions

    def turn_of(self, session: str | None) -> OpenTurn | None:
        """The turn of a session that something belongs to; None if no turn is open there."""
        turns = self._turns.get(session or "")
        return None if turns is None else turns.oldest

    def open_turns(self, session: str | None) -> list[int]:
        """The open turns of a session, by their prompts, the oldest first."""
        return [each.turn.frame for each in self._turns.get(session or "", ())]

    def open_turn(self, frame: int) -> OpenTurn | None:
        """The turn of a prompt, as long as it is open."""
        session = self._session_of.get(frame)
        return None if session is None else self._turns[session].get(frame)

    def tool_kind(self, session: str | None, call: object) -> str | None:
        """The kind of the tool call that a `{"toolCallId": …}` names, as far as updates said it."""
        call_id = call.get("toolCallId") if isinstance(call, dict) else None
        return self.tool_call_ids.kinds.get((session, call_id)) if isinstance(call_id, str) else None

    def absent(self, wanted: Mapping[Late, HowOften]) -> list[Late]:
        """Which of these updates came less often, both since the last barrier and in all."""
        return [
            late
            for late, often in wanted.items()
            if self._since[late] < often.lately and (often.ever is None or self._ever[late] < often.ever)
        ]

    def _reads_text(self, turn: OpenTurn) -> bool:
        """Whether it matters what a chunk says: reading each would take a fifth of the time of a replay."""
        if turn.turn.frame in self._measured:
            return True
        return bool(self._openings) and not turn.progress.seen[_ANY_TEXT]

    def _settle(self, frame: int) -> None:
        self.settled.add(frame)
        session = self._session_of.get(frame)
        if session is not None and self._turns[session].settle(frame) is not None:
            for kind in updates.OF_TURN:
                del self._since[session, kind]
