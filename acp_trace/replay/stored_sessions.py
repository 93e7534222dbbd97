"""Sessions that a recording loads or resumes but did not open: the agent has them in its store.

A stored session belongs to the directory in which it was opened, so a replay continues there. This module
finds these sessions and words the notes about them; its callers check the directories. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.settings import Settings


class StoredSession(NamedTuple):
    """A session that the agent must have in its store. `frame`: the request that opens it again."""

    frame: int
    method: str
    session: str
    cwd: str


def stored(recording: Recording) -> Iterator[StoredSession]:
    """Yield the sessions that were opened before the recording began, each once."""
    opened: set[str | None] = set()
    for message in recording.messages:
        source = methods.OPENERS.get(message.method or "")
        if source is None or message.kind is not MessageKind.REQUEST:
            continue
        cwd = message.part("params").get("cwd")
        known = message.session in opened
        opened.add(message.session)
        if source == "params" and not known and message.session is not None and isinstance(cwd, str):
            yield StoredSession(message.frame, message.method or "", message.session, cwd)


def kept(recording: Recording, settings: Settings, usable: Callable[[str], bool]) -> list[str]:
    """Return the recorded directories that a run uses: those of stored sessions, unless one is given."""
    if settings.cwd is not None:
        return []
    return [cwd for cwd in dict.fromkeys(each.cwd for each in stored(recording)) if usable(cwd)]


def notes(recording: Recording, settings: Settings, usable: Callable[[str], bool]) -> Iterator[Incident]:
    """Yield a note about each of them before a run begins."""
    directories = kept(recording, settings, usable)
    for each in stored(recording):
        where = f"and goes on in {each.cwd}"
        if settings.cwd is not None:
            where = f"and goes on in {settings.cwd}, where the session may be unknown"
        elif each.cwd not in directories:
            where = f"which may lack this session: {each.cwd} does not exist, or is not yours alone"
        message = (
            f"{each.method} (#{each.frame}) opens a session from before the recording: this replay depends "
            f"on the agent's own stored sessions, {where}"
        )
        yield Incident("session-stored", message, each.session, expected=each.frame)
