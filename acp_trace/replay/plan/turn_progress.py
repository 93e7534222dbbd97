"""What can be seen of a turn while it goes on: kinds of events, and how often. In recordings and runs alike.

Which step waits for it says `builder`; whether it is there, `scheduler`. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from acp_trace.compare.pairing.keys import POLLS
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.payloads import ToolCallView, UpdateView, first_text
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.plan.steps import Amount

#: Updates that are the words of a thought or a message, and which of both.
TEXT_UPDATES = {
    "agent_message_chunk": "message",
    "agent_message": "message",
    "agent_thought_chunk": "thought",
    "agent_thought": "thought",
}
#: How far each status of a tool call is; what an agent may leave out (`pending`) is no step of its own.
_RANKS = {"in_progress": 1, **dict.fromkeys(updates.TOOL_CALL_ENDS, 2)}
_WORDS = ("tool call", "tool call under way", "tool call over")
#: What an agent may do without a word of it.
_UNSAID = frozenset({"thought", _WORDS[1]})
#: Any thought or message, also one that says nothing of the model.
ANY_TEXT = "text"
_TEXTS = frozenset({ANY_TEXT, *TEXT_UPDATES.values()})

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
        """Takes in a message of the agent; returns whether the turn got further by it."""
        before, is_text = self._total, False
        if kind is MessageKind.REQUEST and method is not None and method not in POLLS:
            self._add(method)
            if method == methods.PERMISSION:
                self._on_tool_call(params.get("toolCall"))
        elif kind is MessageKind.NOTIFICATION and update is not None:
            if (chunk := chunk_of(update, params)) is not None:
                self._on_text(chunk)
                is_text = True
            else:
                self._on_tool_call(params.get("update"))
        return is_text or self._total != before

    @property
    def wanted(self) -> Seen:
        """What must be seen again: that there was text at all only where it was not the model's."""
        wanted = Counter(self.seen)
        if any(wanted[kind] for kind in TEXT_UPDATES.values()):
            del wanted[ANY_TEXT]
        return wanted

    @property
    def amount(self) -> Amount | None:
        """How much of what the turn said last, if that was text."""
        return None if self.latest is None else Amount(self.latest, self.characters[self.latest])

    def _on_text(self, chunk: Chunk) -> None:
        kind, text = chunk
        is_first = not self.seen[ANY_TEXT]
        if is_first:
            self._add(ANY_TEXT)
        if is_first and chunk in self._openings:
            return
        if not self.seen[kind]:
            self._add(kind)
        self.latest = kind
        self.characters[kind] += max(len(text), 1)

    def _on_tool_call(self, call: object) -> None:
        named = ToolCallView(call)
        if (call_id := named.tool_call_id) is None:
            return
        before = self._ranks.get(call_id, -1)
        rank = max(before, _RANKS.get(named.status or "", 0))
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
    kind = TEXT_UPDATES.get(update or "")
    return None if kind is None else (kind, first_text(UpdateView(params.get("update")).content) or "")


def openings(recording: Recording) -> frozenset[Chunk]:
    """The chunks with which several turns begin: what an agent always says before its model speaks."""
    begun: Counter[Chunk] = Counter()
    waiting: set[str | None] = set()  #: sessions whose turn has said nothing yet
    for message in recording.messages:
        if message.frame in recording.turns:
            waiting.add(message.session)
        elif (
            message.session in waiting
            and message.update is not None
            and (chunk := chunk_of(message.update, message.part("params"))) is not None
        ):
            begun[chunk] += 1
            waiting.discard(message.session)
    return frozenset(chunk for chunk, count in begun.items() if count > 1)


def missing(wanted: Mapping[str, int], seen: Seen) -> list[str]:
    """What is wanted and not seen yet, in words: `["tool call over × 2"]`."""
    return [
        f"{what} × {count}" if count > 1 else what for what, count in wanted.items() if seen[what] < count
    ]


def may_be_unsaid(wanted: Mapping[str, int], seen: Seen) -> bool:
    """Whether the agent may have done all that is wanted, and said less of it.

    A tool call may be under way and a model may think, though nothing says so. Nobody leaves out a first word
    or the end of a tool call: that is slow.
    """
    return bool(seen) and all(seen[what] >= count or what in _UNSAID for what, count in wanted.items())
