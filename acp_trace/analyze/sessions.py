"""Sessions of a trace across their whole life. Hands each message on to the rules that it concerns.

Every rule cites docs/report.md. What is on the wire once for each chunk only counts here; messages are
read whole only where a rule needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from acp_trace.analyze import facts, merge, turns, work
from acp_trace.analyze.cancellations import Cancel, Cancellations
from acp_trace.analyze.config import Asked
from acp_trace.analyze.exchanges import Exchanges, Open
from acp_trace.analyze.findings import cancelled
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.handshake import Handshake
from acp_trace.analyze.openings import Openings
from acp_trace.analyze.state import Permission, Session, Turn, facts_of
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Message, cancelled_id
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED
from acp_trace.trace import jsontext

#: Open prompts that one cancel looks at: more are only there to make us slow.
_MOST = 1000


class _Told(NamedTuple):
    """An update that a rule reads whole."""

    session: Session
    update: dict[str, Any]
    frame: int
    t: int


class Sessions:
    """Takes in the messages that concern sessions, in the order of their frames."""

    def __init__(
        self, findings: Findings, handshake: Handshake, exchanges: Exchanges, rule: merge.Rule | None
    ) -> None:
        self.all: dict[str, Session] = {}
        self._findings = findings
        self._handshake = handshake
        self._exchanges = exchanges
        self._rule = rule
        self._openings = Openings()
        self._cancellations = Cancellations()
        self._opening: dict[int, str | None] = {}  #: cwd by the frame of the request
        self._prompts: dict[int, tuple[Session, Turn, Open]] = {}  #: by the frame of the prompt
        self._asked: dict[int, Permission] = {}  #: those without an answer, by their frames
        self._due: dict[int, int] = {}  #: permissions to be answered `cancelled`: frame of the cancel
        self._sets: dict[int, dict[str, Any]] = {}  #: params of open requests that set something
        self._ending: dict[str, int] = {}  #: the last request that ends the session, by its id
        self._takes: dict[str, Callable[[_Told], None]] = {
            updates.TOOL_CALL: self._tool_call,
            updates.TOOL_CALL_UPDATE: self._tool_call,
            updates.SESSION_INFO: self._info,
            updates.CONFIG: self._config,
            updates.MODE: self._mode,
            updates.USAGE: lambda told: work.usage(told.session, told.update),
            updates.STATE: self._state,
        }

    @property
    def _version(self) -> int | None:
        return self._handshake.protocol_version

    @property
    def rule(self) -> merge.Rule:
        """The rule by which _meta is merged now."""
        return self._rule or merge.default(self._version)

    # -- what comes in

    def request(self, frame: int, t: int, message: Message, asked: Open) -> None:
        """Takes in a request of either side."""
        method, named = asked.method, message.session_id
        self._openings.request(frame, message)
        if named is not None and method in methods.NEEDS_OPEN and not self._openings.is_open(named):
            self._openings.named(frame, asked.sender, method, named)
        self._cancellations.request(asked)
        if method in methods.OPENERS:
            self._opening[frame] = work.string(message.part("params").get("cwd"))
        if method == methods.CANCEL:  # a notification by the protocol; some send a request
            self._cancel_session(frame, t, asked.sender, named)
        if named is None or not method.startswith(methods.SESSION_PREFIX):
            return
        session = self._session(named, frame, t)
        if method == methods.PROMPT:
            session.modes.spoken()
            turn = turns.prompted(session, frame, t, message)
            self._prompts[frame] = (session, turn, asked)
        elif method == methods.PERMISSION:
            permission = work.permission_asked(session, frame, message, asked, self._findings)
            session.permissions.append(permission)
            self._asked[frame] = permission
        elif method in (methods.SET_OPTION, methods.SET_MODE):
            self._set_asked(session, message, asked)
        elif method in methods.ENDERS:
            self._ending[named] = frame
        elif method in methods.OPENERS and methods.replays_history(method, message.part("params")):
            session.loading.add(frame)
        elif method == "session/resume":
            session.resuming.add(frame)

    def response(self, frame: int, t: int, message: Message, asked: Open) -> None:
        """Takes in the response to `asked`, and names the session that it made."""
        if asked.frame in self._opening:
            self._opened(frame, t, message, asked)
        elif asked.frame in self._prompts:
            self._prompt_answered(t, message, asked)
        elif asked.method == methods.PROMPT:  # draft 2: its turn is over already
            asked.answered_cancelled = message.part("result").get("stopReason") == CANCELLED
        elif asked.frame in self._asked:
            self._permission_answered(message, asked)
        elif asked.frame in self._sets:
            self._set_answered(t, message, asked)
        elif asked.method in methods.ENDERS:
            self._openings.response(asked, message, None)
            if asked.session_id in self.all and not message.is_error:
                self.all[asked.session_id].ended_by = asked.method
        elif asked.method == methods.LIST:
            self._listed(frame, message)
        self._judge(self._cancellations.response(asked, t))

    def notification(self, frame: int, t: int, sender: str, message: Message) -> None:
        """Takes in a notification of either side that is no session/update of the agent."""
        method, named = message.method or "", message.session_id
        if method in (methods.CANCEL_REQUEST, methods.CANCEL_REQUEST_OLD):
            self._cancel_request(frame, t, sender, message)
        elif method == methods.CANCEL:
            self._cancel_session(frame, t, sender, named)
        if named is None or not method.startswith(methods.SESSION_PREFIX):
            return
        self._session(named, frame, t)
        if method in methods.NEEDS_OPEN and not self._openings.is_open(named):
            self._openings.named(frame, sender, method, named)

    def update(self, frame: int, t: int, message: Message) -> None:
        """Takes in a session/update of the agent."""
        named = message.session_id
        if named is None:
            return
        session = self.all.get(named) or self._session(named, frame, t)
        if not self._openings.is_open(named):
            self._openings.named(frame, "agent", methods.UPDATE, named)
        self._updated(session, frame, t, message)

    def rows(self) -> Iterator[facts.Fact]:
        """What is known now, session by session."""
        for one in self.all.values():
            yield from facts_of(one)
        yield from self._cancellations.rows()

    def fresh(self, session_id: str | None) -> Iterator[facts.Fact]:
        """What is new since the last call: cancels, and metadata and configuration of one session."""
        yield from self._cancellations.fresh()
        session = self.all.get(session_id or "")
        if session is not None:
            yield from session.fresh()

    def at_end(self, findings: Findings) -> None:
        """Says what is wrong if nothing more comes."""
        self._openings.speak(findings)
        for cancel in self._cancellations.unsettled():
            cancelled.unsettled(cancel, findings)
        for frame, cancel_frame in self._due.items():
            cancelled.permission(self._asked[frame].asked, cancel_frame, "unanswered", findings)
        for session in self.all.values():
            session.modes.speak(findings)

    # -- sessions

    def _session(self, session_id: str, frame: int, t: int) -> Session:
        found = self.all.get(session_id)
        if found is None:
            found = self.all[session_id] = Session(session_id, frame, t, self._findings)
        return found

    def _opened(self, frame: int, t: int, message: Message, asked: Open) -> None:
        cwd, named = self._opening.pop(asked.frame), asked.session_id
        result = message.part("result")
        if named in self.all:
            self.all[named].loading.discard(asked.frame)
            self.all[named].resuming.discard(asked.frame)
        if methods.OPENERS[asked.method] == "result":
            named = None if message.is_error else work.string(result.get("sessionId"))
            asked.session_id = asked.session_id or named
        self._openings.response(asked, message, named)
        if message.is_error or named is None:
            return
        session = self._session(named, frame, t)
        if session.opened_by == "unknown":
            session.opened_by, session.cwd = asked.method, cwd
        session.config.booleans = self._shows_booleans()
        session.config.setup(frame, t, result.get("configOptions"), session.turn)
        session.modes.setup(frame, t, result.get("modes"), session.turn)
        session.modes.compare(frame, session.config.mode)

    def _shows_booleans(self) -> bool:
        """Protocol 1 has a capability for boolean options; draft 2 has not (schema)."""
        return self._version != 1 or self._handshake.announced("client", "session.configOptions.boolean")

    def _listed(self, frame: int, message: Message) -> None:
        listed = message.part("result").get("sessions")
        for one in listed if isinstance(listed, list) else ():
            session = self.all.get(one["sessionId"]) if _names_session(one) else None
            if session is not None:
                session.metadata.compare(frame, one)

    # -- turns and what belongs to them

    def _prompt_answered(self, t: int, message: Message, asked: Open) -> None:
        session, turn, _ = self._prompts[asked.frame]
        version = self._version
        for settled in turns.answered(session, turn, t, message, asked, version):
            if version == 1:
                turns.check_stop_reason(session, settled, self._findings)
            self._turn_settled(settled, asked, t)

    def _turn_settled(self, turn: Turn, asked: Open, t: int) -> None:
        asked.said_cancelled = turn.stop_reason == CANCELLED
        self._prompts.pop(turn.frame, None)
        self._judge(self._cancellations.settled(asked, turn, t))

    def _permission_answered(self, message: Message, asked: Open) -> None:
        permission = self._asked.pop(asked.frame)
        work.permission_answered(permission, message)
        asked.said_cancelled = permission.outcome == CANCELLED
        cancel_frame = self._due.pop(asked.frame, None)
        if cancel_frame is not None:
            by_error = asked.error_code == REQUEST_CANCELLED
            answer = CANCELLED if by_error else permission.outcome
            cancelled.permission(asked, cancel_frame, answer, self._findings)

    def _set_asked(self, session: Session, message: Message, asked: Open) -> None:
        if asked.sender != "client":
            return
        params = self._sets[asked.frame] = message.part("params")
        session.open_sets[asked.frame] = _asked(asked.frame, asked.method, params)
        if asked.method == methods.SET_OPTION:
            session.config.asked(asked.frame, params)

    def _set_answered(self, t: int, message: Message, asked: Open) -> None:
        params = self._sets.pop(asked.frame)
        session = self.all.get(asked.session_id or "")
        if session is None:
            return
        session.open_sets.pop(asked.frame, None)
        if asked.method == methods.SET_OPTION:
            session.config.answered(asked, params, message.part("result"), t, session.turn)
        else:
            session.modes.answered(asked, params, t, session.turn)
        session.modes.compare(asked.response_frame or asked.frame, session.config.mode)

    # -- updates

    def _updated(self, session: Session, frame: int, t: int, message: Message) -> None:
        kind = message.update or ""
        session.updates[kind] = session.updates.get(kind, 0) + 1
        if session.loading:
            session.replayed += 1
        else:
            turns.updated(session, frame, t, kind, self._findings, self._version)
        if take := self._takes.get(kind):
            found = message.part("params").get("update")
            take(_Told(session, found if isinstance(found, dict) else {}, frame, t))
        # Counted last: the update that settles a turn is not one before it settled.
        session.seen += 1
        session.last_update_t = t

    def _tool_call(self, told: _Told) -> None:
        work.tool_call(told.session, told.frame, told.t, told.update, self._findings, self._version)

    def _info(self, told: _Told) -> None:
        session = told.session
        session.metadata.take(
            told.frame, told.t, told.update, self.rule, session.turn_now, replayed=bool(session.loading)
        )

    def _config(self, told: _Told) -> None:
        session = told.session
        session.config.booleans = self._shows_booleans()
        listed, open_ = told.update.get("configOptions"), session.open_sets.values()
        session.config.updated(told.frame, told.t, listed, session.turn_now, open_)
        session.modes.compare(told.frame, session.config.mode)

    def _mode(self, told: _Told) -> None:
        session = told.session
        open_ = session.open_sets.values()
        session.modes.updated(told.frame, told.t, told.update, session.turn_now, open_)
        session.modes.compare(told.frame, session.config.mode)

    def _state(self, told: _Told) -> None:
        if self._version == 2:
            for turn in turns.state_changed(told.session, told.frame, told.t, told.update):
                self._turn_settled(turn, self._prompts[turn.frame][2], told.t)

    # -- cancels

    def _cancel_session(self, frame: int, t: int, sender: str, session_id: str | None) -> None:
        if sender != "client":
            return
        if session_id is None:
            self._cancellations.cancel(methods.CANCEL, frame, t, sender, None, None)
            return
        session = self._session(session_id, frame, t)
        for turn in session.open_turns[:_MOST]:
            target = self._prompts[turn.frame][2]
            self._cancellations.cancel(methods.CANCEL, frame, t, sender, session_id, target, session, turn)
        if not session.open_turns:
            self._cancellations.cancel(methods.CANCEL, frame, t, sender, session_id, None)
            session.stray_cancel = frame
        elif self._version != 2:  # in draft 2 the agent takes its requests back itself (v2/prompt-lifecycle)
            for asked in self._cancellations.open_in(session_id, methods.PERMISSION):
                self._due.setdefault(asked.frame, frame)

    def _cancel_request(self, frame: int, t: int, sender: str, message: Message) -> None:
        named = cancelled_id(message)
        target = None if named is None else self._exchanges.open(sender, named)
        session_id = None if target is None else target.session_id
        session, turn = None, None
        if target is not None and target.frame in self._prompts:
            session, turn, _ = self._prompts[target.frame]
        kind = methods.CANCEL_REQUEST
        self._cancellations.cancel(kind, frame, t, sender, session_id, target, session, turn)

    def _judge(self, cancels: list[Cancel]) -> None:
        if cancels and (target := cancels[0].target) is not None:
            ended = self._ending.get(cancels[0].session_id or "", 0) > target.frame
            cancelled.settled(cancels, self._findings, ended=ended)


def _asked(frame: int, method: str, params: dict[str, Any]) -> Asked:
    if method == methods.SET_MODE:
        return Asked(frame, None, jsontext.canonical(params.get("modeId")))
    option_id = work.string(params.get("configId")) or ""
    return Asked(frame, option_id, jsontext.canonical(params.get("value")))


def _names_session(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("sessionId"), str)
