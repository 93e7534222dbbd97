"""Sessions of a trace across their whole life. Hands each message on to the rules that it concerns.

Every rule cites docs/report.md. Messages that come once for each chunk are only counted here; messages are
read whole only if a rule needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from acp_trace.analyze import facts, merge, session_events, session_facts, silence, turns, work
from acp_trace.analyze.cancellation.of_session import Cancelling
from acp_trace.analyze.exchanges import Exchanges, Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.findings.unanswered import Unanswered
from acp_trace.analyze.handshake import Handshake
from acp_trace.analyze.openings import Openings
from acp_trace.analyze.settings import ConfigMessages
from acp_trace.analyze.state import (
    ChunkCount,
    EventState,
    PermissionState,
    SessionState,
    SessionUpdate,
    TurnState,
)
from acp_trace.analyze.subagents import Subagents
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Message
from acp_trace.protocol.outcomes import CANCELLED
from acp_trace.protocol.payloads import ParamsView, ResultView, UpdateView
from acp_trace.protocol.subagents import grok_update_of, parent_of_update
from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import objects, string_or_none

if TYPE_CHECKING:
    from acp_trace.analyze.cancellation.cancellations import Cancel
    from acp_trace.analyze.model_turns import TurnCalls


_MAKERS = (methods.NEW, methods.FORK)


class Sessions:
    """Processes the messages that concern sessions, in frame order."""

    def __init__(
        self, findings: Findings, handshake: Handshake, exchanges: Exchanges, rule: merge.Rule | None
    ) -> None:
        self.all: dict[str, SessionState] = {}
        self._findings = findings
        self._handshake = handshake
        self._rule = rule
        self._openings = Openings()
        self._settings = ConfigMessages(handshake, findings)
        self._cancelling = Cancelling(findings, exchanges)
        self._loose = exchanges.loose
        self._subagents = Subagents()
        self._opening: dict[int, str | None] = {}  #: cwd by the frame of the request
        self._copies: dict[int, list[SessionState]] = {}  #: sessions that are being made, by the fork's frame
        self._prompts: dict[int, SessionState] = {}  #: sessions with an open turn, by the frame of its prompt
        self._elicited: dict[int, EventState] = {}  #: elicitations without an answer, by their frames
        self._asked: dict[int, PermissionState] = {}  #: permissions without an answer, by their frames
        self.chunks: ChunkCount | None = None  #: what the next update may continue; any other message ends it
        self._takes: dict[str, Callable[[SessionUpdate], None]] = {
            updates.TOOL_CALL: self._tool_call,
            updates.TOOL_CALL_UPDATE: self._tool_call,
            updates.SESSION_INFO: self._info,
            updates.CONFIG: self._settings.options,
            updates.MODE: self._settings.mode,
            updates.USAGE: self._usage,
            "notice": session_events.notice,
            "compaction_update": session_events.compaction,
            **dict.fromkeys(("plan", "plan_update", "plan_removed"), session_events.plan),
            **dict.fromkeys(updates.AGENT_MESSAGES, session_events.message),
            updates.STATE: self._state,
            updates.SUBAGENT: self._subagent,
        }

    @property
    def _version(self) -> int | None:
        return self._handshake.protocol_version

    @property
    def rule(self) -> merge.Rule:
        """The rule by which _meta is merged now."""
        return self._rule or merge.default(self._version)

    # -- input

    def request(self, frame: int, t: int, message: Message, exchange: Open) -> None:
        """Process a request of either side."""
        self._count_chunks()
        method, named = exchange.method, message.session_id
        self._openings.request(frame, message)
        self._heard(named, frame, t)
        if named is not None and method in methods.NEEDS_OPEN and not self._openings.is_open(named):
            self._openings.named(frame, exchange.sender, method, named)
        self._cancelling.request(exchange)
        if method in methods.OPENERS:
            self._opening[frame] = ParamsView(message.part("params")).cwd
        if method == methods.CANCEL:  # a notification by the protocol, but some clients send a request
            self._cancel(frame, t, exchange.sender, named)
        if exchange.sender == "agent" and method != methods.PERMISSION:
            exchange.out_of_band = message.part("params").get("mode") == "url"
            self._asked_by_agent(exchange)
            if method == methods.ELICITATION and named in self.all:
                self._elicited[frame] = session_events.asked(self.all[named], frame, message, exchange)
        if named is None or not method.startswith(methods.SESSION_PREFIX):
            return
        session = self._session(named, frame, t)
        if method == methods.PROMPT:
            session.modes.spoken()
            turn = turns.prompted(session, frame, t, message)
            session.prompts[frame] = turn, exchange
            self._prompts[frame] = session
        elif method == methods.PERMISSION:
            permission = work.permission_asked(session, frame, message, exchange, self._findings)
            session.permissions.append(permission)
            session.writing = None
            session.news.append(permission)
            session.open_permissions[frame] = exchange
            self._asked[frame] = permission
        elif method in (methods.SET_OPTION, methods.SET_MODE):
            self._settings.asked(session, message, exchange)
        elif method in methods.REOPENERS:
            session.history.begin(frame, method, message.part("params"))

    def response(self, frame: int, t: int, message: Message, exchange: Open) -> None:
        """Process the response to `exchange`, and name the session that it made."""
        self._count_chunks()
        self._heard(exchange.session_id, frame, t)
        if exchange.sender == "agent" and exchange.session_id in self.all:
            self.all[exchange.session_id].worked_t = t
        if (event := self._elicited.pop(exchange.frame, None)) is not None:
            session_events.answered(event, message, exchange)
        if exchange.frame in self._opening:
            self._opened(frame, t, message, exchange)
        elif exchange.frame in self._prompts:
            self._prompt_answered(t, message, exchange)
        elif exchange.method == methods.PROMPT:  # draft 2: its turn is over already
            exchange.answered_cancelled = ResultView(message.part("result")).stop_reason == CANCELLED
        elif exchange.frame in self._asked:
            permission = self._asked.pop(exchange.frame)
            session = self.all[exchange.session_id or ""]
            work.permission_answered(session, t, permission, message)
            session.open_permissions.pop(exchange.frame, None)
            session.news.append(permission)
            self._cancelling.permission_answered(permission)
        elif exchange.method in methods.ENDERS:
            self._ended(message, exchange)
        elif exchange.method == methods.SET_TITLE and exchange.session_id in self.all:
            self.all[exchange.session_id].metadata.named()
        elif exchange.method == methods.LIST:
            self._listed(frame, message, exchange.frame)
        else:
            self._settings.answered(t, message, exchange)
        self._cancelling.response(exchange, t, self._version)

    def notification(self, frame: int, t: int, sender: str, message: Message) -> None:
        """Process a notification of either side that is not a session/update of the agent."""
        self._count_chunks()
        method, named = message.method or "", message.session_id
        self._heard(named, frame, t)
        if method in (methods.CANCEL_REQUEST, methods.CANCEL_REQUEST_OLD):
            self._cancelling.of_request(frame, t, sender, message, self.all)
        elif method == methods.CANCEL:
            self._cancel(frame, t, sender, named)
        if (
            sender == "agent"
            and (grok_update := grok_update_of(method, message.part("params"))) is not None
            and named in self.all
        ):
            session = self.all[named]
            self._subagent(SessionUpdate(session, UpdateView(grok_update), frame, t, session.worked_t))
        if named is None or not method.startswith(methods.SESSION_PREFIX):
            return
        self._session(named, frame, t)
        if method in methods.NEEDS_OPEN and not self._openings.is_open(named):
            self._openings.named(frame, sender, method, named)

    def update(self, frame: int, t: int, message: Message) -> None:
        """Process a session/update of the agent that does more than continue `chunks`."""
        named = message.session_id
        self._count_chunks()
        if named is None:
            return
        session = self.all.get(named) or self._first_named(named, frame, t)
        is_open = self._openings.is_open(named)
        if not is_open and not (session.open_turns and self._openings.is_closed(named)):
            self._openings.named(frame, "agent", methods.UPDATE, named)
        before = session.heard_frame
        self._heard(named, frame, t)
        kind, worked_t = message.update or "", session.worked_t
        session.updates[kind] = session.updates.get(kind, 0) + 1
        session.replayed += session.replays(kind)
        if not session.history.loading:
            turns.updated(session, frame, t, kind, self._findings, self._version, before)
        if (subagent := self._subagents.all.get(named)) is not None and subagent.call is None:
            subagent.call = parent_of_update(message.text)
        if take := self._takes.get(kind):
            take(SessionUpdate(session, UpdateView(message.part("params").get("update")), frame, t, worked_t))
        # Counted last, because the update that settles a turn does not come before the turn settled.
        session.seen += 1
        session.last_update_t = t
        # Chunks that need a check each, and not only the first in a row, are not counted this way.
        if kind in updates.CHUNKS and is_open and not session.history:
            self.chunks = ChunkCount(session, kind, until=t, frame=frame)

    def _count_chunks(self) -> None:
        """Update the counts of a session, before anything else changes or reads them."""
        chunks, self.chunks = self.chunks, None
        if chunks is not None and chunks.more:
            session = chunks.session
            session.updates[chunks.kind] += chunks.more
            turns.went_on(session, chunks.kind, chunks.more, chunks.until)
            session.seen += chunks.more
            session.last_update_t = chunks.until
            silence.went_on(chunks)
            if (parent := self.all.get(self._subagents.parent(session.id) or "")) is not None:
                parent.heard_t, parent.heard_frame = chunks.until, chunks.frame

    # -- output

    def rows(self, now: int, calls: TurnCalls | None = None) -> Iterator[facts.Fact]:
        """Yield what is known `now` (ns), session by session; `calls`: those of its model, if any."""
        self._count_chunks()
        work = self._subagents.work(self.all)
        for session in self.all.values():
            yield from session_facts.facts_of(session, now, calls, self._subagents.all.get(session.id), work)
        yield from self._cancelling.rows()

    def fresh(self, session_id: str | None) -> Iterator[facts.Fact]:
        """Yield what is new since the last call: cancels, a session's work, metadata and configuration."""
        self._count_chunks()
        yield from self._cancelling.fresh()
        session = self.all.get(session_id or "")
        if session is not None:
            yield from session_facts.fresh(session)

    def at_end(self, findings: Findings, unanswered: Unanswered) -> None:
        """Report what is wrong if nothing more comes."""
        self._openings.speak(findings)
        for session in self.all.values():
            session.modes.speak(findings)
            for turn in session.open_turns:
                silence.report(session, turn, findings)
                self._report_unfinished(session, turn, findings, unanswered)
        self._cancelling.at_end(findings, unanswered, self._version)

    def _report_unfinished(
        self, session: SessionState, turn: TurnState, findings: Findings, unanswered: Unanswered
    ) -> None:
        """Report a turn of version 2 that was answered, but never became idle."""
        _, prompt = session.prompts[turn.frame]
        if self._version != 2 or prompt.outcome != "result" or unanswered.crash is not None:
            return
        excuse = unanswered.excuse(prompt, turn.t)
        cause = excuse.consequence_of or prompt.ended_early
        text = f"turn {turn.index} never became idle"
        if unanswered.moment is not None:
            text += f"; {unanswered.open_for(turn.t)} after its prompt {unanswered.moment}"
        findings.say("turn-unfinished", "agent", turn.frame, session.id, text + excuse.text,
                     severity=excuse.severity, consequence_of=cause)  # fmt: skip

    @property
    def cancels(self) -> Sequence[Cancel]:
        """All cancels so far, in order; later ones are appended to the same list."""
        return self._cancelling.all

    def open_prompts(self) -> Iterator[Open]:
        """Yield the prompts of open turns."""
        for session in self.all.values():
            for _, exchange in session.prompts.values():
                yield exchange

    def worked(self) -> dict[int, int]:
        """Return when the agent last showed something of each open turn, by the frame of its prompt (ns)."""
        self._count_chunks()
        return {frame: session.last_update_t for frame, session in self._prompts.items() if session.seen}

    # -- sessions

    def _heard(self, named: str | None, frame: int, t: int) -> None:
        session = self.all.get(named or "")
        if session is not None:
            silence.heard(session, frame, t, self._loose)
            if (parent := self._subagents.parent(session.id)) is not None:
                silence.heard(self.all[parent], frame, t, self._loose)

    def _session(self, session_id: str, frame: int, t: int) -> SessionState:
        session = self.all.get(session_id)
        if session is None:
            session = self.all[session_id] = SessionState(session_id, frame, t, self._findings)
        return session

    def _first_named(self, session_id: str, frame: int, t: int) -> SessionState:
        """Add the session that an update names first; during a fork, the update is history of the copy."""
        session = self._session(session_id, frame, t)
        if (fork := self._openings.copied_by(session_id)) is not None:
            session.history.begin(fork, methods.FORK, {})
            self._copies.setdefault(fork, []).append(session)
        return session

    def _opened(self, frame: int, t: int, message: Message, exchange: Open) -> None:
        cwd, named = self._opening.pop(exchange.frame), exchange.session_id
        result = message.part("result")
        for copy in self._copies.pop(exchange.frame, ()):
            copy.history.end(exchange.frame)
        if named in self.all:
            self.all[named].history.end(exchange.frame)
        if methods.OPENERS[exchange.method] == "result":
            named = None if message.is_error else ResultView(result).session_id
            exchange.session_id = exchange.session_id or named
        early = self._openings.response(exchange, message, named)
        if named is None and (message.flaw is not None or not message.is_error):
            self._findings.lost.add(frame, "agent", message.text)
        if message.is_error or named is None:
            return
        if early and self._findings.order is None:
            text = f"session {jsontext.short(named)} is named before the response with its id (#{frame})"
            self._findings.say("update-before-session", "agent", early[0], named, text, count=len(early))
        session = self._session(named, frame, t)
        if exchange.method in _MAKERS and session.opened_by != "unknown" and not session.is_over:
            text = f"{exchange.method} returns the id of a session that is open, {jsontext.short(named)}"
            self._findings.say("session-id-reused", "agent", frame, named, text, path="/result/sessionId")
        session.is_over = False
        if session.opened_by == "unknown":
            session.opened_by, session.cwd, session.opened_at = exchange.method, cwd, exchange
            if exchange.method == methods.FORK:
                session.forked_from = exchange.session_id
                original = self.all.get(exchange.session_id or "")
                session.cost = {} if original is None else original.cost | session.cost
        self._settings.opened(session, frame, t, result)

    def _ended(self, message: Message, exchange: Open) -> None:
        self._openings.response(exchange, message, None)
        if exchange.session_id in self.all and not message.is_error:
            session = self.all[exchange.session_id]
            session.ended_by, session.is_over = exchange.method, True

    def _listed(self, frame: int, message: Message, asked: int) -> None:
        for info in objects(message.part("result").get("sessions")):
            named = string_or_none(info.get("sessionId"))
            if named in self.all:
                self.all[named].metadata.compare(frame, info, asked)

    # -- turns

    def _asked_by_agent(self, exchange: Open) -> None:
        session = self.all.get(exchange.session_id or "")
        if session is not None and session.turn is not None:
            session.requests.setdefault(session.turn, []).append(exchange)
            session.writing = None

    def _prompt_answered(self, t: int, message: Message, exchange: Open) -> None:
        session = self._prompts[exchange.frame]
        turn, _ = session.prompts[exchange.frame]
        if self._version == 2 and ResultView(message.part("result")).stop_reason is not None:
            exchange.ended_early = exchange.response_frame
        for settled in turns.answered(session, turn, t, message, exchange, self._version):
            if self._version == 1:
                is_object = isinstance(message.member("result"), dict)
                turns.check_stop_reason(session, settled, exchange, self._findings, is_object=is_object)
            self._turn_settled(session, settled, t)

    def _turn_settled(self, session: SessionState, turn: TurnState, t: int) -> None:
        silence.report(session, turn, self._findings)
        del self._prompts[turn.frame]
        _, exchange = session.prompts.pop(turn.frame)
        self._cancelling.settled(exchange, turn, t, self._version)

    def _state(self, session_update: SessionUpdate) -> None:
        if self._version == 2:
            state = session_update.update.state
            session_update.session.is_blocked = state == "requires_action"
            for turn in turns.state_changed(
                session_update.session, session_update.frame, session_update.t, session_update.update
            ):
                self._turn_settled(session_update.session, turn, session_update.t)

    def _cancel(self, frame: int, t: int, sender: str, session_id: str | None) -> None:
        if sender == "client":
            session = None if session_id is None else self._session(session_id, frame, t)
            self._cancelling.of_session(frame, t, session, self._version)

    # -- updates of a turn or the session

    def _tool_call(self, session_update: SessionUpdate) -> None:
        work.tool_call(
            session_update.session,
            session_update.frame,
            session_update.t,
            session_update.update,
            self._findings,
            self._version,
            session_update.worked_t,
        )

    def _usage(self, session_update: SessionUpdate) -> None:
        work.usage(session_update.session, session_update.update)
        session_events.usage(session_update)

    def _subagent(self, session_update: SessionUpdate) -> None:
        if (named := self._subagents.announced(session_update)) is not None:
            self._openings.announced(named)
            self._session(named, session_update.frame, session_update.t)

    def _info(self, session_update: SessionUpdate) -> None:
        session = session_update.session
        session.metadata.take(
            session_update.frame,
            session_update.t,
            session_update.update.members,
            self.rule,
            session.turn_now,
            replayed=bool(session.history.loading),
        )
