"""One replay against an agent at a URL: it is not started, and only the connection ends.

So it has no exit code and no stderr, and it is never too slow to end.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.record.network.streams import StreamTrace
from acp_trace.replay.conversation.engine import Conversation
from acp_trace.replay.drive.played import ABORTED, Played, RunTrace
from acp_trace.replay.drive.played_run import PlayedRun
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.remote import RemoteConnection
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.plan.steps import Plan
from acp_trace.transport.remote import RemoteAgent


class ReachedRun(PlayedRun):
    """A run against a remote agent."""

    def __init__(
        self, plan: Plan, conversation: Conversation, remote: RemoteAgent, faults: Sequence[PlannedFault] = ()
    ) -> None:
        super().__init__(plan, conversation, faults)
        self._remote = remote

    def run(self, stop: Stop, started: int) -> Played:
        """Play it; return what was played. `started`: when its trace begins, ns, monotonic."""
        address = self._remote.address
        transport = "websocket" if address.is_websocket else "http"
        connection = RemoteConnection(self._remote)
        try:
            agent = {"url": address.shown}
            trace = RunTrace(
                self._played, (), started, self._plan, "replay", cwd="", transport=transport, agent=agent
            )
            with trace as sink:
                connection.start(StreamTrace(sink, self._remote.hide))
                with self._playing(connection, None, stop) as end:
                    connection.end()
                    connection.finish()
                    self._too_early(end)
                    error = self._gone(connection) if end is Ending.GONE else None
                left = end is Ending.OVER
                sink.end(None, None, error, aborted=ABORTED.get(end), client_left=left)
        finally:
            connection.finish()
        return self._over()

    def _gone(self, connection: RemoteConnection) -> str | None:
        """Report a broken connection; return why, if nothing had come on it: there was no agent."""
        why = connection.fault or "the agent ended the connection"
        if self._conversation.peer.count:
            self._note("agent-gone", f"{why}: {self._conversation.waits()}")
            return None
        self._played.end = None
        self._note("cannot-start", why)
        return why
