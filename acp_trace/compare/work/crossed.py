"""Tool calls that are sent to another session: one that has none in the one, and is new in the other.

What is missing there, and what is too much here, follows from that (`following`). A call is known again by
its kind and its title.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from acp_trace.compare.collector import Collector
from acp_trace.compare.pairing.sessions import SessionPair
from acp_trace.compare.story.model import Call, SessionStory

#: How a call is told that is in one trace alone. What comes after a turn is told for all of it.
_MISSING = ("tool-call-missing",)
_NEW = ("tool-call-extra", "tool-call-unannounced")
_AFTER = "after"


def compare(collector: Collector, sessions: Sequence[SessionPair]) -> None:
    """Reports each tool call that was reported to be missing, and that another session has now."""
    missing, new = (set(_frames(collector, *of)) for of in ((0, _MISSING), (1, _NEW)))
    if not missing or len(sessions) < 2:
        return
    free = [(pair, call) for pair in sessions for call in _calls(pair[1], new, with_after=True)]
    for number, (expected, _) in enumerate(sessions, 1):
        for call in _calls(expected, missing):
            title = collector.expected_uncounted.shown(call.title)
            for other in free:
                session, actual = other[0][0], other[1]
                is_same = call.title and (actual.kind or call.kind) == call.kind
                if session.id == expected.id or not is_same:
                    continue
                if collector.actual_uncounted.shown(actual.title) == title:
                    free.remove(other)
                    there = 1 + sessions.index(other[0])
                    message = f"a tool call of session {number} is sent to session {there}: {call.words}"
                    words = f"session {number}", f"session {there}"
                    frames = call.frame, actual.frame
                    collector.report(
                        "session-crossed", expected.id, message, *frames, was=words[0], now=words[1]
                    )
                    break


def _frames(collector: Collector, side: int, codes: Collection[str]) -> Iterator[int]:
    """The frames of the expected trace (`side` 0) or the actual one (1) that some codes are about."""
    for divergence in collector.so_far:
        event = (divergence.expected_event, divergence.got_event)[side]
        if divergence.code in codes and event is not None:
            yield event.frame


def _calls(session: SessionStory, frames: Collection[int], *, with_after: bool = False) -> Iterator[Call]:
    """The tool calls of a session that begin at these frames, or that come after a turn."""
    for where, section in session.sections.items():
        for call in section.calls:
            if call.frame in frames or (with_after and where.part == _AFTER):
                yield call
