"""What can be seen of a turn while it goes on: kinds of events, not counts of chunks.

The same counting serves the recording, where it says what had been seen when something was sent, and the
live run, where that must be seen again (docs/replay.md, What is sent when). A thought or a message counts
once however many chunks it has; of tool calls counts how many there are, how many are under way and how
many are over.
Whether a permission comes before its tool call is announced or after makes no difference: either names it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from acp_trace.compare.keys import POLLS
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Message, MessageKind

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

#: What was seen, and how often.
Seen = Counter[str]


class TurnProgress:
    """Counts what is seen of one turn. Whoever feeds it knows that the messages are of its session."""

    def __init__(self) -> None:
        self.seen: Seen = Counter()
        self._ranks: dict[str, int] = {}
        self._total = (
            0  #: of `seen`: a sum over all kinds, for each message, would make a flood of methods slow
        )

    def see(self, kind: MessageKind, method: str | None, update: str | None, params: dict[str, Any]) -> bool:
        """Takes in a message of the agent; whether that was something new."""
        before = self._total
        if kind is MessageKind.REQUEST and method is not None and method not in POLLS:
            self._add(method)
            if method == methods.PERMISSION:
                self._call(params.get("toolCall"))
        elif kind is MessageKind.NOTIFICATION and update is not None:
            self._update(update, params.get("update"))
        return self._total != before

    def take(self, message: Message) -> bool:
        """The same for a message as it came."""
        update = message.update
        calls = update in _CALLS or message.method == methods.PERMISSION
        return self.see(message.kind, message.method, update, message.part("params") if calls else {})

    def _update(self, kind: str, update: Any) -> None:
        if kind in _ONCE and not self.seen[_ONCE[kind]]:
            self._add(_ONCE[kind])
        self._call(update)

    def _call(self, told: Any) -> None:
        if not isinstance(told, dict) or not isinstance(told.get("toolCallId"), str):
            return
        named, status = told["toolCallId"], told.get("status")
        before = self._ranks.get(named, -1)
        rank = max(before, _RANKS.get(status, 0) if isinstance(status, str) else 0)
        for passed in range(before + 1, rank + 1):
            self._add(_WORDS[passed])
        self._ranks[named] = rank

    def _add(self, what: str) -> None:
        self.seen[what] += 1
        self._total += 1


def missing(wanted: Mapping[str, int], seen: Seen) -> list[str]:
    """What is wanted and not seen yet, in words: `tool call over × 2`."""
    return [
        f"{what} × {count}" if count > 1 else what for what, count in wanted.items() if seen[what] < count
    ]
