"""Terminals that were never created, that were already released, or that are never released (terminals)."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, Asked, RuleContext, Rules, Updated
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import SessionState
from acp_trace.protocol import methods, updates
from acp_trace.trace.jsontext import short

_Key = tuple[str | None, str]  #: a session, and the id of a terminal
_USES = (methods.TERMINAL_OUTPUT, methods.TERMINAL_WAIT, methods.TERMINAL_KILL, methods.TERMINAL_RELEASE)


class TerminalRules(Rules):
    """From terminal/create to terminal/release."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._created: dict[_Key, int] = {}  #: terminals that are not released, with the frame of the request
        self._exited: dict[_Key, int] = {}  #: when the agent learned that the command had ended (ns)
        self._released: dict[_Key, int] = {}
        self._given_up: set[_Key] = set()  #: terminals whose release was requested, with or without success
        self.requests = dict.fromkeys(_USES, self._uses)
        self.updates = dict.fromkeys(updates.TOOL_CALLS, self._shows)
        self.answers = {
            methods.TERMINAL_CREATE: self._was_created,
            methods.TERMINAL_RELEASE: self._was_released,
            **dict.fromkeys((methods.TERMINAL_WAIT, methods.TERMINAL_OUTPUT), self._was_seen),
        }

    def _was_created(self, answer: Answered) -> None:
        terminal = answer.result.get("terminalId")
        if isinstance(terminal, str | int):  # a number is a separate fault
            terminal = str(terminal)
            self._created[answer.session_id, terminal] = answer.asked.frame
            self._released.pop((answer.session_id, terminal), None)

    def _was_seen(self, answer: Answered) -> None:
        terminal, exit_status = answer.asked.params.get("terminalId"), answer.result.get("exitStatus")
        is_wait = answer.asked.method == methods.TERMINAL_WAIT
        if isinstance(terminal, str) and not answer.is_error and (is_wait or exit_status is not None):
            self._exited.setdefault((answer.session_id, terminal), answer.t)

    def _was_released(self, answer: Answered) -> None:
        terminal = answer.asked.params.get("terminalId")
        if isinstance(terminal, str) and not answer.is_error:
            self._created.pop((answer.session_id, terminal), None)
            self._released[answer.session_id, terminal] = answer.asked.frame

    def _uses(self, asked: Asked) -> None:
        terminal = asked.params.get("terminalId")
        if not isinstance(terminal, str):
            return
        if asked.method == methods.TERMINAL_RELEASE:
            self._given_up.add((asked.session_id, terminal))
        if (asked.session_id, terminal) in self._created:
            return
        released = self._released.get((asked.session_id, terminal))
        why = f"was released (#{released})" if released is not None else "was not created in this session"
        text = f"{asked.method} of terminal {short(terminal)}, which {why}"
        cause = self.known.findings.lost.naming("client", terminal)
        self.say("terminal-unknown", asked.sender, asked.frame, asked.session_id, text, terminal,
                 path="/params/terminalId", consequence_of=cause)  # fmt: skip

    def _shows(self, updated: Updated) -> None:
        """Check the terminals that a tool call shows. Agents with own terminals declare them in `_meta`."""
        if self.version == 2 or not updated.update.members.get("content") or updated.session.history.loading:
            return
        if any(key.startswith("terminal") for key in updated.update.meta):
            return
        for at, shown in enumerate(updated.update.contents):
            key = updated.session.id, shown.terminal_id or ""
            if shown.type != "terminal" or not key[1] or "_meta" in shown.members:
                continue
            if key not in self._created and key not in self._released:
                text = f"a tool call shows terminal {short(key[1])}, which was not created in this session"
                self.say("terminal-unknown", "agent", updated.frame, updated.session.id, text, key[1],
                         path=f"/params/update/content/{at}/terminalId", severity="warning")  # fmt: skip

    def at_end(self, findings: Findings) -> None:
        """Report terminals of finished turns that were not released."""
        for (session_id, terminal), frame in self._created.items():
            session = self.known.sessions.all.get(session_id or "")
            exited = self._exited.get((session_id, terminal))
            is_over = session is not None and _had_time(session, exited, findings)
            if is_over and (session_id, terminal) not in self._given_up:
                text = f"terminal {short(terminal)} was never released"
                self.say("terminal-not-released", "agent", frame, session_id, text, findings=findings)


def _had_time(session: SessionState, exited: int | None, findings: Findings) -> bool:
    """Whether the turns are over, and the agent had time to release a terminal before its client left.

    The time begins when the agent knew that the command had ended, or else at the end of the turn.
    """
    if not session.turns or session.open_turns:
        return False
    last = session.turns[-1]
    due = last.ended_t or last.t if exited is None else exited
    return findings.until is None or due < findings.until
