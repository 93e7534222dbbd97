"""Sessions of a trace with their turns, tool calls, permissions and usage.

Every rule cites docs/report.md (Sessions, Turn). What is on the wire once for each chunk only counts
here; messages are read whole only where a rule needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.state import Fact, Permission, Session, ToolCall, Turn, facts_of
from acp_trace.protocol import methods, updates
from acp_trace.protocol.content import first_text
from acp_trace.protocol.message import Message


class _Told(NamedTuple):
    """An update that a rule reads whole."""

    session: Session
    update: dict[str, Any]
    frame: int
    t: int


def _tool_call(told: _Told) -> None:
    session, update, t = told.session, told.update, told.t
    call_id = _string(update.get("toolCallId"))
    if call_id is None:
        return
    call = session.latest_call.get(call_id)
    announced = update.get("sessionUpdate") == updates.TOOL_CALL
    turn = None if session.loading else session.turn
    if call is None or (announced and call.turn != turn):
        call = session.latest_call[call_id] = ToolCall(call_id, turn, t)
        session.tool_calls[call_id, turn] = call
    call.title = _string(update.get("title")) or call.title
    call.kind = _string(update.get("kind")) or call.kind
    status = _string(update.get("status"))
    if status is not None:
        if status in updates.TOOL_CALL_ENDS and call.status not in updates.TOOL_CALL_ENDS:
            call.duration_ns = t - call.t
        call.status = status


def _info(told: _Told) -> None:
    title = told.update.get("title", told.session.title)
    if title is None or isinstance(title, str):
        told.session.title = title


def _usage(told: _Told) -> None:
    fields = {key: told.update[key] for key in ("used", "size", "cost") if key in told.update}
    told.session.usage = (told.session.usage or {}) | fields


def _settle(session: Session, turn: Turn, frame: int, t: int) -> None:
    if turn in session.open_turns:
        session.open_turns.remove(turn)
        turn.settled_frame, turn.duration_ns = frame, t - turn.t


class Sessions:
    """Takes in the messages that concern sessions, in the order of their frames."""

    def __init__(self) -> None:
        self.all: dict[str, Session] = {}
        self.protocol_version: int | None = None
        self._opening: dict[int, str | None] = {}  #: cwd by the frame of the request
        self._prompts: dict[int, tuple[Session, Turn]] = {}  #: by the frame of the prompt
        self._asked: dict[int, Permission] = {}  #: those without an answer, by their frames
        self._takes: dict[str, Callable[[_Told], None]] = {
            updates.TOOL_CALL: _tool_call,
            updates.TOOL_CALL_UPDATE: _tool_call,
            updates.SESSION_INFO: _info,
            updates.USAGE: _usage,
            updates.STATE: self._state,
        }

    def request(self, frame: int, t: int, message: Message, asked: Open) -> None:
        """Takes in a request of either side."""
        method, named = asked.method, message.session_id
        if method in methods.OPENERS:
            params = message.part("params")
            self._opening[frame] = _string(params.get("cwd"))
        if named is None or not method.startswith(methods.SESSION_PREFIX):
            return
        session = self._session(named, frame, t)
        if method == methods.PROMPT:
            prompt = first_text(message.part("params").get("prompt"))
            turn = Turn(len(session.turns), frame, t, prompt[:80] if prompt else None)
            session.turns.append(turn)
            session.open_turns.append(turn)
            self._prompts[frame] = (session, turn)
        elif method == methods.PERMISSION:
            kinds = _kinds(message.part("params").get("options"))
            self._asked[frame] = Permission(session.turn, asked, kinds)
            session.permissions.append(self._asked[frame])
        elif method in methods.OPENERS and methods.replays_history(method, params):
            session.loading.add(frame)

    def response(self, frame: int, t: int, message: Message, asked: Open) -> None:
        """Takes in the response to `asked`, and names the session that it made."""
        if asked.frame in self._opening:
            self._opened(frame, t, message, asked)
        elif asked.frame in self._prompts:
            self._prompt_answered(frame, t, message, asked)
        elif asked.frame in self._asked:
            permission = self._asked.pop(asked.frame)
            permission.outcome, permission.option_id = _outcome(message)

    def notification(self, frame: int, t: int, message: Message) -> None:
        """Takes in a notification of either side."""
        named = message.session_id
        if named is None or not (message.method or "").startswith(methods.SESSION_PREFIX):
            return
        session = self.all.get(named) or self._session(named, frame, t)
        if message.method != methods.UPDATE:
            return
        kind = message.update or ""
        session.updates[kind] = session.updates.get(kind, 0) + 1
        if session.loading:
            session.replayed += 1
        else:
            for turn in session.open_turns:
                if turn.first_update_ns is None:
                    turn.first_update_ns = t - turn.t
                if turn.first_output_ns is None and kind in updates.OUTPUT:
                    turn.first_output_ns = t - turn.t
        if take := self._takes.get(kind):
            found = message.part("params").get("update")
            take(_Told(session, found if isinstance(found, dict) else {}, frame, t))

    def _session(self, session_id: str, frame: int, t: int) -> Session:
        found = self.all.get(session_id)
        if found is None:
            found = self.all[session_id] = Session(session_id, frame, t)
        return found

    def _opened(self, frame: int, t: int, message: Message, asked: Open) -> None:
        cwd, named = self._opening.pop(asked.frame), asked.session_id
        if named in self.all:
            self.all[named].loading.discard(asked.frame)
        if message.is_error:
            return
        if methods.OPENERS[asked.method] == "result":
            made = message.part("result").get("sessionId")
            named = made if isinstance(made, str) else None
            asked.session_id = asked.session_id or named
        if named is None:
            return
        session = self._session(named, frame, t)
        if session.opened_by == "unknown":
            session.opened_by, session.cwd = asked.method, cwd

    def _prompt_answered(self, frame: int, t: int, message: Message, asked: Open) -> None:
        session, turn = self._prompts[asked.frame]
        if message.is_error:
            turn.error_code = asked.error_code
        elif self.protocol_version == 2:
            return  # only says that the prompt was inserted; the turn goes on (draft 2, prompt)
        else:
            turn.stop_reason = _string(message.part("result").get("stopReason"))
        del self._prompts[asked.frame]
        _settle(session, turn, frame, t)

    def _state(self, told: _Told) -> None:
        session, update = told.session, told.update
        if self.protocol_version != 2 or update.get("state") != "idle" or session.loading:
            return
        for turn in list(session.open_turns):
            turn.stop_reason = _string(update.get("stopReason"))
            _settle(session, turn, told.frame, told.t)

    def facts(self) -> Iterator[Fact]:
        """What is known now, session by session."""
        for one in self.all.values():
            yield from facts_of(one)


def _outcome(message: Message) -> tuple[str, str | None]:
    """How a permission was answered: `outcome.outcome` (docs/protocol/tool-calls)."""
    if message.is_error:
        return "error", None
    outcome = message.part("result").get("outcome")
    outcome = outcome if isinstance(outcome, dict) else {}
    return _string(outcome.get("outcome")) or "unknown", _string(outcome.get("optionId"))


def _kinds(options: object) -> dict[str, str]:
    """The kind of each option by its id (docs/protocol/tool-calls, PermissionOption)."""
    found = {}
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict):
            option_id, kind = _string(option.get("optionId")), _string(option.get("kind"))
            if option_id is not None and kind is not None:
                found[option_id] = kind
    return found


def _string(found: object) -> str | None:
    return found if isinstance(found, str) else None
