"""Events and facts of a trace -> its story. One pass over the events; facts show what follows from several.

An update belongs to the oldest open turn of its session (docs/report.md, Turn), or while history is being
replayed, to that replay; otherwise its place is before all turns, or after one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acp_trace.analyze import facts
from acp_trace.analyze.replays import Replays
from acp_trace.protocol import methods, payloads, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.protocol.updates import MESSAGES, TOOL_CALLS, call_id
from acp_trace.story.model import (
    BEFORE,
    Call,
    Request,
    SessionPhase,
    SessionStory,
    Story,
    TraceEvent,
    UpdateRun,
)
from acp_trace.trace import jsontext

_REQUEST, _RESPONSE, _NOTIFICATION = MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION
_MESSAGES = (_REQUEST, _RESPONSE, _NOTIFICATION)


def build(events: Sequence[TraceEvent], of: facts.Facts) -> Story:
    """Return the story of a trace, from its events in order and its facts."""
    return _StoryBuilder(events, of).story


class _Now:
    """The present phase of a session as its events pass by."""

    def __init__(self) -> None:
        self.open: OpenTurns[int] = OpenTurns()  #: by their indices
        self.replays = 0  #: requests before whose answer history may come
        self.settled: int | None = None

    @property
    def replay(self) -> SessionPhase:
        """The phase of history."""
        return SessionPhase("replay", self.replays - 1)

    @property
    def where(self) -> SessionPhase:
        """The phase of everything else."""
        if (turn := self.open.oldest) is not None:
            return SessionPhase("turn", turn)
        return BEFORE if self.settled is None else SessionPhase("after", self.settled)


class _StoryBuilder:
    def __init__(self, events: Sequence[TraceEvent], of: facts.Facts) -> None:
        self.story = Story(of, list(events), {}, {"client": [], "agent": []}, [], [], [])
        self._now: dict[str, _Now] = {}
        self._replays = Replays(of)
        self._exchanges = {exchange.frame: exchange for exchange in of.exchanges}
        self._answers = {event.answers: event for event in events if event.answers is not None}
        self._turns = self.story.turns = {turn.frame: turn for turn in of.turns}
        self._settling: dict[int, list[facts.Turn]] = {}
        self._where_of: dict[int, SessionPhase] = {}  #: by the frame of an update of a tool call
        #: For each tool call and phase: how often it is announced, and the frames of its updates.
        self._announcements: Counter[tuple[str, str, SessionPhase]] = Counter()
        self._updates: dict[tuple[str, str, SessionPhase], list[int]] = {}
        for turn in of.turns:
            if turn.settled_frame is not None:
                self._settling.setdefault(turn.settled_frame, []).append(turn)
        odd = {event.frame for event in events if event.kind not in _MESSAGES}
        for session in of.sessions:
            # A session whose opening request was in a batch, and is missing here, counts as never opened.
            is_opened = session.opened_by != "unknown" and session.frame not in odd
            self._session(session.session_id, session.frame).opened = is_opened
        for event in events:
            self._on_event(event)
            exchange = self._exchanges.get(event.frame if event.answers is None else event.answers)
            opens = exchange is not None and exchange.method in methods.OPENERS  # these count by themselves
            if event.session_id in self.story.sessions and not opens:
                self.story.sessions[event.session_id].frames += event.count
            for turn in self._settling.get(event.frame, ()):
                now = self._now_of(turn.session_id)
                now.open.settle(turn.turn)
                now.settled = turn.turn
        for turn in of.turns:
            self._session(turn.session_id, turn.frame).turns.append(turn)
        self._calls(of)

    def _session(self, session_id: str, frame: int) -> SessionStory:
        session = self.story.sessions.get(session_id)
        if session is None:
            session = self.story.sessions[session_id] = SessionStory(session_id, frame)
        return session

    def _now_of(self, session_id: str) -> _Now:
        now = self._now.get(session_id)
        if now is None:
            now = self._now[session_id] = _Now()
        return now

    def _where(self, session_id: str, frame: int, kind: str = "") -> SessionPhase:
        """Return the phase of a session to which a request, or an update of this kind, belongs now."""
        now = self._now_of(session_id)
        return now.where if self._replays.by(session_id, frame, kind) is None else now.replay

    def _on_event(self, event: TraceEvent) -> None:
        if event.kind is _NOTIFICATION:
            if event.method == methods.UPDATE and event.sender == "agent" and event.session_id is not None:
                self._on_update(event, event.session_id)
            elif event.session_id is None:
                self.story.notifications.append(event)
            else:
                self._session(event.session_id, event.frame).notifications.append(event)
        elif event.kind is _REQUEST:
            self._on_request(event)
        elif event.kind is _RESPONSE:
            if event.answers is None:
                self.story.strays.append(event)
            self._replays.response(event.answers)
        elif event.text.strip():
            self.story.odd.append(event)
        else:
            self.story.blank += 1

    def _on_request(self, event: TraceEvent) -> None:
        method, session_id = event.method or "", event.session_id
        params = payloads.part(event.text, "params")
        exchange = self._exchanges[event.frame]
        answer = self._answers.get(event.frame)
        part = "error" if exchange.outcome == "error" else "result"
        request = Request(
            event.frame,
            event.sender,
            method,
            session_id or exchange.session_id,
            None,
            params,
            exchange.response_frame,
            exchange.outcome,
            exchange.error_code,
            None if answer is None else jsontext.object_in(answer.text).get(part),
        )
        if method == methods.INITIALIZE and event.sender == "client":
            self.story.handshake = request
        opener = method in methods.OPENERS
        if event.sender == "client":
            opened = self._replays.request(event.frame, method, session_id, event.text)
            if opened is not None:
                self._now_of(opened).replays += 1
        if opener or session_id is None:
            self.story.requests[event.sender].append(request)
            return
        now = self._now_of(session_id)
        if event.frame in self._turns:
            now.settled = next(reversed(now.open.end_endless()), now.settled)
        request.where = self._where(session_id, event.frame)
        self._session(session_id, event.frame).requests[event.sender].append(request)
        if event.frame in self._turns:
            turn = self._turns[event.frame]
            now.open.begin(turn.turn, turn.turn, settles=turn.settled_frame is not None)

    def _on_update(self, event: TraceEvent, session_id: str) -> None:
        session, kind = self._session(session_id, event.frame), event.update or ""
        where = self._where(session_id, event.frame, kind)
        if kind in updates.OF_TURN:
            event.where = where
        if kind in MESSAGES:
            runs = session.section(where).messages.setdefault(MESSAGES[kind], [])
            if runs and event.shown is not None and runs[-1].shown is event.shown:
                runs[-1].count += event.count  # chunks in a row, each an event of its own
            else:
                runs.append(UpdateRun(event.frame, event.count, event.shown))
        elif kind in TOOL_CALLS:
            self._where_of[event.frame] = where
            id_ = event.call_id = call_id(event.text)
            if kind == updates.TOOL_CALL:
                self._announcements[session_id, id_, where] += 1
            self._updates.setdefault((session_id, id_, where), []).append(event.frame)
            if where.part == "after":
                _add(session.section(where).others, "tool call", event)
        elif kind in updates.OF_TURN:
            _add(session.section(where).others, kind, event)
        else:
            _add(session.states, kind, event)

    def _calls(self, of: facts.Facts) -> None:
        """Put tool calls into the sections in which they were announced, with their permissions."""
        steps: dict[tuple[str, str, int | None], list[tuple[int, str]]] = {}
        for step in of.tool_call_steps:
            key = step.session_id, step.id, step.turn
            steps.setdefault(key, []).append((step.frame, step.status))
        calls: dict[tuple[str, str, SessionPhase | None], Call] = {}
        for tool_call in of.tool_calls:
            where = self._where_of.get(tool_call.frame, BEFORE)
            steps_here = [
                (frame, status)
                for frame, status in steps.get((tool_call.session_id, tool_call.id, tool_call.turn), ())
                if self._where_of.get(frame) == where
            ]
            frames = self._updates.pop((tool_call.session_id, tool_call.id, where), [tool_call.frame])
            end = next((frame for frame, status in steps_here if status in updates.TOOL_CALL_ENDS), None)
            announcements = self._announcements[tool_call.session_id, tool_call.id, where]
            call = Call(
                tool_call.id,
                tool_call.kind,
                tool_call.title,
                tool_call.frame,
                steps_here,
                frames,
                announcements,
                [],
                end,
            )
            self._session(tool_call.session_id, tool_call.frame).section(where).calls.append(call)
            calls[tool_call.session_id, tool_call.id, where] = calls[
                tool_call.session_id, tool_call.id, None
            ] = call
        for (session_id, _, where), frames in self._updates.items():
            if where.part != "after":  # a call that was announced elsewhere: in another replay
                others = self._session(session_id, frames[0]).section(where).others
                others.setdefault("tool call", UpdateRun(frames[0], 0)).count += len(frames)
        for session in self.story.sessions.values():
            for request in session.requests["agent"]:
                if request.method == methods.PERMISSION:
                    id_ = jsontext.as_object(request.params.get("toolCall")).get("toolCallId")
                    latest = calls.get((session.id, str(id_), None))
                    request.call = calls.get((session.id, str(id_), request.where), latest)
                    if request.call is not None:
                        request.call.permissions.append(request)


def _add(runs: dict[str, UpdateRun], kind: str, event: TraceEvent) -> None:
    run = runs.setdefault(kind, UpdateRun(event.frame, 0))
    run.count += event.count
    run.frames.append(event.frame)
