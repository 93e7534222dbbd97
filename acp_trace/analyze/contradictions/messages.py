"""Text that is sent twice: a message repeated after its chunks, or the prompt that the user just typed."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Asked, RuleContext, Rules, Updated
from acp_trace.analyze.state import MessageRun, SessionState
from acp_trace.protocol import methods, updates
from acp_trace.trace.counts import counted
from acp_trace.trace.jsontext import short

#: A shorter message may be repeated for a good reason; a longer one is not kept (characters).
_SHORTEST, LONGEST = 16, 1_000_000
_ECHO = "user_message_chunk"


class MessageRules(Rules):
    """Chunks of text. Nearly all frames are chunks, so these rules have their own entry point."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._runs: dict[tuple[str, str], MessageRun] = {}  #: by session and kind
        self.requests = {methods.PROMPT: self._prompts}
        self.updates = dict.fromkeys((*updates.TOOL_CALLS, updates.STATE), self._breaks)

    def chunk(
        self, frame: int, session: SessionState, kind: str, text: str, message_id: str | None
    ) -> MessageRun:
        """Process a chunk that is not history; return the message that it begins, continues or repeats."""
        run = self._runs.get((session.id, kind))
        if run is None or None is not run.message_id != message_id is not None:
            self._forget(session.id)  # a message or a thought in between ends the message
            run = self._runs[session.id, kind] = MessageRun(frame, [text], len(text), message_id)
            if kind == _ECHO:
                self._echo(frame, session, text)
        else:
            self.goes_on(frame, session, kind, run, text)
        return run

    def goes_on(self, frame: int, session: SessionState, kind: str, run: MessageRun, text: str) -> None:
        """Process one more chunk of a message, which may repeat the whole message."""
        could = len(text) == run.length >= _SHORTEST and len(run.texts) > 1
        if not (could and "".join(run.texts) == text):
            run.length += len(text)
            if run.length <= LONGEST:
                run.texts.append(text)
            return
        said = (
            f"{kind} of {counted(len(text), 'character')} repeats the text of its chunks from #{run.frame} on"
        )
        self.say("message-repeated", "agent", frame, session.id, said)
        run.texts.clear()
        run.length = -1  # no text has this length

    def _echo(self, frame: int, session: SessionState, text: str) -> None:
        turn = session.open_turns.oldest
        # Version 2 requires the echo: an accepted prompt is sent back with the id of its message.
        if turn is not None and self.version == 1 and turn.prompt and text.startswith(turn.prompt):
            shown = f"the prompt of turn {turn.index}, {short(turn.prompt)}, comes back as {_ECHO}"
            self.say("prompt-echoed", "agent", frame, session.id, shown)

    def _breaks(self, updated: Updated) -> None:
        self._forget(updated.session.id)

    def _prompts(self, asked: Asked) -> None:
        self._forget(asked.session_id or "")

    def _forget(self, session_id: str) -> None:
        for kind in updates.CHUNKS:
            self._runs.pop((session_id, kind), None)
