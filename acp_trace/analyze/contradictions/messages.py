"""Text that is sent twice: a message again after its chunks, and what the user has just typed."""

from __future__ import annotations

import msgspec

from acp_trace.analyze.contradictions.rules import Asked, RuleContext, Rules
from acp_trace.analyze.state import SessionState, Told
from acp_trace.protocol import methods, updates
from acp_trace.trace.jsontext import short

#: A message of fewer characters may be said twice for another reason; one of more is not kept.
_SHORTEST, _LONGEST = 16, 1_000_000
_ECHO = "user_message_chunk"


class _Said(msgspec.Struct, gc=False):
    """The chunks of one message so far."""

    frame: int
    until: int
    texts: list[str]
    length: int


class MessageRules(Rules):
    """Chunks of text, as they come: nearly all frames there are, so that they have a way of their own."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._said: dict[tuple[str, str], _Said] = {}  #: by session and kind
        self.requests = {methods.PROMPT: self._prompts}
        self.updates = dict.fromkeys((*updates.TOOL_CALLS, updates.STATE), self._breaks)

    def chunk(self, frame: int, session: SessionState, kind: str, text: str) -> None:
        """Takes in a chunk of text that came in a turn, or between two, and is no history."""
        said = self._said.get((session.id, kind))
        if said is None:
            self._said[session.id, kind] = _Said(frame, frame, [text], len(text))
            if kind == _ECHO:
                self._echo(frame, session, text)
            return
        if len(text) == said.length >= _SHORTEST and len(said.texts) > 1 and "".join(said.texts) == text:
            repeated = f"repeats the text of #{said.frame} to #{said.until}"
            self.say(
                "message-repeated",
                "agent",
                frame,
                session.id,
                f"{kind} of {len(text):,} characters {repeated}",
            )
            del self._said[session.id, kind]
            return
        said.until = frame
        said.length += len(text)
        if said.length <= _LONGEST:
            said.texts.append(text)
        elif said.texts:
            said.texts.clear()

    def _echo(self, frame: int, session: SessionState, text: str) -> None:
        turn = session.open_turns.oldest
        # Version 2 asks for it: what was accepted is sent back with the id of its message.
        if turn is not None and self.version == 1 and turn.prompt and text.startswith(turn.prompt):
            shown = f"the prompt of turn {turn.index}, {short(turn.prompt)}, comes back as {_ECHO}"
            self.say("prompt-echoed", "agent", frame, session.id, shown)

    def _breaks(self, told: Told) -> None:
        self._forget(told.session.id)

    def _prompts(self, asked: Asked) -> None:
        self._forget(asked.session_id or "")

    def _forget(self, session_id: str) -> None:
        for kind in updates.CHUNKS:
            self._said.pop((session_id, kind), None)
