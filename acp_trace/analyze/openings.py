"""Which sessions are open, and which messages name a session that is not.

A session is open from the response to the request that opens it. Messages that name it earlier are judged
when that response has come, because agents send updates about a new session before they answer.
"""

from __future__ import annotations

from bisect import bisect_left

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message
from acp_trace.trace import jsontext

_Orphan = tuple[str, str, str]  #: code, sender, session


class Openings:
    """Processes every message that names a session, in frame order."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._closed: set[str] = set()
        self._opening: dict[str, set[int]] = {}  #: frames of open requests that open this session
        self._making: dict[int, str] = {}  #: methods of open requests that create a session, by frame
        self._orphans: dict[_Orphan, tuple[str, list[int]]] = {}  #: the first method, all frames

    def is_open(self, session_id: str) -> bool:
        """Whether it is open, or a request to open it is."""
        return session_id in self._open or session_id in self._opening

    def is_closed(self, session_id: str) -> bool:
        """Whether it was closed. The last updates of a turn that this ends may come after it."""
        return session_id in self._closed

    def request(self, frame: int, message: Message) -> None:
        """Process a request that may open a session."""
        if methods.OPENERS.get(message.method or "") == "params" and message.session_id is not None:
            self._opening.setdefault(message.session_id, set()).add(frame)
        elif methods.OPENERS.get(message.method or "") == "result":
            self._making[frame] = message.method or ""

    def copied_by(self, session_id: str) -> int | None:
        """Return the open session/fork whose copy a session, not named before, must be; None if unknown.

        OpenCode sends the history of a copy before its answer names that session. While session/new is open
        too, the session may belong to either.
        """
        if self.is_open(session_id) or self.is_closed(session_id):
            return None
        return None if methods.NEW in self._making.values() else next(iter(self._making), None)

    def named(self, frame: int, sender: str, method: str, session_id: str) -> None:
        """Process a message that needs its session to be open, although the session is not."""
        code = "update-unknown-session" if method == methods.UPDATE else "unknown-session"
        self._orphans.setdefault((code, sender, session_id), (method, []))[1].append(frame)

    def announced(self, session_id: str) -> None:
        """Record that the agent has announced a session of its own: that of a subagent."""
        self._open.add(session_id)

    def response(self, exchange: Open, message: Message, made: str | None) -> list[int]:
        """Process the response to a request that opens or closes a session; `made`: the new session.

        Returns the frames in which the agent named a new session before its client knew it.
        """
        self._making.pop(exchange.frame, None)
        waiting = self._opening.get(exchange.session_id or "")
        if waiting is not None:
            waiting.discard(exchange.frame)
            if not waiting:
                del self._opening[exchange.session_id or ""]
        if message.is_error:
            return []
        if exchange.method in methods.CLOSERS and exchange.session_id is not None:
            self._open.discard(exchange.session_id)
            self._closed.add(exchange.session_id)
        elif (where := methods.OPENERS.get(exchange.method)) is not None:
            early = self._opened(exchange.frame, made if where == "result" else exchange.session_id)
            return early if where == "result" else []
        return []

    def _opened(self, since: int, session_id: str | None) -> list[int]:
        """Open a session; what the agent sent about it since the request to open it was merely early."""
        early: list[int] = []
        if session_id is None:
            return early
        self._open.add(session_id)
        self._closed.discard(session_id)
        for code in ("update-unknown-session", "unknown-session"):
            _, frames = self._orphans.get((code, "agent", session_id), ("", []))
            early += frames[bisect_left(frames, since) :]
            del frames[bisect_left(frames, since) :]
        return sorted(early)

    def speak(self, findings: Findings) -> None:
        """Add a finding for each message that named a session that was not open."""
        for (code, sender, session_id), (method, frames) in self._orphans.items():
            if not frames:
                continue
            why = "was closed" if session_id in self._closed else "was not opened here"
            text = f"{method} names session {jsontext.short(session_id)}, which {why}"
            cause = findings.lost.naming("agent", session_id)
            findings.say(code, sender, frames[0], session_id, text, count=len(frames), consequence_of=cause)
