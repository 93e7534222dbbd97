"""Sessions that are not found, lack what they had, or whose history is missing (session-setup)."""

from __future__ import annotations

import re

from acp_trace.analyze import history
from acp_trace.analyze.contradictions.rules import ERROR, Answered, Asked, RuleContext, Rules, Updated
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import SessionState
from acp_trace.protocol import methods, updates
from acp_trace.protocol.payloads import blocks
from acp_trace.trace.counts import counted
from acp_trace.trace.jsontext import objects, short

_RESOURCE_NOT_FOUND = -32002
#: A session, but not a mode or an option of a session.
_SESSION = r"\bsession\b(?! (?:mode|option|config|model|update|param))"
_MISSING = r"(?:not found|unknown|(?:not|doesn't) exist|no longer)"
_NOT_FOUND = re.compile(
    rf"{_SESSION}[^.;:,]{{0,80}}?\b{_MISSING}|\b(?:unknown|no such|invalid) {_SESSION}|"
    r"\bno (?:session|conversation) found",
    re.IGNORECASE,
)
_FILES = ("resource", "resource_link")
_COMPACTIONS = ("compaction_update", "compaction_summary_chunk")
#: Prompts that begin like this are commands, or content without words.
_NO_WORDS = ("/", "[")


class ReopeningRules(Rules):
    """What an agent still knows about a session that it opened."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._replayed: dict[int, int] = {}  #: the history updates before a load, by its frame
        self._silent: dict[str, Answered] = {}  #: loads without a history, by session, until the next prompt
        self._history: dict[str, history.ReplayedHistory] = {}  #: by session, while it is loaded
        #: The configuration that an answer lacks, by session, until its next prompt.
        self._lost: dict[str, tuple[int, str, str]] = {}
        self._compacted: set[str] = set()  #: sessions in which a summary may replace the messages
        self._loaded: set[str] = set()  #: sessions that were loaded and have had no prompt since
        self.requests = {**dict.fromkeys(methods.REOPENERS, self._loads), methods.PROMPT: self._prompts}
        self.answers = {**dict.fromkeys(methods.REOPENERS, self._reopened), ERROR: self._answered}
        self.updates = {
            **dict.fromkeys(updates.OF_TURN, self._worked),
            **dict.fromkeys((updates.CONFIG, updates.MODE), self._configured),
            **dict.fromkeys(_COMPACTIONS, lambda updated: self._compacted.add(updated.session.id)),
        }

    def _session(self, session_id: str | None) -> SessionState | None:
        return self.known.sessions.all.get(session_id or "")

    # -- whether the session is found

    def _answered(self, answer: Answered) -> None:
        session = self._session(answer.session_id)
        if (
            session is None
            or answer.sender != "agent"
            or not answer.is_error
            or session.opened_by == "unknown"
        ):
            return
        if not _is_not_found(answer, session.id):
            return
        method = answer.asked.method
        if session.ended_by is None:
            text = f"session {short(session.id)} was opened here and never closed; {method} does not find it"
            self.say("session-gone", "agent", answer.frame, session.id, text)
        elif session.ended_by == methods.CLOSE and method in methods.REOPENERS:
            text = f"session {short(session.id)} was made here and closed; {method} does not find it"
            self.say("session-gone", "agent", answer.frame, session.id, text, severity="note")

    # -- what the session has when it is opened again

    def _loads(self, asked: Asked) -> None:
        session = self._session(asked.session_id)
        if session is not None and methods.replays_history(asked.method, asked.params):
            self._replayed[asked.frame] = session.replayed
            self._history[session.id] = history.ReplayedHistory()

    def _reopened(self, answer: Answered) -> None:
        session, before = self._session(answer.session_id), self._replayed.pop(answer.asked.frame, None)
        if session is None or answer.is_error:
            return
        if (lost := _lost(session, answer)) is not None:
            text = f"{lost} of the session are missing in the answer to {answer.asked.method}"
            path = "/result/modes" if lost == "the modes" else "/result/configOptions"
            self._lost[session.id] = answer.frame, text, path
        if answer.asked.method == methods.LOAD:
            session.late_reported = True  # from here on, updates are reported as late history
            self._loaded.add(session.id)
        if before is not None:
            self._compare(session, answer, self._history.pop(session.id, history.ReplayedHistory()), before)
            has_output = any(turn.first_output_ns is not None for turn in session.turns)
            if session.replayed == before and (has_output or session.updates.get("agent_message")):
                self._silent[session.id] = answer

    def _compare(
        self, session: SessionState, answer: Answered, replay: history.ReplayedHistory, before: int
    ) -> None:
        """Compare a history with the turns of this trace: their tool calls and texts."""
        if session.replayed == before:
            return
        earlier = (call for call in session.tool_calls.values() if call.frame < answer.asked.frame)
        recorded = history.recorded_calls(earlier)
        if (found := history.difference(recorded, replay.calls)) is not None:
            message, severity = found
            self.say("history-differs", "agent", answer.frame, session.id, message, severity=severity)
            return
        if session.id in self._compacted:
            return
        turns = [turn for turn in session.turns if turn.frame < answer.asked.frame]
        good = [turn for turn in turns if turn.stop_reason == "end_turn" and turn.first_output_ns is not None]
        prompts = [turn.prompt for turn in good if turn.prompt and turn.prompt[:1] not in _NO_WORDS]
        answered = any(writing.kind in updates.AGENT_MESSAGES for turn in good for writing in turn.writing)
        whole = len(prompts) == len(turns) and session.opened_by == methods.NEW
        if (lacks := replay.lacks(prompts, answered=answered, whole=whole)) is not None:
            self.say("history-differs", "agent", answer.frame, session.id, lacks)

    def _worked(self, updated: Updated) -> None:
        session = updated.session
        if (replay := self._history.get(session.id)) is not None:
            self._replays(updated, replay)
        busy = session.open_turns or session.history
        if busy or self.version == 2 or session.id not in self._loaded:
            return
        self._loaded.discard(session.id)
        self._silent.pop(session.id, None)
        text = f"{updated.kind} after the answer to session/load: the history was not complete"
        self.say("history-late", "agent", updated.frame, session.id, text)

    def _replays(self, updated: Updated, replay: history.ReplayedHistory) -> None:
        update = updated.update
        if updated.kind not in updates.TOOL_CALLS:
            text = "".join(block.text or "" for block in blocks(update.content))
            replay.add(updated.kind, update.message_id, text)
        elif update.tool_call_id is not None:
            call = updated.session.latest_call.get(update.tool_call_id)
            kind, title = (None, None) if call is None else (call.kind, call.title)
            replay.add(updated.kind, None, "")
            replay.calls[update.tool_call_id] = history.name(update.kind or kind, update.title or title)

    def _configured(self, updated: Updated) -> None:
        """Accept the configuration from an update right after the answer."""
        self._lost.pop(updated.session.id, None)

    def _say_lost(self, session_id: str, findings: Findings) -> None:
        frame, text, path = self._lost[session_id]
        self.say("config-missing", "agent", frame, session_id, text, path=path, findings=findings)

    def _prompts(self, asked: Asked) -> None:
        if asked.session_id in self._lost:
            self._say_lost(asked.session_id, self.known.findings)
            del self._lost[asked.session_id]
        self._loaded.discard(asked.session_id or "")
        if (answer := self._silent.pop(asked.session_id or "", None)) is not None:
            self._say_missing(answer, self.known.findings)

    def at_end(self, findings: Findings) -> None:
        """Report loads without a history, and without a configuration."""
        for session_id in self._lost:
            self._say_lost(session_id, findings)
        for answer in self._silent.values():
            self._say_missing(answer, findings)

    def _say_missing(self, answer: Answered, findings: Findings) -> None:
        session = self.known.sessions.all[answer.session_id or ""]
        turns = sum(turn.frame < answer.asked.frame for turn in session.turns)
        method = answer.asked.method
        text = f"{method} replayed nothing, though the session had {counted(turns, 'turn')}"
        self.say("history-missing", "agent", answer.frame, session.id, text, findings=findings)


def _is_not_found(answer: Answered, session_id: str) -> bool:
    """Whether an error is about a missing session, rather than about a missing file."""
    text = answer.error_text
    if _NOT_FOUND.search(text):
        return True
    if answer.error_code != _RESOURCE_NOT_FOUND:
        return False
    if any(block.get("type") in _FILES for block in objects(answer.asked.params.get("prompt"))):
        return _names(text, session_id)
    return not answer.message.part("error").get("data") or _names(text, session_id)


def _names(text: str, session_id: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(session_id)}(?!\w)", text) is not None


def _lost(session: SessionState, answer: Answered) -> str | None:
    """Return what the session had before and the answer that opened it again does not contain, or None."""
    listed, result = answer.result.get("configOptions"), answer.result
    if any(
        entry.frame > answer.asked.frame
        for entry in (*session.config.entries[-1:], *session.modes.entries[-1:])
    ):
        return None  # an update has sent them meanwhile, or this answer contains them
    if session.config.values and not listed:
        return "the options"
    has_mode = any(option.get("category") == "mode" for option in objects(listed))
    return "the modes" if session.modes.choices and not (result.get("modes") or has_mode) else None
