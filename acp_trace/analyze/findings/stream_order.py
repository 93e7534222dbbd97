"""What the order of frames on several streams proves: within one stream everything, between two nothing.

Over HTTP, an agent of ACP sends on one event stream for the connection and one for each session, and a client
sends each message in its own request. The recorder saw them in one order; sender and receiver may have seen a
different order. So a finding that only rests on the order of two frames of one side is doubted if the frames
came on different streams. Frames that an id or a session joins need no order, and are not doubted.

Between a frame of one side and a later frame of the other, the order is the recorder's, which is between the
two: as with pipes, a side may have sent a frame before it received the frames recorded before it.
"""

from __future__ import annotations

from typing import Literal

from acp_trace.protocol import methods

#: The frames that a finding compares: the agent's of one session, all of the agent's, or the client's.
Compared = Literal["session", "agent", "client"]

#: The findings that follow from the order of frames of one side. All others follow from one message, or from
#: messages that an id joins.
ORDERED: dict[str, Compared] = {
    "update-after-settle": "session",
    "tool-call-restarted": "session",
    "tool-call-id-reused": "session",
    "message-repeated": "session",
    "state-skipped": "session",
    "tool-call-unfinished": "agent",
    "turn-empty": "agent",
    "history-missing": "agent",
    "history-differs": "agent",
    "history-late": "agent",
    "prompt-not-echoed": "agent",
    "tool-call-unannounced": "session",
    "permission-unannounced": "session",
    "updated-at-goes-back": "session",
    "update-unknown-session": "agent",
    "unknown-session": "agent",
    "resume-replayed": "agent",
    "list-disagrees": "agent",
    "config-lost": "agent",
    "cancel-leaked": "client",
    "permission-not-cancelled": "client",
}
DOUBT = "the order between two streams is not known"


class StreamOrder:
    """Feed it each frame with its stream; ask whether a finding may be an accident of the order."""

    def __init__(self) -> None:
        self._streams: dict[str, set[int]] = {"client": set(), "agent": set()}
        self._of_session: dict[str, set[int]] = {}

    def feed(self, sender: str, stream: int, method: str | None, session_id: str | None) -> None:
        """Record a frame on a stream. `method`: its own, or that of the request that it answers.

        `initialize` comes before all others on any stream. The answer to a request that opens a session is
        not a frame of that session: it comes on the stream of the connection.
        """
        if method in methods.INITIALIZERS:
            return
        self._streams[sender].add(stream)
        if session_id is not None and sender == "agent" and method not in methods.OPENERS:
            self._of_session.setdefault(session_id, set()).add(stream)

    def doubts(self, code: str, blame: str, session_id: str | None) -> bool:
        """Whether a finding compares frames of different streams."""
        compared = ORDERED.get(code)
        if compared is None:
            return False
        if compared == "session":
            return len(self._of_session.get(session_id or "", ())) > 1
        if compared == "agent":
            return blame == "agent" and len(self._streams["agent"]) > 1
        return len(self._streams["client"]) > 1
