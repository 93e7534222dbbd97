"""What is at a frame of a trace, for finding which divergence follows from which. Pure.

All tables are made from a story when they are first needed: most comparisons need none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from acp_trace.analyze import options
from acp_trace.analyze.facts import Turn
from acp_trace.normalize import pointers
from acp_trace.protocol import methods
from acp_trace.story.model import Call, Request, Section, Story
from acp_trace.trace.jsontext import objects

_AT_ONCE = 4  #: turns of one session that may be open at once
_CONFIG = (("result", "configOptions"), ("params", "update", "configOptions"))
_MODES = (("result", "modes", "currentModeId"), ("params", "update", "currentModeId"))


class FrameIndex:
    """The frames of one trace."""

    def __init__(self, story: Story) -> None:
        self.story = story

    @cached_property
    def requests(self) -> dict[int, Request]:
        """The requests, each by its own frame and by that of its response."""
        by_frame: dict[int, Request] = {}
        sides = (self.story.requests, *(session.requests for session in self.story.sessions.values()))
        for request in chain.from_iterable(chain(*requests.values()) for requests in sides):
            by_frame[request.frame] = request
            if request.response_frame is not None:
                by_frame[request.response_frame] = request
        return by_frame

    @cached_property
    def unanswered(self) -> list[int]:
        """The frames of the client's requests that have no answer."""
        requests = self.requests.items()
        return sorted(
            frame for frame, each in requests if each.sender == "client" and each.response_frame is None
        )

    @cached_property
    def calls(self) -> dict[int, Call]:
        """The tool calls, each by all frames that are about it."""
        return {frame: call for section in self._sections for call in section.calls for frame in call.frames}

    @cached_property
    def messages(self) -> dict[tuple[str, int], set[int]]:
        """The first frames of the messages of each turn, by session and turn."""
        return {
            (session.id, where.number): {run.frame for runs in section.messages.values() for run in runs}
            for session in self.story.sessions.values()
            for where, section in session.sections.items()
            if where.part == "turn"
        }

    @property
    def _sections(self) -> Iterator[Section]:
        return chain.from_iterable(session.sections.values() for session in self.story.sessions.values())

    def turn(self, session_id: str | None, frame: int) -> Turn | None:
        """Return the turn of a session that is open at a frame, which may be the one that settles it."""
        session = self.story.sessions.get(session_id or "")
        turns = session.turns if session is not None else []
        begun = bisect_right(turns, frame, key=lambda turn: turn.frame)
        return next(
            (
                turn
                for turn in reversed(turns[max(begun - _AT_ONCE, 0) : begun])
                if turn.settled_frame is None or frame <= turn.settled_frame
            ),
            None,
        )

    def call_around(self, request: Request) -> Call | None:
        """Return the last tool call of its session that is open at a request; None if there is none."""
        session = self.story.sessions.get(request.session_id or "")
        sections = session.sections.values() if session is not None else ()
        calls = (call for section in sections for call in section.calls)
        around = [call for call in calls if call.frame < request.frame <= call.last]
        return max(around, key=lambda call: call.frame, default=None)

    def opened(self, frame: int) -> str | None:
        """Return the session that the request at a frame opened; None if it opened none."""
        request = self.requests.get(frame)
        source = None if request is None else methods.OPENERS.get(request.method)
        if request is None or source is None:
            return None
        id_ = pointers.at(request.params if source == "params" else request.result, ("sessionId",))
        return id_ if isinstance(id_, str) else None

    def terminals(self, call: Call) -> set[str]:
        """Return the terminals that a tool call shows."""
        updates = (
            pointers.at(self.story.message(frame), ("params", "update", "content")) for frame in call.frames
        )
        ids = (block.get("terminalId") for content in updates for block in objects(content))
        return {id_ for id_ in ids if isinstance(id_, str)}

    def value(self, frame: int, option: str | None) -> Any:
        """Return the value of an option according to a frame, or of the legacy mode if the option is None."""
        message = self.story.message(frame)
        if option is None:
            values = (pointers.at(message, path) for path in _MODES)
            return next((value for value in values if isinstance(value, str)), None)
        for path in _CONFIG:
            for listed in objects(pointers.at(message, path)):
                if options.id_of(listed) == option:
                    return listed.get("currentValue")
        return None
