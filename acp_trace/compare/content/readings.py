"""Frames -> their content: for each aspect of a table the combined value, and its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from acp_trace.compare.content.aspects import Aspect
from acp_trace.compare.trace_pair import Value
from acp_trace.normalize import pointers
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.story.model import Request, SessionStory, Story

#: A frame, its kind (an update, or "" for a response), and its message.
Source = tuple[int, str, Any]
#: One value for each row of a table.
Readings = list[Value]


def read(aspects: Sequence[Aspect], sources: Iterable[Source]) -> Readings:
    """Return the content of some frames, which come in order. A value's place is that of its last change."""
    readings = [Value(None, aspect.paths[0]) for aspect in aspects]
    by_path = _by_path(tuple(aspects))
    for frame, kind, message in sources:
        for path, rows in by_path.items():
            there = pointers.at(message, path)
            if there is NOTHING:
                continue
            for at, aspect in rows:
                if aspect.of and kind not in aspect.of:
                    continue
                before, after = readings[at].value, aspect.take(there)
                if after is not NOTHING and before is not NOTHING:
                    after = aspect.fold(before, after)
                if after is not NOTHING and after is not before:
                    readings[at] = Value(frame, path, after)
    return readings


@cache
def _by_path(aspects: tuple[Aspect, ...]) -> dict[Path, list[tuple[int, Aspect]]]:
    """Return the rows of a table, with their indices, by place: several rows may read one place."""
    by_path: dict[Path, list[tuple[int, Aspect]]] = defaultdict(list)
    for at, aspect in enumerate(aspects):
        for path in aspect.paths:
            by_path[path].append((at, aspect))
    return by_path


def updates(story: Story, frames: Iterable[int]) -> list[Source]:
    """Return updates, by their frames."""
    return [(frame, story.at(frame).update or "", story.message(frame)) for frame in frames]


def of_session(
    story: Story, session: SessionStory, opened_by: Iterable[Request], aspects: Sequence[Aspect]
) -> list[Source]:
    """Return the updates of a session with one of these aspects, and the responses with its configuration.

    `opened_by`: the requests that opened it.
    """
    kinds = {kind for aspect in aspects for kind in aspect.of}
    runs = (run for kind, run in session.states.items() if kind in kinds)
    sources = updates(story, (frame for run in runs for frame in run.frames))
    for request in (*opened_by, *session.requests["client"]):
        if request.response_frame is not None and isinstance(request.result, dict):
            sources.append((request.response_frame, "", {"result": request.result}))
    return sorted(sources, key=lambda source: source[0])


def openers(story: Story) -> dict[str, list[Request]]:
    """Return the requests that opened sessions, by session."""
    by_session: dict[str, list[Request]] = defaultdict(list)
    for request in story.requests["client"]:
        ids = {request.session_id, pointers.at(request.result, ("sessionId",))}
        for session_id in ids:
            if isinstance(session_id, str):
                by_session[session_id].append(request)
    return by_session
