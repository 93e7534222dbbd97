"""The table that hands each message to its rules. The rules fill it; it has no other logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from acp_trace.analyze.contradictions.authentication import AuthenticationRules
from acp_trace.analyze.contradictions.capabilities import CapabilityRules
from acp_trace.analyze.contradictions.connection import ConnectionRules
from acp_trace.analyze.contradictions.elicitation import ElicitationRules
from acp_trace.analyze.contradictions.files import FileRules
from acp_trace.analyze.contradictions.listing import ListRules
from acp_trace.analyze.contradictions.messages import MessageRules
from acp_trace.analyze.contradictions.modes import ModeRules
from acp_trace.analyze.contradictions.permissions import PermissionRules
from acp_trace.analyze.contradictions.reopening import ReopeningRules
from acp_trace.analyze.contradictions.rules import ERROR, Answered, Asked, RuleContext, Rules, Updated
from acp_trace.analyze.contradictions.terminals import TerminalRules
from acp_trace.analyze.contradictions.tool_calls import ToolCallRules
from acp_trace.analyze.contradictions.turns import TurnRules
from acp_trace.analyze.contradictions.usage import UsageRules
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import ChunkCount, MessageRun
from acp_trace.protocol.message import Message

T = TypeVar("T")
_Table = dict[str, list[Callable[[T], None]]]

#: One class per subject, without `MessageRules` and `TurnRules`, which also take chunks and unreadable lines.
RULES: tuple[type[Rules], ...] = (
    ConnectionRules,
    AuthenticationRules,
    CapabilityRules,
    ReopeningRules,
    FileRules,
    TerminalRules,
    ElicitationRules,
    ModeRules,
    ToolCallRules,
    PermissionRules,
    ListRules,
    UsageRules,
)


class Contradictions:
    """Hands each message to the rules, after the sessions have processed it."""

    def __init__(self, known: RuleContext) -> None:
        self._known = known
        self._messages, self._turns = MessageRules(known), TurnRules(known)
        self._rules = [*(rules(known) for rules in RULES), self._messages, self._turns]
        self._requests: _Table[Asked] = {}
        self._answers: _Table[Answered] = {}
        self._updates: _Table[Updated] = {}
        self._open: dict[int, Asked] = {}  #: requests whose answers a rule needs, by their frames
        for rules in self._rules:
            for method, take in rules.requests.items():
                self._requests.setdefault(method, []).append(take)
            for method, take_answer in rules.answers.items():
                self._answers.setdefault(method, []).append(take_answer)
            for kind, take_update in rules.updates.items():
                self._updates.setdefault(kind, []).append(take_update)

    def request(self, frame: int, t: int, sender: str, message: Message) -> None:
        """Process a request or a notification of either side, sent at `t` (ns)."""
        method = message.method or ""
        takes = self._requests.get(method, ())
        if not (takes or method in self._answers):
            return
        asked = Asked(frame, t, sender, method, message.part("params"), message.session_id)
        if method in self._answers and message.id is not None:
            self._open[frame] = asked
        for take in takes:
            take(asked)

    def response(self, frame: int, t: int, message: Message, answered: Open) -> None:
        """Process a response and the request that it answers."""
        asked = self._open.pop(answered.frame, None)
        if asked is None:
            asked = Asked(
                answered.frame, answered.t, answered.sender, answered.method, {}, answered.session_id
            )
        answer = Answered(frame, t, asked, message)
        for take in self._answers.get(asked.method, ()):
            take(answer)
        if message.is_error:
            for take in self._answers[ERROR]:
                take(answer)

    def update(self, frame: int, t: int, message: Message) -> None:
        """Process a session/update of the agent."""
        takes = self._updates.get(message.update or "")
        session = self._known.sessions.all.get(message.session_id or "")
        if takes and session is not None:
            updated = Updated(session, message.update or "", frame, t, message)
            for take in takes:
                take(updated)

    def chunk(
        self, frame: int, session_id: str, kind: str, text: str, message_id: str | None
    ) -> MessageRun | None:
        """Process a chunk of the agent's text and return its message, or None if the chunk is history."""
        session = self._known.sessions.all.get(session_id)
        if session is None or session.history.loading:
            return None
        return self._messages.chunk(frame, session, kind, text, message_id)

    def went_on(self, frame: int, chunks: ChunkCount, run: MessageRun, text: str) -> None:
        """Process a chunk that directly follows the one before."""
        self._messages.goes_on(frame, chunks.session, chunks.kind, run, text)

    def unread(self, frame: int) -> None:
        """Process a line of the agent that is not a message."""
        self._turns.unread(frame)

    def at_end(self, findings: Findings) -> None:
        """Report what holds if nothing more comes."""
        for rules in self._rules:
            rules.at_end(findings)
