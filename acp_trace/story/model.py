"""The shapes of a story: requests with their ends, sessions, sections, messages, tool calls."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from acp_trace.analyze.facts import Facts, Turn
from acp_trace.protocol.message import MessageKind
from acp_trace.story.frame_event import FrameEvent, event_words
from acp_trace.story.joined_text import JoinedText
from acp_trace.trace.jsontext import value_or_none


class SessionPhase(NamedTuple):
    """A part of a session: `turn` n, `before` all turns, `after` turn n, or the n-th `replay` of history."""

    part: str
    number: int

    @property
    def place(self) -> str:
        """The words for its place: `in turn 2`."""
        return f"in {self}" if self.part in ("turn", "replay") else str(self)

    def __str__(self) -> str:
        """Return the words for people."""
        if self.part == "before":
            return "before the first turn"
        return f"{'after turn' if self.part == 'after' else self.part} {self.number}"


class TraceEvent(msgspec.Struct, gc=False):
    """A frame, or the chunks of one message that come in a row: as much as is compared."""

    frame: int
    sender: str
    kind: MessageKind
    method: str | None  #: for a response, the method of the request
    session_id: str | None
    update: str | None
    answers: int | None
    text: bytes  #: empty if chunks were joined
    count: int = 1
    shown: JoinedText | None = None  #: for a message: the content of all its chunks in a row
    where: SessionPhase | None = None  #: for an update that is a turn's work, the part of its session
    call_id: str | None = None  #: for an update about a tool call


BEFORE = SessionPhase("before", 0)
OTHER = "other"  #: the kind of a tool call without a kind


class UpdateRun(msgspec.Struct, gc=False):
    """Chunks, or updates, of one kind: their first frame and the number of frames."""

    frame: int
    count: int
    shown: JoinedText | None = None  #: for a message
    frames: list[int] = msgspec.field(default_factory=list)  #: for other updates


class Request(msgspec.Struct, eq=False):
    """A request and its outcome. `where` is None outside of any session."""

    frame: int
    sender: str
    method: str
    session_id: str | None
    where: SessionPhase | None
    params: dict[str, Any]
    response_frame: int | None
    outcome: str  #: result, error or open
    error_code: int | None
    result: Any  #: for an error, the error
    call: Call | None = None  #: for a permission, the tool call that it is for

    @property
    def tool_kind(self) -> str | None:
        """The kind of that tool call, as far as it is known."""
        return None if self.call is None else self.call.kind


class Call(msgspec.Struct, eq=False):
    """A tool call. `steps`: frame and status, without repetitions. `end`: the frame that ended it.

    Draft 2 has no `tool_call`, only updates.
    """

    id: str
    kind: str | None
    title: str | None
    frame: int
    steps: list[tuple[int, str]]
    frames: list[int]  #: that are about it
    announcements: int  #: how often a `tool_call` announces it
    permissions: list[Request]
    end: int | None

    @property
    def count(self) -> int:
        """The number of frames about it."""
        return len(self.frames)

    @property
    def announced(self) -> bool:
        """Whether a `tool_call` announces it."""
        return self.announcements > 0

    @property
    def words(self) -> str:
        """The call in a few words: its kind, and its title or the end of its id."""
        return f"{self.kind or OTHER} {self.name}"

    @property
    def name(self) -> str:
        """Its title, or the end of its id."""
        return f'"{self.title[:60]}"' if self.title else self.id[-12:]

    @property
    def last(self) -> int:
        """The last frame with a status of it."""
        return self.steps[-1][0] if self.steps else self.frame


@dataclass(slots=True, eq=False)
class Section:
    """The work of an agent in one part of a session: messages by their kind, other work by its kind."""

    where: SessionPhase
    messages: dict[str, list[UpdateRun]] = field(default_factory=dict)
    others: dict[str, UpdateRun] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class SessionStory:
    """A session. `states`: updates that belong to no turn, by kind. `frames`: the number that name it."""

    id: str
    frame: int
    opened: bool = False
    frames: int = 0
    sections: dict[SessionPhase, Section] = field(default_factory=dict)
    states: dict[str, UpdateRun] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    requests: dict[str, list[Request]] = field(default_factory=lambda: {"client": [], "agent": []})
    notifications: list[TraceEvent] = field(default_factory=list)

    def section(self, where: SessionPhase) -> Section:
        """Return a part of it, and create the part if it does not exist yet."""
        if where not in self.sections:
            self.sections[where] = Section(where)
        return self.sections[where]


@dataclass(slots=True, eq=False)
class Story:
    """A trace as it is compared."""

    facts: Facts
    events: list[TraceEvent]
    sessions: dict[str, SessionStory]
    requests: dict[str, list[Request]]  #: requests outside of sessions, and those that open one, by sender
    notifications: list[TraceEvent]  #: notifications outside of sessions
    odd: list[TraceEvent]  #: lines that are not messages
    strays: list[TraceEvent]  #: responses that answer nothing
    handshake: Request | None = None
    blank: int = 0  #: empty lines
    turns: dict[int, Turn] = field(default_factory=dict)  #: by the frames of their prompts
    _frames: list[int] = field(init=False)  #: of the events, to search in

    def __post_init__(self) -> None:
        self._frames = [event.frame for event in self.events]

    def turn_at(self, session_id: str, where: SessionPhase | None) -> Turn | None:
        """Return the turn that a part of a session is; None if that part is not a turn."""
        if where is None or where.part != "turn":
            return None
        turns = self.sessions[session_id].turns
        return turns[where.number] if where.number < len(turns) else None

    @property
    def frames(self) -> int:
        """The number of frames in the trace."""
        return self.facts.trace.frames_client + self.facts.trace.frames_agent

    @property
    def whole(self) -> bool:
        """Whether the trace has its end."""
        return self.facts.trace.complete

    def at(self, frame: int) -> TraceEvent:
        """Return the event of a frame, or the one that it was joined into."""
        return self.events[bisect_right(self._frames, frame) - 1]

    def message(self, frame: int) -> Any:
        """Return the message of a frame, as a Python value."""
        return value_or_none(self.at(frame).text)

    def event(self, frame: int) -> FrameEvent:
        """Return a frame in a few words: `session/update tool_call edit`."""
        event = self.at(frame)
        words = event_words(
            event.kind, event.method, event.update, event.text, is_answer=event.answers is not None
        )
        return FrameEvent(frame, event.sender, words)
