"""Events and facts of a trace -> its story. One pass over the events; what follows from several, facts say.

An update belongs to the oldest open turn of its session (docs/report.md, Turn); while history is being
replayed to that replay; else it stands before all turns, or after one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_trace.analyze import facts
from acp_trace.compare.story import BEFORE, Call, Request, Run, Seen, SessionStory, Story, Where
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.protocol.update_kinds import MESSAGES, TOOL_CALLS, call_id
from acp_trace.trace.jsontext import value_or_none

_REQUEST, _RESPONSE, _NOTIFICATION = MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION


def tell(seen: Sequence[Seen], found: facts.Facts) -> Story:
    """The story of a trace."""
    return _Builder(seen, found).story


class _Now:
    """Where a session is while its events pass by."""

    def __init__(self) -> None:
        self.open: OpenTurns[int] = OpenTurns()  #: their indices
        self.loading: set[int] = set()
        self.replays = 0
        self.settled: int | None = None

    @property
    def where(self) -> Where:
        if self.loading:
            return Where("replay", self.replays - 1)
        if (turn := self.open.oldest) is not None:
            return Where("turn", turn)
        return BEFORE if self.settled is None else Where("after", self.settled)


class _Builder:
    def __init__(self, seen: Sequence[Seen], found: facts.Facts) -> None:
        self.story = Story(found, list(seen), {}, {"client": [], "agent": []}, [], [], [])
        self._now: dict[str, _Now] = {}
        self._exchanges = {one.frame: one for one in found.exchanges}
        self._answers = {one.answers: one for one in seen if one.answers is not None}
        self._turns = self.story.turns = {one.frame: one for one in found.turns}
        self._settling: dict[int, list[facts.Turn]] = {}
        self._told: dict[int, Where] = {}  #: by frame of an update of a tool call
        self._announced: set[tuple[str, str, Where]] = set()  #: tool calls
        self._updates: dict[tuple[str, str, Where], Run] = {}  #: of each tool call, where they came
        for turn in found.turns:
            if turn.settled_frame is not None:
                self._settling.setdefault(turn.settled_frame, []).append(turn)
        for session in found.sessions:
            self._session(session.session_id, session.frame).opened = session.opened_by != "unknown"
        for one in seen:
            self._take(one)
            asked = self._exchanges.get(one.frame if one.answers is None else one.answers)
            opens = asked is not None and asked.method in methods.OPENERS  # these count by themselves
            if one.session_id in self.story.sessions and not opens:
                self.story.sessions[one.session_id].frames += one.count
            for turn in self._settling.get(one.frame, ()):
                now = self._now_of(turn.session_id)
                now.open.settle(turn.turn)
                now.settled = turn.turn
        for turn in found.turns:
            self._session(turn.session_id, turn.frame).turns.append(turn)
        self._calls(found)

    def _session(self, session_id: str, frame: int) -> SessionStory:
        found = self.story.sessions.get(session_id)
        if found is None:
            found = self.story.sessions[session_id] = SessionStory(session_id, frame)
        return found

    def _now_of(self, session_id: str) -> _Now:
        found = self._now.get(session_id)
        if found is None:
            found = self._now[session_id] = _Now()
        return found

    def _take(self, seen: Seen) -> None:
        if seen.kind is _NOTIFICATION:
            if seen.method == methods.UPDATE and seen.sender == "agent" and seen.session_id is not None:
                self._update(seen, seen.session_id)
            elif seen.session_id is None:
                self.story.notifications.append(seen)
            else:
                self._session(seen.session_id, seen.frame).notifications.append(seen)
        elif seen.kind is _REQUEST:
            self._request(seen)
        elif seen.kind is _RESPONSE:
            if seen.answers is None:
                self.story.strays.append(seen)
            asked = self._exchanges.get(seen.answers or 0)
            if asked is not None and asked.session_id in self._now:
                self._now[asked.session_id].loading.discard(asked.frame)
        elif seen.text.strip():
            self.story.odd.append(seen)
        else:
            self.story.blank += 1

    def _request(self, seen: Seen) -> None:
        method, session_id = seen.method or "", seen.session_id
        params = _object(_part(seen.text, "params"))
        exchange = self._exchanges[seen.frame]
        answer = self._answers.get(seen.frame)
        part = "error" if exchange.outcome == "error" else "result"
        request = Request(
            seen.frame,
            seen.sender,
            method,
            session_id or exchange.session_id,
            None,
            params,
            exchange.response_frame,
            exchange.outcome,
            exchange.error_code,
            None if answer is None else _part(answer.text, part),
        )
        if method == methods.INITIALIZE and seen.sender == "client":
            self.story.handshake = request
        opener = method in methods.OPENERS
        if opener and session_id is not None and methods.replays_history(method, params):
            now = self._now_of(session_id)
            now.loading.add(seen.frame)
            now.replays += 1
        if opener or session_id is None:
            self.story.requests[seen.sender].append(request)
            return
        now = self._now_of(session_id)
        if seen.frame in self._turns:
            now.settled = next(reversed(now.open.end_endless()), now.settled)
        request.where = now.where
        self._session(session_id, seen.frame).requests[seen.sender].append(request)
        if seen.frame in self._turns:
            turn = self._turns[seen.frame]
            now.open.begin(turn.turn, turn.turn, settles=turn.settled_frame is not None)

    def _update(self, seen: Seen, session_id: str) -> None:
        session, kind = self._session(session_id, seen.frame), seen.update or ""
        where = self._now_of(session_id).where
        if kind in updates.OF_TURN:
            seen.where = where
        if kind in MESSAGES:
            runs = session.section(where).messages.setdefault(MESSAGES[kind], [])
            runs.append(Run(seen.frame, seen.count))
        elif kind in TOOL_CALLS:
            self._told[seen.frame] = where
            named = call_id(seen.text)
            if kind == updates.TOOL_CALL:
                self._announced.add((session_id, named, where))
            self._updates.setdefault((session_id, named, where), Run(seen.frame, 0)).count += 1
            if where.part == "after":
                _add(session.section(where).others, "tool call", seen)
        elif kind in updates.OF_TURN:
            _add(session.section(where).others, kind, seen)
        else:
            _add(session.states, kind, seen)

    def _calls(self, found: facts.Facts) -> None:
        """Tool calls into the sections where they were announced, with their permissions."""
        steps: dict[tuple[str, str, int | None], list[tuple[int, str]]] = {}
        for step in found.tool_call_steps:
            key = step.session_id, step.id, step.turn
            steps.setdefault(key, []).append((step.frame, step.status))
        calls: dict[tuple[str, str, Where | None], Call] = {}
        for one in found.tool_calls:
            where = self._told.get(one.frame, BEFORE)
            here = [
                (frame, status)
                for frame, status in steps.get((one.session_id, one.id, one.turn), ())
                if self._told.get(frame) == where
            ]
            told = self._updates.pop((one.session_id, one.id, where), Run(one.frame, 1))
            end = next((frame for frame, status in here if status in updates.TOOL_CALL_ENDS), None)
            announced = (one.session_id, one.id, where) in self._announced
            call = Call(one.id, one.kind, one.title, one.frame, here, told.count, [], end, announced)
            self._session(one.session_id, one.frame).section(where).calls.append(call)
            calls[one.session_id, one.id, where] = calls[one.session_id, one.id, None] = call
        for (session_id, _, where), run in self._updates.items():
            if where.part != "after":  # a call that was announced elsewhere: in another replay
                others = self._session(session_id, run.frame).section(where).others
                others.setdefault("tool call", Run(run.frame, 0)).count += run.count
        for session in self.story.sessions.values():
            for request in session.requests["agent"]:
                if request.method == methods.PERMISSION:
                    named = _object(request.params.get("toolCall")).get("toolCallId")
                    latest = calls.get((session.id, str(named), None))
                    request.call = calls.get((session.id, str(named), request.where), latest)
                    if request.call is not None:
                        request.call.permissions.append(request)


def _add(runs: dict[str, Run], kind: str, seen: Seen) -> None:
    if kind in runs:
        runs[kind].count += seen.count
    else:
        runs[kind] = Run(seen.frame, seen.count)


def _part(text: bytes, key: str) -> Any:
    found = value_or_none(text)
    return found.get(key) if isinstance(found, dict) else None


def _object(found: object) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}
