"""What can be seen of a turn in progress: kinds of events, and how often. For recordings and runs alike.

`builder` decides which step waits for it; `scheduler` checks whether it has come. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from acp_trace.compare.pairing.request_keys import POLLS
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.payloads import ToolCallView, UpdateView, first_text
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.plan.steps import Amount

#: Updates with the text of a thought or a message, and which of the two.
TEXT_UPDATES = {
    "agent_message_chunk": "message",
    "agent_message": "message",
    "agent_thought_chunk": "thought",
    "agent_thought": "thought",
}
#: The rank of each status of a tool call; an agent may leave out `pending`, so it has none.
_RANKS = {"in_progress": 1, **dict.fromkeys(updates.TOOL_CALL_ENDS, 2)}
_WORDS = ("tool call", "tool call under way", "tool call over")
#: What an agent may do without sending anything.
_UNSAID = frozenset({"thought", _WORDS[1]})
#: Any thought or message, even one that is not the model's.
ANY_TEXT = "text"
_TEXTS = frozenset({ANY_TEXT, *TEXT_UPDATES.values()})

#: A thought or a message, and its text: `("message", "Hello")`.
Chunk = tuple[str, str]

#: What was seen of a turn, with counts: `{"message": 1, "tool call over": 2}`.
Seen = Counter[str]


class TurnProgress:
    """Counts what is seen of one turn in progress: kinds of events, never chunks.

    The same counting serves the recording, for what had been seen when something was sent, and the run, in
    which that must be seen again (docs/replay.md, What is sent when). A thought or a message counts once for
    any number of chunks, and its characters count from the last tool call or request on; tool calls are
    counted in total, under way, and over. A permission may come before or after the announcement of its tool
    call: either names the call. `openings`: chunks that begin a turn but are not the model's words. The
    caller passes only messages of its session.
    """

    def __init__(self, openings: AbstractSet[Chunk] = frozenset()) -> None:
        self.seen: Seen = Counter()
        self.characters: Counter[str] = Counter()  #: of thoughts and messages, since anything else
        self.latest: str | None = None  #: which of the two came last, since anything else
        self._openings = openings
        self._ranks: dict[str, int] = {}
        #: The sum of `seen`: adding up all kinds for each message would make a flood of methods slow.
        self._total = 0

    def on_message(
        self, kind: MessageKind, method: str | None, update: str | None, params: dict[str, Any]
    ) -> bool:
        """Process a message of the agent; return whether the turn progressed."""
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
        """Return what must be seen again: text itself only if it was not the model's."""
        wanted = Counter(self.seen)
        if any(wanted[kind] for kind in TEXT_UPDATES.values()):
            del wanted[ANY_TEXT]
        return wanted

    @property
    def amount(self) -> Amount | None:
        """Return how much text the turn had last, if text came last."""
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
    """Return the thought or message in an update; None if it has none."""
    kind = TEXT_UPDATES.get(update or "")
    return None if kind is None else (kind, first_text(UpdateView(params.get("update")).content) or "")


def openings(recording: Recording) -> frozenset[Chunk]:
    """Return the chunks that begin several turns: what an agent always says before its model speaks."""
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
    """Return what is wanted and not seen yet, in words: `["tool call over × 2"]`."""
    return [
        f"{what} × {count}" if count > 1 else what for what, count in wanted.items() if seen[what] < count
    ]


def may_be_unsaid(wanted: Mapping[str, int], seen: Seen) -> bool:
    """Whether the agent may have done everything wanted, but reported less of it.

    A tool call may be under way and a model may think, without a message. But agents do send the first word
    and the end of a tool call: if one is missing, the agent is only slow.
    """
    return bool(seen) and all(seen[what] >= count or what in _UNSAID for what, count in wanted.items())
